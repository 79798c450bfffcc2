/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in slots that have no driver's function.
 *
 * boot     before first use: each slot loads the driver, then forwards the call, or returns why
 *          there is none
 * absent   no driver: each slot returns the reason
 * missing  the slots that a filled table takes for symbols that its driver lacks
 */
#ifndef CUSHIM_LOADER_TABLES_H
#define CUSHIM_LOADER_TABLES_H

#include <stdatomic.h>
#include <stdbool.h>

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

#if CUSHIM__THUNKS
/*
 * In an archive that was compiled with -flto the linker finds names of C alone, and none of machine
 * code: whoever names the boot table names this too, and this what the thunks call.
 */
extern cushim_function (*const cushim__boot_link)(unsigned symbol);
#endif

/* --- absent.c --- */

/* Why there is no driver. */
extern _Atomic int cushim__absent_code;

/* That reason. Stands for the function of any slot if arguments are the caller's to remove. */
CUresult CUDAAPI cushim__refuse(void);

/* The table for a process without a driver: the boot table where no other can be made. */
const struct cushim_table *cushim__absent_table(void);

/* Whether a table is that one and not the boot table. */
bool cushim__is_absent_table(const struct cushim_table *table);

/* Note that the program called a symbol that its driver lacks, and refuse the call. */
CUresult cushim__missing(unsigned symbol);

#endif
