/* SPDX-License-Identifier: Apache-2.0 */
/* The mock's table, and its symbols by name: what the driver of its version exports. */
#ifndef CUSHIM_MOCK_FUNCTIONS_SYMBOL_H
#define CUSHIM_MOCK_FUNCTIONS_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#include <cushim/table.h>

/*
 * Return the function of a slot for the program: from the mock's table, or exported by the library.
 * NULL if there is none.
 */
extern cushim_function (*cushim__mock_symbol_source)(unsigned slot);

/* The slot of an exported name; CUSHIM__SYMBOL_COUNT if there is none of this name. */
unsigned cushim__mock_symbol_slot(const char *name);

/*
 * Whether a driver of this version, for this system, has the symbol of a slot, and no fault hides
 * it.
 */
bool cushim__mock_symbol_exists(unsigned slot, int version);

/* The mock's table, and its slots by name; generated. */

/* Every slot begins a call, calls the function that implements it or refuses, and ends the call. */
extern const struct cushim_table cushim__mock_table;

/* All slots, ascending by exported name. */
extern const uint16_t cushim__mock_by_name[];

#endif
