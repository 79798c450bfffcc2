/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that graphs allocate and free. Statements 236-239. */
#include <string.h>

#include "cases.h"
#include "graph.h"

enum { BYTES = 100, CHUNK = 32 << 20 };
enum { USED, USED_HIGH, RESERVED, RESERVED_HIGH, ATTRIBUTES };
enum { MOVE = 1 };

static CUDA_MEM_ALLOC_NODE_PARAMS params_of(size_t bytes)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params;

    memset(&params, 0, sizeof params);
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.bytesize = bytes;
    return params;
}

/* Add a node that allocates, and one that frees. */
static CUdeviceptr allocate(CUgraph graph, CUgraphNode *node)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params = params_of(BYTES);

    MUST(cu->GraphAddMemAllocNode(node, graph, NULL, 0, &params));
    return params.dptr;
}

static CUresult add_free(CUgraph graph, CUdeviceptr memory)
{
    CUgraphNode node;

    return cu->GraphAddMemFreeNode(&node, graph, NULL, 0, memory);
}

static CUresult add_set(CUgraph graph, const CUgraphNode *after, CUdeviceptr memory, unsigned value,
                        size_t bytes)
{
    const CUDA_MEMSET_NODE_PARAMS set = {
        .dst = memory, .value = value, .elementSize = 1, .width = bytes, .height = 1};
    CUgraphNode node;

    return cu->GraphAddMemsetNode(&node, graph, after, after ? 1 : 0, &set, current_context());
}

MEASURED_CASE(236, node_that_allocates_says_where)
{
    enum { HOST = 2, NUMA = 3 };
    CUmemAccessDesc access[2] = {
        {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}};
    CUDA_MEM_ALLOC_NODE_PARAMS params;
    CUgraph graph;
    CUgraphNode node;
    CUdeviceptr memory = 0;
    CUgraphNodeParams node_params;

    memset(&node_params, 0, sizeof node_params);
    begin_context();
    graph = graph_begin();
    params = params_of(BYTES);
    REFUSED(cu->GraphAddMemAllocNode(NULL, graph, NULL, 0, &params));
    REFUSED(cu->GraphAddMemAllocNode(&node, NULL, NULL, 0, &params));
    REFUSED(cu->GraphAddMemAllocNode(&node, graph, NULL, 0, NULL));
    REFUSED(cu->GraphAddMemAllocNode(&node, graph, NULL, 1, &params));
#define ADD(code, change)               \
    (params = params_of(BYTES), change, \
     CODE(code, cu->GraphAddMemAllocNode(&node, graph, NULL, 0, &params)))
    ADD(CUDA_ERROR_INVALID_VALUE, params.bytesize = 0);
    ADD(CUDA_ERROR_INVALID_VALUE, params.poolProps.allocType = 0);
    ADD(CUDA_ERROR_INVALID_VALUE, params.poolProps.location.type = 0);
    ADD(CUDA_ERROR_INVALID_VALUE, params.poolProps.location.id = 99);
    ADD(CUDA_ERROR_INVALID_VALUE, params.poolProps.location.id = -1);
    ADD(CUDA_ERROR_INVALID_VALUE, memset(&params.poolProps.reserved[10], 1, 1));
    ADD(CUDA_ERROR_NOT_SUPPORTED,
        params.poolProps.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    ADD(CUDA_ERROR_NOT_SUPPORTED, params.poolProps.location.type = (CUmemLocationType)HOST);
    ADD(CUDA_ERROR_NOT_SUPPORTED, params.poolProps.location.type = (CUmemLocationType)NUMA);
    ADD(CUDA_ERROR_OUT_OF_MEMORY, params.bytesize = (size_t)1 << 50);
    EQUAL(0, params.dptr);
    ADD(CUDA_ERROR_INVALID_VALUE, (params.accessDescs = access, params.accessDescCount = 99));
    ADD(CUDA_ERROR_NOT_SUPPORTED, (params.bytesize = 0, params.poolProps.handleTypes = 1));
    ADD(CUDA_ERROR_INVALID_VALUE, params.poolProps.handleTypes = 77);
    access[0].flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    ADD(CUDA_ERROR_NOT_SUPPORTED, (params.accessDescs = access, params.accessDescCount = 1));
    access[0].flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    access[0].location.id = 99;
    ADD(CUDA_ERROR_INVALID_DEVICE, (params.accessDescs = access, params.accessDescCount = 1));
    access[0].location.id = 0;
    ADD(CUDA_SUCCESS, params.poolProps.win32SecurityAttributes = &params);
    ADD(CUDA_SUCCESS, (params.accessDescs = access, params.accessDescCount = 1));
    CHECK(params.dptr != 0);
    node_params.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphNodeSetParams(node, &node_params));
    node_params.type = CU_GRAPH_NODE_TYPE_EMPTY;
    REFUSED(cu->GraphNodeSetParams(node, &node_params));
    memory = params.dptr;
    memset(&params, 0x55, sizeof params);
    OK(cu->GraphMemAllocNodeGetParams(node, &params));
    EQUAL(BYTES, params.bytesize);
    CHECK(params.dptr == memory);
    EQUAL(CU_MEM_LOCATION_TYPE_DEVICE, params.poolProps.location.type);
    REFUSED(cu->GraphMemFreeNodeGetParams(node, &memory));
    MUST(cu->GraphAddMemFreeNode(&node, graph, &node, 1, params.dptr));
    OK(cu->GraphMemFreeNodeGetParams(node, &memory));
    CHECK(params.dptr == memory);
    REFUSED(cu->GraphMemAllocNodeGetParams(node, &params));
}

