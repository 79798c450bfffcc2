/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check/cases.h"

#include "tests/check/answers.h"

#ifndef _WIN32
#include <pthread.h>
#endif

enum { GLOBAL, THREAD_LOCAL, RELAXED };

static CUstream stream;

static void begin_on(unsigned flags, int mode)
{
    OK(driver->StreamCreate(&stream, flags));
    OK(driver->StreamBeginCapture_v2(stream, (CUstreamCaptureMode)mode));
}

static void begin(int mode)
{
    begin_on(CU_STREAM_NON_BLOCKING, mode);
}

static void end(CUresult wanted)
{
    CUgraph graph;

    CODE(wanted, driver->StreamEndCapture(stream, &graph));
    if (graph)
        OK(driver->GraphDestroy(graph));
    OK(driver->StreamDestroy_v2(stream));
}

/* --- unsafe calls --- */

static void allocate_now(void)
{
    CUdeviceptr memory;

    OK(driver->MemAlloc_v2(&memory, 64));
    OK(driver->MemFree_v2(memory));
}

static void fail_to_allocate(void)
{
    CUdeviceptr memory;

    MISUSE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, driver->MemAlloc_v2(&memory, 64));
}

static void memory_is_allocated(void)
{
    begin(THREAD_LOCAL);
    fail_to_allocate();
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

static void memory_is_allocated_in_relaxed_mode(void)
{
    begin(RELAXED);
    allocate_now();
    end(CUDA_SUCCESS);
}

/* --- waits --- */

static void captured_stream_is_waited_for(void)
{
    begin(RELAXED);
    MISUSE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, driver->StreamSynchronize(stream));
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

static void context_is_waited_for(void)
{
    begin(RELAXED);
    MISUSE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, driver->CtxSynchronize());
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

static void captured_event_is_queried(void)
{
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    begin(RELAXED);
    OK(driver->EventRecord(event, stream));
    MISUSE(CUDA_ERROR_CAPTURED_EVENT, driver->EventQuery(event));
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(driver->EventDestroy_v2(event));
}

/* Waiting for another stream does not invalidate the capture. */
static void another_stream_is_waited_for(void)
{
    CUstream other;
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    OK(driver->StreamCreate(&other, CU_STREAM_NON_BLOCKING));
    begin(RELAXED);
    OK(driver->EventRecord(event, other));
    OK(driver->EventSynchronize(event));
    OK(driver->StreamSynchronize(other));
    end(CUDA_SUCCESS);
    OK(driver->StreamDestroy_v2(other));
    OK(driver->EventDestroy_v2(event));
}

/* --- what cannot be captured --- */

static void run_callback(CUstream on, CUresult status, void *data)
{
    (void)on;
    (void)status;
    (void)data;
}

static void run_function(void *data)
{
    (void)data;
}

static void callback_is_captured(void)
{
    begin(RELAXED);
    MISUSE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
           driver->StreamAddCallback(stream, run_callback, NULL, 0));
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

static void host_function_is_captured(void)
{
    begin(RELAXED);
    OK(driver->LaunchHostFunc(stream, run_function, NULL));
    end(CUDA_SUCCESS);
}

/* --- the legacy default stream --- */

static void legacy_stream_is_captured(void)
{
    MISUSE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
           driver->StreamBeginCapture_v2(NULL, (CUstreamCaptureMode)RELAXED));
}

static void per_thread_stream_is_captured(void)
{
    CUgraph graph;

    OK(driver->StreamBeginCapture_v2(CU_STREAM_PER_THREAD, (CUstreamCaptureMode)RELAXED));
    OK(driver->StreamEndCapture_ptsz(NULL, &graph));
    OK(driver->GraphDestroy(graph));
}

static void set_while(unsigned flags)
{
    CUdeviceptr memory;

    OK(driver->MemAlloc_v2(&memory, 64));
    begin_on(flags, RELAXED);
    if (flags)
        OK(driver->MemsetD8_v2(memory, 0, 64));
    else
        MISUSE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, driver->MemsetD8_v2(memory, 0, 64));
    end(flags ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(driver->MemFree_v2(memory));
}

