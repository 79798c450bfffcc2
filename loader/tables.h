/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables that need no driver, and what their generated functions call.
 *
 * boot     before first use: each slot loads the driver, then forwards the call
 * absent   no driver: each slot returns the reason
 * missing  no table that is ever current, but the slots that a filled table takes for symbols that
 *          its driver lacks
 */
#ifndef CUSHIM_LOADER_TABLES_H
#define CUSHIM_LOADER_TABLES_H

#include <stdatomic.h>

#include <cushim/slots.h>

extern const struct cushim_table cushim__boot_table;
extern const struct cushim_table cushim__absent_table;
extern const struct cushim_table cushim__missing_table;

/* Load the driver if that has not been tried. Returns a table that is not the boot table. */
const struct cushim_table *cushim__first_use(void);

/* Why there is no driver: the answer of every slot of the absent table. */
extern _Atomic int cushim__absent_code;

static inline CUresult cushim__absent(void)
{
    return (CUresult)atomic_load_explicit(&cushim__absent_code, memory_order_relaxed);
}

/* Note that the program called a symbol that its driver lacks, and refuse the call. */
CUresult cushim__missing(unsigned symbol);

#endif
