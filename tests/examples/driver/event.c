/* SPDX-License-Identifier: Apache-2.0 */
/* Events: each stands for the last place in a stream where it was recorded. */
#define _GNU_SOURCE
#include "event.h"

#include <stdlib.h>
#include <time.h>

enum {
    FLAGS = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS,
    LOOK_AGAIN_NS = 50000,
    RESOLUTION_NS = 32,
};

/* A piece of work's hold on a record, its own or the one that it waits for. */
struct hold {
    struct driver_record *record;
    struct driver_shared *shared;
    uint64_t number;
};

static void let_go(struct driver_record *record)
{
    if (record && --record->references == 0)
        free(record);
}

static void hold_end(struct hold *hold)
{
    let_go(hold->record);
}

static bool is_done(CUevent event)
{
    if (event->shared)
        return atomic_load(&event->shared->done) >= atomic_load(&event->shared->recorded);
    return !event->record || event->record->done;
}

static bool wait_is_over(struct driver_work *work)
{
    const struct hold *hold = work->data;

    if (hold->shared)
        return atomic_load(&hold->shared->done) >= hold->number;
    if (!hold->record || !hold->record->done)
        return !hold->record;
    if (hold->record->time_ns > work->not_before_ns)
        work->not_before_ns = hold->record->time_ns;
    return true;
}

static void finish_record(struct driver_work *work)
{
    struct hold *hold = work->data;

    hold->record->done = true;
    hold->record->time_ns = work->end_ns;
    if (hold->shared && atomic_load(&hold->shared->done) < hold->number)
        atomic_store(&hold->shared->done, hold->number);
    hold_end(hold);
}

static void finish_wait(struct driver_work *work)
{
    hold_end(work->data);
}

CUresult CUDAAPI cuEventCreate(CUevent *event, unsigned flags)
{
    CUcontext context;
    CUresult code = driver_current(&context);
    CUevent made;

    if (code != CUDA_SUCCESS)
        return code;
    if (!event || (flags & ~(unsigned)FLAGS) ||
        ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING)))
        return CUDA_ERROR_INVALID_VALUE;
    made = calloc(1, sizeof *made);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->flags = flags;
    pthread_mutex_lock(&driver_lock);
    if (flags & CU_EVENT_INTERPROCESS)
        driver_event_share(made);
    driver_add(&made->object, DRIVER_EVENT, context);
    pthread_mutex_unlock(&driver_lock);
    *event = made;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventDestroy_v2(CUevent event)
{
    CUresult code;

    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    pthread_mutex_lock(&driver_lock);
    code = driver_check(&event->object, DRIVER_EVENT);
    event->object.life = DRIVER_DESTROYED;
    let_go(event->record);
    event->record = NULL;
    pthread_mutex_unlock(&driver_lock);
    return code;
}

