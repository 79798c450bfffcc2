/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The absent table: each slot returns why there is no driver. It is made when that is known, so
 * that a process with a driver carries none of it. Where one function cannot stand for all, the
 * boot table goes on in its place, and answers the same.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "loader/loader.h"
#include "loader/symbols.h"
#include "loader/system.h"
#include "loader/tables.h"

/* Initialised to NOT_INITIALIZED: what a call from inside the first load answers. */
_Atomic int cushim__absent_code = CUDA_ERROR_NOT_INITIALIZED;

CUresult CUDAAPI cushim__refuse(void)
{
    return (CUresult)atomic_load_explicit(&cushim__absent_code, memory_order_relaxed);
}

#if CUSHIM__THUNKS
bool cushim__is_absent_table(const struct cushim_table *table)
{
    return table == cushim__pages(CUSHIM__PAGES_ABSENT);
}

/* Nobody waits for it to be made: whoever comes meanwhile has the boot table. */
const struct cushim_table *cushim__absent_table(void)
{
    static atomic_flag taken = ATOMIC_FLAG_INIT;
    static const struct cushim_table *_Atomic made;
    const cushim_function refuse = (cushim_function)cushim__refuse;
    const size_t size = sizeof(struct cushim_table);

    if (!atomic_load(&made) && !atomic_flag_test_and_set(&taken)) {
        struct cushim_table *table = cushim__pages(CUSHIM__PAGES_ABSENT);

        table->size = size;
        for (size_t at = sizeof table->size; at < size; at += sizeof refuse)
            memcpy((char *)table + at, &refuse, sizeof refuse);
        cushim__seal(CUSHIM__PAGES_ABSENT);
        atomic_store(&made, table);
    }
    return atomic_load(&made) ? atomic_load(&made) : &cushim__boot_table;
}
#else
bool cushim__is_absent_table(const struct cushim_table *table)
{
    (void)table;
    return false;
}

const struct cushim_table *cushim__absent_table(void)
{
    return &cushim__boot_table;
}
#endif
