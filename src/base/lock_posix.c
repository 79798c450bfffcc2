/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/base/lock.h"

#include <pthread.h>
#include <time.h>

enum { SECOND_NS = 1000000000 };

_Static_assert(sizeof(pthread_mutex_t) <= sizeof(struct cushim__lock), "there is room");
_Static_assert(sizeof(pthread_cond_t) <= sizeof(struct cushim__condition), "there is room");
_Static_assert(sizeof(pthread_t) <= sizeof(struct cushim__thread), "there is room");

/*
 * A thread that holds a lock is not cancelled, since the lock would then never be released; waits,
 * logs and files are cancellation points. Cancellation is deferred until the last lock is released.
 * Every call of the mock comes here, so the functions of system.h are not called for this.
 */
static _Thread_local struct {
    unsigned locks;
    int former; /* the cancellation state before the first lock */
} own;

static void disable_cancellation(void)
{
    if (own.locks++ == 0)
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &own.former);
}

static void restore_cancellation(void)
{
    if (--own.locks == 0)
        pthread_setcancelstate(own.former, NULL);
}

static pthread_mutex_t *mutex_of(struct cushim__lock *lock)
{
    return (pthread_mutex_t *)(void *)lock;
}

static pthread_cond_t *cond_of(struct cushim__condition *condition)
{
    return (pthread_cond_t *)(void *)condition;
}

void cushim__lock_take(struct cushim__lock *lock)
{
    disable_cancellation();
    pthread_mutex_lock(mutex_of(lock));
}

bool cushim__lock_try(struct cushim__lock *lock)
{
    if (pthread_mutex_trylock(mutex_of(lock)) != 0)
        return false;
    disable_cancellation();
    return true;
}

void cushim__lock_release(struct cushim__lock *lock)
{
    pthread_mutex_unlock(mutex_of(lock));
    restore_cancellation();
}

void cushim__lock_offer(struct cushim__lock *lock)
{
    cushim__lock_release(lock);
    cushim__lock_take(lock);
}

void cushim__condition_create(struct cushim__condition *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(cond_of(condition), &attributes);
    pthread_condattr_destroy(&attributes);
}

void cushim__condition_destroy(struct cushim__condition *condition)
{
    pthread_cond_destroy(cond_of(condition));
}

void cushim__condition_wait(struct cushim__condition *condition, struct cushim__lock *lock)
{
    pthread_cond_wait(cond_of(condition), mutex_of(lock));
}

void cushim__condition_wait_for(struct cushim__condition *condition, struct cushim__lock *lock,
                                uint64_t ns)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    ns += (uint64_t)until.tv_nsec;
    until.tv_sec += (time_t)(ns / SECOND_NS);
    until.tv_nsec = (long)(ns % SECOND_NS);
    pthread_cond_timedwait(cond_of(condition), mutex_of(lock), &until);
}

void cushim__condition_signal(struct cushim__condition *condition)
{
    pthread_cond_signal(cond_of(condition));
}

void cushim__condition_broadcast(struct cushim__condition *condition)
{
    pthread_cond_broadcast(cond_of(condition));
}

bool cushim__thread_start(struct cushim__thread *thread, void *(*run)(void *data), void *data)
{
    return pthread_create((pthread_t *)(void *)thread, NULL, run, data) == 0;
}

void cushim__thread_join(struct cushim__thread *thread)
{
    disable_cancellation();
    pthread_join(*(pthread_t *)(void *)thread, NULL);
    restore_cancellation();
}
