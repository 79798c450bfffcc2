/* SPDX-License-Identifier: Apache-2.0 */
/* What orders the nodes of graphs, and their launches. */
#include <string.h>

#include "tests/mock/race_world.h"

#define ONE race_streams[0]
#define OTHER race_streams[1]

static CUgraph graph;

static int begin(void **state)
{
    (void)state;
    race_begin("mode = auto");
    OK(driver->GraphCreate(&graph, 0));
    return 0;
}

static int end(void **state)
{
    (void)state;
    OK(driver->GraphDestroy(graph));
    race_end();
    return 0;
}

/* A node that sets all of the memory. */
static CUgraphNode add_set(CUgraph to, const CUgraphNode *dependencies, size_t count)
{
    const CUDA_MEMSET_NODE_PARAMS set = {
        .dst = race_memory, .value = 1, .elementSize = 1, .width = RACE_BYTES, .height = 1};
    CUcontext context;
    CUgraphNode node;

    OK(driver->CtxGetCurrent(&context));
    OK(driver->GraphAddMemsetNode(&node, to, dependencies, count, &set, context));
    return node;
}

static void launch(CUstream stream)
{
    CUgraphExec exec;

    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->GraphExecDestroy(exec));
}

static void edge_orders_nodes(void **state)
{
    CUgraphNode first = add_set(graph, NULL, 0);

    (void)state;
    add_set(graph, &first, 1);
    launch(ONE);
    assert_int_equal(race_count(), 0);
}

static void nodes_without_an_edge_are_a_race(void **state)
{
    (void)state;
    add_set(graph, NULL, 0);
    add_set(graph, NULL, 0);
    launch(ONE);
    assert_int_equal(race_count(), 1);
    assert_non_null(strstr(cushim_mock_race(world, 0), "cuGraphLaunch"));
    assert_non_null(
        strstr(cushim_mock_race(world, 0), "add an edge between their nodes to the graph"));
}

/* All of them are of one call and one stream. */
static void nodes_of_another_kind_are_told_apart(void **state)
{
    const CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = race_host,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = race_memory,
                                .WidthInBytes = RACE_BYTES,
                                .Height = 1,
                                .Depth = 1};
    CUcontext context;
    CUgraphNode node;

    (void)state;
    OK(driver->CtxGetCurrent(&context));
    add_set(graph, NULL, 0);
    add_set(graph, NULL, 0);
    OK(driver->GraphAddMemcpyNode(&node, graph, NULL, 0, &copy, context));
    launch(ONE);
    assert_true(race_count() > 1);
}

/* From the first to the last, but not between the two in the middle. */
static void diamond_races_in_the_middle_alone(void **state)
{
    CUgraphNode first = add_set(graph, NULL, 0), middle[2];

    (void)state;
    middle[0] = add_set(graph, &first, 1);
    OK(driver->GraphAddEmptyNode(&middle[1], graph, &first, 1));
    add_set(graph, middle, 2);
    launch(ONE);
    assert_int_equal(race_count(), 0);
    add_set(graph, &first, 1);
    launch(ONE);
    assert_int_equal(race_count(), 1);
}

static void stream_orders_a_launch_with_what_is_around_it(void **state)
{
    (void)state;
    add_set(graph, NULL, 0);
    OK(driver->GraphAddEmptyNode(&(CUgraphNode){NULL}, graph, NULL, 0));
    race_write(ONE);
    launch(ONE);
    race_read(ONE);
    assert_int_equal(race_count(), 0);
    race_read(OTHER);
    assert_true(race_count() > 0);
    assert_non_null(strstr(cushim_mock_race(world, 0), "after the graph"));
}

/* Launches of one executable graph take turns, whatever streams they go to. */
static void launches_of_one_graph_are_ordered(void **state)
{
    CUgraphExec exec;

    (void)state;
    add_set(graph, NULL, 0);
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    OK(driver->GraphLaunch(exec, ONE));
    OK(driver->GraphLaunch(exec, OTHER));
    assert_int_equal(race_count(), 0);
    OK(driver->GraphExecDestroy(exec));
    launch(ONE);
    assert_int_equal(race_count(), 1);
}

static void child_graph_is_ordered_by_its_node(void **state)
{
    CUgraphNode first = add_set(graph, NULL, 0), child_node;
    CUgraph child;

    (void)state;
    OK(driver->GraphCreate(&child, 0));
    add_set(child, NULL, 0);
    OK(driver->GraphAddChildGraphNode(&child_node, graph, &first, 1, child));
    launch(ONE);
    assert_int_equal(race_count(), 0);
    OK(driver->GraphAddChildGraphNode(&child_node, graph, &first, 1, child));
    launch(ONE);
    assert_int_equal(race_count(), 1);
    OK(driver->GraphDestroy(child));
}

