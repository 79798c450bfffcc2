/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures: the nodes that calls become, what programs can query and change, and what captures
 * forbid.
 */
#include <pthread.h>

#include "tests/mock/fixture.h"

enum { BYTES = 64 };

/* A graph as text: a digit for the type of each node, and then the edges between their indices. */
static const char *shape(CUgraph graph)
{
    static char text[200];
    CUgraphNode nodes[16], from[16], to[16];
    size_t count = 16, edges = 16, length = 0;

    OK(driver->GraphGetNodes(graph, nodes, &count));
    OK(driver->GraphGetEdges(graph, from, to, &edges));
    for (size_t i = 0; i < count; i++) {
        CUgraphNodeType type;

        OK(driver->GraphNodeGetType(nodes[i], &type));
        text[length++] = (char)('0' + type);
    }
    for (size_t i = 0; i < edges; i++) {
        text[length++] = ' ';
        for (size_t node = 0; node < count; node++) {
            if (nodes[node] == from[i])
                text[length++] = (char)('a' + node);
        }
        for (size_t node = 0; node < count; node++) {
            if (nodes[node] == to[i])
                text[length++] = (char)('a' + node);
        }
    }
    text[length] = '\0';
    return text;
}

static CUstream stream;

static int begin(void **state)
{
    fixture_auto(state);
    stream = fixture_stream();
    return 0;
}

static int end(void **state)
{
    OK(driver->StreamDestroy_v2(stream));
    return fixture_done(state);
}

static void drop(CUgraph graph)
{
    OK(driver->GraphDestroy(graph));
}

static void captured_work_becomes_nodes(void **state)
{
    CUevent event = fixture_event();
    CUdeviceptr memory;
    void *host;
    CUgraph graph;

    (void)state;
    OK(driver->MemAlloc_v2(&memory, BYTES));
    OK(driver->MemAllocHost_v2(&host, BYTES));
    capture_begin(stream);
    OK(driver->MemcpyHtoDAsync_v2(memory, host, BYTES, stream));
    OK(driver->MemsetD8Async(memory, 5, BYTES, stream));
    capture_work(stream);
    OK(driver->EventRecord(event, stream));
    OK(driver->EventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL));
    OK(driver->StreamWaitEvent(stream, event, CU_EVENT_WAIT_EXTERNAL));
    OK(driver->MemsetD8Async(memory, 5, 0, stream));
    graph = capture_end(stream);
    assert_string_equal(shape(graph), "12376 ab bc cd de");
    drop(graph);
    OK(driver->MemFreeHost(host));
    OK(driver->MemFree_v2(memory));
    OK(driver->EventDestroy_v2(event));
}

static void captured_work_is_executed_by_a_launch_alone(void **state)
{
    unsigned char bytes[BYTES] = {0};
    CUdeviceptr memory;
    CUgraphExec exec;
    CUgraph graph;

    (void)state;
    OK(driver->MemAlloc_v2(&memory, BYTES));
    OK(driver->MemsetD8_v2(memory, 1, BYTES));
    capture_begin(stream);
    OK(driver->MemsetD8Async(memory, 7, BYTES, stream));
    graph = capture_end(stream);
    OK(driver->StreamSynchronize(stream));
    OK(driver->MemcpyDtoH_v2(bytes, memory, BYTES));
    assert_int_equal(bytes[0], 1);
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->StreamSynchronize(stream));
    OK(driver->MemcpyDtoH_v2(bytes, memory, BYTES));
    assert_int_equal(bytes[BYTES - 1], 7);
    OK(driver->GraphExecDestroy(exec));
    drop(graph);
    OK(driver->MemFree_v2(memory));
}

static void fork_and_join_are_edges(void **state)
{
    CUstream origin = fixture_stream(), fork = fixture_stream();
    CUgraph graph;

    (void)state;
    capture_begin(origin);
    capture_work(origin);
    capture_tie(origin, fork);
    capture_work(fork);
    capture_work(origin);
    capture_tie(fork, origin);
    capture_work(origin);
    graph = capture_end(origin);
    assert_string_equal(shape(graph), "3333 ab ac bd cd");
    assert_int_equal(capture_status(fork), CU_STREAM_CAPTURE_STATUS_NONE);
    drop(graph);
    OK(driver->StreamDestroy_v2(origin));
    OK(driver->StreamDestroy_v2(fork));
}

