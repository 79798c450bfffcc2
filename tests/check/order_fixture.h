/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mock, a layer over it that is checked, and what tests of the order of work use: streams and
 * memory. Nothing is left at the end.
 */
#ifndef CUSHIM_TESTS_CHECK_ORDER_FIXTURE_H
#define CUSHIM_TESTS_CHECK_ORDER_FIXTURE_H

#include <stdbool.h>

#include <cushim/testing/check.h>
#include <cushim/testing/mock.h>

#include "tests/support/cmocka.h"

enum { ORDER_BYTES = 4096 };

extern struct cushim_mock *order_mock;
extern struct cushim_layer *order_layer;
extern const struct cushim_table *driver; /* the layer's */
extern CUcontext order_context;           /* current */
extern CUstream order_streams[2];         /* non-blocking */
extern CUdeviceptr order_memory;          /* ORDER_BYTES of the device */
extern char *order_host;                  /* page-locked, as many */

/* With settings of the mock besides. The end asserts that nothing was found that is not taken. */
void order_begin(const char *settings);
void order_end(void);

/* For cmocka. */
int order_setup(void **state);
int order_teardown(void **state);

/* What was found of an id, and nothing else was: `count` places. It is not asserted again. */
void order_take(const char *id, size_t count);

/* Whatever was found so far is taken. */
void order_take_all(void);

CUstream order_stream(unsigned flags);
CUevent order_event(unsigned flags);

/* Two works on one memory that need an order: a set on a stream, and a copy of it to the host. */
void order_write(CUstream stream);
void order_read(CUstream stream);

/* Work that holds up a stream for so long in virtual time. */
void order_spin(CUstream stream);

/*
 * What orders works, as programs: each is written twice, with what orders two uses of the same
 * memory and without it.
 */
struct order_edge {
    const char *name;
    void (*run)(bool is_ordered);
};

#define ORDER_EDGE(name) \
    {                    \
#name, name      \
    }

/* Of edges up to a NULL name: the program without the order has one race, the other none. */
void order_check_edges(const struct order_edge *edges);

#endif
