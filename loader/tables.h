/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in slots that have no driver's function.
 *
 * boot     the table until a driver is loaded: each slot loads the driver, then forwards the call;
 *          where there is none, it returns the reason
 * missing  the slots that a filled table takes for symbols that its driver lacks
 */
#ifndef CUSHIM_LOADER_TABLES_H
#define CUSHIM_LOADER_TABLES_H

#include <stdatomic.h>

#include <cushim/table.h>

#include "loader/thunks.h"

/* Called from machine code: kept, and by this name, whatever the compiler sees of the callers. */
#if CUSHIM__THUNKS
#define CUSHIM__CALLED_BY_THUNKS __attribute__((used))
#else
#define CUSHIM__CALLED_BY_THUNKS
#endif

extern const struct cushim_table cushim__boot_table;

/* What stands for a missing symbol, by its number. */
cushim_function cushim__missing_function(unsigned symbol);

/* Load the driver if that has not been tried. Returns its table, or NULL: there is none. */
const struct cushim_table *cushim__first_use(void);

/* Where a call of this slot of the boot table goes. */
cushim_function cushim__boot_target(unsigned symbol);

/* Why there is no driver: what the boot table answers then. */
extern _Atomic int cushim__absent_code;

static inline CUresult cushim__absent(void)
{
    return (CUresult)atomic_load_explicit(&cushim__absent_code, memory_order_relaxed);
}

/* Note that the program called a symbol that its driver lacks, and refuse the call. */
CUresult cushim__missing(unsigned symbol);

#endif
