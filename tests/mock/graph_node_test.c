/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes that cuGraphAddNode adds have the same effect as those of the functions for one type; and
 * what the mock refuses. tests/conformance tests statements 132, 137 and 185.
 */
#include <string.h>

#include "tests/mock/graph_fixture.h"
#include "tests/support/ptx.h"

enum { BYTES = 64 };

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

static void one_call_adds_any_kind_of_node(void **state)
{
    CUgraphNodeParams parameters;
    CUgraphNode nodes[3];
    CUgraphNodeType type;

    (void)state;
    memset(&parameters, 0, sizeof parameters);
    parameters.type = CU_GRAPH_NODE_TYPE_HOST;
    parameters.host.fn = do_nothing;
    OK(driver->GraphAddNode(&nodes[0], graph, NULL, 0, &parameters));
    OK(driver->GraphNodeGetType(nodes[0], &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_HOST);
    OK(driver->GraphNodeSetParams(nodes[0], &parameters));
    memset(&parameters, 0, sizeof parameters);
    parameters.type = CU_GRAPH_NODE_TYPE_EMPTY;
    OK(driver->GraphAddNode_v2(&nodes[1], graph, nodes, NULL, 1, &parameters));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphNodeSetParams(nodes[0], &parameters));
    parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->GraphAddNode(&nodes[2], graph, NULL, 0, &parameters));
}

static const char image[] = PTX_HEAD PTX_SPIN;

static CUdeviceptr any_memory[2];
static CUmodule any_module;
static CUfunction spin;
static uint64_t ns = 5000000;
static void *arguments[] = {&ns};

static int begin(void **state)
{
    (void)state;
    graph_begin("mode = auto");
    OK(driver->MemAlloc_v2(&any_memory[0], BYTES));
    OK(driver->MemAlloc_v2(&any_memory[1], BYTES));
    OK(driver->MemsetD8_v2(any_memory[0], 0, BYTES));
    OK(driver->MemsetD8_v2(any_memory[1], 0, BYTES));
    OK(driver->ModuleLoadData(&any_module, image));
    OK(driver->ModuleGetFunction(&spin, any_module, "cushim_spin"));
    return 0;
}

static int end(void **state)
{
    OK(driver->ModuleUnload(any_module));
    OK(driver->MemFree_v2(any_memory[0]));
    OK(driver->MemFree_v2(any_memory[1]));
    return graph_end(state);
}

static CUgraphNodeParams of_kind(CUgraphNodeType type)
{
    CUgraphNodeParams parameters;

    memset(&parameters, 0, sizeof parameters);
    parameters.type = type;
    return parameters;
}

static CUgraphNodeParams of_memset(unsigned value)
{
    CUgraphNodeParams parameters = of_kind(CU_GRAPH_NODE_TYPE_MEMSET);

    parameters.memset.dst = any_memory[0];
    parameters.memset.value = value;
    parameters.memset.elementSize = 1;
    parameters.memset.width = BYTES;
    parameters.memset.height = 1;
    return parameters;
}

static CUgraphNodeParams of_memcpy(void)
{
    CUgraphNodeParams parameters = of_kind(CU_GRAPH_NODE_TYPE_MEMCPY);

    parameters.memcpy.copyParams = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                                   .srcDevice = any_memory[0],
                                                   .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                                   .dstDevice = any_memory[1],
                                                   .WidthInBytes = BYTES,
                                                   .Height = 1,
                                                   .Depth = 1};
    return parameters;
}

static CUgraphNodeParams of_kernel(void)
{
    CUgraphNodeParams parameters = of_kind(CU_GRAPH_NODE_TYPE_KERNEL);

    parameters.kernel.func = spin;
    parameters.kernel.gridDimX = parameters.kernel.gridDimY = parameters.kernel.gridDimZ = 1;
    parameters.kernel.blockDimX = parameters.kernel.blockDimY = parameters.kernel.blockDimZ = 1;
    parameters.kernel.kernelParams = arguments;
    return parameters;
}

/* Launch it and wait; returns the virtual time that it took. */
static uint64_t run(CUgraphExec exec)
{
    const uint64_t before = fixture_state().now_ns;
    CUstream stream = fixture_stream();

    graph_run(exec, stream);
    OK(driver->StreamDestroy_v2(stream));
    return fixture_state().now_ns - before;
}

static unsigned last_byte(CUdeviceptr of)
{
    unsigned char bytes[BYTES];

    OK(driver->MemcpyDtoH_v2(bytes, of, BYTES));
    return bytes[BYTES - 1];
}

static void each_kind_does_its_work(void **state)
{
    CUgraphNodeParams set = of_memset(7), copy = of_memcpy(), kernel = of_kernel();
    CUgraphNode nodes[3];
    CUgraphExec exec;

    (void)state;
    OK(driver->GraphAddNode(&nodes[0], graph, NULL, 0, &set));
    OK(driver->GraphAddNode(&nodes[1], graph, &nodes[0], 1, &copy));
    OK(driver->GraphAddNode(&nodes[2], graph, &nodes[1], 1, &kernel));
    exec = graph_instantiate();
    assert_true(run(exec) >= ns);
    assert_int_equal(last_byte(any_memory[1]), 7);
    OK(driver->GraphExecDestroy(exec));
}

