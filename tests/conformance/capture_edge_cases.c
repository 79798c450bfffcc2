/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures that are invalidated, that lose a stream, that others wait for, or that continue in
 * graphs. Statements 62-64, 69-71, 146, 147, 178-181.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "cases.h"
#include "graph.h"

/* A stream with an invalidated capture. */
static CUstream begin_invalidated(CUstream stream, CUstreamCaptureMode mode)
{
    capture_begin(stream, mode);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->StreamQuery(stream));
    return stream;
}

MEASURED_CASE(062, end_needs_no_place_for_the_graph)
{
    CUgraph graph;
    CUstream stream = begin_stream();

    capture_begin(stream, GLOBAL);
    OK(cu->LaunchHostFunc(stream, do_nothing, NULL));
    OK(cu->StreamEndCapture(stream, NULL));
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(stream));
    graph = graph_begin();
    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->StreamEndCapture(stream, &graph));
    CHECK(graph == NULL);
    begin_invalidated(stream, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cu->StreamEndCapture(stream, NULL));
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(stream));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->StreamEndCapture(stream, NULL));
}

MEASURED_CASE(063, unrecorded_start_is_seen_before_a_captured_end)
{
    CUevent captured = begin_event(), unrecorded = begin_event();
    CUstream stream = begin_stream();
    float ms = -7;

    capture_begin(stream, GLOBAL);
    OK(cu->EventRecord(captured, stream));
    CODE(CUDA_ERROR_CAPTURED_EVENT, cu->EventElapsedTime(&ms, captured, unrecorded));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventElapsedTime(&ms, unrecorded, captured));
    capture_end(stream);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventElapsedTime(&ms, captured, unrecorded));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventElapsedTime(&ms, unrecorded, captured));
    CHECK(ms == -7);
}

MEASURED_CASE(064, spoilt_capture_forbids_as_an_active_one)
{
    CUdeviceptr memory;
    CUstream stream = begin_stream(), other = begin_stream();
    CUevent done = begin_done();

    begin_invalidated(stream, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->EventQuery(done));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->MemAlloc_v2(&memory, 64));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->CtxSynchronize());
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->StreamQuery(other));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->StreamQuery(stream));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->StreamSynchronize(stream));
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cu->LaunchHostFunc(stream, do_nothing, NULL));
    capture_invalidated(stream);
    OK(cu->EventQuery(done));
}

MEASURED_CASE(069, spoilt_capture_stands_in_the_way)
{
    CUstreamCaptureStatus status;
    CUstream blocking = begin_blocking_stream();
    CUevent event = begin_event();

    begin_invalidated(blocking, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamIsCapturing(NULL, &status));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamQuery(NULL));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->EventRecord(event, NULL));
    capture_invalidated(blocking);
}

MEASURED_CASE(069, legacy_stream_says_nothing_meanwhile)
{
    CUstream blocking = begin_blocking_stream();
    CUgraph graph;
    CUevent event = begin_event();
    unsigned flags;
    unsigned long long id;

    capture_begin(blocking, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamEndCapture(NULL, &graph));
    capture_invalidated(blocking);
    begin_invalidated(blocking, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamBeginCapture_v2(NULL, GLOBAL));
    capture_invalidated(blocking);
    capture_begin(blocking, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamGetFlags(NULL, &flags));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamGetId(NULL, &id));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamWaitEvent(NULL, event, 0));
    capture_invalidated(blocking);
}

MEASURED_CASE(069, stream_of_the_thread_stands_in_the_way_too)
{
    CUstreamCaptureStatus status;
    CUevent event = begin_event();

    capture_begin(CU_STREAM_PER_THREAD, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamIsCapturing(CU_STREAM_LEGACY, &status));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->EventRecord(event, CU_STREAM_LEGACY));
    capture_invalidated(CU_STREAM_PER_THREAD);
}

MEASURED_CASE(071, event_of_a_spoilt_capture_is_of_an_ended_one)
{
    CUstream stream = begin_stream(), other = begin_stream();
    CUevent event = begin_event();
    float ms;

    capture_begin(stream, RELAXED);
    OK(cu->EventRecord(event, stream));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->StreamQuery(stream));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWaitEvent(other, event, 0));
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(other));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventQuery(event));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventElapsedTime(&ms, event, event));
    capture_invalidated(stream);
    /* In a capture, the call is refused and invalidates the capture. */
    capture_begin(other, RELAXED);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWaitEvent(other, event, 0));
    capture_invalidated(other);
}

