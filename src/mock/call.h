/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the functions of the mock are written: one definition per symbol, in api/.
 *
 *     MOCK_EXACT(EventCreate)(CUevent *event, unsigned int flags)
 *     {
 *         ...
 *     }
 *
 * EXACT means: answers as the driver does, to the extent of docs/driver-semantics.md. What differs
 * knowingly is said in APPROXIMATE, in a few words that stand on the page mock-coverage.md:
 *
 *     MOCK_APPROXIMATE(CtxSetLimit, "values limit nothing")(CUlimit limit, size_t value)
 *
 * loader/generator/mock.py reads these definitions from the sources that api/meson.build lists as
 * `mock_calls`: it writes their prototypes (calls.h, included from here, so that the types are
 * checked against the registry), the table with every slot (table.c; the rest is refused), and the
 * page on what is implemented. Types that CUDA 11.2 does not know are spelled as in
 * <cushim/slots.h>. A symbol `_ptsz` or `_ptds` needs no definition where its twin has one.
 *
 * A function runs under the lock, between cushim__mock_call_enter() and cushim__mock_call_leave() of its
 * generated wrapper, so it begins with the arguments and contains nothing that holds for all calls
 * alike. A call never nests in another on its thread.
 */
#ifndef CUSHIM_MOCK_CALL_H
#define CUSHIM_MOCK_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/symbols.h"
#include "src/base/call_rules.h"
#include "src/base/layer_host.h"
#include "src/mock/calls.h"

#define MOCK_EXACT(slot) CUresult CUDAAPI cushim__mock_##slot
#define MOCK_APPROXIMATE(slot, difference) CUresult CUDAAPI cushim__mock_##slot

/*
 * Begin a call: take the lock, let the call's time pass, and answer what holds for every function:
 * stub library, not initialised, forked child, inside a host function, an earlier fault. `slot` is
 * the number in slot order. On any code but CUDA_SUCCESS the function is not called; leave is.
 */
CUresult cushim__mock_call_enter(unsigned slot);

/* End a call: trace it, release the lock. Returns `code`. */
CUresult cushim__mock_call_leave(unsigned slot, CUresult code);

/*
 * The call that has begun is of an ABI that the slot `newer` replaced: log that, once for each slot.
 * Nothing is logged where the driver's version lacks `newer`: the program has no better choice then.
 */
void cushim__mock_call_superseded(unsigned slot, unsigned newer);

/* The body of a slot that is not implemented: log its name, answer NOT_SUPPORTED. */
CUresult cushim__mock_call_refuse(unsigned slot);

/* The exported name of the function under way on this thread; for violations and the log. */
const char *cushim__mock_call_name(void);

/*
 * Whether NULL means the per-thread default stream: set by the wrappers of `_ptsz` and `_ptds`
 * symbols around the function that they share with their twin.
 */
extern _Thread_local bool cushim__mock_call_per_thread;

/*
 * Whether this thread executes a host function of the program: set by the engine's helper thread.
 */
extern _Thread_local bool cushim__mock_in_host_function;

/*
 * The mock whose lock this thread has taken for a fork; NULL: none. Handlers for the fork that come
 * after the mock's may call the driver, as a loader's does that asks whether it is initialised.
 */
extern _Thread_local struct cushim_mock *cushim__mock_held_for_fork;

#endif
