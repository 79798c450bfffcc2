/* SPDX-License-Identifier: Apache-2.0 */
#include <cushim/log.h>

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
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
 * A thread that is in a slot has one entry in its `readers`, however often it has entered, so that
 * a forked child can distinguish its own thread from the parent's others.
 *
 * All accesses are sequentially consistent: a reader enters itself and then reads which slot is
 * current, a change does both in reverse order, and one of them must see the other.
 */
enum { MOST_READERS = 64 };

static struct slot {
    cushim_log_function function;
    void *data;
    _Atomic uintptr_t readers[MOST_READERS]; /* threads; 0 marks a free entry */
} slots[2];
static atomic_uint current_slot;
static _Atomic uintptr_t changing; /* the thread that is changing the function, or 0 */

/* No thread enters a slot before the first change, which also registers the fork handlers. */
static atomic_bool is_used;

void cushim__log_after_fork(void)
{
    const uintptr_t self = cushim__system_thread_token();

    for (unsigned i = 0; i < 2 * MOST_READERS; i++) {
        _Atomic uintptr_t *reader = &slots[i / MOST_READERS].readers[i % MOST_READERS];

        if (atomic_load(reader) != self)
            atomic_store(reader, 0);
    }
    if (atomic_load(&changing) != self)
        atomic_store(&changing, 0);
}

static bool is_inside(const struct slot *slot, uintptr_t thread)
{
    for (unsigned i = 0; i < MOST_READERS; i++) {
        if (atomic_load(&slot->readers[i]) == thread)
            return true;
    }
    return false;
}

/* Enter a thread that is not inside. If all entries are in use, wait for one. */
static _Atomic uintptr_t *take_entry(struct slot *slot, uintptr_t thread)
{
    for (unsigned times = 0;; times++) {
        for (unsigned i = 0; i < MOST_READERS; i++) {
            uintptr_t none = 0;

            if (atomic_compare_exchange_strong(&slot->readers[i], &none, thread))
                return &slot->readers[i];
        }
        cushim__system_yield(times);
    }
}

/* Enter the current slot. `*entry` is to be zeroed at the end; NULL if this thread was inside. */
static struct slot *enter(_Atomic uintptr_t **entry)
{
    const uintptr_t self = cushim__system_thread_token();

    for (;;) {
        const unsigned index = atomic_load(&current_slot);

        *entry = NULL;
        if (is_inside(&slots[index], self))
            return &slots[index];
        *entry = take_entry(&slots[index], self);
        if (atomic_load(&current_slot) == index)
            return &slots[index];
        atomic_store(*entry, 0);
    }
}

/* Wait until no other thread is in a slot. */
static void wait_for_readers(const struct slot *slot, uintptr_t self)
{
    for (unsigned i = 0; i < MOST_READERS; i++) {
        uintptr_t reader = atomic_load(&slot->readers[i]);

        for (unsigned times = 0; reader && reader != self; times++) {
            cushim__system_yield(times);
            reader = atomic_load(&slot->readers[i]);
        }
    }
}

void cushim_log_set(cushim_log_function function, void *data)
{
    const uintptr_t self = cushim__system_thread_token();
    uintptr_t none = 0;
    unsigned former;

    cushim__handle_forks();
    atomic_store(&is_used, true);
    for (unsigned times = 0; !atomic_compare_exchange_strong(&changing, &none, self); times++) {
        none = 0;
        cushim__system_yield(times);
    }
    former = atomic_load(&current_slot);
    slots[!former].function = function;
    slots[!former].data = data;
    atomic_store(&current_slot, !former);
    wait_for_readers(&slots[former], self);
    atomic_store(&changing, 0);
}

void cushim__log(const char *format, ...)
{
    _Atomic uintptr_t *entry;
    struct slot *slot;
    char line[LINE];
    va_list arguments;

    if (!atomic_load(&is_used))
        return;
    slot = enter(&entry);
    if (slot->function) {
        va_start(arguments, format);
        vsnprintf(line, sizeof line, format, arguments);
        va_end(arguments);
        slot->function(slot->data, line);
    }
    if (entry)
        atomic_store(entry, 0);
}
