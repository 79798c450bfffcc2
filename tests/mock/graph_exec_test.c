/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executable graphs: what programs can change in them, and the order in which their launches
 * execute.
 */
#include <stdio.h>

#include "tests/mock/graph_fixture.h"

enum { BYTES = 64 };

static void nodes_of_an_executable_graph_are_changed(void **state)
{
    const CUDA_HOST_NODE_PARAMS changed = {graph_note, (void *)9};
    CUDA_MEMSET_NODE_PARAMS set = {.value = 7, .elementSize = 1, .width = BYTES, .height = 1};
    CUstream stream = fixture_stream();
    unsigned char bytes[BYTES] = {0};
    CUgraphNode host, memory_node, late;
    CUdeviceptr memory;
    unsigned enabled = 7;
    CUgraphExec exec;

    (void)state;
    OK(driver->MemAlloc_v2(&memory, BYTES));
    OK(driver->MemsetD8_v2(memory, 0, BYTES));
    set.dst = memory;
    host = graph_add_host(NULL, 0, 1);
    OK(driver->GraphAddMemsetNode(&memory_node, graph, NULL, 0, &set, NULL));
    exec = graph_instantiate();
    late = graph_add_host(NULL, 0, 1);
    OK(driver->GraphHostNodeSetParams(host, &(CUDA_HOST_NODE_PARAMS){graph_note, (void *)5}));
    graph_run(exec, stream);
    /* A change of the node does not change the executable graph. */
    assert_true(graph_ran_count == 1 && graph_ran[0] == 1);

    OK(driver->GraphExecHostNodeSetParams(exec, host, &changed));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphExecHostNodeSetParams(exec, late, &changed));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphExecHostNodeSetParams(exec, memory_node, &changed));
    set.value = 8;
    OK(driver->GraphExecMemsetNodeSetParams(exec, memory_node, &set, NULL));
    graph_run(exec, stream);
    assert_true(graph_ran_count == 2 && graph_ran[1] == 9);
    OK(driver->MemcpyDtoH_v2(bytes, memory, BYTES));
    assert_int_equal(bytes[0], 8);

    OK(driver->MemsetD8_v2(memory, 0, BYTES));
    OK(driver->GraphNodeSetEnabled(exec, memory_node, 0));
    OK(driver->GraphNodeGetEnabled(exec, memory_node, &enabled));
    assert_int_equal(enabled, 0);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphNodeSetEnabled(exec, host, 0));
    graph_run(exec, stream);
    OK(driver->MemcpyDtoH_v2(bytes, memory, BYTES));
    assert_int_equal(bytes[0], 0);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->MemFree_v2(memory));
    OK(driver->StreamDestroy_v2(stream));
}

static void executable_graph_is_updated_by_one_of_the_same_shape(void **state)
{
    const CUDA_HOST_NODE_PARAMS changed = {graph_note, (void *)2};
    CUgraphExecUpdateResultInfo info;
    CUstream stream = fixture_stream();
    CUgraphNode first, node;
    CUgraphExec exec;
    CUgraph other;

    (void)state;
    first = graph_add_host(NULL, 0, 1);
    graph_add_host(&first, 1, 1);
    exec = graph_instantiate();
    OK(driver->GraphCreate(&other, 0));
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, driver->GraphExecUpdate_v2(exec, other, &info));
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    assert_null(info.errorNode);
    OK(driver->GraphAddHostNode(&first, other, NULL, 0, &changed));
    OK(driver->GraphAddEmptyNode(&node, other, &first, 1));
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, driver->GraphExecUpdate_v2(exec, other, &info));
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
    assert_ptr_equal(info.errorNode, node);
    OK(driver->GraphDestroyNode(node));
    OK(driver->GraphAddHostNode(&node, other, &first, 1, &changed));
    OK(driver->GraphExecUpdate_v2(exec, other, &info));
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
    OK(driver->GraphDestroy(other));
    graph_run(exec, stream);
    assert_true(graph_ran_count == 2 && graph_ran[0] == 2 && graph_ran[1] == 2);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->StreamDestroy_v2(stream));
}

static void flags_are_checked(void **state)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS parameters = {.flags = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH};
    CUgraphNode host = graph_add_host(NULL, 0, 1);
    cuuint64_t flags = 77;
    CUgraphExec exec;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphInstantiateWithFlags(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphInstantiateWithFlags(&exec, graph, 64));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphInstantiateWithParams(&exec, graph, &parameters));
    assert_int_equal(parameters.result_out, CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED);
    assert_ptr_equal(parameters.hErrNode_out, host);
    parameters.flags =
        CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD | CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    OK(driver->GraphInstantiateWithParams(&exec, graph, &parameters));
    assert_int_equal(parameters.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
    assert_null(parameters.hErrNode_out);
    OK(driver->GraphExecGetFlags(exec, &flags));
    assert_int_equal(flags, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
    OK(driver->GraphExecDestroy(exec));
}

/*
 * What a program may change of a copy or a memset in an executable graph. The kind of memory must
 * stay the same.
 */

static CUdeviceptr copy_memory[3];
static CUgraphNode copy_node, set_node;
static CUgraphExec copy_exec;

static CUDA_MEMCPY3D copy_of(CUdeviceptr from)
{
    return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = from,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = copy_memory[2],
                           .WidthInBytes = BYTES,
                           .Height = 1,
                           .Depth = 1};
}