MEASURED_CASE(236, node_frees_what_a_graph_allocates)
{
    CUgraph graph = graph_begin(), other = graph_begin(), third = graph_begin();
    CUgraphNode node;
    CUdeviceptr memory = allocate(graph, &node), outside;
    CUstream stream = begin_stream();

    REFUSED(cu->GraphAddMemFreeNode(NULL, graph, &node, 1, memory));
    REFUSED(add_free(NULL, memory));
    REFUSED(add_free(graph, 0));
    REFUSED(add_free(graph, 12345));
    REFUSED(add_free(graph, memory + 1));
    REFUSED(add_free(graph, graph_memory(BYTES)));
    MUST(cu->MemAllocAsync(&outside, BYTES, stream));
    REFUSED(add_free(graph, outside));
    OK(add_free(graph, memory));
    REFUSED(add_free(graph, memory));
    REFUSED(add_free(other, memory));
    graph = graph_begin();
    memory = allocate(graph, &node);
    OK(add_free(other, memory));
    REFUSED(add_free(other, memory));
    OK(add_free(third, memory));
    REFUSED(add_free(graph, memory));
    MUST(cu->GraphDestroy(other));
    REFUSED(add_free(graph, memory));
    MUST(cu->GraphDestroy(graph));
    OK(add_free(graph_begin(), memory)); /* `third` still has a node that frees it */
    graph = graph_begin();
    memory = allocate(graph, &node);
    MUST(cu->GraphDestroy(graph));
    REFUSED(add_free(graph_begin(), memory));
}

