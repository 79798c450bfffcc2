/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of graphs: their effects, and the parameters that programs set and read. */
#include <string.h>

#include "tests/mock/graph_fixture.h"

enum { BYTES = 64 };

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

static void parameters_are_read_as_they_were_given(void **state)
{
    CUgraphNode nodes[4];
    CUDA_HOST_NODE_PARAMS host = {do_nothing, &host}, host_read;
    CUDA_MEMSET_NODE_PARAMS set = {.value = 7, .elementSize = 2, .width = 8, .height = 1}, set_read;
    CUDA_MEMCPY3D copy = {.WidthInBytes = BYTES, .Height = 1, .Depth = 1}, copy_read;
    unsigned char bytes[BYTES];
    CUevent event = fixture_event(), event_read = NULL;
    CUdeviceptr memory;

    (void)state;
    OK(driver->MemAlloc_v2(&memory, BYTES));
    set.dst = memory;
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = bytes;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = memory;
    OK(driver->GraphAddHostNode(&nodes[0], graph, NULL, 0, &host));
    OK(driver->GraphAddMemsetNode(&nodes[1], graph, NULL, 0, &set, NULL));
    OK(driver->GraphAddMemcpyNode(&nodes[2], graph, NULL, 0, &copy, NULL));
    OK(driver->GraphAddEventRecordNode(&nodes[3], graph, NULL, 0, event));

    OK(driver->GraphHostNodeGetParams(nodes[0], &host_read));
    assert_true(host_read.fn == do_nothing && host_read.userData == &host);
    OK(driver->GraphMemsetNodeGetParams(nodes[1], &set_read));
    assert_true(set_read.dst == memory && set_read.value == 7 && set_read.elementSize == 2 &&
                set_read.width == 8 && set_read.height == 1);
    OK(driver->GraphMemcpyNodeGetParams(nodes[2], &copy_read));
    assert_true(copy_read.srcMemoryType == CU_MEMORYTYPE_HOST && copy_read.srcHost == bytes &&
                copy_read.dstMemoryType == CU_MEMORYTYPE_DEVICE && copy_read.dstDevice == memory &&
                copy_read.WidthInBytes == BYTES);
    OK(driver->GraphEventRecordNodeGetEvent(nodes[3], &event_read));
    assert_ptr_equal(event_read, event);

    set.value = 9;
    OK(driver->GraphMemsetNodeSetParams(nodes[1], &set));
    OK(driver->GraphMemsetNodeGetParams(nodes[1], &set_read));
    assert_int_equal(set_read.value, 9);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphMemsetNodeSetParams(nodes[0], &set));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphHostNodeGetParams(nodes[1], &host_read));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphEventWaitNodeGetEvent(nodes[3], &event_read));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphHostNodeGetParams(nodes[0], NULL));
    OK(driver->MemFree_v2(memory));
    OK(driver->EventDestroy_v2(event));
}

static void one_call_adds_any_kind_of_node(void **state)
{
    CUgraphNodeParams parameters;
    CUgraphNode nodes[3];
    CUgraphNodeType type;

    (void)state;
    memset(&parameters, 0, sizeof parameters);
    parameters.type = CU_GRAPH_NODE_TYPE_HOST;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddNode(&nodes[0], graph, NULL, 0, &parameters));
    parameters.host.fn = do_nothing;
    OK(driver->GraphAddNode(&nodes[0], graph, NULL, 0, &parameters));
    OK(driver->GraphNodeGetType(nodes[0], &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_HOST);
    OK(driver->GraphNodeSetParams(nodes[0], &parameters));
    memset(&parameters, 0, sizeof parameters);
    parameters.type = CU_GRAPH_NODE_TYPE_EMPTY;
    OK(driver->GraphAddNode_v2(&nodes[1], graph, nodes, NULL, 1, &parameters));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphNodeSetParams(nodes[0], &parameters));
    parameters.type = (CUgraphNodeType)99;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddNode(&nodes[2], graph, NULL, 0, &parameters));
    parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->GraphAddNode(&nodes[2], graph, NULL, 0, &parameters));
}

/*
 * Nodes that are added by cuGraphAddNode have the same effect as those of the functions for one
 * type.
 */

static const char image[] = ".version 6.0\n"
                            ".target sm_50\n"
                            ".address_size 64\n"
                            ".visible .entry cushim_spin(.param .u64 ns)\n{\n    ret;\n}\n";

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

