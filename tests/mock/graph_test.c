/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs where the mock decides: their text, misuse, how deep child graphs nest, and child graphs
 * that the program gives away. tests/conformance tests statements 130 to 149 and 178 to 187.
 */

#include "tests/mock/graph_fixture.h"
#include "tests/support/folder.h"

static int end(void **state)
{
    cushim_mock_destroy(fixture_mock);
    fixture_mock = NULL;
    return 0;
}

#define TEST(name) TEST_BETWEEN(name, graph_auto, graph_end)
#define MISUSE_TEST(name) TEST_BETWEEN(name, fixture_auto, end)

static void CUDA_CB do_nothing(void *data)
{
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

TEST(text_of_a_graph_has_the_graphs_within_it)
{
    const CUDA_HOST_NODE_PARAMS nothing = {do_nothing, NULL};
    CUgraphNode node, first, second;
    CUgraph child = child_of(graph, &node);
    unsigned char *bytes;
    char text[2048] = "";
    size_t length;

    OK(driver->GraphAddHostNode(&first, child, NULL, 0, &nothing));
    OK(driver->GraphAddHostNode(&second, child, &first, 1, &nothing));
    OK(driver->GraphDebugDotPrint(graph, folder_path("graph"), 0));
    bytes = folder_read(folder_path("graph"), &length);
    assert_in_range(length, 1, sizeof text - 1);
    memcpy(text, bytes, length);
    free(bytes);
    assert_ptr_equal(strstr(text, "digraph"), text);
    CONTAINS(text, "HOST");
    CONTAINS(text, "  subgraph \"cluster");
    CONTAINS(strstr(text, "subgraph"), "\" -> \"");
    assert_non_null(strrchr(text, '}'));
    CODE(CUDA_ERROR_OPERATING_SYSTEM, driver->GraphDebugDotPrint(graph, "/nowhere/graph", 0));
}

#ifndef _WIN32
/*
 * A pipe instead of a file: a mock that waited for the pipe's reader would block all other calls.
 */
TEST(pipe_that_nobody_reads_is_refused)
{
    CODE(CUDA_ERROR_OPERATING_SYSTEM, driver->GraphDebugDotPrint(graph, folder_pipe("unread"), 0));
}
#endif

/* Kernels of the mock cannot end a loop. */
TEST(loop_that_would_not_end_is_refused)
{
    CUgraphNodeParams parameters;
    CUgraphConditionalHandle handle;
    CUstream stream = fixture_stream();
    CUgraphNode node;
    CUgraphExec exec;
    CUcontext context;

    OK(driver->CtxGetCurrent(&context));
    OK(driver->GraphConditionalHandleCreate(&handle, graph, context, 1,
                                            CU_GRAPH_COND_ASSIGN_DEFAULT));
    memset(&parameters, 0, sizeof parameters);
    parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    parameters.conditional.handle = handle;
    parameters.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
    parameters.conditional.size = 1;
    parameters.conditional.ctx = context;
    OK(driver->GraphAddNode(&node, graph, NULL, 0, &parameters));
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->GraphLaunch(exec, stream));
    OK(driver->GraphExecDestroy(exec));
    OK(driver->StreamDestroy_v2(stream));
}

/* Live memory counts as the program's, whatever becomes of the graph. */
MISUSE_TEST(memory_of_a_graph_is_the_program_s_while_it_is_live)
{
    const CUDA_MEMSET_NODE_PARAMS set = {.value = 1, .elementSize = 1, .width = 4, .height = 1};
    CUDA_MEM_ALLOC_NODE_PARAMS parameters;
    CUDA_MEMSET_NODE_PARAMS late = set;
    CUstream stream = fixture_stream();
    CUgraph makes = graph_new(), other = graph_new();
    CUgraphNode node;
    CUgraphExec exec, late_exec;

    memset(&parameters, 0, sizeof parameters);
    parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    parameters.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    parameters.bytesize = 4;
    OK(driver->GraphAddMemAllocNode(&node, makes, NULL, 0, &parameters));
    late.dst = parameters.dptr;
    OK(driver->GraphAddMemsetNode(&node, other, NULL, 0, &late, NULL));
    OK(driver->GraphInstantiateWithFlags(&exec, makes, 0));
    OK(driver->GraphInstantiateWithFlags(&late_exec, other, 0));
    assert_int_equal(fixture_state().allocations, 0);
    OK(driver->GraphLaunch(exec, stream));
    assert_int_equal(fixture_state().allocations, 1);
    OK(driver->GraphExecDestroy(exec));
    graph_run(late_exec, stream);
    OK(driver->MemFreeAsync(parameters.dptr, stream));
    assert_int_equal(fixture_state().allocations, 0);
    OK(driver->StreamSynchronize(stream));
    OK(driver->GraphLaunch(late_exec, stream));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->StreamSynchronize(stream));
}

TEST(kinds_of_nodes_that_the_mock_lacks_are_refused)
{
    CUgraphNodeParams parameters;
    CUgraphNode node;

    memset(&parameters, 0, sizeof parameters);
    parameters.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->GraphAddNode(&node, graph, NULL, 0, &parameters));
    parameters.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->GraphAddNode(&node, graph, NULL, 0, &parameters));
}

/* Misuse of graphs: the mock reports it, and uses no destroyed object. */

/* Assert that the mock has reported this misuse and no other, and destroy the mock. */
static void expect_misuse(const char *text)
{
    assert_int_equal(fixture_state().misuses, 1);
    CONTAINS(cushim_mock_misuse(fixture_mock, 0), text);
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(fixture_mock));
    fixture_mock = NULL;
}

