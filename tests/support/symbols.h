/* SPDX-License-Identifier: Apache-2.0 */
/* The symbols of the registry, as tests use them. */
#ifndef CUSHIM_TESTS_SUPPORT_SYMBOLS_H
#define CUSHIM_TESTS_SUPPORT_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a symbol is a function of graphics interop, by its name. */
bool symbol_is_interop(size_t number);

/* The number of other symbols, which cuda.h and cudaProfiler.h declare. */
size_t symbol_core_count(void);

/* The number of a symbol in the order of slots; aborts for an unknown name. */
size_t symbol_number(const char *name);

#endif
