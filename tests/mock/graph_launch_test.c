/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of graphs: in which order they execute. */
#include <stdio.h>

#include "tests/mock/graph_world.h"

enum { MS = 1000000, MANY = 40 };

static int begin_manual(void **state)
{
    (void)state;
    return graph_begin("mode = manual");
}

/* Let a stream work so long, as a node of the graph; the stream is not captured afterwards. */
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
    world_spin(stream, ns);
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

/* Graphs of random shape: whatever the schedule, nodes run once and after what they depend on. */
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
        stream = world_stream();
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
    CUstream stream = world_stream();
    CUevent event = world_event();
    CUgraphNode branches[2];
    CUgraphExec exec;

    (void)state;
    branches[0] = add_spin(stream, NULL, 0, 10 * MS);
    branches[1] = add_spin(stream, NULL, 0, 10 * MS);
    add_spin(stream, branches, 2, 10 * MS);
    exec = graph_instantiate();
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->EventRecord(event, stream));
    OK(cushim_mock_advance(world, 19 * MS));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(event));
    OK(cushim_mock_advance(world, 2 * MS));
    OK(driver->EventQuery(event));
    OK(driver->StreamQuery(stream));
    OK(driver->GraphExecDestroy(exec));
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(stream));
}

static void whole_launch_waits_for_the_stream_and_holds_it_up(void **state)
{
    CUstream stream = world_stream();
    CUgraphExec exec;
    float ms = -1;
    CUevent before = world_event(), after = world_event();

    (void)state;
    add_spin(stream, NULL, 0, 10 * MS);
    add_spin(stream, NULL, 0, 20 * MS);
    exec = graph_instantiate();
    world_spin(stream, 5 * MS);
    OK(driver->EventRecord(before, stream));
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->EventRecord(after, stream));
    OK(cushim_mock_drain(world));
    OK(driver->EventElapsedTime_v2(&ms, before, after));
    assert_true(ms > 19.9f && ms < 20.1f);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->EventDestroy_v2(before));
    OK(driver->EventDestroy_v2(after));
    OK(driver->StreamDestroy_v2(stream));
}

static void launches_of_one_executable_graph_take_turns(void **state)
{
    CUstream one = world_stream(), other = world_stream();
    CUgraphExec exec, second;

    (void)state;
    add_spin(one, NULL, 0, 10 * MS);
    exec = graph_instantiate();
    second = graph_instantiate();
    OK(driver->GraphLaunch(exec, one));
    OK(driver->GraphLaunch(exec, other));
    OK(cushim_mock_advance(world, 15 * MS));
    OK(driver->StreamQuery(one));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(other));
    OK(cushim_mock_drain(world));
    OK(driver->GraphLaunch(exec, one));
    OK(driver->GraphLaunch(second, other));
    OK(cushim_mock_advance(world, 15 * MS));
    OK(driver->StreamQuery(other));
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphExecDestroy(second));
    OK(driver->StreamDestroy_v2(one));
    OK(driver->StreamDestroy_v2(other));
}

static void event_nodes_are_of_the_events_at_the_launch(void **state)
{
    CUstream stream = world_stream(), outside = world_stream();
    CUevent before = world_event(), after = world_event();
    CUgraphNode wait, record;
    CUgraphExec exec;

    (void)state;
    OK(driver->GraphAddEventWaitNode(&wait, graph, NULL, 0, before));
    OK(driver->GraphAddEventRecordNode(&record, graph, &wait, 1, after));
    exec = graph_instantiate();
    OK(driver->EventQuery(after));
    world_spin(outside, 10 * MS);
    OK(driver->EventRecord(before, outside));
    OK(driver->GraphLaunch(exec, stream));
    world_spin(outside, 10 * MS);
    OK(driver->EventRecord(before, outside)); /* too late for the launch */
    OK(cushim_mock_advance(world, 9 * MS));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(after));
    OK(cushim_mock_advance(world, 2 * MS));
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
    CUstream stream = world_stream();
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
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->StreamSynchronize(stream));
    assert_int_equal(graph_ran_count, 4);
    assert_true(graph_ran[0] == 1 && graph_ran[1] == 2 && graph_ran[2] == 2 && graph_ran[3] == 3);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->StreamDestroy_v2(stream));
}

static void executable_graph_outlives_its_graph_and_its_handle(void **state)
{
    CUstream stream = world_stream();
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
    CUstream stream = world_stream();
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
#define CASE(name) cmocka_unit_test_setup_teardown(name, graph_auto, graph_end)
#define MANUAL_CASE(name) cmocka_unit_test_setup_teardown(name, begin_manual, graph_end)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_run_after_what_they_depend_on),
        MANUAL_CASE(branches_run_side_by_side),
        MANUAL_CASE(whole_launch_waits_for_the_stream_and_holds_it_up),
        MANUAL_CASE(launches_of_one_executable_graph_take_turns),
        MANUAL_CASE(event_nodes_are_of_the_events_at_the_launch),
        CASE(child_graphs_are_launched_in_their_place),
        CASE(executable_graph_outlives_its_graph_and_its_handle),
        CASE(launch_cannot_be_captured),
    };

    return cmocka_run_group_tests_name("graph launch", tests, NULL, NULL);
}
