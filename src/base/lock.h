/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operating system's locks, conditions and threads: POSIX threads, or what Windows has of its
 * own. A lock of zeros is one that is free, and needs no end; a condition of zeros is one that is
 * not waited for by the clock.
 */
#ifndef CUSHIM_SRC_BASE_LOCK_H
#define CUSHIM_SRC_BASE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Room for what the system has. */
struct cushim__lock {
    uint64_t system[8];
};
struct cushim__condition {
    uint64_t system[8];
};
struct cushim__host_thread {
    uint64_t system[1];
};

/* Let others have the processor, and do nothing for at least so long. */
void cushim__yield(void);
void cushim__sleep(uint64_t ns);

void cushim__lock_take(struct cushim__lock *lock);
bool cushim__lock_try(struct cushim__lock *lock);
void cushim__lock_release(struct cushim__lock *lock);

/*
 * Whether it is free, or comes free in a moment, as it does unless this very thread has it: asked
 * at the exit of the process, which a signal handler may begin in the middle of a call.
 */
static inline bool cushim__lock_comes_free(struct cushim__lock *lock)
{
    for (int i = 0; i < 1000; i++) {
        if (cushim__lock_try(lock)) {
            cushim__lock_release(lock);
            return true;
        }
        cushim__yield();
    }
    return false;
}

/* Release it and take it again: who waits for it has a chance in between. */
void cushim__lock_offer(struct cushim__lock *lock);

void cushim__condition_create(struct cushim__condition *condition);
void cushim__condition_destroy(struct cushim__condition *condition);

/*
 * Release the lock until somebody signals, the second for `ns` at most. Both may return without a
 * signal, too: a spurious wakeup.
 */
void cushim__condition_wait(struct cushim__condition *condition, struct cushim__lock *lock);
void cushim__condition_wait_for(struct cushim__condition *condition, struct cushim__lock *lock,
                                uint64_t ns);
void cushim__condition_signal(struct cushim__condition *condition);
void cushim__condition_broadcast(struct cushim__condition *condition);

/* A thread that runs a function. False: the system has none. */
bool cushim__host_thread_start(struct cushim__host_thread *thread, void *(*run)(void *data),
                               void *data);
void cushim__host_thread_join(struct cushim__host_thread *thread);

/*
 * The system's number of the calling thread, and whether a thread of this process has ended.
 * Numbers are given out again: a thread that has ended may be reported as alive.
 */
uint64_t cushim__host_thread_id(void);
bool cushim__host_thread_ended(uint64_t id);

#endif