static void work_behind_a_join_must_be_joined_again(void **state)
{
    CUstream origin = fixture_stream(), fork = fixture_stream();
    CUgraph graph;

    (void)state;
    capture_begin(origin);
    capture_tie(origin, fork);
    capture_work(fork);
    capture_tie(fork, origin);
    capture_work(fork);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, driver->StreamEndCapture(origin, &graph));
    assert_null(graph);

    capture_begin(origin); /* joined through a third stream */
    capture_tie(origin, fork);
    capture_work(fork);
    {
        CUstream third = fixture_stream();

        capture_tie(fork, third);
        capture_work(third);
        capture_tie(third, origin);
        graph = capture_end(origin);
        OK(driver->StreamDestroy_v2(third));
    }
    assert_string_equal(shape(graph), "33 ab");
    drop(graph);
    OK(driver->StreamDestroy_v2(origin));
    OK(driver->StreamDestroy_v2(fork));
}

static void information_is_reported_while_it_is_active(void **state)
{
    CUstreamCaptureStatus active = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUgraphNode *dependencies = NULL;
    cuuint64_t first = 0, second = 0;
    CUgraph inside = NULL, graph;
    size_t count = 77;

    (void)state;
    OK(driver->StreamGetCaptureInfo_v2(stream, &active, &first, &inside, &dependencies, &count));
    assert_int_equal(active, CU_STREAM_CAPTURE_STATUS_NONE);
    assert_true(first == 0 && inside == NULL && dependencies == NULL && count == 77);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamGetCaptureInfo(stream, NULL, &first));

    capture_begin(stream);
    OK(driver->StreamGetCaptureInfo_v2(stream, &active, &first, &inside, &dependencies, &count));
    assert_int_equal(active, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_int_equal(count, 0);
    capture_work(stream);
    OK(driver->StreamGetCaptureInfo_v2(stream, &active, NULL, NULL, &dependencies, &count));
    assert_int_equal(count, 1);
    {
        CUgraphNodeType type;

        OK(driver->GraphNodeGetType(dependencies[0], &type));
        assert_int_equal(type, CU_GRAPH_NODE_TYPE_HOST);
    }
    CODE(CUDA_ERROR_ILLEGAL_STATE, driver->GraphDestroy(inside));
    graph = capture_end(stream);
    assert_ptr_equal(graph, inside);
    capture_begin(stream);
    OK(driver->StreamGetCaptureInfo(stream, &active, &second));
    assert_int_equal(second, first + 1);
    drop(capture_end(stream));
    drop(graph);
}

