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
 * Whether this thread is in the function that stands for a kernel. It is called under the lock, so
 * that a call of the driver from it would never return: it answers CUDA_ERROR_NOT_PERMITTED
 * instead.
 */
extern _Thread_local bool cushim__mock_in_kernel;

/*
 * The mock whose lock this thread has taken for a fork; NULL: none. Handlers for the fork that come
 * after the mock's may call the driver, as a loader's does that asks whether it is initialised.
 */
extern _Thread_local struct cushim_mock *cushim__mock_held_for_fork;

/* What holds for a slot, in call_rules.c: data that cushim__mock_call_enter() reads. */
enum {
    MOCK_BEFORE_INIT = 1,      /* works before cuInit */
    MOCK_IN_HOST_FUNCTION = 2, /* may be called by a host function; others answer 800 there */
    MOCK_AFTER_FAULT = 4,      /* works after a sticky error */
    MOCK_AFTER_FORK = 8,       /* works in the child of a process that had called cuInit */
    /*
     * Before cuInit it is called all the same, and what it answers to its arguments is the answer.
     */
    MOCK_ARGUMENTS_FIRST = 16,
};
uint8_t cushim__mock_call_rules(unsigned slot);

#endif
