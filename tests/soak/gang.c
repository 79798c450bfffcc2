/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "soak.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

/* Each on cache lines of its own: the counts of one thread are not to slow another. */
static struct member {
    _Alignas(128) struct worker worker;
    pthread_t thread;
    atomic_uint_least64_t operations, failures;
} members[GANG_MOST];

static struct gang_work work;
static unsigned count;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned standing; /* threads that stand, or have ended */
static atomic_bool is_held, is_over;
static char first_failure[128];

static void add(atomic_uint_least64_t *counter)
{
    /* One thread alone writes it. */
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

static void stand(void)
{
    pthread_mutex_lock(&lock);
    standing++;
    pthread_cond_broadcast(&changed);
    while (atomic_load(&is_held) && !atomic_load(&is_over))
        pthread_cond_wait(&changed, &lock);
    standing--;
    pthread_mutex_unlock(&lock);
}

static void *run(void *data)
{
    struct member *member = data;

    work.begin(&member->worker);
    while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
        if (atomic_load_explicit(&is_held, memory_order_relaxed))
            stand();
        work.act(&member->worker);
        member->worker.turn++;
    }
    work.end(&member->worker);
    return NULL;
}

bool gang_start(const struct gang_work *wanted, unsigned threads)
{
    work = *wanted;
    atomic_store(&is_held, false);
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

void gang_pause(void)
{
    pthread_mutex_lock(&lock);
    atomic_store(&is_held, true);
    while (standing < count)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

void gang_resume(void)
{
    pthread_mutex_lock(&lock);
    atomic_store(&is_held, false);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
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
