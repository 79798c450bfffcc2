/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that are newer than CUDA 13.0. No driver with them was measured: they behave as
 * documented, and like similar functions of 13.0.
 */

#include "loader/symbols.h"
#include "loader/versions.h"
#include "tests/mock/graph_fixture.h"
#include "tests/support/calls.h"
#include "tests/support/folder.h"
#include "tests/support/symbols.h"

enum { BYTES = 64 };

static const char *const functions[] = {
    "cuGraphNodeGetContainingGraph",
    "cuGraphNodeGetLocalId",
    "cuGraphNodeGetToolsId",
    "cuGraphGetId",
    "cuGraphExecGetId",
    "cuLaunchHostFunc_v2",
    "cuLaunchHostFunc_v2_ptsz",
    "cuFuncGetParamCount",
    "cuKernelGetParamCount",
    "cuMemcpyWithAttributesAsync",
    "cuMemcpyWithAttributesAsync_ptsz",
    "cuMemcpy3DWithAttributesAsync",
    "cuMemcpy3DWithAttributesAsync_ptsz",
    "cuGraphNodeGetParams",
    "cuGraphAddNode_v3",
    "cuGraphNodeSetParams_v2",
    "cuDeviceGetCliqueCount",
    "cuDeviceGetCliqueInfo",
    "cuStreamGetDevResource",
    "cuStreamGetDevResource_ptsz",
};

static const char image[] = ".version 6.0\n"
                            ".target sm_50\n"
                            ".address_size 64\n"
                            ".visible .entry cushim_nothing()\n{\n    ret;\n}\n"
                            ".visible .entry cushim_spin(.param .u64 ns)\n{\n    ret;\n}\n"
                            ".visible .entry three(.param .u8 a, .param .u64 b, .param .u8 c)\n"
                            "{\n    ret;\n}\n";

static const struct {
    const char *name;
    size_t parameters;
} kernels[] = {{"cushim_nothing", 0}, {"cushim_spin", 1}, {"three", 3}};

static int begin(void **state)
{
    return graph_begin("driver_version = 13.5\nmode = manual");
}

#define TEST(name) TEST_BETWEEN(name, begin, graph_end)

TEST_ALONE(functions_exist_from_their_version_on_and_refuse_zeros)
{
    static const struct {
        const char *settings;
        int number;
    } versions[] = {{"driver_version = 13.0", 13000},
                    {"driver_version = 13.1", 13010},
                    {"driver_version = 13.2", 13020},
                    {"driver_version = 13.3", 13030},
                    {"driver_version = 13.4", 13040},
                    {"driver_version = " CUSHIM__NEWEST_VERSION_TEXT, CUSHIM__NEWEST_VERSION}};

    for (size_t v = 0; v < COUNT(versions); v++) {
        int version = 0;

        fixture_begin(versions[v].settings);
        OK(driver->DriverGetVersion(&version));
        assert_int_equal(version, versions[v].number);
        for (size_t i = 0; i < COUNT(functions); i++) {
            const size_t slot = symbol_number(functions[i]);
            const bool there = cushim__symbol_since(slot) <= versions[v].number;
            const CUresult code = cushim_calls[slot](driver, NULL);

            if (code != (there ? CUDA_ERROR_INVALID_VALUE : CUSHIM__REQUIRES_NEWER_DRIVER) ||
                !cushim_mock_symbol(functions[i], fixture_mock) == there)
                fail_msg("%s returns %d on %d", functions[i], (int)code, versions[v].number);
        }
        fixture_end();
    }
}

TEST(graphs_and_nodes_have_ids)
{
    unsigned ids[4], locals[2];
    unsigned long long tools[2];
    CUgraphNode first = graph_add_host(NULL, 0, 1), second = graph_add_host(&first, 1, 2), child;
    CUgraph clone, inside = NULL, found = NULL;
    CUgraphExec exec;

    OK(driver->GraphClone(&clone, graph));
    OK(driver->GraphAddChildGraphNode(&child, graph, NULL, 0, clone));
    OK(driver->GraphChildGraphNodeGetGraph(child, &inside));
    exec = graph_instantiate();
    OK(driver->GraphGetId(graph, &ids[0]));
    OK(driver->GraphGetId(clone, &ids[1]));
    OK(driver->GraphGetId(inside, &ids[2]));
    OK(driver->GraphExecGetId(exec, &ids[3]));
    for (size_t i = 1; i < COUNT(ids); i++) {
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(ids[i], ids[j]);
    }
    OK(driver->GraphNodeGetLocalId(first, &locals[0]));
    OK(driver->GraphNodeGetLocalId(second, &locals[1]));
    assert_int_equal(locals[0], 0);
    assert_int_equal(locals[1], 1);
    OK(driver->GraphNodeGetToolsId(first, &tools[0]));
    OK(driver->GraphNodeGetToolsId(second, &tools[1]));
    assert_true(tools[0] != tools[1]);
    OK(driver->GraphNodeGetContainingGraph(second, &found));
    assert_ptr_equal(found, graph);

    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphDestroy(clone));
}