/* Whether calls find memory allocated. */
static bool is_known(CUdeviceptr memory, CUstream stream)
{
    CUdeviceptr start = 0;
    size_t bytes = 0;
    CUmemorytype type;
    const bool known = cu->MemGetAddressRange_v2(&start, &bytes, memory) == CUDA_SUCCESS;

    CHECK(known ? start == memory && bytes == BYTES : start == 0);
    CODE(known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE,
         cu->PointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
    CODE(known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE,
         cu->MemsetD8Async(memory, 1, BYTES, stream));
    return known;
}

MEASURED_CASE(237, launch_allocates_until_it_is_freed)
{
    CUstream stream = begin_stream();
    CUgraph graph = graph_begin();
    CUgraphNode node;
    const CUdeviceptr memory = allocate(graph, &node);
    CUgraphExec exec, other;
    CUcontext context = NULL;

    CHECK(!is_known(memory, stream));
    REFUSED(cu->MemFreeAsync(memory, stream));
    exec = graph_exec(graph);
    CHECK(!is_known(memory, stream));
    REFUSED(cu->MemFree_v2(memory));
    OK(cu->GraphLaunch(exec, stream));
    CHECK(is_known(memory, stream));
    OK(cu->PointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, memory));
    CHECK(!context);
    REFUSED(cu->GraphLaunch(exec, stream));
    REFUSED(cu->MemFreeAsync(memory + 1, stream));
    OK(cu->MemFreeAsync(memory, stream));
    CHECK(!is_known(memory, stream));
    REFUSED(cu->MemFreeAsync(memory, stream));
    OK(cu->GraphLaunch(exec, stream));
    OK(cu->MemFree_v2(memory));
    REFUSED(cu->MemFree_v2(memory));
    OK(cu->GraphLaunch(exec, stream));
    OK(cu->GraphExecDestroy(exec));
    CHECK(is_known(memory, stream));
    other = graph_exec(graph);
    REFUSED(cu->GraphLaunch(other, stream));
    OK(cu->GraphDestroy(graph));
    CHECK(is_known(memory, stream));
    OK(cu->MemFreeAsync(memory, stream));
    OK(cu->GraphLaunch(other, stream));
    OK(cu->GraphExecDestroy(other));
    CHECK(is_known(memory, stream));
    OK(cu->MemFree_v2(memory));
    CHECK(!is_known(memory, stream));
    OK(cu->CtxSynchronize());
}

MEASURED_CASE(237, another_graph_may_free)
{
    CUstream stream = begin_stream();
    CUgraph graph = graph_begin(), other = graph_begin();
    CUgraphNode node;
    const CUdeviceptr memory = allocate(graph, &node);
    CUgraphExec makes, frees;

    MUST(add_free(other, memory));
    makes = graph_exec(graph);
    frees = graph_exec(other);
    REFUSED(cu->GraphLaunch(frees, stream));
    for (unsigned i = 0; i < 2; i++) {
        OK(cu->GraphLaunch(makes, stream));
        REFUSED(cu->GraphLaunch(makes, stream));
        OK(cu->GraphLaunch(frees, stream));
        REFUSED(cu->GraphLaunch(frees, stream));
    }
    OK(cu->GraphLaunch(makes, stream));
    OK(cu->MemFreeAsync(memory, stream));
    REFUSED(cu->GraphLaunch(frees, stream));
    drain(stream);
}

MEASURED_CASE(237, graph_that_frees_what_it_allocates_is_launched_again)
{
    CUstream stream = begin_stream();
    CUdeviceptr memory = 0, none = 1;
    unsigned char bytes[BYTES] = {0};
    CUgraph graph = NULL;
    CUgraphExec exec;

    capture_begin(stream, GLOBAL);
    OK(cu->MemAllocAsync(&none, 0, stream));
    EQUAL(0, none);
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cu->MemAllocAsync(&none, (size_t)1 << 50, stream));
    OK(cu->MemAllocAsync(&memory, BYTES, stream));
    OK(cu->MemsetD8Async(memory, 7, BYTES, stream));
    OK(cu->MemcpyDtoHAsync_v2(bytes, memory, BYTES, stream));
    OK(cu->MemFreeAsync(memory, stream));
    REFUSED(cu->MemFreeAsync(memory, stream));
    OK(cu->MemFreeAsync(0, stream));
    OK(cu->StreamEndCapture(stream, &graph));
    CHECK(!strcmp(graph_shape(graph), "ascf ab bc cd"));
    exec = graph_exec(graph);
    for (unsigned i = 0; i < 2; i++) {
        bytes[BYTES - 1] = 0;
        OK(cu->GraphLaunch(exec, stream));
        drain(stream);
        EQUAL(7, bytes[BYTES - 1]);
        CHECK(!is_known(memory, stream));
        REFUSED(cu->MemFreeAsync(memory, stream));
    }
}

