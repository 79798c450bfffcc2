/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects of the fake driver's programs: contexts, streams, memory, events.
 *
 * Only cuMemsetD8Async advances the clock. Handle values are never reused, so a second destruction
 * is detected and ends the process like any other misuse. If an object is leaked, the process exits
 * with 99. A call that releases something does so even if it has to fail, like a driver's call that
 * reports an earlier error.
 */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "control.h"

enum { DEVICES = 4, ROOM = 16 };

struct CUctx_st {
    int users;
};

struct CUstream_st {
    bool is_live;
    CUcontext context;
};

struct CUevent_st {
    bool is_live, is_recorded, is_pending;
    CUcontext context;
    uint64_t at_ns;
};

struct allocation {
    bool is_live;
    CUdeviceptr address;
    size_t bytes;
};

static struct CUctx_st contexts[DEVICES];
static struct CUstream_st streams[ROOM];
static struct CUevent_st events[ROOM];
static struct allocation allocations[ROOM];
static CUcontext stack[ROOM];
static unsigned stream_count, event_count, allocation_count, depth;
static uint64_t now_ns = 1000000;

__attribute__((destructor)) static void count_leaks(void)
{
    unsigned left = depth;

    for (int i = 0; i < DEVICES; i++)
        left += (unsigned)contexts[i].users;
    for (int i = 0; i < ROOM; i++)
        left += (unsigned)streams[i].is_live + events[i].is_live + allocations[i].is_live;
    if (left) {
        fprintf(stderr, "fake driver: %u objects are left\n", left);
        _exit(99);
    }
}

static CUcontext current(const char *call)
{
    if (!depth)
        fake_misuse(call, "no context is current");
    return stack[depth - 1];
}

static unsigned next(const char *call, unsigned *count)
{
    if (*count == ROOM)
        fake_misuse(call, "too many objects");
    return (*count)++;
}

#if FAKE_VERSION >= 7000
EXPORT(cuDevicePrimaryCtxRetain, CUcontext *context, CUdevice device)
{
    const CUresult fault = fake_enter("cuDevicePrimaryCtxRetain", "");
    const int number = fake_check_device("cuDevicePrimaryCtxRetain", device);
    if (fault)
        return fault;
    *context = &contexts[number];
    (*context)->users++;
    return CUDA_SUCCESS;
}

static CUresult release(const char *call, CUdevice device)
{
    const CUresult fault = fake_enter(call, "");
    const int number = fake_check_device(call, device);
    if (!contexts[number].users--)
        fake_misuse(call, "released more often than retained");
    return fault;
}

EXPORT(cuDevicePrimaryCtxRelease, CUdevice device)
{
    return release("cuDevicePrimaryCtxRelease", device);
}
#endif

#if FAKE_VERSION >= 11000
EXPORT(cuDevicePrimaryCtxRelease_v2, CUdevice device)
{
    return release("cuDevicePrimaryCtxRelease_v2", device);
}
#endif

EXPORT(cuCtxPushCurrent_v2, CUcontext context)
{
    const CUresult fault = fake_enter("cuCtxPushCurrent_v2", "");
    if (!context || !context->users)
        fake_misuse("cuCtxPushCurrent_v2", "no context");
    if (!fault)
        stack[next("cuCtxPushCurrent_v2", &depth)] = context;
    return fault;
}

EXPORT(cuCtxGetCurrent, CUcontext *context)
{
    const CUresult fault = fake_enter("cuCtxGetCurrent", "");
    if (!fault)
        *context = depth ? stack[depth - 1] : NULL;
    return fault;
}

EXPORT(cuCtxPopCurrent_v2, CUcontext *context)
{
    const CUresult fault = fake_enter("cuCtxPopCurrent_v2", "");
    *context = current("cuCtxPopCurrent_v2");
    depth--;
    return fault;
}

