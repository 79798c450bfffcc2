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

/* What may be changed of a copy or a set in an executable graph: not where its memory is. */

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

/* A set of two rows, and a copy that is in no order with it. */
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
    CUstream stream = world_stream();

    OK(driver->GraphLaunch(copy_exec, stream));
    OK(driver->StreamSynchronize(stream));
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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
