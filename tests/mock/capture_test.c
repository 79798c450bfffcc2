/* SPDX-License-Identifier: Apache-2.0 */
/* Captures: what they make of calls, and what programs ask and change in them. */
#include "tests/mock/world.h"

enum { BYTES = 64 };

/* Nodes and edges as text: a digit per node by its type, then the edges by the nodes' places. */
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

static void drop(CUgraph graph)
{
    OK(driver->GraphDestroy(graph));
}

static void captured_work_becomes_nodes(void **state)
{
    CUstream stream = world_stream();
    CUevent event = world_event();
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
    OK(driver->StreamDestroy_v2(stream));
}

static void captured_work_is_executed_by_a_launch_alone(void **state)
{
    CUstream stream = world_stream();
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
    OK(driver->StreamDestroy_v2(stream));
}

static void fork_and_join_are_edges(void **state)
{
    CUstream origin = world_stream(), fork = world_stream();
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
    CUstream origin = world_stream(), fork = world_stream();
    CUgraph graph;

    (void)state;
    capture_begin(origin);
    capture_tie(origin, fork);
    capture_work(fork);
    capture_tie(fork, origin);
    capture_work(fork);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, driver->StreamEndCapture(origin, &graph));
    assert_null(graph);

    capture_begin(origin); /* joined through a third */
    capture_tie(origin, fork);
    capture_work(fork);
    {
        CUstream third = world_stream();

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

static void information_is_told_while_it_is_active(void **state)
{
    CUstream stream = world_stream();
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
    OK(driver->StreamDestroy_v2(stream));
}

static void program_changes_what_comes_next(void **state)
{
    CUstream stream = world_stream();
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
    OK(driver->StreamDestroy_v2(stream));
}

static void graph_of_the_program_is_gone_on_with(void **state)
{
    CUstream stream = world_stream();
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
    OK(driver->StreamDestroy_v2(stream));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, world_auto, world_done)
    const struct CMUnitTest tests[] = {
        CASE(captured_work_becomes_nodes),
        CASE(captured_work_is_executed_by_a_launch_alone),
        CASE(fork_and_join_are_edges),
        CASE(work_behind_a_join_must_be_joined_again),
        CASE(information_is_told_while_it_is_active),
        CASE(program_changes_what_comes_next),
        CASE(graph_of_the_program_is_gone_on_with),
    };

    return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