static void a_child_is_a_copy_and_is_updated_by_another(void **state)
{
    CUgraphNodeParams child = of_kind(CU_GRAPH_NODE_TYPE_GRAPH), set = of_memset(7);
    CUgraphNode node, inner, other_inner;
    CUgraph small, other;
    CUgraphExec exec;

    (void)state;
    OK(driver->GraphCreate(&small, 0));
    OK(driver->GraphAddNode(&inner, small, NULL, 0, &set));
    child.graph.graph = small;
    OK(driver->GraphAddNode(&node, graph, NULL, 0, &child));
    OK(driver->GraphDestroy(small));
    exec = graph_instantiate();
    run(exec);
    assert_int_equal(last_byte(any_memory[0]), 7);

    OK(driver->GraphCreate(&other, 0));
    child.graph.graph = other;
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, driver->GraphExecNodeSetParams(exec, node, &child));
    set = of_memset(8);
    OK(driver->GraphAddNode(&other_inner, other, NULL, 0, &set));
    OK(driver->GraphExecNodeSetParams(exec, node, &child));
    run(exec);
    assert_int_equal(last_byte(any_memory[0]), 8);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphDestroy(other));
}

static void what_is_reserved_has_to_be_zero(void **state)
{
    static const CUgraphNodeType kinds[] = {
        CU_GRAPH_NODE_TYPE_KERNEL,     CU_GRAPH_NODE_TYPE_MEMCPY,      CU_GRAPH_NODE_TYPE_MEMSET,
        CU_GRAPH_NODE_TYPE_HOST,       CU_GRAPH_NODE_TYPE_GRAPH,       CU_GRAPH_NODE_TYPE_EMPTY,
        CU_GRAPH_NODE_TYPE_WAIT_EVENT, CU_GRAPH_NODE_TYPE_EVENT_RECORD};
    size_t count = 7;
    CUgraphNode node;

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        CUgraphNodeParams parameters = kinds[i] == CU_GRAPH_NODE_TYPE_KERNEL   ? of_kernel()
                                       : kinds[i] == CU_GRAPH_NODE_TYPE_MEMCPY ? of_memcpy()
                                       : kinds[i] == CU_GRAPH_NODE_TYPE_MEMSET ? of_memset(7)
                                                                               : of_kind(kinds[i]);

        ((char *)(&parameters + 1))[-1] = 1;
        CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddNode(&node, graph, NULL, 0, &parameters));
        ((char *)(&parameters + 1))[-1] = 0;
        parameters.reserved0[0] = 1;
        CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddNode(&node, graph, NULL, 0, &parameters));
    }
    OK(driver->GraphGetNodes(graph, NULL, &count));
    assert_int_equal(count, 0);
}

static void kinds_for_memory_are_refused(void **state)
{
    CUgraphNodeParams release = of_kind(CU_GRAPH_NODE_TYPE_MEM_FREE), copy = of_memcpy();
    CUgraphNode node;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddNode(&node, graph, NULL, 0, &release));
    release.free.dptr = 512; /* a choice of the mock: no graph has allocated memory yet */
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->GraphAddNode(&node, graph, NULL, 0, &release));
    copy.memcpy.flags = 1;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddNode(&node, graph, NULL, 0, &copy));
}

static void kernels_are_read_and_set_by_the_first_abi(void **state)
{
    struct CUDA_KERNEL_NODE_PARAMS_st read, set = {.func = spin,
                                                   .gridDimX = 2,
                                                   .gridDimY = 3,
                                                   .gridDimZ = 4,
                                                   .blockDimX = 5,
                                                   .blockDimY = 6,
                                                   .blockDimZ = 7,
                                                   .sharedMemBytes = 8,
                                                   .kernelParams = arguments};
    CUgraphExec exec;
    CUgraphNode node;
    uint64_t longer = 4 * ns;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddKernelNode(&node, graph, NULL, 0, NULL));
    OK(driver->GraphAddKernelNode(&node, graph, NULL, 0, &set));
    set.gridDimX = 1;
    OK(driver->GraphKernelNodeSetParams(node, &set));
    OK(driver->GraphKernelNodeGetParams(node, &read));
    assert_ptr_equal(read.func, spin);
    assert_true(read.gridDimX == 1 && read.gridDimY == 3 && read.gridDimZ == 4);
    assert_true(read.blockDimX == 5 && read.blockDimY == 6 && read.blockDimZ == 7);
    assert_int_equal(read.sharedMemBytes, 8);
    assert_int_equal(*(const uint64_t *)read.kernelParams[0], ns);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphKernelNodeGetParams(node, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphKernelNodeSetParams(node, NULL));

    exec = graph_instantiate();
    set.kernelParams = (void *[]){&longer};
    OK(driver->GraphExecKernelNodeSetParams(exec, node, &set));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphExecKernelNodeSetParams(exec, node, NULL));
    assert_true(run(exec) >= longer);
    OK(driver->GraphExecDestroy(exec));
}

/* When the launch returns, the program may reuse pageable memory, as after an ordinary copy. */
static void launch_returns_after_a_copy_to_pageable_memory_within(void **state)
{
    static unsigned char back[BYTES];
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = back,
                          .WidthInBytes = BYTES,
                          .Height = 1,
                          .Depth = 1};
    CUstream stream = fixture_stream();
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
    fixture_spin(stream, 50000000);
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
#define TEST_IN(name, begin, end) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(one_call_adds_any_kind_of_node),
        TEST_IN(each_kind_does_its_work, begin, end),
        TEST_IN(a_child_is_a_copy_and_is_updated_by_another, begin, end),
        TEST_IN(what_is_reserved_has_to_be_zero, begin, end),
        TEST_IN(kinds_for_memory_are_refused, begin, end),
        TEST_IN(kernels_are_read_and_set_by_the_first_abi, begin, end),
        TEST(launch_returns_after_a_copy_to_pageable_memory_within),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