MEASURED_CASE(237, captured_free_is_of_memory_of_graphs)
{
    CUstream stream = begin_stream(), other = begin_stream();
    CUdeviceptr pooled = 0, memory = 0, of_pool = 0;
    const CUmemPoolProps props = params_of(1).poolProps;
    CUmemoryPool pool;
    CUgraph graph = NULL;
    CUgraphNode node;

    MUST(cu->MemPoolCreate(&pool, &props));
    MUST(cu->MemAllocAsync(&pooled, BYTES, stream));
    memory = graph_memory(BYTES);
    capture_begin(stream, RELAXED);
    REFUSED(cu->MemFreeAsync(memory, stream));
    REFUSED(cu->MemFreeAsync(pooled, stream));
    REFUSED(cu->MemAllocAsync(NULL, BYTES, stream));
    REFUSED(cu->MemAllocFromPoolAsync(&memory, BYTES, NULL, stream));
    OK(cu->MemAllocFromPoolAsync(&of_pool, BYTES, pool, stream));
    REFUSED(cu->MemFreeAsync(of_pool, other));
    REFUSED(cu->MemFree_v2(of_pool));
    memory = allocate(graph_begin(), &node);
    OK(cu->MemFreeAsync(memory, stream));
    REFUSED(cu->MemFreeAsync(memory, stream));
    OK(cu->DeviceGraphMemTrim(0));
    OK(cu->StreamEndCapture(stream, &graph));
    CHECK(!strcmp(graph_shape(graph), "af ab"));
    OK(cu->MemPoolDestroy(pool));
}

MEASURED_CASE(238, graph_with_memory_has_no_copy)
{
    CUstream stream = begin_stream();
    CUgraph graph = graph_begin(), parent = graph_begin(), clone = NULL;
    CUgraphNode node, empty, child;
    CUDA_MEM_ALLOC_NODE_PARAMS params;
    CUgraphNodeParams moved = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
    const CUdeviceptr memory = allocate(graph, &node);
    CUgraphExec exec, other;

    MUST(cu->GraphAddEmptyNode(&empty, graph, &node, 1));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphClone(&clone, graph));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphAddChildGraphNode(&child, parent, NULL, 0, graph));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphDestroyNode(empty));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphDestroyNode(node));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphRemoveDependencies(graph, &node, &empty, 1));
    exec = graph_exec(graph);
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphInstantiateWithFlags(&other, graph, 0));
    REFUSED(cu->GraphNodeSetEnabled(exec, node, 0));
    MUST(cu->GraphExecDestroy(exec));
    REFUSED(
        cu->GraphInstantiateWithFlags(&other, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH));
    moved.graph.graph = graph;
    moved.graph.ownership = (int)MOVE;
    OK(cu->GraphAddNode_v2(&child, parent, NULL, NULL, 0, &moved));
    params = params_of(BYTES);
    OK(cu->GraphAddEmptyNode(&node, graph, NULL, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphAddMemAllocNode(&node, graph, NULL, 0, &params));
    OK(cu->GraphAddMemFreeNode(&node, parent, &child, 1, memory));
    exec = graph_exec(parent);
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphInstantiateWithFlags(&other, parent, 0));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphClone(&clone, parent));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphDestroyNode(child));
    OK(cu->GraphLaunch(exec, stream));
    OK(cu->GraphLaunch(exec, stream));
    drain(stream);
}

