/* SPDX-License-Identifier: Apache-2.0 */
/* Captures that lose a stream, that others wait for, that lead into graphs. Statements 178-181. */
#include "backend.h"
#include "begin.h"
#include "capture.h"
#include "cases.h"
#include "check.h"
#include "graph.h"

static void CUDA_CB nothing(void *data)
{
    (void)data;
}

static void work(CUstream stream)
{
    MUST(cu->LaunchHostFunc(stream, nothing, NULL));
}

static void tie(CUstream from, CUstream to)
{
    CUevent event = begin_event();

    MUST(cu->EventRecord(event, from));
    MUST(cu->StreamWaitEvent(to, event, 0));
}

/* A capture that another stream has joined, which is destroyed; what End answers then. */
static CUresult end_without_joined(bool works, bool returns)
{
    CUstream stream = begin_stream(), joined = begin_stream();
    CUgraph graph = NULL;

    capture_begin(stream, GLOBAL);
    work(stream);
    tie(stream, joined);
    if (works)
        work(joined);
    if (returns)
        tie(joined, stream);
    OK(cu->StreamDestroy_v2(joined));
    capture_active(stream);
    return cu->StreamEndCapture(stream, &graph);
}

static void work_of_a_destroyed_stream_is_unjoined(void)
{
    begin_context();
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, end_without_joined(true, false));
    OK(end_without_joined(false, false));
    OK(end_without_joined(true, true));
}

static void another_context_may_be_waited_for(void)
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
        capture_spoilt(stream);
    }
}

static void legacy_stream_does_not_join(void)
{
    begin_context();
    for (int blocks = 0; blocks < 2; blocks++) {
        CUstream stream = blocks ? begin_blocking_stream() : begin_stream();
        CUevent event = begin_event();

        capture_begin(stream, GLOBAL);
        work(stream);
        MUST(cu->EventRecord(event, stream));
        CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->StreamWaitEvent(NULL, event, 0));
        capture_spoilt(stream);
    }
}

static void graphs_are_not_for_the_legacy_stream_meanwhile(void)
{
    CUstream stream;
    CUgraphExec exec;
    CUgraph graph;

    begin_context();
    graph = graph_begin();
    graph_add_host(graph, NULL, 0, NULL);
    exec = graph_exec(graph);
    stream = begin_blocking_stream();
    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->GraphLaunch(exec, NULL));
    capture_spoilt(stream);
    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu->GraphUpload(exec, NULL));
    capture_spoilt(stream);
}

static void arrays_are_not_destroyed_meanwhile(void)
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
        capture_spoilt(stream);
        OK(cu->ArrayDestroy(array));
    }
}

static void edges_are_told_with_their_data(void)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUgraphEdgeData *data = (const void *)&status;
    const CUgraphNode *nodes = NULL;
    CUstream stream;
    size_t count = 7;

    begin_context();
    stream = begin_stream();
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

static void graph_that_is_captured_is_used(void)
{
    CUgraph graph, other, clone = NULL, same = NULL;
    CUgraphNode node, added;
    CUgraphExec exec = NULL;
    CUstream stream;

    begin_context();
    stream = begin_stream();
    graph = graph_begin();
    other = graph_begin();
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

static void graph_within_a_graph_is_captured(void)
{
    CUgraph outer, child = NULL, same = NULL;
    CUgraphNode node;
    CUstream stream;

    begin_context();
    stream = begin_stream();
    outer = graph_begin();
    MUST(cu->GraphAddChildGraphNode(&node, outer, NULL, 0, graph_begin()));
    MUST(cu->GraphChildGraphNodeGetGraph(node, &child));
    OK(begin_into(stream, child, NULL, NULL, 0));
    work(stream);
    OK(cu->StreamEndCapture(stream, &same));
    CHECK(same == child);
    EQUAL(1, graph_nodes(child));
}

static void where_a_capture_begins_is_checked(void)
{
    const CUgraphEdgeData wrong = {.reserved = {1}};
    CUgraphNode nodes[2], foreign;
    CUgraph graph;
    CUstream stream;

    begin_context();
    stream = begin_stream();
    graph = graph_begin();
    nodes[0] = nodes[1] = graph_add_host(graph, NULL, 0, NULL);
    foreign = graph_add_host(graph_begin(), NULL, 0, NULL);
    CODE(CUDA_ERROR_INVALID_VALUE, begin_into(stream, NULL, NULL, NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, begin_into(stream, graph, NULL, NULL, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, begin_into(stream, graph, &foreign, NULL, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, begin_into(stream, graph, nodes, &wrong, 1));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->StreamBeginCaptureToGraph(stream, graph, nodes, NULL, 1, (CUstreamCaptureMode)9));
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(stream));
    OK(begin_into(stream, graph, nodes, NULL, 2)); /* one node, named twice */
    capture_end(stream);
}

const struct conformance_case capture_edge_cases[] = {
    MEASURED_CASE("178_work_of_a_destroyed_stream_is_unjoined",
                  work_of_a_destroyed_stream_is_unjoined),
    MEASURED_CASE("179_another_context_may_be_waited_for", another_context_may_be_waited_for),
    MEASURED_CASE("179_legacy_stream_does_not_join", legacy_stream_does_not_join),
    MEASURED_CASE("179_graphs_are_not_for_the_legacy_stream_meanwhile",
                  graphs_are_not_for_the_legacy_stream_meanwhile),
    MEASURED_CASE("179_arrays_are_not_destroyed_meanwhile", arrays_are_not_destroyed_meanwhile),
    MEASURED_CASE("180_edges_are_told_with_their_data", edges_are_told_with_their_data),
    MEASURED_CASE("181_graph_that_is_captured_is_used", graph_that_is_captured_is_used),
    MEASURED_CASE("181_graph_within_a_graph_is_captured", graph_within_a_graph_is_captured),
    MEASURED_CASE("181_where_a_capture_begins_is_checked", where_a_capture_begins_is_checked),
    {.name = NULL},
};
