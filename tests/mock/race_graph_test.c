/* SPDX-License-Identifier: Apache-2.0 */
/* What orders the nodes of graphs, and launches of graphs. */

#include "tests/mock/race_fixture.h"

#define ONE race_streams[0]
#define OTHER race_streams[1]

static CUgraph graph;

static int begin(void **state)
{
    race_begin("mode = auto");
    OK(driver->GraphCreate(&graph, 0));
    return 0;
}

static int end(void **state)
{
    OK(driver->GraphDestroy(graph));
    fixture_end();
    return 0;
}

/* Add a node that sets all of the memory. */
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

#define TEST(name) TEST_BETWEEN(name, begin, end)

TEST(edge_orders_nodes)
{
    CUgraphNode first = add_set(graph, NULL, 0);

    add_set(graph, &first, 1);
    launch(ONE);
    assert_int_equal(race_count(), 0);
}

TEST(nodes_without_an_edge_are_a_race)
{
    add_set(graph, NULL, 0);
    add_set(graph, NULL, 0);
    launch(ONE);
    assert_int_equal(race_count(), 1);
    CONTAINS(cushim_mock_race(fixture_mock, 0), "cuGraphLaunch");
    CONTAINS(cushim_mock_race(fixture_mock, 0), "add an edge between their nodes to the graph");
}

/* The nodes have the same call and stream. */
TEST(nodes_of_another_kind_are_distinguished)
{
    const CUDA_MEMCPY3D copy = {FROM_HOST(race_host, 0), TO_DEVICE(race_memory, 0),
                                .WidthInBytes = RACE_BYTES, .Height = 1, .Depth = 1};
    CUcontext context;
    CUgraphNode node;

    OK(driver->CtxGetCurrent(&context));
    add_set(graph, NULL, 0);
    add_set(graph, NULL, 0);
    OK(driver->GraphAddMemcpyNode(&node, graph, NULL, 0, &copy, context));
    launch(ONE);
    assert_true(race_count() > 1);
}

/* The first and the last node race with nothing; the two in the middle race with each other. */
TEST(diamond_races_in_the_middle_alone)
{
    CUgraphNode first = add_set(graph, NULL, 0), middle[2];

    middle[0] = add_set(graph, &first, 1);
    OK(driver->GraphAddEmptyNode(&middle[1], graph, &first, 1));
    add_set(graph, middle, 2);
    launch(ONE);
    assert_int_equal(race_count(), 0);
    add_set(graph, &first, 1);
    launch(ONE);
    assert_int_equal(race_count(), 1);
}

TEST(stream_orders_a_launch_with_what_is_around_it)
{
    add_set(graph, NULL, 0);
    OK(driver->GraphAddEmptyNode(&(CUgraphNode){NULL}, graph, NULL, 0));
    race_write(ONE);
    launch(ONE);
    race_read(ONE);
    assert_int_equal(race_count(), 0);
    race_read(OTHER);
    assert_true(race_count() > 0);
    CONTAINS(cushim_mock_race(fixture_mock, 0), "after the graph");
}

/* Launches of one executable graph execute one after the other, on any streams. */
TEST(launches_of_one_graph_are_ordered)
{
    CUgraphExec exec;

    add_set(graph, NULL, 0);
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    OK(driver->GraphLaunch(exec, ONE));
    OK(driver->GraphLaunch(exec, OTHER));
    assert_int_equal(race_count(), 0);
    OK(driver->GraphExecDestroy(exec));
    launch(ONE);
    assert_int_equal(race_count(), 1);
}

TEST(child_graph_is_ordered_by_its_node)
{
    CUgraphNode first = add_set(graph, NULL, 0), child_node;
    CUgraph child;

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

/* In a capture, a wait for an event becomes an edge. */
TEST(captured_fork_and_join_are_edges)
{
    CUevent fork = fixture_event(), join = fixture_event();

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
        assert_int_equal(race_count(), 0); /* nothing has executed yet */
        OK(driver->GraphInstantiateWithFlags(&exec, captured, 0));
        OK(driver->GraphLaunch(exec, ONE));
        assert_int_equal(race_count(), !with_wait);
        OK(driver->GraphExecDestroy(exec));
        OK(driver->GraphDestroy(captured));
    }
}

/*
 * A node that records an event orders work that waits for the event after the node's predecessors.
 */
TEST(event_of_a_graph_orders)
{
    CUevent event = fixture_event();
    CUgraphNode set = add_set(graph, NULL, 0), node;

    OK(driver->GraphAddEventRecordNode(&node, graph, &set, 1, event));
    launch(ONE);
    OK(driver->StreamWaitEvent(OTHER, event, 0));
    race_read(OTHER);
    assert_int_equal(race_count(), 0);
}

