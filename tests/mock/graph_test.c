/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: nodes, edges, clones, child graphs, what programs read of them, and misuse. */
#include <stdlib.h>
#include <string.h>

#include "tests/mock/fixture.h"
#include "tests/mock/graph_fixture.h"
#include "tests/support/folder.h"

static CUgraphNode nodes[6];

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

static const CUDA_HOST_NODE_PARAMS nothing = {do_nothing, NULL};

/* Add `count` host nodes without edges, as the first elements of `nodes`. */
static void add_nodes(size_t count)
{
    for (size_t i = 0; i < count; i++)
        OK(driver->GraphAddHostNode(&nodes[i], graph, NULL, 0, &nothing));
}

static void add_edge(unsigned from, unsigned to)
{
    OK(driver->GraphAddDependencies(graph, &nodes[from], &nodes[to], 1));
}

/* The nodes of a list, as letters for their indices in `nodes`; `-` for NULL. */
static const char *letters(const CUgraphNode *list, size_t count)
{
    static char text[2][20];
    static unsigned which;
    char *answer = text[which++ % 2];

    for (size_t i = 0; i < count; i++) {
        answer[i] = list[i] ? '?' : '-';
        for (size_t node = 0; node < 6; node++) {
            if (list[i] && list[i] == nodes[node])
                answer[i] = (char)('a' + node);
        }
    }
    answer[count] = '\0';
    return answer;
}

static void lists_are_given_as_far_as_there_is_room(void **state)
{
    CUgraphNode list[6], to[6];
    size_t count = 0;

    (void)state;
    add_nodes(4);
    add_edge(0, 1);
    add_edge(0, 2);
    OK(driver->GraphGetNodes(graph, NULL, &count));
    assert_int_equal(count, 4);
    count = 2;
    OK(driver->GraphGetNodes(graph, list, &count));
    assert_int_equal(count, 2);
    assert_string_equal(letters(list, 2), "ab");
    count = 6;
    OK(driver->GraphGetNodes(graph, list, &count));
    assert_int_equal(count, 4);
    assert_string_equal(letters(list, 6), "abcd--");
    count = 6;
    OK(driver->GraphGetRootNodes(graph, list, &count));
    assert_int_equal(count, 2);
    assert_string_equal(letters(list, 2), "da");
    count = 6;
    OK(driver->GraphGetEdges(graph, list, to, &count));
    assert_int_equal(count, 2);
    assert_string_equal(letters(list, 3), "aa-");
    assert_string_equal(letters(to, 3), "bc-");
    count = 6;
    OK(driver->GraphNodeGetDependentNodes(nodes[0], list, &count));
    assert_int_equal(count, 2);
    assert_string_equal(letters(list, 3), "bc-");
    count = 6;
    OK(driver->GraphNodeGetDependencies(nodes[2], list, &count));
    assert_int_equal(count, 1);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphGetNodes(graph, list, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphGetEdges(graph, list, NULL, &count));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphGetNodes(NULL, list, &count));
}

static void nodes_depend_on_others_of_their_graph_once(void **state)
{
    CUgraphNode twice[2], foreign, node;
    CUgraph other;

    (void)state;
    add_nodes(2);
    OK(driver->GraphCreate(&other, 0));
    OK(driver->GraphAddEmptyNode(&foreign, other, NULL, 0));
    twice[0] = twice[1] = nodes[0];
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddEmptyNode(&node, graph, twice, 2));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddEmptyNode(&node, graph, &foreign, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddEmptyNode(&node, graph, NULL, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddEmptyNode(NULL, graph, NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddDependencies(graph, &nodes[0], &foreign, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddDependencies(graph, &nodes[0], &nodes[0], 1));
    add_edge(0, 1);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddDependencies(graph, &nodes[0], &nodes[1], 1));
    OK(driver->GraphRemoveDependencies(graph, &nodes[0], &nodes[1], 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphRemoveDependencies(graph, &nodes[0], &nodes[1], 1));
    OK(driver->GraphAddDependencies(graph, NULL, NULL, 0));
    OK(driver->GraphDestroy(other));
}

static void cycle_is_found_at_instantiation(void **state)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS parameters = {.flags = 0};
    CUgraphNode culprit = nodes[0];
    CUgraphExec exec = NULL;

    (void)state;
    add_nodes(3);
    add_edge(1, 2);
    add_edge(2, 1);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphInstantiate_v2(&exec, graph, &culprit, NULL, 0));
    assert_null(culprit);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphInstantiateWithParams(&exec, graph, &parameters));
    culprit = parameters.hErrNode_out;
    assert_true(culprit == nodes[1] || culprit == nodes[2]);
    assert_int_equal(parameters.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
    assert_null(exec);
    OK(driver->GraphRemoveDependencies(graph, &nodes[2], &nodes[1], 1));
    OK(driver->GraphInstantiate_v2(&exec, graph, &culprit, NULL, 0));
    assert_null(culprit);
    OK(driver->GraphExecDestroy(exec));
}

