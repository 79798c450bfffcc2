/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function for each slot that calls it, by the slot's number. They are generated from the
 * registry, so the compiler checks each call against the type of its slot.
 */
#ifndef CUSHIM_TESTS_SUPPORT_CALLS_H
#define CUSHIM_TESTS_SUPPORT_CALLS_H

#include <stddef.h>

#include <cushim/table.h>

/*
 * Call one slot of `table`. Handles, numbers and callbacks are zero; each pointer is `memory`,
 * which is NULL or as large as CUSHIM_CALL_BYTES.
 */
typedef CUresult (*cushim_call)(const struct cushim_table *table, void *memory);

/* More bytes than a driver accesses behind any pointer argument when all counts are zero. */
enum { CUSHIM_CALL_BYTES = 65536 };

/* In the order of the slots; cushim_symbol_count() elements. */
extern const cushim_call cushim_calls[];
extern const size_t cushim_call_count;

#endif
