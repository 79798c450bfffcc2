/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/support/gate.h"

#include <time.h>

#include "tests/support/verdict.h"

void gate_prepare(struct gate *gate)
{
    gate->maker = pthread_self();
}

void CUDA_CB gate_stand(void *data)
{
    struct gate *gate = data;

    if (pthread_equal(gate->maker, pthread_self()))
        fail("a host function is called by the thread that queued it");
    pthread_mutex_lock(&gate->lock);
    gate->reached = true;
    pthread_cond_broadcast(&gate->changed);
    while (!gate->open)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

bool gate_is_reached(struct gate *gate)
{
    bool reached;

    pthread_mutex_lock(&gate->lock);
    reached = gate->reached;
    pthread_mutex_unlock(&gate->lock);
    return reached;
}

void gate_await(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    while (!gate->reached)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

void gate_open(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->open = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

static void *open_it(void *data)
{
    struct opener *opener = data;
    const struct timespec pause = {0, (long)opener->after_ms * 1000000};

    nanosleep(&pause, NULL);
    atomic_store(&opener->opened, true);
    gate_open(opener->gate);
    return NULL;
}

void opener_start(struct opener *opener, struct gate *gate, unsigned after_ms)
{
    opener->gate = gate;
    opener->after_ms = after_ms;
    atomic_init(&opener->opened, false);
    if (pthread_create(&opener->thread, NULL, open_it, opener) != 0)
        fail("a thread cannot be created");
}

void opener_join(struct opener *opener)
{
    pthread_join(opener->thread, NULL);
}
