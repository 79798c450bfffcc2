/* SPDX-License-Identifier: Apache-2.0 */
/* Executable graphs: what can be changed in them. */
#include "tests/mock/graph_world.h"

enum { BYTES = 64 };

static void nodes_of_an_executable_graph_are_changed(void **state)
{
    const CUDA_HOST_NODE_PARAMS changed = {graph_note, (void *)9};
    CUDA_MEMSET_NODE_PARAMS set = {.value = 7, .elementSize = 1, .width = BYTES, .height = 1};
    CUstream stream = world_stream();
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
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->StreamSynchronize(stream));
    /* The node's change is not the executable graph's. */
    assert_true(graph_ran_count == 1 && graph_ran[0] == 1);

    OK(driver->GraphExecHostNodeSetParams(exec, host, &changed));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphExecHostNodeSetParams(exec, late, &changed));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphExecHostNodeSetParams(exec, memory_node, &changed));
    set.value = 8;
    OK(driver->GraphExecMemsetNodeSetParams(exec, memory_node, &set, NULL));
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->StreamSynchronize(stream));
    assert_true(graph_ran_count == 2 && graph_ran[1] == 9);
    OK(driver->MemcpyDtoH_v2(bytes, memory, BYTES));
    assert_int_equal(bytes[0], 8);

    OK(driver->MemsetD8_v2(memory, 0, BYTES));
    OK(driver->GraphNodeSetEnabled(exec, memory_node, 0));
    OK(driver->GraphNodeGetEnabled(exec, memory_node, &enabled));
    assert_int_equal(enabled, 0);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphNodeSetEnabled(exec, host, 0));
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->StreamSynchronize(stream));
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
    CUstream stream = world_stream();
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
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->StreamSynchronize(stream));
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

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, graph_auto, graph_end)
    const struct CMUnitTest tests[] = {
        CASE(nodes_of_an_executable_graph_are_changed),
        CASE(executable_graph_is_updated_by_one_of_the_same_shape),
        CASE(flags_are_checked),
    };

    return cmocka_run_group_tests_name("graph exec", tests, NULL, NULL);
}
