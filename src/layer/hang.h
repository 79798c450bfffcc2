/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that hang, and those that take longer. */
#ifndef CUSHIM_LAYER_FAULT_HANG_H
#define CUSHIM_LAYER_FAULT_HANG_H

#include "src/layer/watch.h"

/* A call hangs from now on: what it waits by. Under the layer's lock. */
uint64_t cushim__hang_begin(void);

/*
 * Wait until it is let go. If the layer ends meanwhile, the call is none of it any more. Called
 * without the layer's lock, as is what follows.
 */
void cushim__hang_wait(struct cushim__call *call, uint64_t began);

/* Let go who hangs at this moment; the second waits until they have gone. */
void cushim__hang_release(void);
void cushim__hang_end(void);

/* In the child of a fork nobody hangs. */
void cushim__hang_in_child(void);

/* Let time pass: the mock's, or else the host's. */
void cushim__hang_delay(uint64_t duration_ns);

#endif
