/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The current table: the one pointer that every call goes through.
 *
 * `own_table` is the loader's table: boot, absent or the driver's. `cushim__current` is the same
 * unless the program has installed another one over it. The loader never replaces an installed
 * table, except in the child of a fork, where what it wraps is gone.
 */
#include <stdatomic.h>
#include <string.h>

#include "loader/loader.h"
#include "loader/symbols.h"
#include "loader/tables.h"

const struct cushim_table *cushim__current = &cushim__boot_table;
static const struct cushim_table *_Atomic own_table = &cushim__boot_table;

#if CUSHIM__THUNKS
__attribute__((used)) static const void *const boot_link = &cushim__boot_link;
#endif

/* The driver's table, once there is one. A forked child must know it to keep it out. */
static const struct cushim_table *_Atomic driver_table;

/* Tables that are filled and could not be made read-only. */
static atomic_bool is_unsealed[CUSHIM__PAGES_COUNT];

/* NULL stands for the absent table, which may be there only later. */
static const struct cushim_table *shown(const struct cushim_table *table)
{
    return table ? table : cushim__absent_table();
}

static bool is_own(const struct cushim_table *table)
{
    return table == &cushim__boot_table || table == atomic_load(&driver_table) ||
           cushim__is_absent_table(table);
}

static bool is_complete(const struct cushim_table *table)
{
    if (table->size < sizeof *table)
        return false;
    for (size_t i = 0; i < CUSHIM__SYMBOL_COUNT; i++) {
        cushim_function slot;
        memcpy(&slot, (const char *)table + sizeof(size_t) + i * sizeof slot, sizeof slot);
        if (!slot)
            return false;
    }
    return true;
}

const struct cushim_table *cushim__own_table(void)
{
    return atomic_load(&own_table);
}

void cushim__seal(enum cushim__pages which)
{
    atomic_store(&is_unsealed[which],
                 !cushim__pages_seal(cushim__pages(which), sizeof(struct cushim_table)));
}

bool cushim__own_table_is_writable(void)
{
    const struct cushim_table *table = cushim__own_table();

    /* The boot table is constant. */
    return table != &cushim__boot_table &&
           atomic_load(&is_unsealed[table ? CUSHIM__PAGES_DRIVER : CUSHIM__PAGES_ABSENT]);
}

bool cushim__was_loaded(void)
{
    return atomic_load(&driver_table) != NULL;
}

void cushim__publish(const struct cushim_table *table)
{
    const struct cushim_table *former;

    if (table)
        atomic_store(&driver_table, table);
    /* An exchange, since an emulator may let what is read next overtake a mere store. */
    atomic_exchange(&own_table, table);
    /* Not before: whoever puts the own table back in between may have looked at it already. */
    former = __atomic_load_n(&cushim__current, __ATOMIC_SEQ_CST);
    while (is_own(former) &&
           !__atomic_compare_exchange_n(&cushim__current, &former, shown(table), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        continue;
}

void cushim__publish_absent(CUresult code)
{
    atomic_store(&cushim__absent_code, (int)code);
    cushim__publish(NULL);
}

void cushim__withdraw(CUresult code)
{
    cushim__publish_absent(code);
    __atomic_store_n(&cushim__current, shown(NULL), __ATOMIC_SEQ_CST);
}

bool cushim__is_installed(void)
{
    return !is_own(cushim_driver());
}

CUresult cushim_table_install(const struct cushim_table *table, const struct cushim_table **former)
{
    const struct cushim_table *before;

    if (table && !is_own(table)) {
        if (!is_complete(table))
            return CUDA_ERROR_INVALID_VALUE;
        before = __atomic_exchange_n(&cushim__current, table, __ATOMIC_SEQ_CST);
    } else {
        /* A load may publish in between: look again until what is current is what is own. */
        const struct cushim_table *mine = cushim__own_table();
        before = __atomic_exchange_n(&cushim__current, shown(mine), __ATOMIC_SEQ_CST);
        while (mine != cushim__own_table()) {
            mine = cushim__own_table();
            __atomic_store_n(&cushim__current, shown(mine), __ATOMIC_SEQ_CST);
        }
    }
    /* It may be kept beyond the next load, and the boot table forwards to what is there then. */
    if (former)
        *former = cushim__is_absent_table(before) ? &cushim__boot_table : before;
    return CUDA_SUCCESS;
}
