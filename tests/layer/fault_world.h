/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of faults share: rules that must be right, and calls to meet them. */
#ifndef CUSHIM_TESTS_LAYER_FAULT_WORLD_H
#define CUSHIM_TESTS_LAYER_FAULT_WORLD_H

#include <cushim/fault.h>

#include "world.h"

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
