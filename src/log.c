/* SPDX-License-Identifier: Apache-2.0 */
#include <cushim/log.h>

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include <cushim/error.h>

#include "loader/system.h"
#include "src/objects.h"

enum { LINE = 512 };

/*
 * The function and its data are in one of two slots. A change fills the other slot, makes it the
 * current one, and then waits until no thread is in the first. Threads that log meanwhile use the
 * second, so a change does not wait for them, and a thread that logs from inside the function does
 * not wait for the change.
 *
 * All accesses are sequentially consistent: a reader counts itself and then reads which slot is
 * current, a change does both in reverse, and one of them must see the other.
 */
static struct slot {
    cushim_log_function function;
    void *data;
    atomic_uint readers;
} slots[2];
static atomic_uint current;
static atomic_flag changing = ATOMIC_FLAG_INIT;

/* The process that the counts and the flag belong to: a forked child has none of its threads. */
static _Atomic uint32_t process;
enum { NO_PROCESS = 0, BEING_CLEARED = INT32_MAX };

static void reset_after_fork(void)
{
    const uint32_t self = cushim__process();

    for (unsigned times = 0;; times++) {
        uint32_t seen = atomic_load(&process);

        if (seen == self)
            return;
        if (seen == BEING_CLEARED) {
            cushim__pause(times);
        } else if (seen == NO_PROCESS) {
            atomic_compare_exchange_strong(&process, &seen, self);
        } else if (atomic_compare_exchange_strong(&process, &seen, BEING_CLEARED)) {
            atomic_store(&slots[0].readers, 0);
            atomic_store(&slots[1].readers, 0);
            atomic_flag_clear(&changing);
            atomic_store(&process, self);
        }
    }
}

static struct slot *enter(void)
{
    for (;;) {
        const unsigned index = atomic_load(&current);

        atomic_fetch_add(&slots[index].readers, 1);
        if (atomic_load(&current) == index)
            return &slots[index];
        atomic_fetch_sub(&slots[index].readers, 1);
    }
}

static void leave(struct slot *slot)
{
    atomic_fetch_sub(&slot->readers, 1);
}

static void wait_for_readers(const struct slot *slot)
{
    for (unsigned times = 0; atomic_load(&slot->readers); times++)
        cushim__pause(times);
}

void cushim_log_set(cushim_log_function function, void *data)
{
    unsigned former;

    reset_after_fork();
    for (unsigned times = 0; atomic_flag_test_and_set(&changing); times++)
        cushim__pause(times);
    former = atomic_load(&current);
    slots[!former].function = function;
    slots[!former].data = data;
    atomic_store(&current, !former);
    wait_for_readers(&slots[former]);
    atomic_flag_clear(&changing);
}

void cushim__log(const char *format, ...)
{
    struct slot *slot = enter();
    char line[LINE];
    va_list arguments;

    if (slot->function) {
        va_start(arguments, format);
        vsnprintf(line, sizeof line, format, arguments);
        va_end(arguments);
        slot->function(slot->data, line);
    }
    leave(slot);
}

CUresult cushim__destroyed(const char *function, CUresult code)
{
    switch (code) {
    case CUDA_SUCCESS:
    case CUDA_ERROR_DEINITIALIZED:        /* the driver has shut down: the process is ending */
    case CUDA_ERROR_CONTEXT_IS_DESTROYED: /* the object was destroyed with its context */
    case CUDA_ERROR_NOT_INITIALIZED:      /* a forked child: the object is the parent's */
        return CUDA_SUCCESS;
    default:
        cushim__log("%s failed: %s (%d), %s", function, cushim_error_name(code), (int)code,
                    cushim_error_string(code));
        return code;
    }
}
