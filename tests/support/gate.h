/* SPDX-License-Identifier: Apache-2.0 */
/* A gate: a host function that holds up a stream until the test opens it. Nothing sleeps. */
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

/* Before a gate is put into a stream by this thread, which must not be the one that calls it. */
void gate_prepare(struct gate *gate);

/* The host function to put into a stream: `data` is a gate. */
void CUDA_CB gate_stand(void *data);

/* Whether the stream stands before the gate; wait until it does. */
bool gate_is_reached(struct gate *gate);
void gate_await(struct gate *gate);

void gate_open(struct gate *gate);

/* A thread that opens a gate, while the test's own thread waits for what is behind it. */
struct opener {
    struct gate *gate;
    unsigned after_ms;  /* how long the work in front of the waiter lasts */
    atomic_bool opened; /* set before the gate opens: whoever is not held up by it finds false */
    pthread_t thread;
};

void opener_start(struct opener *opener, struct gate *gate, unsigned after_ms);
void opener_join(struct opener *opener);

#endif
