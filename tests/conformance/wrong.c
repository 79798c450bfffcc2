/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wrong mocks: the mock's shared library with one deliberate error, on which the suite must fail.
 * The exported functions call a patched table instead of the mock's; CUSHIM_WRONG names the error.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/table.h>

#include "src/library/library.h"

/* The table without the error. */
static const struct cushim_table *right;

/* Every query returns success. */
static CUresult done(CUresult code)
{
    return code == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : code;
}

static CUresult CUDAAPI query_event_as_done(CUevent event)
{
    return done(right->EventQuery(event));
}

static CUresult CUDAAPI query_stream_as_done(CUstream stream)
{
    return done(right->StreamQuery(stream));
}

static void always_done(struct cushim_table *table)
{
    table->EventQuery = query_event_as_done;
    table->StreamQuery = query_stream_as_done;
}

/* Copies move their bytes when they are queued, not when the stream reaches them. */
static CUresult CUDAAPI copy_to_device_now(CUdeviceptr to, const void *from, size_t bytes,
                                           CUstream stream)
{
    (void)stream;
    return right->MemcpyHtoD_v2(to, from, bytes);
}

static CUresult CUDAAPI copy_to_host_now(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    (void)stream;
    return right->MemcpyDtoH_v2(to, from, bytes);
}

static CUresult CUDAAPI set_now(CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
    (void)stream;
    return right->MemsetD8_v2(to, value, count);
}

static void at_submission(struct cushim_table *table)
{
    table->MemcpyHtoDAsync_v2 = copy_to_device_now;
    table->MemcpyDtoHAsync_v2 = copy_to_host_now;
    table->MemsetD8Async = set_now;
}

/* A host function is called at once, on the thread that queues it. */
static CUresult CUDAAPI call_now(CUstream stream, CUhostFn function, void *data)
{
    if (!function)
        return right->LaunchHostFunc(stream, function, data);
    function(data);
    return CUDA_SUCCESS;
}

static void inline_host(struct cushim_table *table)
{
    table->LaunchHostFunc = call_now;
}

/* Elapsed time is never negative. */
static CUresult without_sign(CUresult code, float *ms)
{
    if (code == CUDA_SUCCESS && *ms < 0)
        *ms = -*ms;
    return code;
}

static CUresult CUDAAPI elapsed(float *ms, CUevent start, CUevent end)
{
    return without_sign(right->EventElapsedTime(ms, start, end), ms);
}

static CUresult CUDAAPI elapsed_v2(float *ms, CUevent start, CUevent end)
{
    return without_sign(right->EventElapsedTime_v2(ms, start, end), ms);
}

static void never_negative(struct cushim_table *table)
{
    table->EventElapsedTime = elapsed;
    table->EventElapsedTime_v2 = elapsed_v2;
}

/*
 * A stream that waits for an event follows its newest record, not the one that was current at the
 * call.
 */
enum { MOST_WAITS = 256 };

/* A stream waits for `word`, which a thread writes when the event is complete. */
static struct wait {
    CUevent event;
    volatile uint32_t *word;
} waits[MOST_WAITS];
static unsigned wait_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *follow(void *data)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        for (unsigned i = 0; i < wait_count; i++) {
            if (*waits[i].word == 0 && right->EventQuery(waits[i].event) != CUDA_ERROR_NOT_READY)
                *waits[i].word = 1;
        }
        pthread_mutex_unlock(&lock);
    }
    return data;
}

/* A zero word of page-locked memory in the stream's context. */
static bool make_word(CUstream stream, void **word, CUdeviceptr *address)
{
    CUcontext context = NULL, popped;
    bool made;

    if (right->StreamGetCtx(stream, &context) != CUDA_SUCCESS ||
        right->CtxPushCurrent_v2(context) != CUDA_SUCCESS)
        return false;
    made = right->MemAllocHost_v2(word, 64) == CUDA_SUCCESS &&
           right->MemHostGetDevicePointer_v2(address, *word, 0) == CUDA_SUCCESS;
    right->CtxPopCurrent_v2(&popped);
    return made;
}