static void destroyed_node_takes_its_edges_along(void **state)
{
    size_t count = 0;

    (void)state;
    add_nodes(3);
    add_edge(0, 1);
    add_edge(1, 2);
    OK(driver->GraphDestroyNode(nodes[1]));
    OK(driver->GraphGetEdges(graph, NULL, NULL, &count));
    assert_int_equal(count, 0);
    OK(driver->GraphGetRootNodes(graph, NULL, &count));
    assert_int_equal(count, 2);
}

static void edges_between_kernels_carry_data(void **state)
{
    CUDA_KERNEL_NODE_PARAMS parameters = {.gridDimX = 1,
                                          .gridDimY = 1,
                                          .gridDimZ = 1,
                                          .blockDimX = 1,
                                          .blockDimY = 1,
                                          .blockDimZ = 1};
    static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                ".visible .entry cushim_nothing()\n{\nret;\n}\n";
    const CUgraphEdgeData programmatic = {.from_port = 1, .type = 1}, unknown = {.type = 9};
    CUgraphEdgeData data[1];
    CUgraphNode from, to;
    CUmodule module;
    size_t count = 1;

    (void)state;
    OK(driver->ModuleLoadData(&module, image));
    OK(driver->ModuleGetFunction(&parameters.func, module, "cushim_nothing"));
    for (unsigned i = 0; i < 2; i++)
        OK(driver->GraphAddKernelNode_v2(&nodes[i], graph, NULL, 0, &parameters));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphAddDependencies_v2(graph, &nodes[0], &nodes[1], &unknown, 1));
    OK(driver->GraphAddDependencies_v2(graph, &nodes[0], &nodes[1], &programmatic, 1));
    CODE(CUDA_ERROR_LOSSY_QUERY, driver->GraphGetEdges(graph, &from, &to, &count));
    OK(driver->GraphGetEdges_v2(graph, &from, &to, data, &count));
    assert_memory_equal(data, &programmatic, sizeof programmatic);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphRemoveDependencies_v2(graph, &nodes[0], &nodes[1], &unknown, 1));
    OK(driver->GraphRemoveDependencies_v2(graph, &nodes[0], &nodes[1], &programmatic, 1));
    OK(driver->GraphAddDependencies_v2(graph, &nodes[0], &nodes[1], &programmatic, 1));
    OK(driver->GraphRemoveDependencies(graph, &nodes[0], &nodes[1], 1)); /* any edge data */
    OK(driver->ModuleUnload(module));
}

static void clone_is_a_graph_of_its_own(void **state)
{
    CUgraphNode copy, none = NULL;
    CUgraphNode list[4], to[4];
    size_t count = 4;
    CUgraph clone;

    (void)state;
    add_nodes(3);
    add_edge(0, 2);
    OK(driver->GraphClone(&clone, graph));
    OK(driver->GraphNodeFindInClone(&copy, nodes[2], clone));
    OK(driver->GraphGetEdges(clone, list, to, &count));
    assert_int_equal(count, 1);
    assert_ptr_equal(to[0], copy);
    OK(driver->GraphAddHostNode(&nodes[3], graph, NULL, 0, &nothing));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphNodeFindInClone(&none, nodes[3], clone));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphNodeFindInClone(&none, nodes[0], graph));
    OK(driver->GraphDestroyNode(copy));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphNodeFindInClone(&none, nodes[2], clone));
    assert_null(none);
    OK(driver->GraphGetEdges(graph, NULL, NULL, &count));
    assert_int_equal(count, 1);
    OK(driver->GraphDestroy(clone));
}

