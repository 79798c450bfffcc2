/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mock, a layer over it that is checked, and what tests of the order of work use: streams and
 * memory. Nothing is left at the end.
 */
#ifndef CUSHIM_TESTS_CHECK_ORDER_FIXTURE_H
#define CUSHIM_TESTS_CHECK_ORDER_FIXTURE_H

#include <cushim/testing/check.h>
#include <cushim/testing/mock.h>

#include "tests/check/order_objects.h"
#include "tests/support/cmocka.h"

extern struct cushim_mock *order_mock;
extern struct cushim_layer *order_layer;
extern const struct cushim_table *driver; /* the layer's */

/* With settings of the mock besides. The end asserts that nothing was found that is not taken. */
void order_begin(const char *settings);
void order_end(void);

/* In place of order_end(): the context is lost, and what is left goes with the mock. */
void order_end_lost(void);

/* For cmocka. */
int order_setup(void **state);
int order_teardown(void **state);

/* What was found of an id, and nothing else was: `count` places. It is not asserted again. */
void order_take(const char *id, size_t count);

/* Whatever was found so far is taken. */
void order_take_all(void);

/* Of edges up to a NULL name: the program without the order has one race, the other none. */
void order_check_edges(const struct order_edge *edges);

#endif
