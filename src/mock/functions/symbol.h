/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver of the mock's version exports. */
#ifndef CUSHIM_MOCK_FUNCTIONS_SYMBOL_H
#define CUSHIM_MOCK_FUNCTIONS_SYMBOL_H

#include <stdbool.h>

/*
 * Whether a driver of this version, for this system, has the symbol of a slot, and no fault hides
 * it.
 */
bool cushim__mock_symbol_exists(unsigned slot, int version);

#endif
