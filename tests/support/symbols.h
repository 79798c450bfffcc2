/* SPDX-License-Identifier: Apache-2.0 */
/* The symbols of the registry, as tests speak of them. */
#ifndef CUSHIM_TESTS_SUPPORT_SYMBOLS_H
#define CUSHIM_TESTS_SUPPORT_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a symbol is one of graphics interop, by its name. */
bool symbol_is_interop(size_t number);

/* How many are none: those of cuda.h and cudaProfiler.h. */
size_t symbol_core_count(void);

/* Number of a symbol in slot order; aborts if there is none of this name. */
size_t symbol_number(const char *name);

#endif