static CUDA_MEMSET_NODE_PARAMS set_of(size_t width, size_t height)
{
    return (CUDA_MEMSET_NODE_PARAMS){.dst = copy_memory[0],
                                     .pitch = BYTES / 4,
                                     .value = 9,
                                     .elementSize = 1,
                                     .width = width,
                                     .height = height};
}

/* A memset of two rows, and a copy that is not ordered with it. */
static int begin(void **state)
{
    CUDA_MEMSET_NODE_PARAMS set;
    CUDA_MEMCPY3D copy;

    (void)state;
    graph_begin("mode = auto");
    for (unsigned i = 0; i < 3; i++) {
        OK(driver->MemAlloc_v2(&copy_memory[i], BYTES));
        OK(driver->MemsetD8_v2(copy_memory[i], (unsigned char)i, BYTES));
    }
    copy = copy_of(copy_memory[0]);
    set = set_of(4, 2);
    OK(driver->GraphAddMemcpyNode(&copy_node, graph, NULL, 0, &copy, NULL));
    OK(driver->GraphAddMemsetNode(&set_node, graph, NULL, 0, &set, NULL));
    copy_exec = graph_instantiate();
    return 0;
}

static int end(void **state)
{
    OK(driver->GraphExecDestroy(copy_exec));
    for (unsigned i = 0; i < 3; i++)
        OK(driver->MemFree_v2(copy_memory[i]));
    return graph_end(state);
}

static unsigned copied(void)
{
    unsigned char bytes[BYTES];
    CUstream stream = fixture_stream();

    graph_run(copy_exec, stream);
    OK(driver->StreamDestroy_v2(stream));
    OK(driver->MemcpyDtoH_v2(bytes, copy_memory[2], BYTES));
    return bytes[BYTES - 1];
}

static void a_copy_takes_another_source_of_its_kind(void **state)
{
    const CUDA_MEMCPY3D copy = copy_of(copy_memory[1]);

    (void)state;
    assert_int_equal(copied(), 0);
    OK(driver->GraphExecMemcpyNodeSetParams(copy_exec, copy_node, &copy, NULL));
    assert_int_equal(copied(), 1);
}

static void a_copy_of_another_kind_is_refused(void **state)
{
    unsigned char bytes[BYTES] = {5};
    CUDA_MEMCPY3D copy = copy_of(copy_memory[1]);

    (void)state;
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = bytes;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphExecMemcpyNodeSetParams(copy_exec, copy_node, &copy, NULL));
    copy = copy_of(copy_memory[1]);
    copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphExecMemcpyNodeSetParams(copy_exec, copy_node, &copy, NULL));
    copy = copy_of(copy_memory[1]);
    copy.WidthInBytes = BYTES / 2;
    copy.Height = 2;
    copy.srcPitch = copy.dstPitch = BYTES / 2;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphExecMemcpyNodeSetParams(copy_exec, copy_node, &copy, NULL));
    copy = copy_of(copy_memory[1]);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphExecMemcpyNodeSetParams(copy_exec, set_node, &copy, NULL));
    assert_int_equal(copied(), 0);
}

static void the_rows_of_a_set_stay(void **state)
{
    CUDA_MEMSET_NODE_PARAMS set = set_of(4, 1);

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphExecMemsetNodeSetParams(copy_exec, set_node, &set, NULL));
    set = set_of(3, 2);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphExecMemsetNodeSetParams(copy_exec, set_node, &set, NULL));
    set = set_of(4, 2);
    set.value = 1;
    OK(driver->GraphExecMemsetNodeSetParams(copy_exec, set_node, &set, NULL));
}

/* Launches of graphs: the order in which they execute. */

enum { MS = 1000000, MANY = 40 };

static int begin_manual(void **state)
{
    (void)state;
    return graph_begin("mode = manual");
}

/*
 * Add a node that takes this long, by capturing a stream into the graph. The capture has ended on
 * return.
 */
