/* SPDX-License-Identifier: Apache-2.0 */
/* How streams execute their work: each on a thread of its own, in order, on a clock of its own. */
#define _GNU_SOURCE
#include "driver.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOK_AGAIN_NS = 200000 };

/* What is before a piece of work because of the legacy default stream. */
struct driver_after {
    struct driver_after *next;
    CUstream stream;
    uint64_t ticket;
};

_Thread_local bool driver_in_host_function;

static uint64_t host_ns; /* what the host has seen pass */
static unsigned threads;
static bool ending;

uint64_t driver_host_time(void)
{
    return host_ns;
}

void driver_host_saw(uint64_t end_ns)
{
    if (end_ns > host_ns)
        host_ns = end_ns;
}

static bool work_ready(struct driver_work *work)
{
    while (work->after && work->after->stream->completed >= work->after->ticket) {
        struct driver_after *done = work->after;

        if (done->stream->time_ns > work->not_before_ns)
            work->not_before_ns = done->stream->time_ns;
        work->after = done->next;
        free(done);
    }
    return !work->after && (!work->ready || work->ready(work));
}

/* Wait for a change; other processes cause some that nobody tells of. */
static void wait_a_little(void)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_AGAIN_NS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&driver_changed, &driver_lock, &until);
}

static void execute(CUstream stream, struct driver_work *work)
{
    uint64_t start = stream->time_ns;

    if (work->not_before_ns > start)
        start = work->not_before_ns;
    work->end_ns = start + work->cost_ns;
    if (work->run) {
        pthread_mutex_unlock(&driver_lock);
        work->run(work->data);
        pthread_mutex_lock(&driver_lock);
    }
    stream->time_ns = work->end_ns;
    if (work->finish)
        work->finish(work);
    stream->first = work->next;
    if (!stream->first)
        stream->last = &stream->first;
    free(work->data);
    free(work);
    stream->completed++;
    pthread_cond_broadcast(&driver_changed);
}

static void *execute_all(void *data)
{
    CUstream stream = data;

    pthread_mutex_lock(&driver_lock);
    while (stream->first || (!ending && stream->object.life == DRIVER_ALIVE)) {
        if (!stream->first)
            pthread_cond_wait(&driver_changed, &driver_lock);
        else if (work_ready(stream->first))
            execute(stream, stream->first);
        else
            wait_a_little();
    }
    stream->has_thread = false;
    threads--;
    pthread_cond_broadcast(&driver_changed);
    pthread_mutex_unlock(&driver_lock);
    return NULL;
}

static bool start_thread(CUstream stream)
{
    pthread_t thread;

    if (stream->has_thread)
        return true;
    if (pthread_create(&thread, NULL, execute_all, stream) != 0)
        return false;
    pthread_detach(thread);
    stream->has_thread = true;
    threads++;
    return true;
}

/* Whether work of `stream` comes after what `other` has, by the rules of the default stream. */
static bool is_ordered(CUstream stream, CUstream other)
{
    bool legacy = stream->is_default && !stream->is_per_thread;
    bool other_legacy = other->is_default && !other->is_per_thread;

    return other != stream && other->object.context == stream->object.context &&
           ((legacy && !(other->flags & CU_STREAM_NON_BLOCKING)) ||
            (other_legacy && !(stream->flags & CU_STREAM_NON_BLOCKING)));
}

CUresult driver_submit(CUstream stream, const struct driver_work *work)
{
    struct driver_work *copy = malloc(sizeof *copy);

    if (!copy || !start_thread(stream)) {
        free(copy);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *copy = *work;
    copy->next = NULL;
    copy->after = NULL;
    copy->not_before_ns = host_ns;
    for (struct driver_object *object = driver_objects(); object; object = object->next) {
        CUstream other = (CUstream)object;
        struct driver_after *after;

        if (object->kind != DRIVER_STREAM || !is_ordered(stream, other) || driver_idle(other))
            continue;
        after = malloc(sizeof *after);
        if (!after)
            driver_violation("the host has no memory");
        *after = (struct driver_after){copy->after, other, other->submitted};
        copy->after = after;
    }
    *stream->last = copy;
    stream->last = &copy->next;
    stream->submitted++;
    pthread_cond_broadcast(&driver_changed);
    return CUDA_SUCCESS;
}

bool driver_idle(CUstream stream)
{
    return stream->completed == stream->submitted;
}

void driver_drain(CUstream stream)
{
    uint64_t ticket = stream->submitted;

    while (stream->completed < ticket)
        pthread_cond_wait(&driver_changed, &driver_lock);
    driver_host_saw(stream->time_ns);
}

bool driver_stop_streams(void)
{
    ending = true;
    pthread_cond_broadcast(&driver_changed);
    for (struct driver_object *object = driver_objects(); object; object = object->next) {
        if (object->kind == DRIVER_STREAM && !driver_idle((CUstream)object))
            return false;
    }
    while (threads > 0)
        pthread_cond_wait(&driver_changed, &driver_lock);
    return true;
}

void driver_leave_context(CUcontext context)
{
    for (struct driver_object *object = driver_objects(); object; object = object->next) {
        if (object->context != context || object->life != DRIVER_ALIVE)
            continue;
        if (object->kind == DRIVER_STREAM)
            driver_drain((CUstream)object);
        object->life = DRIVER_GONE;
    }
    pthread_cond_broadcast(&driver_changed);
}

/* Whether a stream has work left, or one that its default stream has to wait for. */
bool driver_busy(CUstream stream)
{
    bool busy = !driver_idle(stream);

    for (struct driver_object *object = driver_objects(); object && !busy; object = object->next)
        busy = object->kind == DRIVER_STREAM && stream->is_default && !stream->is_per_thread &&
               is_ordered(stream, (CUstream)object) && !driver_idle((CUstream)object);
    return busy;
}