static CUresult CUDAAPI wait_for_newest(CUstream stream, CUevent event, unsigned flags)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUdeviceptr address = 0;
    void *word = NULL;
    pthread_t thread;
    CUresult code;

    if (flags != 0 || right->StreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
        status != CU_STREAM_CAPTURE_STATUS_NONE ||
        right->EventQuery(event) != CUDA_ERROR_NOT_READY || wait_count == MOST_WAITS ||
        !make_word(stream, &word, &address))
        return right->StreamWaitEvent(stream, event, flags);
    *(volatile uint32_t *)word = 0;
    code = right->StreamWaitValue32_v2(stream, address, 1, CU_STREAM_WAIT_VALUE_EQ);
    pthread_mutex_lock(&lock);
    waits[wait_count++] = (struct wait){event, word};
    pthread_mutex_unlock(&lock);
    if (wait_count == 1 && pthread_create(&thread, NULL, follow, NULL) != 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    return code;
}

static void no_snapshot(struct cushim_table *table)
{
    table->StreamWaitEvent = wait_for_newest;
}

/* A stream gets exactly the requested priority, without clamping. */
enum { MOST_STREAMS = 256 };

static struct {
    CUstream stream;
    int priority;
} streams[MOST_STREAMS];
static unsigned stream_count;

static CUresult CUDAAPI create_with_priority(CUstream *stream, unsigned flags, int priority)
{
    CUresult code = right->StreamCreateWithPriority(stream, flags, priority);

    if (code == CUDA_SUCCESS && stream_count < MOST_STREAMS) {
        streams[stream_count].stream = *stream;
        streams[stream_count++].priority = priority;
    }
    return code;
}

static CUresult CUDAAPI get_priority(CUstream stream, int *priority)
{
    for (unsigned i = stream_count; i-- > 0;) {
        if (streams[i].stream == stream) {
            *priority = streams[i].priority;
            return CUDA_SUCCESS;
        }
    }
    return right->StreamGetPriority(stream, priority);
}

static void not_clamped(struct cushim_table *table)
{
    table->StreamCreateWithPriority = create_with_priority;
    table->StreamGetPriority = get_priority;
}

/* A sticky error is returned only once. */
static atomic_bool answered;

static CUresult once(CUresult code)
{
    if (code != CUDA_ERROR_ILLEGAL_ADDRESS && code != CUDA_ERROR_LAUNCH_FAILED)
        return code;
    return atomic_exchange(&answered, 1) ? CUDA_SUCCESS : code;
}

static CUresult CUDAAPI query_event_once(CUevent event)
{
    return once(right->EventQuery(event));
}

static CUresult CUDAAPI synchronize_event_once(CUevent event)
{
    return once(right->EventSynchronize(event));
}

static CUresult CUDAAPI query_stream_once(CUstream stream)
{
    return once(right->StreamQuery(stream));
}

static CUresult CUDAAPI synchronize_stream_once(CUstream stream)
{
    return once(right->StreamSynchronize(stream));
}

static CUresult CUDAAPI synchronize_context_once(void)
{
    return once(right->CtxSynchronize());
}

static void sticky_lost(struct cushim_table *table)
{
    table->EventQuery = query_event_once;
    table->EventSynchronize = synchronize_event_once;
    table->StreamQuery = query_stream_once;
    table->StreamSynchronize = synchronize_stream_once;
    table->CtxSynchronize = synchronize_context_once;
}

/* No error: the suite must pass, which shows that the patching itself does no harm. */
static void none(struct cushim_table *table)
{
    (void)table;
}

static const struct {
    const char *name;
    void (*patch)(struct cushim_table *table);
} faults[] = {
    {"none", none},
    {"always_done", always_done},
    {"at_submission", at_submission},
    {"inline_host", inline_host},
    {"never_negative", never_negative},
    {"no_snapshot", no_snapshot},
    {"not_clamped", not_clamped},
    {"sticky_lost", sticky_lost},
};

/* Runs after the library's own constructor, which is linked before this file. */
__attribute__((constructor)) static void begin(void)
{
    static struct cushim_table wrong;
    const char *name = getenv("CUSHIM_WRONG");

    right = cushim__exports;
    wrong = *right;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        if (name && strcmp(faults[i].name, name) == 0) {
            faults[i].patch(&wrong);
            cushim__exports = &wrong;
            return;
        }
    }
    abort(); /* there is no such error */
}