static CUgraphNode add_spin(CUstream stream, const CUgraphNode *dependencies, size_t count,
                            uint64_t ns)
{
    CUstreamCaptureStatus status;
    const CUgraphNode *last;
    CUgraphNode node;
    CUgraph same;
    size_t one;

    OK(driver->StreamBeginCaptureToGraph(stream, graph, dependencies, NULL, count,
                                         CU_STREAM_CAPTURE_MODE_RELAXED));
    fixture_spin(stream, ns);
    OK(driver->StreamGetCaptureInfo_v2(stream, &status, NULL, NULL, &last, &one));
    node = last[0];
    OK(driver->StreamEndCapture(stream, &same));
    return node;
}

static uint32_t random_state = 1;

static unsigned random_below(unsigned bound)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % bound;
}

/* Random graphs: under every schedule, each node runs once and after its dependencies. */
static void nodes_run_after_what_they_depend_on(void **state)
{
    static const char *const settings[] = {"schedule = fifo", "schedule = eager", "schedule = lazy",
                                           "schedule = random\nseed = 5"};

    (void)state;
    for (unsigned round = 0; round < 40; round++) {
        char text[100];
        bool edge[MANY][MANY] = {{false}};
        CUgraphNode nodes[MANY];
        unsigned place[MANY];
        CUgraphExec exec;
        CUstream stream;

        snprintf(text, sizeof text, "mode = auto\n%s", settings[round % 4]);
        graph_begin(text);
        stream = fixture_stream();
        for (unsigned i = 0; i < MANY; i++) {
            CUgraphNode before[3];
            size_t count = 0;

            for (unsigned k = 0; k < 3 && i > 0; k++) {
                const unsigned from = random_below(i);

                if (random_below(3) == 0 || edge[from][i])
                    continue;
                edge[from][i] = true;
                before[count++] = nodes[from];
            }
            nodes[i] = graph_add_host(before, count, i);
        }
        exec = graph_instantiate();
        OK(driver->GraphLaunch(exec, stream));
        OK(driver->GraphLaunch(exec, stream));
        OK(driver->StreamSynchronize(stream));
        assert_int_equal(graph_ran_count, 2 * MANY);
        for (unsigned launch = 0; launch < 2; launch++) {
            for (unsigned i = 0; i < MANY; i++)
                place[i] = MANY;
            for (unsigned i = 0; i < MANY; i++)
                place[graph_ran[launch * MANY + i]] = i;
            for (unsigned from = 0; from < MANY; from++) {
                assert_true(place[from] < MANY);
                for (unsigned to = 0; to < MANY; to++)
                    assert_true(!edge[from][to] || place[from] < place[to]);
            }
        }
        OK(driver->GraphExecDestroy(exec));
        OK(driver->StreamDestroy_v2(stream));
        graph_end(NULL);
    }
}

static void branches_run_side_by_side(void **state)
{
    CUstream stream = fixture_stream();
    CUevent event = fixture_event();
    CUgraphNode branches[2];
    CUgraphExec exec;

    (void)state;
    branches[0] = add_spin(stream, NULL, 0, 10 * MS);
    branches[1] = add_spin(stream, NULL, 0, 10 * MS);
    add_spin(stream, branches, 2, 10 * MS);
    exec = graph_instantiate();
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->EventRecord(event, stream));
    OK(cushim_mock_advance(fixture_mock, 19 * MS));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(event));
    OK(cushim_mock_advance(fixture_mock, 2 * MS));
    OK(driver->EventQuery(event));
    OK(driver->StreamQuery(stream));
    OK(driver->GraphExecDestroy(exec));
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(stream));
}

static void whole_launch_waits_for_the_stream_and_holds_it_up(void **state)
{
    CUstream stream = fixture_stream();
    CUgraphExec exec;
    float ms = -1;
    CUevent before = fixture_event(), after = fixture_event();

    (void)state;
    add_spin(stream, NULL, 0, 10 * MS);
    add_spin(stream, NULL, 0, 20 * MS);
    exec = graph_instantiate();
    fixture_spin(stream, 5 * MS);
    OK(driver->EventRecord(before, stream));
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->EventRecord(after, stream));
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->EventElapsedTime_v2(&ms, before, after));
    assert_true(ms > 19.9f && ms < 20.1f);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->EventDestroy_v2(before));
    OK(driver->EventDestroy_v2(after));
    OK(driver->StreamDestroy_v2(stream));
}

static void launches_of_one_executable_graph_take_turns(void **state)
{
    CUstream one = fixture_stream(), other = fixture_stream();
    CUgraphExec exec, second;

    (void)state;
    add_spin(one, NULL, 0, 10 * MS);
    exec = graph_instantiate();
    second = graph_instantiate();
    OK(driver->GraphLaunch(exec, one));
    OK(driver->GraphLaunch(exec, other));
    OK(cushim_mock_advance(fixture_mock, 15 * MS));
    OK(driver->StreamQuery(one));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(other));
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->GraphLaunch(exec, one));
    OK(driver->GraphLaunch(second, other));
    OK(cushim_mock_advance(fixture_mock, 15 * MS));
    OK(driver->StreamQuery(other));
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphExecDestroy(second));
    OK(driver->StreamDestroy_v2(one));
    OK(driver->StreamDestroy_v2(other));
}

