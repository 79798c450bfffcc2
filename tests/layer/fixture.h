/* SPDX-License-Identifier: Apache-2.0 */
/* A table of the tests below the layer, which records its calls and returns what a test sets. */
#ifndef CUSHIM_TESTS_LAYER_FIXTURE_H
#define CUSHIM_TESTS_LAYER_FIXTURE_H

#include <cushim/cushim.h>
#include <cushim/testing/layer.h>

#include "tests/support/cmocka.h"

/*
 * Every slot returns CUDA_ERROR_NOT_SUPPORTED, except for a few that count their calls and succeed.
 */
extern struct cushim_table fake_table;

extern unsigned fake_queries;      /* calls of cuEventQuery */
extern CUevent fake_queried;       /* the event of the last call */
extern CUresult fake_query_answer; /* the result of the calls */
extern unsigned fake_allocations;  /* calls of cuMemAlloc_v2, which returns 0x1000, 0x2000, ... */

/* For cmocka: the fake in its initial state, and an installed layer over it in `*state`. */
int layer_setup(void **state);
int layer_teardown(void **state);

/* --- faults --- */

/* The message about refused rules. */
extern char fault_message[400];

/* Add rules, one per line, to the layer in `*state`. */
void fault_add(void **state, const char *rules);

/* Call cuMemAlloc_v2; call cuEventQuery. */
CUresult fault_allocate(void);
CUresult fault_query(void);

/* Make all functions below the layer succeed without effect. */
void fault_let_all_succeed(struct cushim_layer *layer);

#endif
