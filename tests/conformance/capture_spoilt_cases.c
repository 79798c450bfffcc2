/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left of invalidated captures, and what invalidates them. Statements 62-64, 69-71, 146,
 * 147.
 */
#include "backend.h"
#include "begin.h"
#include "capture.h"
#include "cases.h"
#include "check.h"
#include "graph.h"
#include "module.h"

static void CUDA_CB nothing(void *data)
{
    (void)data;
}

/* A stream with a capture that is invalidated. */
static CUstream begin_spoilt(CUstream stream, CUstreamCaptureMode mode)
{
    capture_begin(stream, mode);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->StreamQuery(stream));
    return stream;
}

static void end_needs_no_place_for_the_graph(void)
{
    CUgraph graph;
    CUstream stream;

    begin_context();
    stream = begin_stream();
    capture_begin(stream, GLOBAL);
    OK(cu->LaunchHostFunc(stream, nothing, NULL));
    OK(cu->StreamEndCapture(stream, NULL));
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(stream));
    graph = graph_begin();
    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->StreamEndCapture(stream, &graph));
    CHECK(graph == NULL);
    begin_spoilt(stream, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cu->StreamEndCapture(stream, NULL));
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(stream));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->StreamEndCapture(stream, NULL));
}

static void unrecorded_start_is_seen_before_a_captured_end(void)
{
    CUevent captured, unrecorded;
    CUstream stream;
    float ms = -7;

    begin_context();
    stream = begin_stream();
    captured = begin_event();
    unrecorded = begin_event();
    capture_begin(stream, GLOBAL);
    OK(cu->EventRecord(captured, stream));
    CODE(CUDA_ERROR_CAPTURED_EVENT, cu->EventElapsedTime(&ms, captured, unrecorded));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventElapsedTime(&ms, unrecorded, captured));
    capture_end(stream);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventElapsedTime(&ms, captured, unrecorded));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventElapsedTime(&ms, unrecorded, captured));
    CHECK(ms == -7);
}

static void spoilt_capture_forbids_as_an_active_one(void)
{
    CUdeviceptr memory;
    CUstream stream, other;
    CUevent done;

    begin_context();
    stream = begin_stream();
    other = begin_stream();
    done = begin_done();
    begin_spoilt(stream, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->EventQuery(done));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->MemAlloc_v2(&memory, 64));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->CtxSynchronize());
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->StreamQuery(other));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->StreamQuery(stream));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->StreamSynchronize(stream));
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cu->LaunchHostFunc(stream, nothing, NULL));
    capture_spoilt(stream);
    OK(cu->EventQuery(done));
}

static void spoilt_capture_stands_in_the_way(void)
{
    CUstreamCaptureStatus status;
    CUstream blocking;
    CUevent event;

    begin_context();
    blocking = begin_blocking_stream();
    event = begin_event();
    begin_spoilt(blocking, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamIsCapturing(NULL, &status));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamQuery(NULL));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->EventRecord(event, NULL));
    capture_spoilt(blocking);
}

static void legacy_stream_says_nothing_meanwhile(void)
{
    CUstream blocking;
    CUgraph graph;
    CUevent event;
    unsigned flags;
    unsigned long long id;

    begin_context();
    blocking = begin_blocking_stream();
    event = begin_event();
    capture_begin(blocking, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamEndCapture(NULL, &graph));
    capture_spoilt(blocking);
    begin_spoilt(blocking, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamBeginCapture_v2(NULL, GLOBAL));
    capture_spoilt(blocking);
    capture_begin(blocking, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamGetFlags(NULL, &flags));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamGetId(NULL, &id));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamWaitEvent(NULL, event, 0));
    capture_spoilt(blocking);
}

static void stream_of_the_thread_stands_in_the_way_too(void)
{
    CUstreamCaptureStatus status;
    CUevent event;

    begin_context();
    event = begin_event();
    capture_begin(CU_STREAM_PER_THREAD, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamIsCapturing(CU_STREAM_LEGACY, &status));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->EventRecord(event, CU_STREAM_LEGACY));
    capture_spoilt(CU_STREAM_PER_THREAD);
}

