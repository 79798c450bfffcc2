/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations of the mock as a whole, for the files of this folder and of functions/, and for the
 * drop-in library (src/library).
 */
#ifndef CUSHIM_MOCK_MOCK_H
#define CUSHIM_MOCK_MOCK_H

#include <stdint.h>

#include <cushim/table.h>

#include "src/mock/core/state.h"

/* cushim_mock_create(), with what the caller chooses. */
struct mock_defaults {
    enum mock_mode mode;
    enum mock_race_setting races;
    cushim__mock_report *report;
    const char *where; /* the name of `options->settings` in messages */
    cushim_function (*symbol_source)(unsigned slot);
};
CUresult cushim__mock_create(const struct cushim_mock_options *options,
                             const struct mock_defaults *defaults, struct cushim_mock **mock);

/* layer_callbacks.c: the functions of the mock that the layer calls. */
extern const struct cushim__mock_callbacks cushim__mock_layer_callbacks;

/*
 * The mock's table. Each slot begins a call, calls the function that implements it or refuses the
 * call, and ends the call.
 */
extern const struct cushim_table cushim__mock_table; /* generated */

/* All slots, ascending by exported name. */
extern const uint16_t cushim__mock_by_name[]; /* generated */

/* control.c: the slot of an exported name; CUSHIM__SYMBOL_COUNT if there is none of this name. */
unsigned cushim__mock_symbol_slot(const char *name);

/* control.c: create the race detector, if the settings ask for it. */
CUresult cushim__mock_races_create(void);

/* call.c: the beginning and the end of every call, for the generated wrapper of each slot. */

/*
 * Begin a call: take the lock, let the call's time pass, and return the error that is the same for
 * every function: stub library, not initialised, forked child, inside a host function, sticky
 * error. `slot` is the number in slot order. On any code but CUDA_SUCCESS the wrapper does not call
 * the function, only cushim__mock_call_leave().
 */
CUresult cushim__mock_call_enter(unsigned slot);

/*
 * End a call: trace it, release the lock. Returns `code`; before cuInit, NOT_INITIALIZED replaces
 * every code but INVALID_VALUE and INVALID_HANDLE.
 */
CUresult cushim__mock_call_leave(unsigned slot, CUresult code);

/*
 * Log, once for each slot, that the current call uses an ABI that the slot `newer` replaced.
 * Nothing is logged if the driver lacks `newer`, because the program then has no better choice.
 */
void cushim__mock_call_superseded(unsigned slot, unsigned newer);

/* The body of a slot that is not implemented: log its name, return NOT_SUPPORTED. */
CUresult cushim__mock_call_refuse(unsigned slot);

#endif