/* Capture into the child graph of a new graph; `node` is its node. */
static CUgraph capture_child(CUstream stream, CUgraphNode *node)
{
    CUgraph made = graph_new(), child = child_of(made, node);
    CUgraphNode root;

    OK(driver->GraphAddEmptyNode(&root, child, NULL, 0));
    OK(driver->StreamBeginCaptureToGraph(stream, child, &root, NULL, 1,
                                         CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(driver->LaunchHostFunc(stream, do_nothing, NULL));
    return made;
}

MISUSE_TEST(capture_ends_with_the_graph_around_its_own)
{
    CUstream stream = fixture_stream();
    CUgraphNode node;
    CUgraph made = capture_child(stream, &node), none = made;

    OK(driver->GraphDestroy(made));
    CODE(CUDA_ERROR_ILLEGAL_STATE, driver->StreamEndCapture(stream, &none));
    assert_null(none);
    OK(driver->StreamSynchronize(stream));
    expect_misuse("cuGraphDestroy: the graph is destroyed while a stream is captured into it");
}

MISUSE_TEST(capture_ends_with_the_node_around_its_graph)
{
    CUstream stream = fixture_stream();
    CUgraphNode node;
    CUgraph made = capture_child(stream, &node);

    OK(driver->GraphDestroyNode(node));
    OK(driver->StreamSynchronize(stream));
    OK(driver->GraphDestroy(made));
    expect_misuse("cuGraphDestroyNode: the graph is destroyed while");
}

/* Give the only reference to a new user object to a graph. */
static CUuserObject give_away(CUgraph made)
{
    CUuserObject object;

    OK(driver->UserObjectCreate(&object, NULL, do_nothing, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(driver->GraphRetainUserObject(made, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    return object;
}

MISUSE_TEST(program_cannot_release_what_a_graph_was_given)
{
    CUgraph made = graph_new();

    CODE(CUDA_ERROR_INVALID_VALUE, driver->UserObjectRelease(give_away(made), 1));
    OK(driver->GraphDestroy(made));
    expect_misuse("cuUserObjectRelease: 1 references are given away, the program has 0");
}

MISUSE_TEST(reference_is_given_to_one_graph)
{
    CUgraph made = graph_new(), other = graph_new();

    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphRetainUserObject(other, give_away(made), 1, CU_GRAPH_USER_OBJECT_MOVE));
    OK(driver->GraphDestroy(made));
    OK(driver->GraphDestroy(other));
    expect_misuse("cuGraphRetainUserObject: 1 references are given away, the program has 0");
}

MISUSE_TEST(graph_cannot_be_put_into_itself)
{
    CUgraph outer = graph_new();
    CUgraphNode node;
    size_t count = 7;

    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddChildGraphNode(&node, outer, NULL, 0, outer));
    OK(driver->GraphGetNodes(outer, NULL, &count));
    assert_int_equal(count, 0);
    OK(driver->GraphDestroy(outer));
    expect_misuse("the graph would contain itself");
}

/*
 * Levels that would overflow any thread's stack are refused. This is a choice of the mock: a driver
 * creates, clones and launches 1000 levels (statement 182).
 */
TEST(child_graphs_nest_to_an_end)
{
    CUgraph top = graph_new(), empty = graph_new(), made = top, clone;
    CUresult code = CUDA_SUCCESS;
    CUgraphNode node = NULL;
    CUgraphExec exec;
    unsigned levels;

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
}

/* Child graphs that the program gives away, instead of copies (statement 204). */

static CUgraphNodeParams moved(CUgraph child)
{
    CUgraphNodeParams parameters;

    memset(&parameters, 0, sizeof parameters);
    parameters.type = CU_GRAPH_NODE_TYPE_GRAPH;
    parameters.graph.graph = child;
    parameters.graph.ownership = 1; /* CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE */
    return parameters;
}

TEST(other_child_of_a_node_nests_to_the_same_end)
{
    CUgraph top = graph_new(), other = graph_new(), made = other;
    CUgraphNodeParams parameters = moved(other);
    CUgraphNode node, below;

    for (unsigned levels = 1; levels < 64; levels++)
        made = child_of(made, &below);
    child_of(top, &node);
    parameters.graph.ownership = 0; /* a copy */
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->GraphNodeSetParams(node, (void *)&parameters));
    OK(driver->GraphDestroy(top));
    OK(driver->GraphDestroy(other));
}

TEST(child_graph_that_is_not_moved_stays)
{
    CUgraph child = graph_new();
    CUgraphNodeParams parameters = moved(child);
    CUgraphNode node = graph_add_host(NULL, 0, 0);

    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->GraphNodeSetParams(node, &parameters));
    parameters.graph.ownership = 2; /* a driver takes it */
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphAddNode_v2(&node, graph, NULL, NULL, 0, &parameters));
    OK(driver->GraphDestroy(child));
}

/* Also if the graph lies in the other one by way of a third. */
MISUSE_TEST(graph_is_not_moved_into_itself)
{
    CUgraph outer = graph_new(), child = graph_new();
    CUgraphNodeParams parameters = moved(child);
    CUgraphNode node, inner;

    OK(driver->GraphAddNode_v2(&node, outer, NULL, NULL, 0, &parameters));
    parameters = moved(outer);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphAddNode_v2(&inner, child, NULL, NULL, 0, &parameters));
    OK(driver->GraphDestroy(outer));
    expect_misuse("the graph would contain itself");
}

int main(void)
{
    return run_all_tests(folder_create, folder_remove);
}