EXPORT(cuCtxGetLimit, size_t *value, CUlimit limit)
{
    const CUresult fault = fake_enter("cuCtxGetLimit", "");
    const size_t number = (size_t)(current("cuCtxGetLimit") - contexts);
    if (fault)
        return fault;
    if (limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH)
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    if (limit == CU_LIMIT_STACK_SIZE)
        *value = 1024;
    else if (limit == CU_LIMIT_MALLOC_HEAP_SIZE)
        *value = (number + 1) << 33;
    else if ((int)limit == 15) /* newer than every header */
        *value = 15;
    else
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

EXPORT(cuCtxGetStreamPriorityRange, int *least, int *greatest)
{
    const CUresult fault = fake_enter("cuCtxGetStreamPriorityRange", "");
    current("cuCtxGetStreamPriorityRange");
    if (fault)
        return fault;
    *least = 0;
    *greatest = -5;
    return CUDA_SUCCESS;
}

EXPORT(cuStreamCreateWithPriority, CUstream *stream, unsigned flags, int priority)
{
    const CUresult fault = fake_enter("cuStreamCreateWithPriority", "");
    if (flags != CU_STREAM_NON_BLOCKING || priority)
        fake_misuse("cuStreamCreateWithPriority", "a blocking stream, or one with a priority");
    if (fault)
        return fault;
    *stream = &streams[next("cuStreamCreateWithPriority", &stream_count)];
    **stream = (struct CUstream_st){
        .is_live = true,
        .context = current("cuStreamCreateWithPriority"),
    };
    return CUDA_SUCCESS;
}

EXPORT(cuStreamDestroy_v2, CUstream stream)
{
    const CUresult fault = fake_enter("cuStreamDestroy_v2", "");
    if (!stream || !stream->is_live || !stream->context->users)
        fake_misuse("cuStreamDestroy_v2", "no stream");
    stream->is_live = false;
    return fault;
}

EXPORT(cuMemAlloc_v2, CUdeviceptr *address, size_t bytes)
{
    char detail[32];
    CUresult fault;

    snprintf(detail, sizeof detail, "%zu", bytes);
    fault = fake_enter("cuMemAlloc_v2", detail);
    current("cuMemAlloc_v2");
    if (fault)
        return fault;
    if (bytes > (size_t)fake_setting("FAKE_MEMORY", 1LL << 33))
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct allocation *allocation = &allocations[next("cuMemAlloc_v2", &allocation_count)];
    *allocation = (struct allocation){true, (CUdeviceptr)allocation_count << 40, bytes};
    *address = allocation->address;
    return CUDA_SUCCESS;
}

static struct allocation *find(const char *call, CUdeviceptr address)
{
    for (int i = 0; i < ROOM; i++) {
        if (allocations[i].is_live && allocations[i].address == address)
            return &allocations[i];
    }
    fake_misuse(call, "no allocation");
    return NULL;
}

EXPORT(cuMemFree_v2, CUdeviceptr address)
{
    const CUresult fault = fake_enter("cuMemFree_v2", "");
    current("cuMemFree_v2");
    find("cuMemFree_v2", address)->is_live = false;
    return fault;
}

/*
 * The first three calls take long, so that a program which counts them as results is detected. The
 * later ones take 1 to 7 ms in mixed order.
 */
EXPORT(cuMemsetD8Async, CUdeviceptr address, unsigned char value, size_t bytes, CUstream stream)
{
    static unsigned calls;
    char detail[32];
    CUresult fault;

    (void)value;
    snprintf(detail, sizeof detail, "%zu", bytes);
    fault = fake_enter("cuMemsetD8Async", detail);
    if (!stream || !stream->is_live)
        fake_misuse("cuMemsetD8Async", "no stream");
    if (find("cuMemsetD8Async", address)->bytes < bytes)
        fake_misuse("cuMemsetD8Async", "beyond the allocation");
    if (!fault) {
        const unsigned round = calls++;
        now_ns += round < 3 ? 500 * 1000000 : (1 + 3 * (round - 3) % 7) * 1000000;
    }
    return fault;
}

static void check_event(const char *call, CUevent event)
{
    if (!event || !event->is_live || !event->context->users)
        fake_misuse(call, "no event");
}

EXPORT(cuEventCreate, CUevent *event, unsigned flags)
{
    const CUresult fault = fake_enter("cuEventCreate", "");
    if (flags)
        fake_misuse("cuEventCreate", "flags");
    if (fault)
        return fault;
    *event = &events[next("cuEventCreate", &event_count)];
    **event = (struct CUevent_st){.is_live = true, .context = current("cuEventCreate")};
    return CUDA_SUCCESS;
}

EXPORT(cuEventDestroy_v2, CUevent event)
{
    const CUresult fault = fake_enter("cuEventDestroy_v2", "");
    check_event("cuEventDestroy_v2", event);
    event->is_live = false;
    return fault;
}

EXPORT(cuEventRecord, CUevent event, CUstream stream)
{
    const CUresult fault = fake_enter("cuEventRecord", "");
    check_event("cuEventRecord", event);
    if (!stream || !stream->is_live || stream->context != event->context)
        fake_misuse("cuEventRecord", "no stream of this context");
    if (!fault) {
        event->is_recorded = event->is_pending = true;
        event->at_ns = now_ns;
    }
    return fault;
}

EXPORT(cuEventSynchronize, CUevent event)
{
    static long long calls;
    const long long wait_ms = fake_setting("FAKE_ROUND_MS", 0);
    const struct timespec wait = {.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000};
    const CUresult fault = fake_enter("cuEventSynchronize", "");

    check_event("cuEventSynchronize", event);
    nanosleep(&wait, NULL);
    if (++calls == fake_setting("FAKE_INTERRUPT", 0))
        raise(SIGINT);
    if (!fault) {
        /* There is one stream, so everything that was recorded earlier is complete, too. */
        for (int i = 0; i < ROOM; i++)
            events[i].is_pending = events[i].is_pending && events[i].at_ns > event->at_ns;
    }
    return fault;
}

static CUresult elapsed_time(const char *call, float *milliseconds, CUevent start, CUevent stop)
{
    const CUresult fault = fake_enter(call, "");

    check_event(call, start);
    check_event(call, stop);
    if (fault)
        return fault;
    if (!start->is_recorded || !stop->is_recorded)
        return CUDA_ERROR_INVALID_HANDLE;
    if (start->is_pending || stop->is_pending)
        return CUDA_ERROR_NOT_READY;
    *milliseconds = fake_setting("FAKE_STILL", 0) ? 0 : (float)(stop->at_ns - start->at_ns) / 1e6f;
    return CUDA_SUCCESS;
}

EXPORT(cuEventElapsedTime, float *milliseconds, CUevent start, CUevent stop)
{
    return elapsed_time("cuEventElapsedTime", milliseconds, start, stop);
}

#if FAKE_VERSION >= 12080
EXPORT(cuEventElapsedTime_v2, float *milliseconds, CUevent start, CUevent stop)
{
    return elapsed_time("cuEventElapsedTime_v2", milliseconds, start, stop);
}
#endif