static void legacy_stream_is_used(void)
{
    set_while(0);
}

/* The capture of a stream that does not wait for the default stream survives this query. */
static void legacy_stream_is_beside(void)
{
    CUstreamCaptureStatus status;

    set_while(CU_STREAM_NON_BLOCKING);
    begin_on(0, RELAXED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, driver->StreamIsCapturing(NULL, &status));
    end(CUDA_SUCCESS);
}

/* --- events --- */

static void wait_for_outside(bool is_external)
{
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    OK(driver->EventRecord(event, NULL));
    begin(RELAXED);
    if (is_external)
        OK(driver->StreamWaitEvent(stream, event, CU_EVENT_WAIT_EXTERNAL));
    else
        MISUSE(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, driver->StreamWaitEvent(stream, event, 0));
    end(is_external ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(driver->EventDestroy_v2(event));
}

static void capture_waits_for_outside(void)
{
    wait_for_outside(false);
}

static void graph_waits_for_outside(void)
{
    wait_for_outside(true);
}

static void captures_are_joined(void)
{
    CUstream first;
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    begin(RELAXED);
    OK(driver->EventRecord(event, stream));
    first = stream;
    begin(RELAXED);
    MISUSE(CUDA_ERROR_STREAM_CAPTURE_MERGE, driver->StreamWaitEvent(stream, event, 0));
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    stream = first;
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(driver->EventDestroy_v2(event));
}

/* The unknown flag makes the driver refuse the call. */
static void take_event(CUevent event)
{
    OK(driver->EventSynchronize(event));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamWaitEvent(NULL, event, 2));
}

static void use_captured_event(unsigned flags, bool is_recorded_again)
{
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    begin(RELAXED);
    OK(driver->EventRecordWithFlags(event, stream, flags));
    end(CUDA_SUCCESS);
    if (is_recorded_again)
        OK(driver->EventRecord(event, NULL));
    if (flags || is_recorded_again)
        take_event(event);
    else
        MISUSE(CUDA_ERROR_INVALID_VALUE, driver->EventSynchronize(event));
    OK(driver->EventDestroy_v2(event));
}

static void event_is_used_after_its_capture(void)
{
    use_captured_event(0, false);
}

static void event_is_recorded_after_its_capture(void)
{
    use_captured_event(0, true);
    use_captured_event(CU_EVENT_RECORD_EXTERNAL, false);
}

/* --- ends --- */

static CUstream forked;

static void fork_stream(void)
{
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    OK(driver->StreamCreate(&forked, CU_STREAM_NON_BLOCKING));
    begin(RELAXED);
    OK(driver->EventRecord(event, stream));
    OK(driver->StreamWaitEvent(forked, event, 0));
    OK(driver->EventDestroy_v2(event));
}

static void fork_is_not_joined(void)
{
    CUgraph graph;

    fork_stream();
    OK(driver->LaunchHostFunc(forked, run_function, NULL));
    MISUSE(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, driver->StreamEndCapture(stream, &graph));
    OK(driver->StreamDestroy_v2(stream));
    OK(driver->StreamDestroy_v2(forked));
}

static void fork_is_joined(void)
{
    CUevent event;

    OK(driver->EventCreate(&event, 0));
    fork_stream();
    OK(driver->LaunchHostFunc(forked, run_function, NULL));
    OK(driver->EventRecord(event, forked));
    OK(driver->StreamWaitEvent(stream, event, 0));
    end(CUDA_SUCCESS);
    OK(driver->StreamDestroy_v2(forked));
    OK(driver->EventDestroy_v2(event));
}

static void fork_is_ended(void)
{
    CUgraph graph;

    fork_stream();
    MISUSE(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, driver->StreamEndCapture(forked, &graph));
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(driver->StreamDestroy_v2(forked));
}

static void capture_is_left(void)
{
    begin(RELAXED);
}

