/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks, condition variables and threads of the operating system: POSIX threads, or Windows' own. A
 * zeroed lock is free and need not be destroyed. A zeroed condition may be used if no wait on it
 * has a time limit.
 */
#ifndef CUSHIM_SRC_BASE_LOCK_H
#define CUSHIM_SRC_BASE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/system.h"

/* Storage for the system's own types. */
struct cushim__lock {
    uint64_t system[8];
};
struct cushim__condition {
    uint64_t system[8];
};
struct cushim__thread {
    uint64_t system[1];
};

void cushim__lock_take(struct cushim__lock *lock);
bool cushim__lock_try(struct cushim__lock *lock);
void cushim__lock_release(struct cushim__lock *lock);

/*
 * Whether the lock is free or is soon released, unless this very thread holds it. This is
 * asked at the exit of the process, which a signal handler may begin in the middle of a call.
 */
static inline bool cushim__lock_comes_free(struct cushim__lock *lock)
{
    for (int i = 0; i < 1000; i++) {
        if (cushim__lock_try(lock)) {
            cushim__lock_release(lock);
            return true;
        }
        cushim__system_yield(0);
    }
    return false;
}

/* Release the lock and take it again, so that a waiting thread may get it in between. */
void cushim__lock_offer(struct cushim__lock *lock);

void cushim__condition_create(struct cushim__condition *condition);
void cushim__condition_destroy(struct cushim__condition *condition);

/*
 * Release the lock until a signal comes; the second function waits for `ns` nanoseconds at most.
 * Both may also return without a signal (a spurious wakeup).
 */
void cushim__condition_wait(struct cushim__condition *condition, struct cushim__lock *lock);
void cushim__condition_wait_for(struct cushim__condition *condition, struct cushim__lock *lock,
                                uint64_t ns);
void cushim__condition_signal(struct cushim__condition *condition);
void cushim__condition_broadcast(struct cushim__condition *condition);

/* Start a thread that runs a function. Returns false if the system cannot provide one. */
bool cushim__thread_start(struct cushim__thread *thread, void *(*run)(void *data), void *data);
void cushim__thread_join(struct cushim__thread *thread);

#endif