TEST(node_of_child_graph_is_contained_in_it)
{
    CUgraphNode child, node;
    CUgraph other, inside = NULL, found = NULL;
    size_t count = 1;
    unsigned local = 7;

    OK(driver->GraphCreate(&other, 0));
    OK(driver->GraphAddEmptyNode(&node, other, NULL, 0));
    graph_add_host(NULL, 0, 1);
    OK(driver->GraphAddChildGraphNode(&child, graph, NULL, 0, other));
    OK(driver->GraphChildGraphNodeGetGraph(child, &inside));
    OK(driver->GraphGetNodes(inside, &node, &count));
    OK(driver->GraphNodeGetContainingGraph(node, &found));
    assert_ptr_equal(found, inside);
    OK(driver->GraphNodeGetLocalId(node, &local));
    assert_int_equal(local, 0);
    OK(driver->GraphDestroy(other));
}

/* An id is never reused, and the text of a graph identifies nodes by their ids. */
TEST(text_of_graph_names_nodes_by_ids)
{
    char text[400] = "", name[64];
    unsigned char *bytes;
    unsigned id, local;
    size_t length;
    CUgraphNode gone = graph_add_host(NULL, 0, 1), node;

    OK(driver->GraphDestroyNode(gone));
    node = graph_add_host(NULL, 0, 2);
    OK(driver->GraphGetId(graph, &id));
    OK(driver->GraphNodeGetLocalId(node, &local));
    assert_int_equal(local, 1);
    OK(driver->GraphDebugDotPrint(graph, folder_path("graph"), 0));
    bytes = folder_read(folder_path("graph"), &length);
    assert_in_range(length, 1, sizeof text - 1);
    memcpy(text, bytes, length);
    free(bytes);
    snprintf(name, sizeof name, "\"graph_%u_node_%u\" [label=\"HOST\"]", id, local);
    CONTAINS(text, name);
}

static CUgraphNodeParams parameters_of(CUgraphNodeType type)
{
    CUgraphNodeParams parameters;

    memset(&parameters, 0, sizeof parameters);
    parameters.type = type;
    return parameters;
}

/* Add the node with cuGraphAddNode, and compare the parameters that are read from it. */
static void check_read(CUgraphNodeParams *parameters)
{
    CUgraphNodeParams read;
    CUgraphNode node;

    memset(&read, 0x55, sizeof read);
    OK(driver->GraphAddNode_v3(&node, graph, NULL, NULL, 0, parameters));
    OK(driver->GraphNodeGetParams(node, &read));
    assert_memory_equal(&read, parameters, sizeof read);
    CODE(parameters->type >= CU_GRAPH_NODE_TYPE_MEM_ALLOC ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS,
         driver->GraphNodeSetParams_v2(node, &read));
}

TEST(parameters_of_any_node_are_read_as_they_were_given)
{
    CUgraphNodeParams set = parameters_of(CU_GRAPH_NODE_TYPE_MEMSET),
                      copy = parameters_of(CU_GRAPH_NODE_TYPE_MEMCPY),
                      host = parameters_of(CU_GRAPH_NODE_TYPE_HOST),
                      wait = parameters_of(CU_GRAPH_NODE_TYPE_WAIT_EVENT),
                      record = parameters_of(CU_GRAPH_NODE_TYPE_EVENT_RECORD),
                      empty = parameters_of(CU_GRAPH_NODE_TYPE_EMPTY),
                      allocation = parameters_of(CU_GRAPH_NODE_TYPE_MEM_ALLOC),
                      freed = parameters_of(CU_GRAPH_NODE_TYPE_MEM_FREE),
                      loop = parameters_of(CU_GRAPH_NODE_TYPE_CONDITIONAL);
    CUevent event = fixture_event();
    CUcontext context;
    CUdeviceptr memory;

    OK(driver->CtxGetCurrent(&context));
    OK(driver->MemAlloc_v2(&memory, 2 * BYTES));
    set.memset.dst = memory;
    set.memset.value = 7;
    set.memset.elementSize = 2;
    set.memset.width = 8;
    set.memset.height = 1;
    set.memset.ctx = context;
    copy.memcpy.copyCtx = context;
    copy.memcpy.copyParams.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.memcpy.copyParams.srcDevice = memory;
    copy.memcpy.copyParams.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.memcpy.copyParams.dstDevice = memory + BYTES;
    copy.memcpy.copyParams.WidthInBytes = BYTES;
    copy.memcpy.copyParams.Height = copy.memcpy.copyParams.Depth = 1;
    host.host.fn = graph_note;
    host.host.userData = &host;
    wait.eventWait.event = record.eventRecord.event = event;
    check_read(&set);
    check_read(&copy);
    check_read(&host);
    check_read(&wait);
    check_read(&record);
    check_read(&empty);
    allocation.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    allocation.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    allocation.alloc.bytesize = BYTES;
    check_read(&allocation);
    freed.free.dptr = allocation.alloc.dptr;
    check_read(&freed);
    OK(driver->GraphConditionalHandleCreate(&loop.conditional.handle, graph, context, 0, 0));
    loop.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
    loop.conditional.size = 1;
    loop.conditional.ctx = context;
    check_read(&loop);
}