/* The lock is held. */
static CUresult record_event(CUevent event, CUstream stream)
{
    struct driver_work work = {.finish = finish_record, .cost_ns = RESOLUTION_NS};
    struct driver_record *record = calloc(1, sizeof *record);
    struct hold *hold = calloc(1, sizeof *hold);
    CUresult code = CUDA_ERROR_OUT_OF_MEMORY;

    if (record && hold) {
        hold->record = record;
        hold->shared = event->shared;
        hold->number = event->shared ? atomic_fetch_add(&event->shared->recorded, 1) + 1 : 0;
        work.data = hold;
        code = driver_submit(stream, &work);
    }
    if (code != CUDA_SUCCESS) {
        free(record);
        free(hold);
        return code;
    }
    record->references = 2; /* the event's and the work's: the lock is still held */
    let_go(event->record);
    event->record = record;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventRecord(CUevent event, CUstream handle)
{
    CUstream stream = NULL;
    CUresult code;

    pthread_mutex_lock(&driver_lock);
    code = driver_stream(handle, &stream); /* its answer comes before the event's */
    if (code == CUDA_SUCCESS)
        code = driver_check(event ? &event->object : NULL, DRIVER_EVENT);
    if (code == CUDA_SUCCESS && stream->object.context != event->object.context)
        code = CUDA_ERROR_INVALID_HANDLE;
    if (code == CUDA_SUCCESS)
        code = record_event(event, stream);
    pthread_mutex_unlock(&driver_lock);
    return code;
}

CUresult CUDAAPI cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    if (flags == CU_EVENT_RECORD_EXTERNAL)
        return CUDA_ERROR_ILLEGAL_STATE;
    return flags == 0 ? cuEventRecord(event, stream) : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags)
{
    struct driver_work work = {.ready = wait_is_over, .finish = finish_wait};
    struct hold *hold;
    CUstream stream = NULL;
    CUresult code;

    if (flags == 1) /* CU_EVENT_WAIT_EXTERNAL, outside a capture */
        return CUDA_ERROR_ILLEGAL_STATE;
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&driver_lock);
    code = driver_check(event ? &event->object : NULL, DRIVER_EVENT);
    if (code == CUDA_SUCCESS)
        code = driver_stream(handle, &stream);
    hold = code == CUDA_SUCCESS ? calloc(1, sizeof *hold) : NULL;
    if (hold) {
        hold->record = event->record;
        if (hold->record)
            hold->record->references++;
        hold->shared = event->shared;
        hold->number = event->shared ? atomic_load(&event->shared->recorded) : 0;
        work.data = hold;
        code = driver_submit(stream, &work);
    } else if (code == CUDA_SUCCESS) {
        code = CUDA_ERROR_OUT_OF_MEMORY;
    }
    pthread_mutex_unlock(&driver_lock);
    return code;
}

/* The lock is held; the host learns that the event is done. */
static CUresult look(CUevent event)
{
    if (!is_done(event))
        return CUDA_ERROR_NOT_READY;
    if (event->record)
        driver_host_saw(event->record->time_ns);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventQuery(CUevent event)
{
    CUresult code;

    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    pthread_mutex_lock(&driver_lock);
    code = driver_check(&event->object, DRIVER_EVENT);
    if (code == CUDA_SUCCESS)
        code = look(event);
    pthread_mutex_unlock(&driver_lock);
    return code;
}

CUresult CUDAAPI cuEventSynchronize(CUevent event)
{
    const struct timespec pause = {0, LOOK_AGAIN_NS};
    CUresult code = cuEventQuery(event);

    /* Another process may be the one to end this, so there is nothing to be woken by. */
    while (code == CUDA_ERROR_NOT_READY) {
        nanosleep(&pause, NULL);
        code = cuEventQuery(event);
    }
    return code;
}

/* Whether an event can be an end of a span of time. */
static CUresult check_timed(CUevent event)
{
    CUresult code = driver_check(&event->object, DRIVER_EVENT);

    if (code == CUDA_SUCCESS && (!event->record || (event->flags & CU_EVENT_DISABLE_TIMING)))
        code = CUDA_ERROR_INVALID_HANDLE;
    return code;
}

CUresult CUDAAPI cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    CUresult code;

    if (!ms || !start || !end)
        return CUDA_ERROR_INVALID_HANDLE;
    pthread_mutex_lock(&driver_lock);
    code = check_timed(start);
    if (code == CUDA_SUCCESS)
        code = check_timed(end);
    if (code == CUDA_SUCCESS && start->object.context != end->object.context)
        code = CUDA_ERROR_INVALID_HANDLE;
    if (code == CUDA_SUCCESS && (!is_done(start) || !is_done(end)))
        code = CUDA_ERROR_NOT_READY;
    if (code == CUDA_SUCCESS) {
        int64_t span = (int64_t)(end->record->time_ns - start->record->time_ns);

        *ms = (float)((double)(span - span % RESOLUTION_NS) / 1e6);
    }
    pthread_mutex_unlock(&driver_lock);
    return code;
}
