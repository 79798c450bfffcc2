/* SPDX-License-Identifier: Apache-2.0 */
/* A gate: a host function that holds up a stream until the test opens it. Nothing sleeps. */
#ifndef CUSHIM_TESTS_GPU_GATE_H
#define CUSHIM_TESTS_GPU_GATE_H

#include <pthread.h>
#include <stdbool.h>

#include <cushim/stream.h>

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool reached, open;
};

#define GATE                                                              \
    {                                                                     \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false \
    }

/* Put the gate into the stream and return once the stream stands before it. */
void gate_shut(struct gate *gate, struct cushim_stream *stream);

/* Put the gate into the stream, behind other work. */
void gate_queue(struct gate *gate, struct cushim_stream *stream);

/* Wait until the stream stands before the gate. */
void gate_await(struct gate *gate);

void gate_open(struct gate *gate);

#endif
