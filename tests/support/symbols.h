/* SPDX-License-Identifier: Apache-2.0 */
/* The symbols of the registry, as tests speak of them. */
#ifndef CUSHIM_TESTS_SUPPORT_SYMBOLS_H
#define CUSHIM_TESTS_SUPPORT_SYMBOLS_H

#include <stddef.h>

/* Symbols of cuda.h and cudaProfiler.h; those of graphics interop follow them. */
enum { CORE_SYMBOLS = 637 };

/* Number of a symbol in slot order; aborts if there is none of this name. */
size_t symbol_number(const char *name);

#endif