/* In a capture, a wait for an event is an edge. */
static void captured_fork_and_join_are_edges(void **state)
{
    CUevent fork = world_event(), join = world_event();

    (void)state;
    for (int with_wait = 1; with_wait >= 0; with_wait--) {
        CUgraph captured;
        CUgraphExec exec;

        OK(driver->StreamBeginCapture_v2(ONE, CU_STREAM_CAPTURE_MODE_RELAXED));
        if (!with_wait)
            OK(driver->EventRecord(fork, ONE));
        race_write(ONE);
        if (with_wait)
            OK(driver->EventRecord(fork, ONE));
        OK(driver->StreamWaitEvent(OTHER, fork, 0));
        race_read(OTHER);
        OK(driver->EventRecord(join, OTHER));
        OK(driver->StreamWaitEvent(ONE, join, 0));
        OK(driver->StreamEndCapture(ONE, &captured));
        assert_int_equal(race_count(), 0); /* nothing is executed yet */
        OK(driver->GraphInstantiateWithFlags(&exec, captured, 0));
        OK(driver->GraphLaunch(exec, ONE));
        assert_int_equal(race_count(), !with_wait);
        OK(driver->GraphExecDestroy(exec));
        OK(driver->GraphDestroy(captured));
    }
    OK(driver->EventDestroy_v2(fork));
    OK(driver->EventDestroy_v2(join));
}

/* A node that records an event orders who waits for it behind what is before the node. */
static void event_of_a_graph_orders(void **state)
{
    CUevent event = world_event();
    CUgraphNode set = add_set(graph, NULL, 0), node;

    (void)state;
    OK(driver->GraphAddEventRecordNode(&node, graph, &set, 1, event));
    launch(ONE);
    OK(driver->StreamWaitEvent(OTHER, event, 0));
    race_read(OTHER);
    assert_int_equal(race_count(), 0);
    OK(driver->EventDestroy_v2(event));
}

static void event_of_a_graph_does_not_order_what_is_beside_it(void **state)
{
    CUevent event = world_event();
    CUgraphNode node;

    (void)state;
    add_set(graph, NULL, 0);
    OK(driver->GraphAddEventRecordNode(&node, graph, NULL, 0, event));
    launch(ONE);
    OK(driver->StreamWaitEvent(OTHER, event, 0));
    race_read(OTHER);
    assert_int_equal(race_count(), 1);
    OK(driver->EventDestroy_v2(event));
}

/* Many launches with nothing that waits for them take no more and more room. */
static void lanes_of_launches_are_used_again(void **state)
{
    CUgraphExec exec;

    (void)state;
    for (unsigned i = 0; i < 8; i++)
        OK(driver->GraphAddEmptyNode(&(CUgraphNode){NULL}, graph, NULL, 0));
    add_set(graph, NULL, 0);
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    for (unsigned i = 0; i < 2000; i++)
        OK(driver->GraphLaunch(exec, ONE));
    assert_int_equal(race_count(), 0);
    race_read(OTHER);
    assert_int_equal(race_count(), 1);
    OK(driver->GraphExecDestroy(exec));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(edge_orders_nodes, begin, end),
        cmocka_unit_test_setup_teardown(nodes_without_an_edge_are_a_race, begin, end),
        cmocka_unit_test_setup_teardown(nodes_of_another_kind_are_told_apart, begin, end),
        cmocka_unit_test_setup_teardown(diamond_races_in_the_middle_alone, begin, end),
        cmocka_unit_test_setup_teardown(stream_orders_a_launch_with_what_is_around_it, begin, end),
        cmocka_unit_test_setup_teardown(launches_of_one_graph_are_ordered, begin, end),
        cmocka_unit_test_setup_teardown(child_graph_is_ordered_by_its_node, begin, end),
        cmocka_unit_test_setup_teardown(captured_fork_and_join_are_edges, begin, end),
        cmocka_unit_test_setup_teardown(event_of_a_graph_orders, begin, end),
        cmocka_unit_test_setup_teardown(event_of_a_graph_does_not_order_what_is_beside_it, begin,
                                        end),
        cmocka_unit_test_setup_teardown(lanes_of_launches_are_used_again, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