static void child_graph_is_a_copy_that_belongs_to_its_node(void **state)
{
    CUgraph child, inside;
    CUgraphNode node, extra;
    size_t count = 0;

    (void)state;
    OK(driver->GraphCreate(&child, 0));
    OK(driver->GraphAddEmptyNode(&extra, child, NULL, 0));
    OK(driver->GraphAddChildGraphNode(&node, graph, NULL, 0, child));
    OK(driver->GraphChildGraphNodeGetGraph(node, &inside));
    assert_ptr_not_equal(inside, child);
    OK(driver->GraphAddEmptyNode(&extra, inside, NULL, 0));
    OK(driver->GraphGetNodes(child, NULL, &count));
    assert_int_equal(count, 1);
    OK(driver->GraphGetNodes(inside, NULL, &count));
    assert_int_equal(count, 2);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphDestroy(inside));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphChildGraphNodeGetGraph(extra, &inside));
    OK(driver->GraphDestroy(child));
}

static void graph_is_written_as_text(void **state)
{
    char text[400] = "";
    unsigned char *bytes;
    size_t length;

    (void)state;
    add_nodes(2);
    add_edge(0, 1);
    OK(driver->GraphDebugDotPrint(graph, folder_path("graph"), 0));
    bytes = folder_read(folder_path("graph"), &length);
    assert_in_range(length, 1, sizeof text - 1);
    memcpy(text, bytes, length);
    free(bytes);
    assert_non_null(strstr(text, "digraph"));
    assert_non_null(strstr(text, "HOST"));
    assert_non_null(strstr(text, " -> "));
    CODE(CUDA_ERROR_OPERATING_SYSTEM, driver->GraphDebugDotPrint(graph, "/nowhere/graph", 0));
}

#ifndef _WIN32
/*
 * A pipe instead of a file: a mock that waited for the pipe's reader would block all other calls.
 */
static void pipe_that_nobody_reads_is_refused(void **state)
{
    (void)state;
    CODE(CUDA_ERROR_OPERATING_SYSTEM, driver->GraphDebugDotPrint(graph, folder_pipe("unread"), 0));
}
#endif

/* Misuse of graphs: the mock reports it, and uses no destroyed object. */

static void CUDA_CB undefined_nothing(void *data)
{
    (void)data;
}

/* Assert that the mock has reported this misuse and no other, and destroy the mock. */
static void expect_misuse(const char *text)
{
    assert_int_equal(fixture_state().misuses, 1);
    assert_non_null(strstr(cushim_mock_misuse(fixture_mock, 0), text));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(fixture_mock));
    fixture_mock = NULL;
}

static CUgraph graph_new(void)
{
    CUgraph made;

    OK(driver->GraphCreate(&made, 0));
    return made;
}

/* Add a new empty graph as a child; returns the child graph of the new node. */
static CUgraph child_of(CUgraph made, CUgraphNode *node)
{
    CUgraph empty = graph_new(), child;

    OK(driver->GraphAddChildGraphNode(node, made, NULL, 0, empty));
    OK(driver->GraphDestroy(empty));
    OK(driver->GraphChildGraphNodeGetGraph(*node, &child));
    return child;
}

