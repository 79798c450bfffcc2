/* SPDX-License-Identifier: Apache-2.0 */
/* What a program must not do with graphs: it is told, and nothing that is gone is used. */
#include <string.h>

#include "tests/mock/world.h"

static void CUDA_CB nothing(void *data)
{
    (void)data;
}

/* The one thing that the mock has noted, and nothing but it; the mock is gone afterwards. */
static void expect_violation(const char *text)
{
    assert_int_equal(world_state().violations, 1);
    assert_non_null(strstr(cushim_mock_violation(world, 0), text));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(world));
    world = NULL;
}

static CUgraph graph_new(void)
{
    CUgraph graph;

    OK(driver->GraphCreate(&graph, 0));
    return graph;
}

/* A new empty graph as the child of a new node. */
static CUgraph child_of(CUgraph graph, CUgraphNode *node)
{
    CUgraph empty = graph_new(), child;

    OK(driver->GraphAddChildGraphNode(node, graph, NULL, 0, empty));
    OK(driver->GraphDestroy(empty));
    OK(driver->GraphChildGraphNodeGetGraph(*node, &child));
    return child;
}

static CUuserObject object_new(void)
{
    CUuserObject object;

    OK(driver->UserObjectCreate(&object, NULL, nothing, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    return object;
}

/* Capture into a child of a new graph, whose node is `node`. */
static CUgraph capture_child(CUstream stream, CUgraphNode *node)
{
    CUgraph graph = graph_new(), child = child_of(graph, node);
    CUgraphNode root;

    OK(driver->GraphAddEmptyNode(&root, child, NULL, 0));
    OK(driver->StreamBeginCaptureToGraph(stream, child, &root, NULL, 1,
                                         CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(driver->LaunchHostFunc(stream, nothing, NULL));
    return graph;
}

static void capture_ends_with_the_graph_around_its_own(void **state)
{
    CUstream stream = world_stream();
    CUgraphNode node;
    CUgraph graph = capture_child(stream, &node), none = graph;

    (void)state;
    OK(driver->GraphDestroy(graph));
    CODE(CUDA_ERROR_ILLEGAL_STATE, driver->StreamEndCapture(stream, &none));
    assert_null(none);
    OK(driver->StreamSynchronize(stream));
    expect_violation("cuGraphDestroy: the graph is destroyed while a stream is captured into it");
}

static void capture_ends_with_the_node_around_its_graph(void **state)
{
    CUstream stream = world_stream();
    CUgraphNode node;
    CUgraph graph = capture_child(stream, &node);

    (void)state;
    OK(driver->GraphDestroyNode(node));
    OK(driver->StreamSynchronize(stream));
    OK(driver->GraphDestroy(graph));
    expect_violation("cuGraphDestroyNode: the graph is destroyed while");
}

static void program_cannot_release_what_a_graph_was_given(void **state)
{
    CUuserObject object = object_new();
    CUgraph graph = graph_new();

    (void)state;
    OK(driver->GraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->UserObjectRelease(object, 1));
    OK(driver->GraphDestroy(graph));
    expect_violation("cuUserObjectRelease: 1 references are given away, the program has 0");
}

static void reference_is_given_to_one_graph(void **state)
{
    CUuserObject object = object_new();
    CUgraph graph = graph_new(), other = graph_new();

    (void)state;
    OK(driver->GraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphRetainUserObject(other, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    OK(driver->GraphDestroy(graph));
    OK(driver->GraphDestroy(other));
    expect_violation("cuGraphRetainUserObject: 1 references are given away, the program has 0");
}

/*
 * Far more levels than any thread has room for on its stack are not made. The mock's own: a driver
 * takes 1000 levels, clones them and launches them (statement 182).
 */
static void child_graphs_nest_to_an_end(void **state)
{
    CUgraph top = graph_new(), empty = graph_new(), graph = top, clone;
    CUresult code = CUDA_SUCCESS;
    CUgraphNode node = NULL;
    CUgraphExec exec;
    unsigned levels;

    (void)state;
    for (levels = 1; code == CUDA_SUCCESS && levels < 200000; levels++) {
        code = driver->GraphAddChildGraphNode(&node, graph, NULL, 0, empty);
        if (code == CUDA_SUCCESS)
            OK(driver->GraphChildGraphNodeGetGraph(node, &graph));
    }
    CODE(CUDA_ERROR_NOT_SUPPORTED, code);
    assert_int_equal(levels - 1, 64);
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->GraphAddChildGraphNode(&node, empty, NULL, 0, top));
    OK(driver->GraphClone(&clone, top));
    OK(driver->GraphInstantiateWithFlags(&exec, clone, 0));
    OK(driver->GraphLaunch(exec, NULL));
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphDestroy(clone));
    OK(driver->GraphDestroy(empty));
    OK(driver->GraphDestroy(top));
    world_end();
}

static void other_child_of_a_node_nests_to_the_same_end(void **state)
{
    CUgraph top = graph_new(), other = graph_new(), graph = other;
    CUgraphNodeParams parameters;
    CUgraphNode node, below;

    (void)state;
    for (unsigned levels = 1; levels < 64; levels++)
        graph = child_of(graph, &below);
    child_of(top, &node);
    memset(&parameters, 0, sizeof parameters);
    parameters.type = CU_GRAPH_NODE_TYPE_GRAPH;
    parameters.graph.graph = other;
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->GraphNodeSetParams(node, (void *)&parameters));
    OK(driver->GraphDestroy(top));
    OK(driver->GraphDestroy(other));
    world_end();
}

static int end(void **state)
{
    (void)state;
    cushim_mock_destroy(world);
    world = NULL;
    return 0;
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, world_auto, end)
    const struct CMUnitTest tests[] = {
        CASE(capture_ends_with_the_graph_around_its_own),
        CASE(capture_ends_with_the_node_around_its_graph),
        CASE(program_cannot_release_what_a_graph_was_given),
        CASE(reference_is_given_to_one_graph),
        CASE(child_graphs_nest_to_an_end),
        CASE(other_child_of_a_node_nests_to_the_same_end),
    };

    return cmocka_run_group_tests_name("undefined graph", tests, NULL, NULL);
}