static void program_changes_what_comes_next(void **state)
{
    CUstreamCaptureStatus active;
    const CUgraphNode *dependencies;
    CUgraphNode first, extra;
    CUgraph graph;
    size_t count;

    (void)state;
    CODE(CUDA_ERROR_ILLEGAL_STATE, driver->StreamUpdateCaptureDependencies(
                                       stream, NULL, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    capture_begin(stream);
    capture_work(stream);
    OK(driver->StreamGetCaptureInfo_v2(stream, &active, NULL, &graph, &dependencies, &count));
    first = dependencies[0];
    OK(driver->GraphAddEmptyNode(&extra, graph, NULL, 0));
    OK(driver->StreamUpdateCaptureDependencies(stream, &extra, 1,
                                               CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    capture_work(stream);
    OK(driver->StreamUpdateCaptureDependencies(stream, &first, 1,
                                               CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    capture_work(stream);
    OK(driver->StreamUpdateCaptureDependencies(stream, NULL, 0,
                                               CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    capture_work(stream);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamUpdateCaptureDependencies(stream, NULL, 0, 7));
    graph = capture_end(stream);
    assert_string_equal(shape(graph), "35333 ac ad bc");
    drop(graph);
}

static void graph_of_the_program_is_gone_on_with(void **state)
{
    CUgraph graph, same;
    CUgraphExec exec;
    CUgraphNode root;

    (void)state;
    OK(driver->GraphCreate(&graph, 0));
    OK(driver->GraphAddEmptyNode(&root, graph, NULL, 0));
    OK(driver->StreamBeginCaptureToGraph(stream, graph, &root, NULL, 1,
                                         CU_STREAM_CAPTURE_MODE_RELAXED));
    capture_work(stream);
    CODE(CUDA_ERROR_ILLEGAL_STATE, driver->GraphDestroy(graph));
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    OK(driver->GraphExecDestroy(exec));
    OK(driver->StreamEndCapture(stream, &same));
    assert_ptr_equal(same, graph);
    assert_string_equal(shape(graph), "53 ab");
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    OK(driver->GraphExecDestroy(exec));
    drop(graph);
}

/* What captures forbid, and what happens to a capture when an object that it needs is destroyed. */

static const CUstreamCaptureMode GLOBAL = CU_STREAM_CAPTURE_MODE_GLOBAL;
static const CUstreamCaptureMode THREAD_LOCAL = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
static const CUstreamCaptureMode RELAXED = CU_STREAM_CAPTURE_MODE_RELAXED;

/*
 * The calls that another thread may make, depending on the modes of the capture and of that thread.
 */
static struct other_thread {
    CUstreamCaptureMode mode, former;
    CUevent event;
    CUresult code;
} other_thread;

static void *query_elsewhere(void *data)
{
    CUstreamCaptureMode mode = other_thread.mode;

    other_thread.code = driver->ThreadExchangeStreamCaptureMode(&mode);
    other_thread.former = mode;
    if (other_thread.code == CUDA_SUCCESS)
        other_thread.code = driver->EventQuery(other_thread.event);
    return data;
}

static void other_threads_are_bound_by_global_captures(void **state)
{
    static const struct {
        CUstreamCaptureMode capture, thread;
        CUresult code;
    } cases[] = {
        {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_GLOBAL,
         CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
        {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CUDA_SUCCESS},
        {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED, CUDA_SUCCESS},
        {CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_GLOBAL, CUDA_SUCCESS},
        {CU_STREAM_CAPTURE_MODE_RELAXED, CU_STREAM_CAPTURE_MODE_GLOBAL, CUDA_SUCCESS},
    };

    (void)state;
    other_thread.event = fixture_event();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CUgraph graph = NULL;
        pthread_t thread;
        CUresult code;

        OK(driver->StreamBeginCapture_v2(stream, cases[i].capture));
        other_thread.mode = cases[i].thread;
        assert_int_equal(pthread_create(&thread, NULL, query_elsewhere, NULL), 0);
        pthread_join(thread, NULL);
        assert_int_equal(other_thread.code, cases[i].code);
        assert_int_equal(other_thread.former, GLOBAL);
        code = driver->StreamEndCapture(stream, &graph);
        assert_int_equal(code, cases[i].code ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : 0);
        if (graph)
            drop(graph);
    }
    OK(driver->EventDestroy_v2(other_thread.event));
}

static void own_captures_bind_unless_one_of_the_two_is_relaxed(void **state)
{
    const CUstreamCaptureMode modes[] = {GLOBAL, THREAD_LOCAL, RELAXED};
    CUevent event = fixture_event();

    (void)state;
    for (size_t capture = 0; capture < 3; capture++) {
        for (size_t thread = 0; thread < 3; thread++) {
            const bool relaxed = capture == 2 || thread == 2;
            CUstreamCaptureMode mode = modes[thread];
            CUgraph graph = NULL;

            OK(driver->StreamBeginCapture_v2(stream, modes[capture]));
            OK(driver->ThreadExchangeStreamCaptureMode(&mode));
            CODE(relaxed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                 driver->EventQuery(event));
            OK(driver->ThreadExchangeStreamCaptureMode(&mode));
            driver->StreamEndCapture(stream, &graph);
            assert_int_equal(graph != NULL, relaxed);
            if (graph)
                drop(graph);
        }
    }
    OK(driver->EventDestroy_v2(event));
}

static void destroyed_stream_takes_its_capture_along(void **state)
{
    CUstream origin = fixture_stream(), fork = fixture_stream(), third = fixture_stream();
    CUevent event = fixture_event();

    (void)state;
    capture_begin(origin);
    capture_tie(origin, fork);
    OK(driver->EventRecord(event, origin));
    OK(driver->StreamDestroy_v2(origin));
    assert_int_equal(capture_status(fork), CU_STREAM_CAPTURE_STATUS_NONE);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->EventQuery(event));
    OK(driver->StreamQuery(third));
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(fork));
    OK(driver->StreamDestroy_v2(third));
}

static void destroyed_context_takes_its_captures_along(void **state)
{
    CUstream inner, other_stream = fixture_stream();
    CUcontext context;

    (void)state;
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->StreamCreate(&inner, CU_STREAM_NON_BLOCKING));
    capture_begin(inner);
    capture_work(inner);
    OK(driver->CtxDestroy_v2(context));
    OK(driver->StreamQuery(other_stream)); /* nothing is captured now */
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, driver->StreamDestroy_v2(inner));
    OK(driver->StreamDestroy_v2(other_stream));
}

static void node_of_a_capture_stays(void **state)
{
    CUstreamCaptureStatus active;
    const CUgraphNode *dependencies;
    CUgraph graph;
    size_t count;

    (void)state;
    capture_begin(stream);
    capture_work(stream);
    OK(driver->StreamGetCaptureInfo_v2(stream, &active, NULL, NULL, &dependencies, &count));
    CODE(CUDA_ERROR_ILLEGAL_STATE, driver->GraphDestroyNode(dependencies[0]));
    graph = capture_end(stream);
    OK(driver->GraphGetNodes(graph, NULL, &count));
    assert_int_equal(count, 1);
    drop(graph);
}

/*
 * Special cases of captures: streams that are destroyed, captures that meet, and the reported
 * edges.
 */

static void stream_that_joined_and_is_destroyed_leaves_its_work_unjoined(void **state)
{
    const CUstream joined = fixture_stream();
    CUgraph graph = NULL;

    (void)state;
    capture_begin(stream);
    capture_work(stream);
    capture_tie(stream, joined);
    capture_work(joined);
    OK(driver->StreamDestroy_v2(joined));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, driver->StreamEndCapture(stream, &graph));
    assert_null(graph);
}

static void two_captures_that_meet_are_both_spoilt(void **state)
{
    const CUstream one = fixture_stream(), other = fixture_stream();
    const CUevent event = fixture_event();
    CUgraph graph = NULL;

    (void)state;
    capture_begin(one);
    capture_begin(other);
    capture_work(one);
    OK(driver->EventRecord(event, one));
    CODE(CUDA_ERROR_STREAM_CAPTURE_MERGE, driver->StreamWaitEvent(other, event, 0));
    assert_int_equal(capture_status(one), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    assert_int_equal(capture_status(other), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, driver->StreamEndCapture(one, &graph));
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, driver->StreamEndCapture(other, &graph));
    assert_null(graph);
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(other));
    OK(driver->StreamDestroy_v2(one));
}

static void legacy_stream_cannot_join_a_capture(void **state)
{
    const CUevent event = fixture_event();
    CUgraph graph = NULL;

    (void)state;
    capture_begin(stream);
    capture_work(stream);
    OK(driver->EventRecord(event, stream));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, driver->StreamWaitEvent(NULL, event, 0));
    assert_int_equal(capture_status(stream), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, driver->StreamEndCapture(stream, &graph));
    OK(driver->EventDestroy_v2(event));
}