MEASURED_CASE(146, graphs_modules_and_limits_are_left_alone_meanwhile)
{
    CUmodule module = begin_module();
    CUdeviceptr managed = begin_managed(4096);
    CUstream stream = begin_stream();
    CUgraphExec exec = graph_exec(graph_begin());

    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->GraphExecDestroy(exec));
    capture_invalidated(stream);
    capture_begin(stream, RELAXED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->GraphLaunch(exec, stream));
    capture_invalidated(stream);
    capture_begin(stream, RELAXED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->GraphUpload(exec, stream));
    capture_invalidated(stream);
    capture_begin(stream, RELAXED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->MemPrefetchAsync(managed, 4096, 0, stream));
    capture_invalidated(stream);
    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->CtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
    capture_invalidated(stream);
    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->ModuleUnload(module));
    capture_invalidated(stream);
    capture_begin(stream, RELAXED);
    OK(cu->CtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
    OK(cu->ModuleUnload(module));
    OK(cu->EventDestroy(begin_event()));
    capture_end(stream);
    OK(cu->GraphExecDestroy(exec));
}

MEASURED_CASE(146, some_wrong_arguments_spoil_it)
{
    CUfunction plain = begin_function(begin_module(), "plain");
    CUstream stream = begin_stream();
    CUcontext other = begin_other_context();
    CUevent event = begin_event_in(other), here = begin_event();

    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->LaunchKernel(plain, 0, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
    capture_invalidated(stream);
    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->StreamWaitEvent(stream, NULL, 0));
    capture_invalidated(stream);
    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->LaunchHostFunc(stream, NULL, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamWaitEvent(stream, here, 2));
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->EventRecord(event, stream));
    OK(cu->EventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL));
    capture_end(stream);
}

MEASURED_CASE(147, dependencies_are_returned_and_set)
{
    CUstreamCaptureStatus status;
    const CUgraphNode *reported = &(CUgraphNode){NULL};
    CUgraphNode twice[2];
    CUgraph graph;
    size_t count = 7;
    CUstream stream = begin_stream();

    capture_begin(stream, GLOBAL);
    OK(cu->StreamGetCaptureInfo_v2(stream, &status, NULL, &graph, &reported, &count));
    CHECK(reported == NULL);
    EQUAL(0, count);
    OK(cu->LaunchHostFunc(stream, do_nothing, NULL));
    OK(cu->StreamGetCaptureInfo_v2(stream, &status, NULL, &graph, &reported, &count));
    EQUAL(1, count);
    if (!CHECK(reported != NULL))
        return;
    twice[0] = twice[1] = reported[0];
    OK(cu->StreamUpdateCaptureDependencies(stream, twice, 2, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    OK(cu->StreamGetCaptureInfo_v2(stream, &status, NULL, &graph, &reported, &count));
    EQUAL(1, count);
    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->GraphDestroyNode(twice[0]));
    capture_end(stream);
}

/*
 * Captures that lose a stream, that others wait for, or that continue in graphs. Statements
 * 178-181.
 */

static void work(CUstream stream)
{
    MUST(cu->LaunchHostFunc(stream, do_nothing, NULL));
}

/* Destroy a stream that has joined a capture; returns the result of cuStreamEndCapture. */
static CUresult end_without_joined(bool works, bool returns)
{
    CUstream stream = begin_stream(), joined = begin_stream();
    CUgraph graph = NULL;

    capture_begin(stream, GLOBAL);
    work(stream);
    capture_join(stream, joined);
    if (works)
        work(joined);
    if (returns)
        capture_join(joined, stream);
    OK(cu->StreamDestroy_v2(joined));
    capture_active(stream);
    return cu->StreamEndCapture(stream, &graph);
}

MEASURED_CASE(178, work_of_a_destroyed_stream_is_unjoined)
{
    begin_context();
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, end_without_joined(true, false));
    OK(end_without_joined(false, false));
    OK(end_without_joined(true, true));
}

MEASURED_CASE(179, another_context_may_be_waited_for)
{
    CUcontext context = begin_context(), other = begin_other_context();

    for (int i = 0; i < CAPTURE_MODES; i++) {
        CUstream stream = begin_stream();

        capture_begin(stream, capture_modes[i]);
        make_current(other);
        OK(cu->CtxSynchronize());
        make_current(context);
        capture_active(stream);
        CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->CtxSynchronize());
        capture_invalidated(stream);
    }
}

MEASURED_CASE(179, legacy_stream_does_not_join)
{
    for (int blocks = 0; blocks < 2; blocks++) {
        CUstream stream = blocks ? begin_blocking_stream() : begin_stream();
        CUevent event = begin_event();

        capture_begin(stream, GLOBAL);
        work(stream);
        MUST(cu->EventRecord(event, stream));
        CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamWaitEvent(NULL, event, 0));
        capture_invalidated(stream);
    }
}

MEASURED_CASE(179, graphs_are_not_for_the_legacy_stream_meanwhile)
{
    CUstream stream;
    CUgraphExec exec;
    CUgraph graph = graph_begin();

    graph_add_host(graph, NULL, 0, NULL);
    exec = graph_exec(graph);
    stream = begin_blocking_stream();
    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->GraphLaunch(exec, NULL));
    capture_invalidated(stream);
    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->GraphUpload(exec, NULL));
    capture_invalidated(stream);
}

