/* SPDX-License-Identifier: Apache-2.0 */
/* The recording of calls, as other parts of the layer use it. */
#ifndef CUSHIM_LAYER_RECORDING_H
#define CUSHIM_LAYER_RECORDING_H

#include "src/base/text.h"
#include "src/layer/layer.h"

/*
 * cushim_recording_start(), not under the lock; `is_asked` says whether it is a failure that calls
 * are lost which nobody reads.
 */
CUresult cushim__recording_start(struct cushim_layer *layer, size_t capacity, bool is_asked);

/* Print that calls were lost which somebody wants. Under the layer's lock. */
void cushim__recording_print_lost(struct cushim__text *text);

#endif
