/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mock, a layer over it with check, and streams and memory for tests of the order of work.
 * Nothing is left at the end.
 */
#ifndef CUSHIM_TESTS_CHECK_ORDER_FIXTURE_H
#define CUSHIM_TESTS_CHECK_ORDER_FIXTURE_H

#include <cushim/testing/check.h>
#include <cushim/testing/mock.h>

#include "tests/check/order_objects.h"
#include "tests/support/cmocka.h"

extern struct cushim_mock *order_mock;
extern struct cushim_layer *order_layer;
extern const struct cushim_table *driver; /* the layer's table */

/* Begin with settings for the mock. order_end() asserts that all findings have been taken. */
void order_begin(const char *settings);
void order_end(void);

/* Replaces order_end() when the context is lost: the mock destroys what is left. */
void order_end_lost(void);

/* For cmocka. */
int order_setup(void **state);
int order_teardown(void **state);

/*
 * Assert that there are `count` findings, all with this id, and take them, so that later assertions
 * ignore them.
 */
void order_take(const char *id, size_t count);

/* Take all findings so far. */
void order_take_all(void);

/*
 * For relations up to a NULL name: the program without the relation has one race, and the other
 * none. Both check, which knows the calls, and the mock find it.
 */
void order_check_edges(const struct order_edge *edges);

#endif
