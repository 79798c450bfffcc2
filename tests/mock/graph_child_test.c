/* SPDX-License-Identifier: Apache-2.0 */
/* Child graphs that the program gives away, instead of copies (driver-semantics.md #204). */
#include <string.h>

#include "tests/mock/graph_fixture.h"

enum { BYTES = 64 };

static CUgraphNodeParams moved(CUgraph child)
{
    CUgraphNodeParams parameters;

    memset(&parameters, 0, sizeof parameters);
    parameters.type = CU_GRAPH_NODE_TYPE_GRAPH;
    parameters.graph.graph = child;
    parameters.graph.ownership = 1; /* CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE */
    return parameters;
}

static void moved_child_graph_is_its_nodes_own(void **state)
{
    CUDA_MEMSET_NODE_PARAMS set = {.value = 7, .elementSize = 1, .width = BYTES, .height = 1};
    CUgraphNodeParams parameters;
    CUgraphExecUpdateResultInfo info;
    CUgraph child, same, other;
    CUgraphNode node, inner;
    unsigned char byte = 0;
    CUgraphExec exec;

    (void)state;
    OK(driver->MemAlloc_v2(&set.dst, BYTES));
    OK(driver->GraphCreate(&child, 0));
    OK(driver->GraphAddMemsetNode(&inner, child, NULL, 0, &set, NULL));
    parameters = moved(child);
    OK(driver->GraphAddNode_v2(&node, graph, NULL, NULL, 0, &parameters));
    OK(driver->GraphChildGraphNodeGetGraph(node, &same));
    assert_ptr_equal(same, child);
    exec = graph_instantiate();
    set.value = 9;
    OK(driver->GraphExecMemsetNodeSetParams(exec, inner, &set, NULL));
    graph_run(exec, NULL);
    OK(driver->MemcpyDtoH_v2(&byte, set.dst, 1));
    assert_int_equal(byte, 9);

    OK(driver->GraphCreate(&other, 0));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphAddNode_v2(&node, other, NULL, NULL, 0, &parameters));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphDestroy(child));
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->GraphExecUpdate_v2(exec, child, &info));
    OK(driver->GraphExecDestroy(exec));
    /* A copy of the parent has a copy of the child. */
    OK(driver->GraphDestroy(other));
    OK(driver->GraphClone(&other, graph));
    OK(driver->GraphDestroyNode(node));
    OK(driver->GraphDestroy(other));
    OK(driver->MemFree_v2(set.dst));
}

static void child_graph_that_is_not_moved_stays(void **state)
{
    CUgraphNode twice[2], node;
    CUgraphNodeParams parameters;
    CUgraph child;

    (void)state;
    OK(driver->GraphCreate(&child, 0));
    parameters = moved(child);
    twice[0] = twice[1] = graph_add_host(NULL, 0, 0);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphAddNode_v2(&node, graph, twice, NULL, 2, &parameters));
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->GraphNodeSetParams(twice[0], &parameters));
    parameters.graph.ownership = 2;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphAddNode_v2(&node, graph, NULL, NULL, 0, &parameters));
    OK(driver->GraphDestroy(child));
}

/* Also if the graph lies in the other one by way of a third. */
static void graph_is_not_moved_into_itself(void **state)
{
    CUgraphNodeParams parameters = moved(graph);
    CUgraphNode node, inner;
    CUgraph child;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphAddNode_v2(&node, graph, NULL, NULL, 0, &parameters));
    OK(driver->GraphCreate(&child, 0));
    parameters = moved(child);
    OK(driver->GraphAddNode_v2(&node, graph, NULL, NULL, 0, &parameters));
    parameters = moved(graph);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->GraphAddNode_v2(&inner, child, NULL, NULL, 0, &parameters));
}

static int end_misused(void **state)
{
    (void)state;
    assert_int_equal(fixture_state().misuses, 2);
    assert_non_null(strstr(cushim_mock_misuse(fixture_mock, 1), "the graph would contain itself"));
    OK(driver->GraphDestroy(graph));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(fixture_mock));
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(moved_child_graph_is_its_nodes_own, graph_auto, graph_end),
        cmocka_unit_test_setup_teardown(child_graph_that_is_not_moved_stays, graph_auto, graph_end),
        cmocka_unit_test_setup_teardown(graph_is_not_moved_into_itself, graph_auto, end_misused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
