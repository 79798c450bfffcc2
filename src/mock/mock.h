/* SPDX-License-Identifier: Apache-2.0 */
/* The mock as a whole: what its library and its own files need of each other. */
#ifndef CUSHIM_MOCK_MOCK_H
#define CUSHIM_MOCK_MOCK_H

#include "src/mock/core/state.h"

/* cushim_mock_create(), for a way in with defaults of its own. */
struct mock_defaults {
    enum mock_mode mode;
    const char *where; /* what messages call `options->settings` */
};
CUresult cushim__mock_create(const struct cushim_mock_options *options,
                             const struct mock_defaults *defaults, struct cushim_mock **mock);

/* layer_host.c: the mock as the host of layers. */
extern const struct cushim__layer_host cushim__mock_layer_host;

/* control.c: create the race detector, if the settings ask for it. */
CUresult cushim__mock_races_create(void);

/* call.c: what holds for all calls alike. The generated wrapper of every slot begins and ends so. */

/*
 * Begin a call: take the lock, let the call's time pass, and return what holds for every function:
 * stub library, not initialised, forked child, inside a host function, a sticky error. `slot` is
 * the number in slot order. On any code but CUDA_SUCCESS the function is not called; leave is.
 */
CUresult cushim__mock_call_enter(unsigned slot);

/* End a call: trace it, release the lock. Returns `code`. */
CUresult cushim__mock_call_leave(unsigned slot, CUresult code);

/*
 * The call that has begun is of an ABI that the slot `newer` replaced: log that, once for each
 * slot. Nothing is logged where the driver's version lacks `newer`: the program has no better
 * choice then.
 */
void cushim__mock_call_superseded(unsigned slot, unsigned newer);

/* The body of a slot that is not implemented: log its name, return NOT_SUPPORTED. */
CUresult cushim__mock_call_refuse(unsigned slot);

#endif