TEST(parameters_of_child_graph_name_the_nodes_own)
{
    CUgraphNodeParams parameters = parameters_of(CU_GRAPH_NODE_TYPE_GRAPH), read;
    CUgraph other, inside = NULL;
    CUgraphNode node;

    OK(driver->GraphCreate(&other, 0));
    parameters.graph.graph = other;
    OK(driver->GraphAddNode_v3(&node, graph, NULL, NULL, 0, &parameters));
    OK(driver->GraphNodeGetParams(node, &read));
    OK(driver->GraphChildGraphNodeGetGraph(node, &inside));
    assert_int_equal(read.type, CU_GRAPH_NODE_TYPE_GRAPH);
    assert_ptr_equal(read.graph.graph, inside);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphNodeGetParams(node, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->GraphNodeGetParams(NULL, &read));
    OK(driver->GraphDestroy(other));
}

/* The differences between these calls and those of CUDA 12. */
TEST(kernel_of_another_context_is_refused)
{
    CUgraphNodeParams parameters = parameters_of(CU_GRAPH_NODE_TYPE_KERNEL), read;
    CUcontext context, other;
    CUgraphNode node = NULL;
    CUmodule module;
    uint64_t ns = 5;
    void *values[] = {&ns};

    OK(driver->CtxGetCurrent(&context));
    OK(driver->ModuleLoadData(&module, image));
    OK(driver->ModuleGetFunction(&parameters.kernel.func, module, "cushim_spin"));
    parameters.kernel.gridDimX = parameters.kernel.gridDimY = parameters.kernel.gridDimZ = 1;
    parameters.kernel.blockDimX = 32;
    parameters.kernel.blockDimY = parameters.kernel.blockDimZ = 1;
    parameters.kernel.kernelParams = values;
    OK(driver->CtxCreate_v2(&other, 0, 0));
    OK(driver->CtxSetCurrent(context));

    parameters.kernel.ctx = other;
    OK(driver->GraphAddNode_v2(&node, graph, NULL, NULL, 0, &parameters));
    CODE(CUDA_ERROR_INVALID_CONTEXT,
         driver->GraphAddNode_v3(&node, graph, NULL, NULL, 0, &parameters));
    CODE(CUDA_ERROR_INVALID_CONTEXT, driver->GraphNodeSetParams_v2(node, &parameters));
    OK(driver->GraphNodeSetParams(node, &parameters));
    parameters.kernel.ctx = context;
    OK(driver->GraphNodeSetParams_v2(node, &parameters));
    OK(driver->GraphNodeGetParams(node, &read));
    assert_true(read.kernel.func == parameters.kernel.func && read.kernel.blockDimX == 32 &&
                read.kernel.ctx == context && *(uint64_t *)read.kernel.kernelParams[0] == 5);
    parameters.kernel.ctx = NULL;
    OK(driver->GraphAddNode_v3(&node, graph, NULL, NULL, 0, &parameters));

    OK(driver->CtxDestroy_v2(other));
}

