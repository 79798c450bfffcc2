/* SPDX-License-Identifier: Apache-2.0 */
#include <cushim/log.h>

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "loader/loader.h"
#include "src/base/system.h"

enum { LINE = 512 };

/*
 * The function and its data are in one of two slots. A change fills the other slot, makes it the
 * current one, and then waits until no thread is in the first. Threads that log meanwhile use the
 * second, so a change does not wait for them, and a thread that logs from inside the function does
 * not wait for the change.
 *
 * All accesses are sequentially consistent: a reader enters a slot and then reads which one is
 * current, a change does both in reverse order, and one of them must see the other.
 */
static struct slot {
    cushim_log_function function;
    void *data;
    atomic_uint readers;
} slots[2];
static atomic_uint current_slot;
static atomic_flag is_changing = ATOMIC_FLAG_INIT;

/* No thread enters a slot before the first change, which also registers the fork handlers. */
static atomic_bool is_used;

void cushim__log_after_fork(void)
{
    atomic_store(&slots[0].readers, 0);
    atomic_store(&slots[1].readers, 0);
    atomic_flag_clear(&is_changing);
}

static struct slot *enter(void)
{
    for (;;) {
        const unsigned index = atomic_load(&current_slot);

        atomic_fetch_add(&slots[index].readers, 1);
        if (atomic_load(&current_slot) == index)
            return &slots[index];
        atomic_fetch_sub(&slots[index].readers, 1);
    }
}

void cushim_log_set(cushim_log_function function, void *data)
{
    unsigned former;

    cushim__handle_forks();
    atomic_store(&is_used, true);
    for (unsigned times = 0; atomic_flag_test_and_set(&is_changing); times++)
        cushim__system_yield(times);
    former = atomic_load(&current_slot);
    slots[!former].function = function;
    slots[!former].data = data;
    atomic_store(&current_slot, !former);
    for (unsigned times = 0; atomic_load(&slots[former].readers) > 0; times++)
        cushim__system_yield(times);
    atomic_flag_clear(&is_changing);
}

void cushim__log(const char *format, ...)
{
    const unsigned forks = atomic_load(&cushim__forks);
    struct slot *slot;
    char line[LINE];
    va_list arguments;

    if (!atomic_load(&is_used))
        return;
    slot = enter();
    if (slot->function) {
        va_start(arguments, format);
        vsnprintf(line, sizeof line, format, arguments);
        va_end(arguments);
        slot->function(slot->data, line);
    }
    /* In a child that the function has forked, no reader is counted. */
    if (atomic_load(&cushim__forks) == forks)
        atomic_fetch_sub(&slot->readers, 1);
}
