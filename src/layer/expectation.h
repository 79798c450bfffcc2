/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations, as the watch feeds them. */
#ifndef CUSHIM_LAYER_EXPECTATION_H
#define CUSHIM_LAYER_EXPECTATION_H

#include "src/layer/watch.h"

/* A call has ended with what the caller gets. Under the layer's lock. */
void cushim__expectation_judge(const struct cushim__call *call, CUresult answer);

/* The layer ends. */
void cushim__expectation_drop(void);

#endif
