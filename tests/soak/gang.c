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
static unsigned count, pauses;
static uint64_t operations; /* of each thread, until it ends */
static pthread_barrier_t paused, resumed;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
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

/* The first part, before the first pause, is longer: a fifth of the operations is a warm-up. */
static uint64_t goal(unsigned pause)
{
    return operations / 5 + operations * pause / pauses;
}

static void *run(void *data)
{
    struct member *member = data;

    work.begin(&member->worker);
    for (unsigned i = 1; i <= pauses; i++) {
        while (atomic_load_explicit(&member->operations, memory_order_relaxed) < goal(i)) {
            work.act(&member->worker);
            member->worker.turn++;
        }
        pthread_barrier_wait(&paused);
        pthread_barrier_wait(&resumed);
    }
    work.end(&member->worker);
    return NULL;
}

bool gang_start(const struct gang_work *wanted, unsigned threads, uint64_t all, unsigned times)
{
    work = *wanted;
    count = threads;
    pauses = times;
    operations = (all + threads - 1) / threads;
    if (pthread_barrier_init(&paused, NULL, threads + 1) != 0 ||
        pthread_barrier_init(&resumed, NULL, threads + 1) != 0)
        return false;
    for (unsigned i = 0; i < threads; i++) {
        members[i].worker.number = i;
        if (pthread_create(&members[i].thread, NULL, run, &members[i]) != 0)
            return false;
    }
    return true;
}

void gang_pause(void)
{
    pthread_barrier_wait(&paused);
}

void gang_resume(void)
{
    pthread_barrier_wait(&resumed);
}

void gang_join(void)
{
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
