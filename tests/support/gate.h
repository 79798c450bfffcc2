/* SPDX-License-Identifier: Apache-2.0 */
/* A gate: a host function that blocks a stream until the test opens the gate. Nothing sleeps. */
#ifndef CUSHIM_TESTS_SUPPORT_GATE_H
#define CUSHIM_TESTS_SUPPORT_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <cuda.h>

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool reached, open;
    pthread_t maker;
};

#define GATE                                                                                  \
    {                                                                                         \
        .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .open = false \
    }

/*
 * Call this on the thread that enqueues the gate, which must not be the thread that runs host
 * functions.
 */
void gate_prepare(struct gate *gate);

/* The host function to enqueue; `data` is a gate. */
void CUDA_CB gate_stand(void *data);

/* Whether the stream has reached the gate; wait until it has. */
bool gate_is_reached(struct gate *gate);
void gate_await(struct gate *gate);

void gate_open(struct gate *gate);

/* A thread that opens a gate while the test's own thread waits for the work behind the gate. */
struct opener {
    struct gate *gate;
    unsigned after_ms;  /* the duration of the work before the gate */
    atomic_bool opened; /* set just before the gate opens */
    pthread_t thread;
};

void opener_start(struct opener *opener, struct gate *gate, unsigned after_ms);
void opener_join(struct opener *opener);

#endif
