/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call of every slot, by number: made from the registry, so that the compiler checks each call
 * against the type of its slot.
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

/* More than a driver reads or writes behind any one pointer when all counts are zero. */
enum { CUSHIM_CALL_BYTES = 65536 };

/* In slot order; as many as cushim_symbol_count(). */
extern const cushim_call cushim_calls[];
extern const size_t cushim_call_count;

#endif
