/* SPDX-License-Identifier: Apache-2.0 */
/* A table of the tests' own under the layer: what was called of it, and what it answers. */
#ifndef CUSHIM_TESTS_LAYER_WORLD_H
#define CUSHIM_TESTS_LAYER_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cushim/cushim.h>
#include <cushim/layer.h>

/* Every slot answers CUDA_ERROR_NOT_SUPPORTED, but for the few that count and succeed. */
extern struct cushim_table fake_table;

extern unsigned fake_queries;      /* calls of cuEventQuery */
extern CUevent fake_queried;       /* the event of the last */
extern CUresult fake_query_answer; /* what it answers */
extern unsigned fake_allocations;  /* calls of cuMemAlloc_v2, which hands out 0x1000, 0x2000, ... */

/* For cmocka: the fake as it was, and a layer over it in `*state`, which is installed. */
int layer_setup(void **state);
int layer_teardown(void **state);

#endif