static void event_nodes_are_of_the_events_at_the_launch(void **state)
{
    CUstream stream = fixture_stream(), outside = fixture_stream();
    CUevent before = fixture_event(), after = fixture_event();
    CUgraphNode wait, record;
    CUgraphExec exec;

    (void)state;
    OK(driver->GraphAddEventWaitNode(&wait, graph, NULL, 0, before));
    OK(driver->GraphAddEventRecordNode(&record, graph, &wait, 1, after));
    exec = graph_instantiate();
    OK(driver->EventQuery(after));
    fixture_spin(outside, 10 * MS);
    OK(driver->EventRecord(before, outside));
    OK(driver->GraphLaunch(exec, stream));
    fixture_spin(outside, 10 * MS);
    OK(driver->EventRecord(before, outside)); /* too late for the launch */
    OK(cushim_mock_advance(fixture_mock, 9 * MS));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(after));
    OK(cushim_mock_advance(fixture_mock, 2 * MS));
    OK(driver->EventQuery(after));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(before));
    OK(driver->GraphExecDestroy(exec));
    OK(driver->EventDestroy_v2(before));
    OK(driver->EventDestroy_v2(after));
    OK(driver->StreamDestroy_v2(stream));
    OK(driver->StreamDestroy_v2(outside));
}

static void child_graphs_are_launched_in_their_place(void **state)
{
    const CUDA_HOST_NODE_PARAMS inside = {graph_note, (void *)2};
    CUstream stream = fixture_stream();
    CUgraphNode first, child_node, node;
    CUgraphExec exec;
    CUgraph child;

    (void)state;
    OK(driver->GraphCreate(&child, 0));
    OK(driver->GraphAddHostNode(&node, child, NULL, 0, &inside));
    OK(driver->GraphAddHostNode(&node, child, &node, 1, &inside));
    first = graph_add_host(NULL, 0, 1);
    OK(driver->GraphAddChildGraphNode(&child_node, graph, &first, 1, child));
    graph_add_host(&child_node, 1, 3);
    exec = graph_instantiate();
    OK(driver->GraphDestroy(child));
    graph_run(exec, stream);
    assert_int_equal(graph_ran_count, 4);
    assert_true(graph_ran[0] == 1 && graph_ran[1] == 2 && graph_ran[2] == 2 && graph_ran[3] == 3);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->StreamDestroy_v2(stream));
}

static void executable_graph_outlives_its_graph_and_its_handle(void **state)
{
    CUstream stream = fixture_stream();
    CUgraph other;
    CUgraphExec exec;

    (void)state;
    graph_add_host(NULL, 0, 1);
    OK(driver->GraphClone(&other, graph));
    OK(driver->GraphInstantiateWithFlags(&exec, other, 0));
    OK(driver->GraphDestroy(other));
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->GraphExecDestroy(exec));
    OK(driver->StreamDestroy_v2(stream));
    OK(driver->CtxSynchronize());
    assert_int_equal(graph_ran_count, 1);
}

static void launch_cannot_be_captured(void **state)
{
    CUstream stream = fixture_stream();
    CUgraphExec exec;
    CUgraph captured;

    (void)state;
    graph_add_host(NULL, 0, 1);
    exec = graph_instantiate();
    OK(driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, driver->GraphLaunch(exec, stream));
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, driver->StreamEndCapture(stream, &captured));
    OK(driver->GraphExecDestroy(exec));
    OK(driver->StreamDestroy_v2(stream));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, graph_auto, graph_end)
#define TEST_IN(name, begin, end) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(nodes_of_an_executable_graph_are_changed),
        TEST(executable_graph_is_updated_by_one_of_the_same_shape),
        TEST(flags_are_checked),
        TEST_IN(a_copy_takes_another_source_of_its_kind, begin, end),
        TEST_IN(a_copy_of_another_kind_is_refused, begin, end),
        TEST_IN(the_rows_of_a_set_stay, begin, end),
        cmocka_unit_test(nodes_run_after_what_they_depend_on),
        TEST_IN(branches_run_side_by_side, begin_manual, graph_end),
        TEST_IN(whole_launch_waits_for_the_stream_and_holds_it_up, begin_manual, graph_end),
        TEST_IN(launches_of_one_executable_graph_take_turns, begin_manual, graph_end),
        TEST_IN(event_nodes_are_of_the_events_at_the_launch, begin_manual, graph_end),
        TEST(child_graphs_are_launched_in_their_place),
        TEST(executable_graph_outlives_its_graph_and_its_handle),
        TEST(launch_cannot_be_captured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