static void events_are_recorded_and_waited_for(void **state)
{
    CUgraphNodeParams record = of_kind(CU_GRAPH_NODE_TYPE_EVENT_RECORD),
                      wait = of_kind(CU_GRAPH_NODE_TYPE_WAIT_EVENT);
    CUgraphNode nodes[2];
    CUevent event = fixture_event(), read = NULL;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddNode(&nodes[0], graph, NULL, 0, &record));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddNode(&nodes[0], graph, NULL, 0, &wait));
    record.eventRecord.event = wait.eventWait.event = event;
    OK(driver->GraphAddNode(&nodes[0], graph, NULL, 0, &record));
    OK(driver->GraphAddNode(&nodes[1], graph, &nodes[0], 1, &wait));
    OK(driver->GraphEventRecordNodeGetEvent(nodes[0], &read));
    assert_ptr_equal(read, event);
    OK(driver->GraphEventWaitNodeGetEvent(nodes[1], &read));
    assert_ptr_equal(read, event);
    OK(driver->EventDestroy_v2(event));
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
    release.free.dptr = any_memory[0]; /* not allocated by a graph */
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
    CUgraphNodeParams kernel = of_kernel();
    CUgraphExec exec;
    CUgraphNode node;
    uint64_t longer = 4 * ns;

    (void)state;
    OK(driver->GraphAddNode(&node, graph, NULL, 0, &kernel));
    OK(driver->GraphKernelNodeSetParams(node, &set));
    OK(driver->GraphKernelNodeGetParams(node, &read));
    assert_ptr_equal(read.func, spin);
    assert_true(read.gridDimX == 2 && read.gridDimY == 3 && read.gridDimZ == 4);
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

/*
 * Parameters of nodes: those of the first ABI, copies between all kinds of memory, and child
 * graphs.
 */

static const char parameters_image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                       ".visible .entry cushim_nothing() { ret; }\n"
                                       ".visible .global .align 4 .b8 bytes[12];\n";

/* The struct of the first ABI is the beginning of the second one's. */
static void kernel_node_of_the_first_abi_is_one_of_the_second(void **state)
{
    CUDA_KERNEL_NODE_PARAMS reported = {0};
    struct CUDA_KERNEL_NODE_PARAMS_st first = {.gridDimX = 2,
                                               .gridDimY = 1,
                                               .gridDimZ = 1,
                                               .blockDimX = 3,
                                               .blockDimY = 1,
                                               .blockDimZ = 1};
    CUgraphNode node = NULL;
    CUmodule module;

    (void)state;
    OK(driver->ModuleLoadData(&module, parameters_image));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphAddKernelNode(&node, graph, NULL, 0, NULL));
    assert_null(node);
    OK(driver->ModuleGetFunction(&first.func, module, "cushim_nothing"));
    OK(driver->GraphAddKernelNode(&node, graph, NULL, 0, &first));
    OK(driver->GraphKernelNodeGetParams_v2(node, &reported));
    assert_ptr_equal(reported.func, first.func);
    assert_int_equal(reported.gridDimX, 2);
    assert_int_equal(reported.blockDimX, 3);
    OK(driver->GraphDestroyNode(node));
    OK(driver->ModuleUnload(module));
}

static void copy_is_reported_as_it_was_set_wherever_it_leads(void **state)
{
    const CUDA_ARRAY_DESCRIPTOR of = {
        .Width = BYTES, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    static unsigned char host[BYTES], back[BYTES];
    CUDA_MEMCPY3D set[4], reported;
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
            memset(&reported, 0xff, sizeof reported);
            if (other > i)
                OK(driver->GraphMemcpyNodeSetParams(node, &set[other]));
            OK(driver->GraphMemcpyNodeGetParams(node, &reported));
            assert_int_equal(reported.srcMemoryType, set[other].srcMemoryType);
            assert_int_equal(reported.dstMemoryType, set[other].dstMemoryType);
            assert_ptr_equal(reported.srcHost, set[other].srcHost);
            assert_ptr_equal(reported.srcArray, set[other].srcArray);
            assert_int_equal(reported.srcDevice, set[other].srcDevice);
            assert_ptr_equal(reported.dstHost, set[other].dstHost);
            assert_ptr_equal(reported.dstArray, set[other].dstArray);
            assert_int_equal(reported.dstDevice, set[other].dstDevice);
        }
    }
    reported.WidthInBytes = 2 * BYTES;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphMemcpyNodeSetParams(node, &reported));
    OK(driver->ArrayDestroy(array));
    OK(driver->MemFree_v2(memory));
}

/* --- child graphs --- */

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
    CUstream stream = fixture_stream();
    CUgraphNode node;
    CUgraphExec exec;

    (void)state;
    OK(driver->GraphAddChildGraphNode(&node, graph, NULL, 0, first));
    exec = graph_instantiate();
    OK(driver->GraphExecChildGraphNodeSetParams(exec, node, second));
    graph_run(exec, stream);
    assert_true(graph_ran_count == 1 && graph_ran[0] == 2);
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphDestroy(second));
    OK(driver->GraphDestroy(first));
    OK(driver->StreamDestroy_v2(stream));
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
        TEST(parameters_are_read_as_they_were_given),
        TEST(one_call_adds_any_kind_of_node),
        TEST_IN(each_kind_does_its_work, begin, end),
        TEST_IN(events_are_recorded_and_waited_for, begin, end),
        TEST_IN(a_child_is_a_copy_and_is_updated_by_another, begin, end),
        TEST_IN(what_is_reserved_has_to_be_zero, begin, end),
        TEST_IN(kinds_for_memory_are_refused, begin, end),
        TEST_IN(kernels_are_read_and_set_by_the_first_abi, begin, end),
        TEST(kernel_node_of_the_first_abi_is_one_of_the_second),
        TEST(copy_is_reported_as_it_was_set_wherever_it_leads),
        TEST(graph_within_an_executable_graph_is_changed),
        TEST(launch_returns_after_a_copy_to_pageable_memory_within),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
