/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the functions of the mock are written: one definition per symbol, in this folder.
 *
 *     MOCK_EXACT(EventCreate)(CUevent *event, unsigned int flags)
 *     {
 *         ...
 *     }
 *
 * EXACT means: behaves as the driver does, to the extent of docs/driver-semantics.md. What differs
 * knowingly is said in APPROXIMATE, in a few words that stand on the page mock-coverage.md:
 *
 *     MOCK_APPROXIMATE(CtxSetLimit, "values limit nothing")(CUlimit limit, size_t value)
 *
 * The parameters have the names that the registry gives them; those that the function does not use
 * are left out. They stand in the order in which the driver looks at them, because the generated
 * wrapper does some of that before it calls the function:
 *
 *     MOCK_EXACT(StreamGetPriority)(int *NOT_NULL priority, const struct mock_stream *stream)
 *
 *  - NOT_NULL: the wrapper returns INVALID_VALUE for NULL.
 *  - A `struct mock_... *` in the place of a handle, under any name: the wrapper finds the object, or
 *    returns what its find function does. OR_CURRENT: NULL means the current context.
 *  - A `struct mock_... **NOT_NULL` in the place of a pointer to a handle: the function sets an
 *    object, and if it succeeds the wrapper writes the object's handle.
 *  - `struct mock_context *current`, which is no parameter of the slot: the current context.
 *    `wide_current`: the same for calls with addresses of 64 bits (context.h).
 *  - `bool uncaptured`, which is none either and always true: the wrapper has refused the call where a
 *    capture forbids those that are unsafe (cushim__mock_capture_unsafe()).
 *  - `bool asynchronous`, another one: whether the slot takes a stream.
 *  - `unsigned slot`, another one: which of the slots it is that the function serves, as
 *    CUSHIM__SLOT(CtxPopCurrent_v2); for a per-thread twin that of the other.
 *
 * Other slots that the same function serves stand before it. They have the same parameters, or
 * some of them, by name: what a slot lacks is zero.
 *
 *     MOCK_ALSO(CtxPopCurrent)
 *     MOCK_EXACT(CtxPopCurrent_v2)(CUcontext *pctx)
 *
 * loader/generator/mock.py reads these definitions from the sources that meson.build lists as
 * `mock_calls`: it writes their prototypes (calls.h, included from here, so that the types are
 * checked against the registry), the table with every slot (table.c; the rest is refused), and the
 * page on what is implemented. Types that CUDA 11.2 does not know are spelled as in
 * <cushim/slots.h>. A symbol `_ptsz` or `_ptds` needs no definition where its twin has one.
 *
 * A function runs under the mock's lock, between cushim__mock_call_enter() and
 * cushim__mock_call_leave() of its generated wrapper (src/mock/mock.h), so it contains nothing that
 * holds for all calls alike. A call never nests in another on its thread.
 */
#ifndef CUSHIM_MOCK_API_API_H
#define CUSHIM_MOCK_API_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/symbols.h"
#include "src/mock/api/calls.h"
#include "src/mock/core/state.h"

#define MOCK_ALSO(...)
#define MOCK_EXACT(slot) CUresult cushim__mock_##slot
#define MOCK_APPROXIMATE(slot, difference) CUresult cushim__mock_##slot
#define NOT_NULL
#define OR_CURRENT

/* A definition names what the wrapper is to look at, whether the function uses that or not. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#endif