static CUuserObject object_new(void)
{
    CUuserObject object;

    OK(driver->UserObjectCreate(&object, NULL, undefined_nothing, 1,
                                CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    return object;
}

/* Capture into the child graph of a new graph; `node` is its node. */
static CUgraph capture_child(CUstream stream, CUgraphNode *node)
{
    CUgraph made = graph_new(), child = child_of(made, node);
    CUgraphNode root;

    OK(driver->GraphAddEmptyNode(&root, child, NULL, 0));
    OK(driver->StreamBeginCaptureToGraph(stream, child, &root, NULL, 1,
                                         CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(driver->LaunchHostFunc(stream, undefined_nothing, NULL));
    return made;
}

static void capture_ends_with_the_graph_around_its_own(void **state)
{
    CUstream stream = fixture_stream();
    CUgraphNode node;
    CUgraph made = capture_child(stream, &node), none = made;

    (void)state;
    OK(driver->GraphDestroy(made));
    CODE(CUDA_ERROR_ILLEGAL_STATE, driver->StreamEndCapture(stream, &none));
    assert_null(none);
    OK(driver->StreamSynchronize(stream));
    expect_misuse("cuGraphDestroy: the graph is destroyed while a stream is captured into it");
}

static void capture_ends_with_the_node_around_its_graph(void **state)
{
    CUstream stream = fixture_stream();
    CUgraphNode node;
    CUgraph made = capture_child(stream, &node);

    (void)state;
    OK(driver->GraphDestroyNode(node));
    OK(driver->StreamSynchronize(stream));
    OK(driver->GraphDestroy(made));
    expect_misuse("cuGraphDestroyNode: the graph is destroyed while");
}

static void program_cannot_release_what_a_graph_was_given(void **state)
{
    CUuserObject object = object_new();
    CUgraph made = graph_new();

    (void)state;
    OK(driver->GraphRetainUserObject(made, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->UserObjectRelease(object, 1));
    OK(driver->GraphDestroy(made));
    expect_misuse("cuUserObjectRelease: 1 references are given away, the program has 0");
}

static void reference_is_given_to_one_graph(void **state)
{
    CUuserObject object = object_new();
    CUgraph made = graph_new(), other = graph_new();

    (void)state;
    OK(driver->GraphRetainUserObject(made, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphRetainUserObject(other, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    OK(driver->GraphDestroy(made));
    OK(driver->GraphDestroy(other));
    expect_misuse("cuGraphRetainUserObject: 1 references are given away, the program has 0");
}

/*
 * Levels that would overflow any thread's stack are refused. This is a choice of the mock: a driver
 * creates, clones and launches 1000 levels (statement 182).
 */
static void child_graphs_nest_to_an_end(void **state)
{
    CUgraph top = graph_new(), empty = graph_new(), made = top, clone;
    CUresult code = CUDA_SUCCESS;
    CUgraphNode node = NULL;
    CUgraphExec exec;
    unsigned levels;

    (void)state;
    for (levels = 1; code == CUDA_SUCCESS && levels < 200000; levels++) {
        code = driver->GraphAddChildGraphNode(&node, made, NULL, 0, empty);
        if (code == CUDA_SUCCESS)
            OK(driver->GraphChildGraphNodeGetGraph(node, &made));
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
    fixture_end();
}

static void other_child_of_a_node_nests_to_the_same_end(void **state)
{
    CUgraph top = graph_new(), other = graph_new(), made = other;
    CUgraphNodeParams parameters;
    CUgraphNode node, below;

    (void)state;
    for (unsigned levels = 1; levels < 64; levels++)
        made = child_of(made, &below);
    child_of(top, &node);
    memset(&parameters, 0, sizeof parameters);
    parameters.type = CU_GRAPH_NODE_TYPE_GRAPH;
    parameters.graph.graph = other;
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->GraphNodeSetParams(node, (void *)&parameters));
    OK(driver->GraphDestroy(top));
    OK(driver->GraphDestroy(other));
    fixture_end();
}

static int end(void **state)
{
    (void)state;
    cushim_mock_destroy(fixture_mock);
    fixture_mock = NULL;
    return 0;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, graph_auto, graph_end)
#define TEST_IN(name, begin, end) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(lists_are_given_as_far_as_there_is_room),
        TEST(nodes_depend_on_others_of_their_graph_once),
        TEST(cycle_is_found_at_instantiation),
        TEST(destroyed_node_takes_its_edges_along),
        TEST(edges_between_kernels_carry_data),
        TEST(clone_is_a_graph_of_its_own),
        TEST(child_graph_is_a_copy_that_belongs_to_its_node),
        TEST(graph_is_written_as_text),
#ifndef _WIN32
        TEST(pipe_that_nobody_reads_is_refused),
#endif
        TEST_IN(capture_ends_with_the_graph_around_its_own, fixture_auto, end),
        TEST_IN(capture_ends_with_the_node_around_its_graph, fixture_auto, end),
        TEST_IN(program_cannot_release_what_a_graph_was_given, fixture_auto, end),
        TEST_IN(reference_is_given_to_one_graph, fixture_auto, end),
        TEST_IN(child_graphs_nest_to_an_end, fixture_auto, end),
        TEST_IN(other_child_of_a_node_nests_to_the_same_end, fixture_auto, end),
    };

    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