MEASURED_CASE(179, arrays_are_not_destroyed_meanwhile)
{
    const CUDA_ARRAY_DESCRIPTOR of = {.Width = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};

    begin_context();
    for (int i = 0; i < CAPTURE_MODES; i++) {
        const bool relaxed = capture_modes[i] == RELAXED;
        CUstream stream = begin_stream();
        CUarray array = NULL;

        MUST(cu->ArrayCreate_v2(&array, &of));
        capture_begin(stream, capture_modes[i]);
        CODE(relaxed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
             cu->ArrayDestroy(array));
        if (relaxed) {
            capture_end(stream);
            continue;
        }
        capture_invalidated(stream);
        OK(cu->ArrayDestroy(array));
    }
}

MEASURED_CASE(180, edges_are_returned_with_their_data)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUgraphEdgeData *data = (const void *)&status;
    const CUgraphNode *nodes = NULL;
    size_t count = 7;
    CUstream stream = begin_stream();

    capture_begin(stream, GLOBAL);
    OK(cu->StreamGetCaptureInfo_v3(stream, &status, NULL, NULL, &nodes, &data, &count));
    EQUAL(0, count);
    CHECK(data == NULL);
    work(stream);
    OK(cu->StreamGetCaptureInfo_v3(stream, &status, NULL, NULL, &nodes, &data, &count));
    EQUAL(1, count);
    CHECK(data != NULL && data[0].type == 0);
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->StreamGetCaptureInfo_v3(stream, &status, NULL, NULL, NULL, &data, &count));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->StreamGetCaptureInfo_v3(stream, NULL, NULL, NULL, NULL, NULL, NULL));
    OK(cu->StreamGetCaptureInfo_v3(stream, &status, NULL, NULL, NULL, NULL, NULL));
    capture_end(stream);
}

static CUresult begin_into(CUstream stream, CUgraph graph, const CUgraphNode *nodes,
                           const CUgraphEdgeData *data, size_t count)
{
    return cu->StreamBeginCaptureToGraph(stream, graph, nodes, data, count, RELAXED);
}

MEASURED_CASE(181, graph_that_is_captured_is_used)
{
    CUgraph graph = graph_begin(), other = graph_begin(), clone = NULL, same = NULL;
    CUgraphNode node, added;
    CUgraphExec exec = NULL;
    CUstream stream = begin_stream();

    node = graph_add_host(graph, NULL, 0, NULL);
    MUST(begin_into(stream, graph, NULL, NULL, 0));
    work(stream);
    graph_add_host(graph, NULL, 0, NULL);
    OK(cu->GraphClone(&clone, graph));
    OK(cu->GraphAddChildGraphNode(&added, other, NULL, 0, graph));
    OK(cu->GraphInstantiateWithFlags(&exec, graph, 0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, begin_into(begin_stream(), graph, NULL, NULL, 0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->GraphDestroyNode(node));
    OK(cu->StreamEndCapture(stream, &same));
    CHECK(same == graph);
    MUST(begin_into(stream, graph, NULL, NULL, 0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->GraphDestroy(graph));
}

MEASURED_CASE(181, graph_within_a_graph_is_captured)
{
    CUgraph outer = graph_begin(), child = NULL, same = NULL;
    CUgraphNode node;
    CUstream stream = begin_stream();

    MUST(cu->GraphAddChildGraphNode(&node, outer, NULL, 0, graph_begin()));
    MUST(cu->GraphChildGraphNodeGetGraph(node, &child));
    OK(begin_into(stream, child, NULL, NULL, 0));
    work(stream);
    OK(cu->StreamEndCapture(stream, &same));
    CHECK(same == child);
    EQUAL(1, graph_nodes(child));
}

MEASURED_CASE(181, where_a_capture_begins_is_checked)
{
    const CUgraphEdgeData wrong = {.reserved = {1}};
    CUgraphNode nodes[2], foreign;
    CUstream stream = begin_stream();
    CUgraph graph = graph_begin();

    nodes[0] = nodes[1] = graph_add_host(graph, NULL, 0, NULL);
    foreign = graph_add_host(graph_begin(), NULL, 0, NULL);
    CODE(CUDA_ERROR_INVALID_VALUE, begin_into(stream, NULL, NULL, NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, begin_into(stream, graph, NULL, NULL, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, begin_into(stream, graph, &foreign, NULL, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, begin_into(stream, graph, nodes, &wrong, 1));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->StreamBeginCaptureToGraph(stream, graph, nodes, NULL, 1, (CUstreamCaptureMode)9));
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(stream));
    OK(begin_into(stream, graph, nodes, NULL, 2)); /* one node, listed twice */
    capture_end(stream);
}
