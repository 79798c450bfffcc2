/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the functions of the mock are written: one definition per symbol, in this folder.
 *
 *     MOCK_EXACT(EventCreate)(CUevent *event, unsigned int flags)
 *     {
 *         ...
 *     }
 *
 * EXACT means to behave as the driver does, to the extent of docs/driver-semantics.md. Known
 * differences are stated in APPROXIMATE, in a few words that appear on the page mock-coverage.md:
 *
 *     MOCK_APPROXIMATE(CtxSetLimit, "values limit nothing")(CUlimit limit, size_t value)
 *
 * The parameters have the names that the registry gives them; those that the function does not use
 * are left out. They are in the order in which the driver checks them, because the generated
 * wrapper does some of these checks before it calls the function:
 *
 *     MOCK_EXACT(StreamGetPriority)(int *NOT_NULL priority, const struct mock_stream *stream)
 *
 *  - NOT_NULL: the wrapper returns INVALID_VALUE for NULL.
 *  - A `struct mock_... *` in the place of a handle, under any name: the wrapper finds the object,
 *    or returns the error of its find function. With OR_CURRENT, NULL means the current context.
 *  - A `struct mock_... **NOT_NULL` in the place of a pointer to a handle: the function sets an
 *    object, and if it succeeds the wrapper writes the object's handle.
 *  - `struct mock_context *current`, which is not a parameter of the slot: the current context.
 *    `wide_current` is the same for calls with addresses of 64 bits (context.h).
 *  - `bool uncaptured`, also not a parameter of the slot, and always true: the wrapper has refused
 *    the call where a capture forbids unsafe calls (cushim__mock_capture_unsafe()).
 *  - `bool asynchronous`, likewise: whether the slot takes a stream.
 *  - `unsigned slot`, likewise: which of the slots that the function serves was called, as
 *    CUSHIM__SLOT(CtxPopCurrent_v2); for a per-thread twin the slot of the other.
 *
 * Other slots that the same function serves are named before it. They have the same parameters, by
 * name, or some of them; a parameter that a slot lacks is zero.
 *
 *     MOCK_ALSO(CtxPopCurrent)
 *     MOCK_EXACT(CtxPopCurrent_v2)(CUcontext *pctx)
 *
 * loader/generator/mock.py reads these definitions from the sources that meson.build lists as
 * `mock_calls`. It writes their prototypes (calls.h, included from here, so that the types are
 * checked against the registry), the table with every slot (table.c; slots without a definition are
 * refused), and the page on what is implemented. Types that CUDA 11.2 does not know are spelled as
 * in <cushim/slots.h>. A symbol `_ptsz` or `_ptds` needs no definition where its twin has one.
 *
 * A function runs under the mock's lock, between cushim__mock_call_enter() and
 * cushim__mock_call_leave() of its generated wrapper (src/mock/mock.h), so it contains nothing that
 * is common to all calls. A call never nests in another on its thread.
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

/* A definition names what the wrapper checks, whether or not the function uses it. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#endif