static void captured_stream_is_destroyed(void)
{
    begin(RELAXED);
    OK(driver->StreamDestroy_v2(stream));
}

/* Statement 178: work of a stream that joined the capture remains; this stream had none. */
static void forked_stream_is_destroyed(void)
{
    fork_stream();
    OK(driver->StreamDestroy_v2(forked));
    end(CUDA_SUCCESS);
}

#ifndef _WIN32

/* --- threads --- */

static CUcontext context;
static CUresult answer;

static void *allocate_there(void *ignored)
{
    CUdeviceptr memory;

    (void)ignored;
    driver->CtxSetCurrent(context);
    answer = driver->MemAlloc_v2(&memory, 64);
    if (answer == CUDA_SUCCESS)
        driver->MemFree_v2(memory);
    return NULL;
}

static void *end_there(void *ignored)
{
    CUgraph graph;

    (void)ignored;
    answer = driver->StreamEndCapture(stream, &graph);
    if (answer == CUDA_SUCCESS)
        driver->GraphDestroy(graph);
    return NULL;
}

static CUresult run_there(void *(*act)(void *))
{
    pthread_t thread;

    OK(driver->CtxGetCurrent(&context));
    answer = CUDA_ERROR_UNKNOWN;
    if (pthread_create(&thread, NULL, act, NULL) == 0)
        pthread_join(thread, NULL);
    return answer;
}

static void another_thread_allocates(void)
{
    begin(GLOBAL);
    MISUSE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, run_there(allocate_there));
    end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

static void another_thread_may_allocate(void)
{
    begin(THREAD_LOCAL);
    OK(run_there(allocate_there));
    end(CUDA_SUCCESS);
}

static void another_thread_ends_it(void)
{
    begin(THREAD_LOCAL);
    MISUSE(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, run_there(end_there));
    OK(driver->StreamDestroy_v2(stream));
}

static void another_thread_may_end_it(void)
{
    begin(RELAXED);
    OK(run_there(end_there));
    OK(driver->StreamDestroy_v2(stream));
}

#endif

const struct check_case check_capture_cases[] = {
    {"CUSHIM-capture-unsafe", "allocation", memory_is_allocated,
     memory_is_allocated_in_relaxed_mode, 0},
#ifndef _WIN32
    {"CUSHIM-capture-unsafe", "thread", another_thread_allocates, another_thread_may_allocate, 0},
    {"CUSHIM-capture-end", "thread", another_thread_ends_it, another_thread_may_end_it, 0},
#endif
    {"CUSHIM-capture-wait", "stream", captured_stream_is_waited_for, another_stream_is_waited_for,
     0},
    {"CUSHIM-capture-wait", "context", context_is_waited_for, another_stream_is_waited_for, 0},
    {"CUSHIM-capture-wait", "event", captured_event_is_queried, another_stream_is_waited_for, 0},
    {"CUSHIM-capture-call", "callback", callback_is_captured, host_function_is_captured, 0},
    {"CUSHIM-capture-legacy-stream", "begin", legacy_stream_is_captured,
     per_thread_stream_is_captured, 0},
    {"CUSHIM-capture-legacy-stream", "use", legacy_stream_is_used, legacy_stream_is_beside, 0},
    {"CUSHIM-capture-event", "outside", capture_waits_for_outside, graph_waits_for_outside, 0},
    {"CUSHIM-capture-event", "merge", captures_are_joined, graph_waits_for_outside, 0},
    {"CUSHIM-capture-event", "after", event_is_used_after_its_capture,
     event_is_recorded_after_its_capture, 0},
    {"CUSHIM-capture-unjoined", "fork", fork_is_not_joined, fork_is_joined, 0},
    {"CUSHIM-capture-end", "stream", fork_is_ended, fork_is_joined, 0},
    {"CUSHIM-capture-left", "end", capture_is_left, host_function_is_captured, 0},
    {"CUSHIM-capture-left", "stream", captured_stream_is_destroyed, forked_stream_is_destroyed, 0},
    {NULL, NULL, NULL, NULL, 0},
};
