/* SPDX-License-Identifier: Apache-2.0 */
/* A table of the tests' own under the layer: what was called of it, and what it answers. */
#ifndef CUSHIM_TESTS_LAYER_FIXTURE_H
#define CUSHIM_TESTS_LAYER_FIXTURE_H

#include <cushim/cushim.h>
#include <cushim/testing/layer.h>

#include "tests/support/cmocka.h"

/* Every slot answers CUDA_ERROR_NOT_SUPPORTED, but for the few that count and succeed. */
extern struct cushim_table fake_table;

extern unsigned fake_queries;      /* calls of cuEventQuery */
extern CUevent fake_queried;       /* the event of the last */
extern CUresult fake_query_answer; /* what it answers */
extern unsigned fake_allocations;  /* calls of cuMemAlloc_v2, which hands out 0x1000, 0x2000, ... */

/* For cmocka: the fake as it was, and a layer over it in `*state`, which is installed. */
int layer_setup(void **state);
int layer_teardown(void **state);

/* --- faults --- */

/* Why rules were refused. */
extern char fault_message[400];

/* Add rules, as lines, to the layer in `*state`. */
void fault_add(void **state, const char *rules);

/* A call of cuMemAlloc_v2, and one of cuEventQuery. */
CUresult fault_allocate(void);
CUresult fault_query(void);

/* Let all functions below the layer succeed, and do nothing. */
void fault_let_all_succeed(struct cushim_layer *layer);

#endif
