/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"

#include <cushim/driver.h>
#include <cushim/stream_order.h>

#include "check.h"

/* The host function: `data` is a gate. */
static void CUDA_CB gate_stand(void *data)
{
    struct gate *gate = data;

    pthread_mutex_lock(&gate->lock);
    gate->reached = true;
    pthread_cond_broadcast(&gate->changed);
    while (!gate->open)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

void gate_queue(struct gate *gate, struct cushim_stream *stream)
{
    OK(cushim_stream_launch_host_function(stream, gate_stand, gate));
}

void gate_await(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    while (!gate->reached)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

void gate_shut(struct gate *gate, struct cushim_stream *stream)
{
    gate_queue(gate, stream);
    gate_await(gate);
}

void gate_open(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->open = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}