/* The call does not invalidate captures of other contexts. */
static void waiting_for_a_context_spoils_what_is_captured_in_it(void **state)
{
    CUgraph graph = NULL;
    CUcontext context;

    (void)state;
    OK(driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->CtxSynchronize());
    assert_int_equal(capture_status(stream), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(driver->CtxPopCurrent_v2(NULL));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, driver->CtxSynchronize());
    assert_int_equal(capture_status(stream), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, driver->StreamEndCapture(stream, &graph));
    OK(driver->CtxDestroy_v2(context));
}

static void edges_with_data_are_not_reported_without_it(void **state)
{
    const CUgraphEdgeData *data = NULL;
    const CUgraphNode *nodes = NULL;
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)9;
    cuuint64_t id;
    CUgraph graph;
    size_t count = 0;

    (void)state;
    capture_begin(stream);
    OK(driver->StreamGetCaptureInfo_v3(stream, &status, &id, &graph, &nodes, &data, &count));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_int_equal(count, 0);
    assert_null(data);
    capture_work(stream);
    OK(driver->StreamGetCaptureInfo_v3(stream, &status, &id, &graph, &nodes, &data, &count));
    assert_int_equal(count, 1);
    assert_non_null(data);
    assert_true(data[0].type == 0 && data[0].from_port == 0);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->StreamGetCaptureInfo_v3(stream, &status, &id, &graph, NULL, &data, &count));
    graph = capture_end(stream);
    OK(driver->GraphDestroy(graph));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(captured_work_becomes_nodes),
        TEST(captured_work_is_executed_by_a_launch_alone),
        TEST(fork_and_join_are_edges),
        TEST(work_behind_a_join_must_be_joined_again),
        TEST(information_is_reported_while_it_is_active),
        TEST(program_changes_what_comes_next),
        TEST(graph_of_the_program_is_gone_on_with),
        TEST(other_threads_are_bound_by_global_captures),
        TEST(own_captures_bind_unless_one_of_the_two_is_relaxed),
        TEST(destroyed_stream_takes_its_capture_along),
        TEST(destroyed_context_takes_its_captures_along),
        TEST(node_of_a_capture_stays),
        TEST(stream_that_joined_and_is_destroyed_leaves_its_work_unjoined),
        TEST(two_captures_that_meet_are_both_spoilt),
        TEST(legacy_stream_cannot_join_a_capture),
        TEST(waiting_for_a_context_spoils_what_is_captured_in_it),
        TEST(edges_with_data_are_not_reported_without_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