MEASURED_CASE(238, update_takes_the_memory_of_another_graph)
{
    CUstream stream = begin_stream();

    for (unsigned kind = 0; kind < 3; kind++) { /* alone, freed, set */
        CUdeviceptr memory[2];
        CUgraphNode node, last;
        CUgraph graph[2];
        CUgraphExec exec, other;
        CUgraphExecUpdateResultInfo info;

        for (unsigned i = 0; i < 2; i++) {
            graph[i] = graph_begin();
            memory[i] = allocate(graph[i], &node);
            if (kind == 1)
                MUST(cu->GraphAddMemFreeNode(&last, graph[i], &node, 1, memory[i]));
            if (kind == 2)
                MUST(add_set(graph[i], &node, memory[i], 1, BYTES));
        }
        exec = graph_exec(graph[0]);
        OK(cu->GraphExecUpdate_v2(exec, graph[1], &info));
        OK(cu->GraphLaunch(exec, stream));
        drain(stream);
        CHECK(!is_known(memory[0], stream));
        CHECK(is_known(memory[1], stream) == (kind != 1));
        if (kind > 0)
            continue;
        CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphInstantiateWithFlags(&other, graph[1], 0));
        OK(cu->GraphExecUpdate_v2(exec, graph[0], &info));
    }
}

MEASURED_CASE(238, nodes_use_memory_before_it_is_allocated)
{
    CUstream stream = begin_stream();
    CUgraph graph = graph_begin();
    CUgraphNode node;
    const CUdeviceptr memory = allocate(graph, &node);

    REFUSED(add_set(graph, &node, memory, 1, BYTES + 1));
    OK(add_set(graph, NULL, memory, 1, BYTES));
    OK(add_set(graph_begin(), NULL, memory, 1, BYTES));
    graph = graph_begin();
    OK(add_set(graph, NULL, memory, 1, BYTES));
    OK(cu->GraphLaunch(graph_exec(graph), stream));
    ONE_OF(cu->StreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED);
}

static void reserved(size_t now, size_t most)
{
    const size_t want[ATTRIBUTES] = {now, most, now, most};

    for (int i = 0; i < ATTRIBUTES; i++) {
        cuuint64_t bytes = 1;

        OK(cu->DeviceGetGraphMemAttribute(0, (CUgraphMem_attribute)i, &bytes));
        EQUAL(want[i], bytes);
    }
}

MEASURED_CASE(239, device_reserves_memory_until_it_is_trimmed)
{
    CUstream stream = begin_stream();
    CUgraph graph = graph_begin();
    CUgraphNode node;
    const CUdeviceptr memory = allocate(graph, &node), freed = allocate(graph, &node);
    cuuint64_t bytes = 0;
    CUgraphExec exec;

    REFUSED(cu->DeviceGetGraphMemAttribute(0, (CUgraphMem_attribute)ATTRIBUTES, &bytes));
    REFUSED(cu->DeviceGetGraphMemAttribute(0, (CUgraphMem_attribute)USED, NULL));
    CODE(CUDA_ERROR_INVALID_DEVICE,
         cu->DeviceGetGraphMemAttribute(99, (CUgraphMem_attribute)USED, &bytes));
    CODE(CUDA_ERROR_INVALID_DEVICE, cu->DeviceGraphMemTrim(99));
    MUST(add_free(graph, freed));
    exec = graph_exec(graph);
    reserved(0, 0);
    OK(cu->GraphUpload(exec, stream));
    reserved(CHUNK, CHUNK);
    OK(cu->DeviceGraphMemTrim(0));
    reserved(0, CHUNK);
    for (int i = 0; i < ATTRIBUTES; i++) {
        const bool is_high = i == USED_HIGH || i == RESERVED_HIGH;

        bytes = 1;
        REFUSED(cu->DeviceSetGraphMemAttribute(0, (CUgraphMem_attribute)i, &bytes));
        bytes = 0;
        CODE(is_high ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE,
             cu->DeviceSetGraphMemAttribute(0, (CUgraphMem_attribute)i, &bytes));
    }
    reserved(0, 0);
    make_current(NULL);
    OK(cu->GraphLaunch(exec, stream));
    drain(stream);
    OK(cu->DeviceGraphMemTrim(0));
    reserved(CHUNK, CHUNK);
    OK(cu->MemFreeAsync(memory, stream));
    drain(stream);
    reserved(CHUNK, CHUNK);
    OK(cu->DeviceGraphMemTrim(0));
    reserved(0, CHUNK);
}
