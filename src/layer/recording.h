/* SPDX-License-Identifier: Apache-2.0 */
/* The recording of calls, as the watch feeds it. */
#ifndef CUSHIM_LAYER_RECORDING_H
#define CUSHIM_LAYER_RECORDING_H

#include "src/layer/watch.h"

/* A call begins, and ends with what the caller gets. Under the layer's lock. */
void cushim__recording_begin(const struct cushim__call *call);
void cushim__recording_end(const struct cushim__call *call, CUresult answer);

/* The layer ends. */
void cushim__recording_drop(void);

#endif
