/* SPDX-License-Identifier: Apache-2.0 */
/* Which run of a sweep this is, in words; and the one that is under way. */
#ifndef CUSHIM_LAYER_SWEEP_RUNNING_H
#define CUSHIM_LAYER_SWEEP_RUNNING_H

#include "src/base/text.h"
#include "src/testkit/sweep_calls.h"

/* `call 17 of the body (cuMemAlloc_v2) answered CUDA_ERROR_OUT_OF_MEMORY, once`. */
void cushim__sweep_name_add(struct cushim__text *text, const struct cushim__sweep_order *order,
                            const struct cushim__sweep_seen *seen);

/* `; mock: schedule = lazy; this run alone: first = last = 17, kinds = CUSHIM_SWEEP_ONCE`. */
void cushim__sweep_way_add(struct cushim__text *text, const struct cushim__sweep_order *order);

/* A run begins; a call has failed in it, for the first time; it has ended. */
void cushim__sweep_running_begin(const struct cushim__sweep_order *order);
void cushim__sweep_running_fails(const struct cushim__sweep_order *order,
                                 const struct cushim__sweep_seen *seen);
void cushim__sweep_running_end(void);

#endif
