/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that a test makes itself: a table in which the test sets the functions that it needs. */
#ifndef CUSHIM_TESTS_LAYER_FAKE_TABLE_H
#define CUSHIM_TESTS_LAYER_FAKE_TABLE_H

#include <string.h>

#include <cushim/table.h>

/*
 * Put the same function into every slot. The caller cleans up the stack on every supported system,
 * so the parameters do not matter.
 */
static inline void fake_table_fill(struct cushim_table *table, CUresult(CUDAAPI *function)(void))
{
    const cushim_function filling = (cushim_function)function;
    char *slots = (char *)table + sizeof(size_t);

    table->size = sizeof *table;
    for (size_t i = 0; i < sizeof *table - sizeof(size_t); i += sizeof filling)
        memcpy(slots + i, &filling, sizeof filling);
}

/* Put another function into one slot; it may have fewer parameters than the driver's. */
#define FAKE_TABLE_PUT(table, slot, function)                    \
    do {                                                         \
        const cushim_function put = (cushim_function)(function); \
        memcpy(&(table)->slot, &put, sizeof put);                \
    } while (0)

#endif