TEST(functions_and_kernels_report_how_many_parameters_they_have)
{
    CUlibrary library;
    CUmodule module;

    OK(driver->ModuleLoadData(&module, image));
    OK(driver->LibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    for (size_t i = 0; i < COUNT(kernels); i++) {
        size_t counts[2] = {77, 77};
        CUfunction function;
        CUkernel kernel;

        OK(driver->ModuleGetFunction(&function, module, kernels[i].name));
        OK(driver->LibraryGetKernel(&kernel, library, kernels[i].name));
        OK(driver->FuncGetParamCount(function, &counts[0]));
        OK(driver->KernelGetParamCount(kernel, &counts[1]));
        assert_int_equal(counts[0], kernels[i].parameters);
        assert_int_equal(counts[1], kernels[i].parameters);
        CODE(CUDA_ERROR_INVALID_VALUE, driver->FuncGetParamCount(function, NULL));
        CODE(CUDA_ERROR_INVALID_VALUE, driver->KernelGetParamCount(kernel, NULL));
    }
    OK(driver->LibraryUnload(library));
}

TEST(host_function_waits_in_either_mode)
{
    CUstream stream = fixture_stream();

    for (unsigned mode = 0; mode < 2; mode++)
        OK(driver->LaunchHostFunc_v2(stream, graph_note, (void *)(uintptr_t)mode, mode));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->LaunchHostFunc_v2(stream, graph_note, NULL, 2));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->LaunchHostFunc_v2(stream, NULL, NULL, 0));
    assert_int_equal(graph_ran_count, 0);
    OK(cushim_mock_drain(fixture_mock));
    assert_int_equal(graph_ran_count, 2);
    assert_int_equal(graph_ran[1], 1);
}

/* CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, _DURING_API_CALL and _ANY. */
static const struct {
    unsigned order;
    char read; /* the value that the copy reads if the source changes after the call */
} orders[] = {{1, 'b'}, {2, 'a'}, {3, 'b'}};

static void check_order(size_t i, CUdeviceptr memory, CUdeviceptr address, char *source)
{
    CUmemcpyAttributes attributes = {.srcAccessOrder = orders[i].order, .flags = i % 2};
    CUstream stream = fixture_stream();
    char read[BYTES] = "";

    memset(source, 'a', BYTES);
    OK(driver->MemcpyWithAttributesAsync(memory, address, BYTES, &attributes, stream));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    memset(source, 'b', BYTES);
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->MemcpyDtoH_v2(read, memory, BYTES));
    assert_int_equal(read[BYTES - 1], orders[i].read);
}

TEST(copy_reads_its_source_in_the_order_of_its_attributes)
{
    CUdeviceptr memory, device;
    void *pinned;

    OK(driver->MemAlloc_v2(&memory, BYTES));
    OK(driver->MemAlloc_v2(&device, BYTES));
    OK(driver->MemAllocHost_v2(&pinned, BYTES));
    for (size_t i = 0; i < COUNT(orders); i++) {
        check_order(i, memory, (uintptr_t)pinned, pinned);
        check_order(i, memory, device, cushim_mock_memory(fixture_mock, device, BYTES));
    }
}

TEST(copy_with_wrong_attributes_is_refused)
{
    static const CUmemcpyAttributes wrong[] = {
        {.srcAccessOrder = 0}, {.srcAccessOrder = 4}, {.srcAccessOrder = 1, .flags = 2}};
    CUmemcpyAttributes attributes = {.srcAccessOrder = 1};
    CUstream stream = fixture_stream();
    CUdeviceptr memory;

    OK(driver->MemAlloc_v2(&memory, 2 * BYTES));
#define COPY(attributes, stream) \
    driver->MemcpyWithAttributesAsync(memory, memory + BYTES, BYTES, attributes, stream)
    for (size_t i = 0; i < COUNT(wrong); i++) {
        CUmemcpyAttributes one = wrong[i];

        CODE(CUDA_ERROR_INVALID_VALUE, COPY(&one, stream));
    }
    CODE(CUDA_ERROR_INVALID_VALUE, COPY(NULL, stream));
    CODE(CUDA_ERROR_INVALID_VALUE, COPY(&attributes, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, COPY(&attributes, CU_STREAM_LEGACY));
    OK(COPY(&attributes, CU_STREAM_PER_THREAD));
    OK(driver->MemcpyWithAttributesAsync_ptsz(memory, memory + BYTES, BYTES, &attributes, NULL));
    capture_begin(stream);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, COPY(&attributes, stream));
    assert_int_equal(capture_status(stream), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(driver->GraphDestroy(capture_end(stream)));
#undef COPY
}

TEST(devices_are_in_no_clique)
{
    uint64_t clique[8] = {0};
    size_t counts[2] = {7, COUNT(clique)};

    OK(driver->DeviceGetCliqueCount(&counts[0], 0));
    OK(driver->DeviceGetCliqueInfo((void *)clique, &counts[1], 0));
    assert_int_equal(counts[0], 0);
    assert_int_equal(counts[1], 0);
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceGetCliqueCount(&counts[0], 1));
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->DeviceGetCliqueInfo((void *)clique, &counts[1], 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetCliqueCount(NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetCliqueInfo((void *)clique, NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetCliqueInfo(NULL, &counts[1], 0));
}

int main(void)
{
    return run_all_tests(folder_create, folder_remove);
}
