/* SPDX-License-Identifier: Apache-2.0 */
/* The mock's symbols by name: what the driver of its version exports. */
#ifndef CUSHIM_MOCK_SYMBOL_H
#define CUSHIM_MOCK_SYMBOL_H

#include <stdbool.h>

#include <cushim/table.h>

/*
 * Where the function of a slot is for the program: in the mock's table, or exported by the library.
 * NULL: it is nowhere.
 */
extern cushim_function (*cushim__mock_symbol_source)(unsigned slot);

/* The slot of an exported name; CUSHIM__SYMBOL_COUNT if there is none of this name. */
unsigned cushim__mock_symbol_slot(const char *name);

/*
 * Whether a driver of this version, for this system, has the symbol of a slot, and no fault hides
 * it.
 */
bool cushim__mock_symbol_exists(unsigned slot, int version);

#endif