static void event_of_a_spoilt_capture_is_of_an_ended_one(void)
{
    CUstream stream, other;
    CUevent event;
    float ms;

    begin_context();
    stream = begin_stream();
    other = begin_stream();
    event = begin_event();
    capture_begin(stream, RELAXED);
    OK(cu->EventRecord(event, stream));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->StreamQuery(stream));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWaitEvent(other, event, 0));
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(other));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventQuery(event));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventElapsedTime(&ms, event, event));
    capture_spoilt(stream);
    /* In a capture it is not only refused. */
    capture_begin(other, RELAXED);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWaitEvent(other, event, 0));
    capture_spoilt(other);
}

static void graphs_modules_and_limits_are_left_alone_meanwhile(void)
{
    CUgraphExec exec;
    CUmodule module = begin_module();
    CUstream stream = begin_stream();

    exec = graph_exec(graph_begin());
    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->GraphExecDestroy(exec));
    capture_spoilt(stream);
    capture_begin(stream, RELAXED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->GraphLaunch(exec, stream));
    capture_spoilt(stream);
    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->CtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
    capture_spoilt(stream);
    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->ModuleUnload(module));
    capture_spoilt(stream);
    capture_begin(stream, RELAXED);
    OK(cu->CtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
    OK(cu->ModuleUnload(module));
    OK(cu->EventDestroy(begin_event()));
    capture_end(stream);
    OK(cu->GraphExecDestroy(exec));
}

static void some_wrong_arguments_spoil_it(void)
{
    CUfunction plain = begin_function(begin_module(), "plain");
    CUstream stream = begin_stream();
    CUcontext other = begin_other_context();
    CUevent event = begin_event_in(other), here = begin_event();

    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->LaunchKernel(plain, 0, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
    capture_spoilt(stream);
    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->StreamWaitEvent(stream, NULL, 0));
    capture_spoilt(stream);
    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->LaunchHostFunc(stream, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWaitEvent(stream, here, 2));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(event, stream));
    OK(cu->EventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL));
    capture_end(stream);
}

static void dependencies_are_told_and_set(void)
{
    CUstreamCaptureStatus status;
    const CUgraphNode *told = &(CUgraphNode){NULL};
    CUgraphNode twice[2];
    CUgraph graph;
    CUstream stream;
    size_t count = 7;

    begin_context();
    stream = begin_stream();
    capture_begin(stream, GLOBAL);
    OK(cu->StreamGetCaptureInfo_v2(stream, &status, NULL, &graph, &told, &count));
    CHECK(told == NULL);
    EQUAL(0, count);
    OK(cu->LaunchHostFunc(stream, nothing, NULL));
    OK(cu->StreamGetCaptureInfo_v2(stream, &status, NULL, &graph, &told, &count));
    EQUAL(1, count);
    if (!CHECK(told != NULL))
        return;
    twice[0] = twice[1] = told[0];
    OK(cu->StreamUpdateCaptureDependencies(stream, twice, 2, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    OK(cu->StreamGetCaptureInfo_v2(stream, &status, NULL, &graph, &told, &count));
    EQUAL(1, count);
    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->GraphDestroyNode(twice[0]));
    capture_end(stream);
}

const struct conformance_case capture_spoilt_cases[] = {
    MEASURED_CASE("062_end_needs_no_place_for_the_graph", end_needs_no_place_for_the_graph),
    MEASURED_CASE("063_unrecorded_start_is_seen_before_a_captured_end",
                  unrecorded_start_is_seen_before_a_captured_end),
    MEASURED_CASE("064_spoilt_capture_forbids_as_an_active_one",
                  spoilt_capture_forbids_as_an_active_one),
    MEASURED_CASE("069_spoilt_capture_stands_in_the_way", spoilt_capture_stands_in_the_way),
    MEASURED_CASE("069_legacy_stream_says_nothing_meanwhile", legacy_stream_says_nothing_meanwhile),
    MEASURED_CASE("069_stream_of_the_thread_stands_in_the_way_too",
                  stream_of_the_thread_stands_in_the_way_too),
    MEASURED_CASE("071_event_of_a_spoilt_capture_is_of_an_ended_one",
                  event_of_a_spoilt_capture_is_of_an_ended_one),
    MEASURED_CASE("146_graphs_modules_and_limits_are_left_alone_meanwhile",
                  graphs_modules_and_limits_are_left_alone_meanwhile),
    MEASURED_CASE("146_some_wrong_arguments_spoil_it", some_wrong_arguments_spoil_it),
    MEASURED_CASE("147_dependencies_are_told_and_set", dependencies_are_told_and_set),
    {.name = NULL},
};
