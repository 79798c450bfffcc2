/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of nodes: those of the first ABI, copies from and to everywhere, and graphs within. */
#include <string.h>

#include "tests/mock/graph_world.h"

enum { BYTES = 64 };

static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                            ".visible .entry cushim_nothing() { ret; }\n"
                            ".visible .global .align 4 .b8 bytes[12];\n";

/* The struct of the first ABI is the beginning of the second one's. */
static void kernel_node_of_the_first_abi_is_one_of_the_second(void **state)
{
    CUDA_KERNEL_NODE_PARAMS told = {0};
    struct CUDA_KERNEL_NODE_PARAMS_st first = {.gridDimX = 2,
                                               .gridDimY = 1,
                                               .gridDimZ = 1,
                                               .blockDimX = 3,
                                               .blockDimY = 1,
                                               .blockDimZ = 1};
    CUgraphNode node = NULL;
    CUmodule module;

    (void)state;
    OK(driver->ModuleLoadData(&module, image));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddKernelNode(&node, graph, NULL, 0, NULL));
    assert_null(node);
    OK(driver->ModuleGetFunction(&first.func, module, "cushim_nothing"));
    OK(driver->GraphAddKernelNode(&node, graph, NULL, 0, &first));
    OK(driver->GraphKernelNodeGetParams_v2(node, &told));
    assert_ptr_equal(told.func, first.func);
    assert_int_equal(told.gridDimX, 2);
    assert_int_equal(told.blockDimX, 3);
    OK(driver->GraphDestroyNode(node));
    OK(driver->ModuleUnload(module));
}

static void copy_is_told_as_it_was_set_wherever_it_leads(void **state)
{
    const CUDA_ARRAY_DESCRIPTOR of = {
        .Width = BYTES, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    static unsigned char host[BYTES], back[BYTES];
    CUDA_MEMCPY3D set[4], told;
    CUdeviceptr memory;
    CUcontext context;
    CUgraphNode node;
    CUarray array;

    (void)state;
    OK(driver->CtxGetCurrent(&context));
    OK(driver->MemAlloc_v2(&memory, BYTES));
    OK(driver->ArrayCreate_v2(&array, &of));
    for (unsigned i = 0; i < 4; i++)
        set[i] = (CUDA_MEMCPY3D){.WidthInBytes = BYTES, .Height = 1, .Depth = 1};
    set[0].srcMemoryType = CU_MEMORYTYPE_HOST;
    set[0].srcHost = host;
    set[0].dstMemoryType = CU_MEMORYTYPE_ARRAY;
    set[0].dstArray = array;
    set[1].srcMemoryType = CU_MEMORYTYPE_ARRAY;
    set[1].srcArray = array;
    set[1].dstMemoryType = CU_MEMORYTYPE_DEVICE;
    set[1].dstDevice = memory;
    set[2].srcMemoryType = CU_MEMORYTYPE_DEVICE;
    set[2].srcDevice = memory;
    set[2].dstMemoryType = CU_MEMORYTYPE_HOST;
    set[2].dstHost = back;
    set[3] = set[0];
    for (unsigned i = 0; i < 3; i++) {
        OK(driver->GraphAddMemcpyNode(&node, graph, NULL, 0, &set[i], context));
        for (unsigned other = i; other <= i + 1; other++) {
            memset(&told, 0xff, sizeof told);
            if (other > i)
                OK(driver->GraphMemcpyNodeSetParams(node, &set[other]));
            OK(driver->GraphMemcpyNodeGetParams(node, &told));
            assert_int_equal(told.srcMemoryType, set[other].srcMemoryType);
            assert_int_equal(told.dstMemoryType, set[other].dstMemoryType);
            assert_ptr_equal(told.srcHost, set[other].srcHost);
            assert_ptr_equal(told.srcArray, set[other].srcArray);
            assert_int_equal(told.srcDevice, set[other].srcDevice);
            assert_ptr_equal(told.dstHost, set[other].dstHost);
            assert_ptr_equal(told.dstArray, set[other].dstArray);
            assert_int_equal(told.dstDevice, set[other].dstDevice);
        }
    }
    told.WidthInBytes = 2 * BYTES;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphMemcpyNodeSetParams(node, &told));
    OK(driver->ArrayDestroy(array));
    OK(driver->MemFree_v2(memory));
}

/* --- graphs within graphs --- */

static CUgraph host_graph(unsigned number)
{
    const CUDA_HOST_NODE_PARAMS parameters = {graph_note, (void *)(uintptr_t)number};
    CUgraphNode node;
    CUgraph made;

    OK(driver->GraphCreate(&made, 0));
    OK(driver->GraphAddHostNode(&node, made, NULL, 0, &parameters));
    return made;
}

static void graph_within_an_executable_graph_is_changed(void **state)
{
    CUgraph first = host_graph(1), second = host_graph(2);
    CUstream stream = world_stream();
    CUgraphNode node;
    CUgraphExec exec;

    (void)state;
    OK(driver->GraphAddChildGraphNode(&node, graph, NULL, 0, first));
    exec = graph_instantiate();
    OK(driver->GraphExecChildGraphNodeSetParams(exec, node, second));
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->StreamSynchronize(stream));
    assert_true(graph_ran_count == 1 && graph_ran[0] == 2);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphDestroy(second));
    OK(driver->GraphDestroy(first));
    OK(driver->StreamDestroy_v2(stream));
}

/* Pageable memory is the program's again when the launch returns, as with a copy of its own. */
static void launch_returns_after_a_copy_to_pageable_memory_within(void **state)
{
    static unsigned char back[BYTES];
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = back,
                          .WidthInBytes = BYTES,
                          .Height = 1,
                          .Depth = 1};
    CUstream stream = world_stream();
    CUdeviceptr memory;
    CUcontext context;
    CUgraphNode node;
    CUgraphExec exec;
    CUgraph inner;

    (void)state;
    OK(driver->CtxGetCurrent(&context));
    OK(driver->MemAlloc_v2(&memory, BYTES));
    OK(driver->MemsetD8_v2(memory, 7, BYTES));
    copy.srcDevice = memory;
    OK(driver->GraphCreate(&inner, 0));
    OK(driver->GraphAddMemcpyNode(&node, inner, NULL, 0, &copy, context));
    OK(driver->GraphAddChildGraphNode(&node, graph, NULL, 0, inner));
    OK(driver->GraphDestroy(inner));
    exec = graph_instantiate();
    world_spin(stream, 50000000);
    OK(driver->GraphLaunch(exec, stream));
    for (unsigned i = 0; i < BYTES; i++)
        assert_int_equal(back[i], 7);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->MemFree_v2(memory));
    OK(driver->StreamDestroy_v2(stream));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, graph_auto, graph_end)
    const struct CMUnitTest tests[] = {
        TEST(kernel_node_of_the_first_abi_is_one_of_the_second),
        TEST(copy_is_told_as_it_was_set_wherever_it_leads),
        TEST(graph_within_an_executable_graph_is_changed),
        TEST(launch_returns_after_a_copy_to_pageable_memory_within),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
