/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What holds for all calls alike: the generated wrapper of every slot begins and ends with these.
 */
#ifndef CUSHIM_MOCK_CALL_H
#define CUSHIM_MOCK_CALL_H

#include "src/mock/core/state.h"

#include <cuda.h>

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