TEST(event_of_a_graph_does_not_order_what_is_beside_it)
{
    CUevent event = fixture_event();
    CUgraphNode node;

    add_set(graph, NULL, 0);
    OK(driver->GraphAddEventRecordNode(&node, graph, NULL, 0, event));
    launch(ONE);
    OK(driver->StreamWaitEvent(OTHER, event, 0));
    race_read(OTHER);
    assert_int_equal(race_count(), 1);
}

/* Many launches without a wait in between must not need more and more memory. */
TEST(lanes_of_launches_are_used_again)
{
    CUgraphExec exec;

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

/*
 * Random graphs: two nodes are ordered if one can be reached from the other along edges. The test
 * computes that and compares it with the mock's result.
 */

enum { GRAPHS = 300, GRAPH_NODES = 12, LAUNCHES = 2 };

/* Called instead of the kernel; records which operation each node was. */
static unsigned executed;
static uint64_t operations[GRAPH_NODES];

static void note_kernel(const struct cushim_mock_launch *seen, void *data)
{
    (void)data;
    memcpy(&executed, seen->parameters[0], sizeof executed);
}

static void note_end(void *data, const struct cushim_mock_trace *entry)
{
    (void)data;
    if (strcmp(entry->what, "end") == 0 && strcmp(entry->name, "kernel") == 0)
        operations[executed] = entry->operation;
}

/* Add a kernel node that records its number. */
static CUgraphNode add_kernel(CUfunction function, const CUgraphNode *dependencies, size_t count,
                              unsigned number)
{
    void *parameters[] = {&number};
    const CUDA_KERNEL_NODE_PARAMS kernel = {
        .func = function, ONE_THREAD, .kernelParams = parameters};
    CUgraphNode node;

    OK(driver->GraphAddKernelNode_v2(&node, graph, dependencies, count, &kernel));
    return node;
}

/* Make a graph with random edges; `reaches` becomes their transitive closure. */
static void make_graph(CUfunction function, bool reaches[GRAPH_NODES][GRAPH_NODES])
{
    const unsigned density = 1 + race_draw(9);
    CUgraphNode nodes[GRAPH_NODES];

    memset(reaches, 0, sizeof(bool[GRAPH_NODES][GRAPH_NODES]));
    for (unsigned i = 0; i < GRAPH_NODES; i++) {
        CUgraphNode dependencies[GRAPH_NODES];
        size_t count = 0;

        for (unsigned j = 0; j < i; j++) {
            if (race_draw(10) >= density)
                continue;
            dependencies[count++] = nodes[j];
            reaches[j][i] = true;
            for (unsigned k = 0; k < j; k++)
                reaches[k][i] |= reaches[k][j];
        }
        nodes[i] = add_kernel(function, dependencies, count, i);
    }
}

static void check_graph(bool reaches[GRAPH_NODES][GRAPH_NODES])
{
    for (unsigned i = 0; i < GRAPH_NODES; i++) {
        for (unsigned j = i + 1; j < GRAPH_NODES; j++) {
            assert_int_equal(race_order(operations[i], operations[j]),
                             reaches[i][j] ? RACE_ORDER_BEFORE : RACE_ORDER_NONE);
        }
    }
}

TEST(random_graphs_are_ordered_by_their_edges)
{
    static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                ".visible .entry numbered(.param .u32 number) { ret; }\n";
    const struct cushim_mock_kernel kernel = {
        .size = sizeof kernel, .name = "numbered", .duration_ns = 1000, .run = note_kernel};
    bool reaches[GRAPH_NODES][GRAPH_NODES];
    CUfunction function;
    CUmodule module;

    OK(cushim_mock_register_kernel(fixture_mock, &kernel));
    OK(driver->ModuleLoadData(&module, image));
    OK(driver->ModuleGetFunction(&function, module, "numbered"));
    race_random_state = 0x9e3779b97f4a7c15u;
    cushim_mock_set_trace(fixture_mock, note_end, NULL);
    for (unsigned i = 0; i < GRAPHS; i++) {
        CUgraphExec exec;

        OK(driver->GraphDestroy(graph));
        OK(driver->GraphCreate(&graph, 0));
        make_graph(function, reaches);
        OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
        for (unsigned launches = 0; launches < LAUNCHES; launches++) {
            OK(driver->GraphLaunch(exec, race_streams[race_draw(2)]));
            while (fixture_state().pending > 0)
                OK(cushim_mock_step(fixture_mock));
            check_graph(reaches);
        }
        OK(driver->GraphExecDestroy(exec));
    }
    cushim_mock_set_trace(fixture_mock, NULL, NULL);
}
