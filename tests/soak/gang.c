/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "soak.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

/* Aligned to cache lines, so that the counters of one thread do not slow down another. */
static struct member {
    _Alignas(128) struct worker worker;
    pthread_t thread;
    atomic_uint_least64_t operations, failures;
} members[GANG_MOST];

static struct gang_work work;
static unsigned count;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned standing;           /* threads that have paused since the last change of `order` */
static unsigned order;              /* the number of changes of `limit` */
static atomic_uint_least64_t limit; /* a thread pauses when it has done this many operations */
static atomic_bool is_over;
static char first_failure[128];

static void add(atomic_uint_least64_t *counter)
{
    /* Only one thread writes to a counter. */
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

bool worker_did(struct worker *worker, const char *name, CUresult code, CUresult wanted)
{
    struct member *member = &members[worker->number];

    add(&member->operations);
    if (code == wanted)
        return true;
    add(&member->failures);
    pthread_mutex_lock(&lock);
    if (!first_failure[0])
        snprintf(first_failure, sizeof first_failure, "%s: %d", name, (int)code);
    pthread_mutex_unlock(&lock);
    return false;
}

static bool has_to_stand(const struct member *member)
{
    return atomic_load_explicit(&member->operations, memory_order_relaxed) >=
               atomic_load_explicit(&limit, memory_order_relaxed) &&
           !atomic_load_explicit(&is_over, memory_order_relaxed);
}

static void stand(const struct member *member)
{
    unsigned counted;

    pthread_mutex_lock(&lock);
    counted = order - 1;
    while (has_to_stand(member)) {
        /* A thread that paused before the order changed has to report that it pauses again. */
        if (counted != order) {
            counted = order;
            standing++;
            pthread_cond_broadcast(&changed);
        }
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void *run(void *data)
{
    struct member *member = data;

    work.begin(&member->worker);
    while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
        if (has_to_stand(member)) {
            stand(member);
            continue;
        }
        work.act(&member->worker);
        member->worker.turn++;
    }
    work.end(&member->worker);
    return NULL;
}

bool gang_start(const struct gang_work *wanted, unsigned threads)
{
    work = *wanted;
    atomic_store(&limit, 0);
    atomic_store(&is_over, false);
    for (count = 0; count < threads && count < GANG_MOST; count++) {
        struct member *member = &members[count];

        member->worker = (struct worker){.number = count};
        atomic_store(&member->operations, 0);
        atomic_store(&member->failures, 0);
        if (pthread_create(&member->thread, NULL, run, member) != 0) {
            gang_stop();
            return false;
        }
    }
    return true;
}

/* Make each thread pause when it has done this many operations since gang_start(). */
static void set_limit(uint64_t operations)
{
    pthread_mutex_lock(&lock);
    atomic_store(&limit, operations);
    order++;
    standing = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_until_all_stand(void)
{
    pthread_mutex_lock(&lock);
    while (standing < count)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

void gang_pause(void)
{
    set_limit(0);
    wait_until_all_stand();
}

void gang_resume(void)
{
    set_limit(UINT64_MAX);
}

void gang_pause_after(uint64_t operations)
{
    set_limit((operations + count - 1) / count);
    wait_until_all_stand();
}

void gang_stop(void)
{
    pthread_mutex_lock(&lock);
    atomic_store(&is_over, true);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (unsigned i = 0; i < count; i++)
        pthread_join(members[i].thread, NULL);
}

uint64_t gang_operations(void)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < count; i++)
        sum += atomic_load_explicit(&members[i].operations, memory_order_relaxed);
    return sum;
}

uint64_t gang_failures(void)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < count; i++)
        sum += atomic_load_explicit(&members[i].failures, memory_order_relaxed);
    return sum;
}

const char *gang_first_failure(void)
{
    return first_failure;
}
