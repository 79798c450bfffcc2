/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Child graphs, the changes that an executable graph accepts, and calls in captures. Statements
 * 144-148, 182-184.
 */
#include <string.h>

#include "cases.h"
#include "graph.h"

/* A mock limits the depth to a number of its own. */
MEASURED_CASE(182, child_graphs_nest_deeply)
{
    const unsigned levels = backend_is_mock() ? 63 : 1000;
    CUgraph top, graph, empty, clone = NULL;
    CUgraphNode node;
    CUgraphExec exec;

    top = graph = graph_begin();
    empty = graph_begin();
    for (unsigned i = 0; i < levels; i++) {
        MUST(cu->GraphAddChildGraphNode(&node, graph, NULL, 0, empty));
        MUST(cu->GraphChildGraphNodeGetGraph(node, &graph));
    }
    OK(cu->GraphClone(&clone, top));
    exec = graph_exec(top);
    OK(cu->GraphLaunch(exec, NULL));
    OK(cu->CtxSynchronize());
    OK(cu->GraphExecDestroy(exec));
    OK(cu->GraphDestroy(clone));
    OK(cu->GraphDestroy(top));
}

/* --- graphs of host nodes: each pair is an edge; {0, 0} ends them --- */

enum { NODES = 4 };

struct shape {
    unsigned nodes, edges[NODES][2];
};

static const struct shape chain = {3, {{0, 1}, {1, 2}}};
static const struct shape fork = {3, {{0, 1}, {0, 2}}};
static const struct shape triangle = {3, {{0, 1}, {1, 2}, {0, 2}}};
static const struct shape pairs = {4, {{0, 1}, {2, 3}}};
static const struct shape crossed = {4, {{0, 3}, {2, 1}}};
static const struct shape both = {4, {{0, 2}, {1, 2}, {0, 3}, {1, 3}}};
static const struct shape turned = {4, {{0, 2}, {1, 2}, {1, 3}, {0, 3}}};
static const struct shape one_less = {2, {{0, 1}}};

static CUgraph make(const struct shape *shape, CUgraphNode *nodes)
{
    CUgraph graph = graph_begin();

    for (unsigned i = 0; i < shape->nodes; i++)
        nodes[i] = graph_add_host(graph, NULL, 0, NULL);
    for (unsigned i = 0; i < NODES && shape->edges[i][0] != shape->edges[i][1]; i++)
        MUST(cu->GraphAddDependencies(graph, &nodes[shape->edges[i][0]], &nodes[shape->edges[i][1]],
                                      1));
    return graph;
}

/* The index of a node; -1: NULL. */
static int place(CUgraphNode node, const CUgraphNode *nodes)
{
    for (int i = 0; node && i < NODES; i++) {
        if (nodes[i] == node)
            return i;
    }
    return node ? NODES : -1;
}

MEASURED_CASE(183, exit_nodes_are_compared_from_the_last)
{
    static const struct {
        const struct shape *one, *other;
        int node, from;
    } rows[] = {
        {&chain, &fork, 1, -1},      {&chain, &triangle, 2, -1},     {&fork, &chain, -1, -1},
        {&fork, &triangle, -1, -1},  {&triangle, &chain, 2, -1},     {&triangle, &fork, 1, -1},
        {&pairs, &both, 3, -1},      {&crossed, &turned, 3, -1},     {&both, &pairs, 3, -1},
        {&both, &turned, 2, 0},      {&turned, &both, 2, 0},         {&turned, &crossed, 3, -1},
        {&chain, &one_less, -1, -1}, {&one_less, &triangle, -1, -1},
    };

    begin_context();
    for (size_t i = 0; i < COUNT(rows); i++) {
        CUgraphNode nodes[NODES] = {NULL}, others[NODES] = {NULL};
        CUgraphExec exec = graph_exec(make(rows[i].one, nodes));
        CUgraphExecUpdateResultInfo info;

        memset(&info, 0x77, sizeof info);
        CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
             cu->GraphExecUpdate_v2(exec, make(rows[i].other, others), &info));
        EQUAL(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, info.result);
        EQUAL(rows[i].node, place(info.errorNode, others));
        EQUAL(rows[i].from, place(info.errorFromNode, others));
    }
}

MEASURED_CASE(183, same_edges_in_another_order_of_nodes_are_taken)
{
    static const struct shape *const same[][2] = {
        {&chain, &chain}, {&triangle, &triangle}, {&both, &both}, {&pairs, &crossed}};

    begin_context();
    for (size_t i = 0; i < COUNT(same); i++) {
        CUgraphNode nodes[NODES], others[NODES], node;
        CUgraphExec exec = graph_exec(make(same[i][0], nodes));
        CUgraph other = make(same[i][1], others);
        CUgraphExecUpdateResultInfo info;
        CUgraphExecUpdateResult result;

        OK(cu->GraphExecUpdate_v2(exec, other, &info));
        EQUAL(CU_GRAPH_EXEC_UPDATE_SUCCESS, info.result);
        /* The first ABI pairs the nodes in the order of their creation. */
        if (same[i][0] == same[i][1]) {
            OK(cu->GraphExecUpdate(exec, other, &node, &result));
            EQUAL(CU_GRAPH_EXEC_UPDATE_SUCCESS, result);
        } else {
            CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
                 cu->GraphExecUpdate(exec, other, &node, &result));
            EQUAL(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, result);
            CHECK(node == others[0]);
        }
    }
}

static CUgraph with_child(const struct shape *shape, CUgraphNode *node, CUgraphNode *inner)
{
    CUgraph outer = graph_begin(), child;
    CUgraphNode nodes[NODES];
    size_t count = NODES;

    MUST(cu->GraphAddChildGraphNode(node, outer, NULL, 0, make(shape, nodes)));
    MUST(cu->GraphChildGraphNodeGetGraph(*node, &child));
    MUST(cu->GraphGetNodes(child, inner, &count));
    return outer;
}

MEASURED_CASE(183, child_graph_is_compared_within)
{
    CUgraphNode node, other, inner[NODES], nodes[NODES];
    CUgraphExecUpdateResultInfo info;
    CUgraphNodeParams parameters;
    CUgraphExec exec;

    begin_context();
    exec = graph_exec(with_child(&chain, &node, inner));
    OK(cu->GraphExecUpdate_v2(exec, with_child(&chain, &other, inner), &info));
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
         cu->GraphExecUpdate_v2(exec, with_child(&fork, &other, inner), &info));
    EQUAL(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, info.result);
    CHECK(info.errorNode == inner[1]);
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
         cu->GraphExecUpdate_v2(exec, with_child(&one_less, &other, inner), &info));
    CHECK(info.errorNode == NULL);
    OK(cu->GraphExecChildGraphNodeSetParams(exec, node, make(&chain, nodes)));
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
         cu->GraphExecChildGraphNodeSetParams(exec, node, make(&fork, nodes)));
    memset(&parameters, 0, sizeof parameters);
    parameters.type = CU_GRAPH_NODE_TYPE_GRAPH;
    parameters.graph.graph = make(&chain, nodes);
    OK(cu->GraphExecNodeSetParams(exec, node, (void *)&parameters));
    parameters.graph.graph = make(&fork, nodes);
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
         cu->GraphExecNodeSetParams(exec, node, (void *)&parameters));
    parameters.graph.graph = make(&one_less, nodes);
    OK(cu->GraphNodeSetParams(node, (void *)&parameters));
}

/* --- copies and memsets in an executable graph --- */

MEASURED_CASE(184, copy_in_an_executable_graph_keeps_its_kind)
{
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .WidthInBytes = 64,
                          .Height = 1,
                          .Depth = 1},
                  other;
    static unsigned char host[64];
    CUcontext context = begin_context();
    CUgraph graph = graph_begin();
    CUgraphNode node;
    CUgraphExec exec;

    copy.srcDevice = graph_memory(64);
    copy.dstDevice = graph_memory(64);
    MUST(cu->GraphAddMemcpyNode(&node, graph, NULL, 0, &copy, context));
    exec = graph_exec(graph);
    other = copy, other.srcDevice = graph_memory(64);
    OK(cu->GraphExecMemcpyNodeSetParams(exec, node, &other, context));
    OK(cu->GraphExecMemcpyNodeSetParams(exec, node, &other, NULL));
    MUST(cu->MemsetD8_v2(other.srcDevice, 5, 64));
    OK(cu->GraphLaunch(exec, NULL));
    EQUAL(5, graph_byte(copy.dstDevice));
    other = copy, other.WidthInBytes = 32;
    OK(cu->GraphExecMemcpyNodeSetParams(exec, node, &other, context));
    other = copy, other.srcMemoryType = CU_MEMORYTYPE_HOST, other.srcHost = host;
    REFUSED(cu->GraphExecMemcpyNodeSetParams(exec, node, &other, context));
    other = copy, other.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    REFUSED(cu->GraphExecMemcpyNodeSetParams(exec, node, &other, context));
    other = copy, other.WidthInBytes = 32, other.Height = 2, other.srcPitch = other.dstPitch = 32;
    REFUSED(cu->GraphExecMemcpyNodeSetParams(exec, node, &other, context));
    other = copy, other.WidthInBytes = 65;
    REFUSED(cu->GraphExecMemcpyNodeSetParams(exec, node, &other, context));
}

MEASURED_CASE(184, set_of_rows_in_an_executable_graph_keeps_its_shape)
{
    const CUDA_MEMSET_NODE_PARAMS rows = {
        .dst = 0, .pitch = 16, .value = 9, .elementSize = 1, .width = 4, .height = 2};
    CUDA_MEMSET_NODE_PARAMS set = rows, other;
    CUcontext context = begin_context();
    CUgraph graph = graph_begin(), single = graph_begin();
    CUgraphNode node;
    CUgraphExec exec;

    set.dst = graph_memory(64);
    MUST(cu->GraphAddMemsetNode(&node, graph, NULL, 0, &set, context));
    exec = graph_exec(graph);
    other = set, other.value = 1, other.dst = graph_memory(64);
    OK(cu->GraphExecMemsetNodeSetParams(exec, node, &other, context));
    other = set, other.height = 1;
    REFUSED(cu->GraphExecMemsetNodeSetParams(exec, node, &other, context));
    other = set, other.width = 3;
    REFUSED(cu->GraphExecMemsetNodeSetParams(exec, node, &other, context));
    other = set, other.pitch = 32;
    REFUSED(cu->GraphExecMemsetNodeSetParams(exec, node, &other, context));
    other = set, other.elementSize = 2, other.width = 2;
    REFUSED(cu->GraphExecMemsetNodeSetParams(exec, node, &other, context));
    other = set, other.height = 1;
    MUST(cu->GraphAddMemsetNode(&node, single, NULL, 0, &other, context));
    exec = graph_exec(single);
    other.width = 3;
    OK(cu->GraphExecMemsetNodeSetParams(exec, node, &other, context));
    other.elementSize = 4, other.width = 2;
    OK(cu->GraphExecMemsetNodeSetParams(exec, node, &other, context));
    REFUSED(cu->GraphExecMemsetNodeSetParams(exec, node, &set, context));
}

MEASURED_CASE(184, copy_node_may_lead_elsewhere)
{
    const CUDA_ARRAY_DESCRIPTOR of = {
        .Width = 64, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    CUDA_MEMCPY3D copy = {.WidthInBytes = 64, .Height = 1, .Depth = 1}, reported;
    static unsigned char host[64];
    CUcontext context = begin_context();
    CUgraph graph = graph_begin();
    CUgraphNode node;
    CUarray array;

    MUST(cu->ArrayCreate_v2(&array, &of));
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = host;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    MUST(cu->GraphAddMemcpyNode(&node, graph, NULL, 0, &copy, context));
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcHost = NULL;
    copy.srcArray = array;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstArray = NULL;
    copy.dstDevice = graph_memory(64);
    OK(cu->GraphMemcpyNodeSetParams(node, &copy));
    memset(&reported, 0x77, sizeof reported);
    OK(cu->GraphMemcpyNodeGetParams(node, &reported));
    EQUAL(CU_MEMORYTYPE_ARRAY, reported.srcMemoryType);
    EQUAL(CU_MEMORYTYPE_DEVICE, reported.dstMemoryType);
    CHECK(reported.srcArray == array && reported.dstDevice == copy.dstDevice);
    CHECK(reported.srcHost == NULL && reported.dstArray == NULL && reported.dstPitch == 0);
    copy.WidthInBytes = 65;
    REFUSED(cu->GraphMemcpyNodeSetParams(node, &copy));
}

enum { BYTES = 64 };

MEASURED_CASE(144, calls_become_nodes_in_a_chain)
{
    CUdeviceptr memory = graph_memory(BYTES), other = graph_memory(BYTES);
    CUstream stream = begin_stream();
    CUevent event = begin_event(), outside = begin_event();
    void *pinned;
    CUfunction nothing = begin_kernel("cushim_nothing");

    MUST(cu->MemAllocHost_v2(&pinned, BYTES));

    capture_begin(stream, GLOBAL);
    OK(cu->MemcpyHtoDAsync_v2(memory, pinned, BYTES, stream));
    OK(cu->MemcpyDtoDAsync_v2(other, memory, BYTES, stream));
    OK(cu->MemcpyDtoHAsync_v2(pinned, other, BYTES, stream));
    OK(cu->MemsetD8Async(memory, 5, BYTES, stream));
    OK(cu->MemsetD32Async(memory, 5, BYTES / 4, stream));
    OK(cu->MemsetD2D8Async(memory, BYTES / 4, 5, 4, 4, stream));
    OK(cu->LaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
    OK(cu->LaunchHostFunc(stream, do_nothing, NULL));
    OK(cu->EventRecord(event, stream));
    OK(cu->EventRecordWithFlags(outside, stream, CU_EVENT_RECORD_EXTERNAL));
    OK(cu->MemcpyHtoDAsync_v2(memory, pinned, 0, stream));
    OK(cu->MemsetD8Async(memory, 5, 0, stream));
    OK(cu->StreamWaitEvent(stream, outside, CU_EVENT_WAIT_EXTERNAL));
    OK(cu->MemcpyAsync(memory, other, 4, stream));
    graph_captured(stream, "cccssskhrwc ab bc cd de ef fg gh hi ij jk");
    EQUAL(0, graph_byte(memory)); /* nothing was executed */
}

MEASURED_CASE(145, join_gives_two_dependencies)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUstream origin = begin_stream(), forked = begin_stream();
    CUgraph inside = NULL, graph = NULL;
    const CUgraphNode *dependencies;
    cuuint64_t first = 0, second = 0;
    CUdeviceptr memory = graph_memory(BYTES);
    size_t count = 0;

    capture_begin(origin, GLOBAL);
    capture_join(origin, forked);
    MUST(cu->LaunchHostFunc(origin, do_nothing, NULL));
    MUST(cu->MemsetD8Async(memory, 1, BYTES, forked));
    capture_join(forked, origin);
    OK(cu->StreamGetCaptureInfo_v2(origin, &status, &first, &inside, &dependencies, &count));
    EQUAL(2, count);
    MUST(cu->LaunchHostFunc(origin, do_nothing, NULL));
    OK(cu->StreamGetCaptureInfo_v2(origin, &status, NULL, NULL, &dependencies, &count));
    EQUAL(1, count);
    OK(cu->StreamEndCapture(origin, &graph));
    CHECK(graph == inside);
    capture_begin(origin, GLOBAL);
    OK(cu->StreamGetCaptureInfo(origin, &status, &second));
    EQUAL(first + 1, second);
    capture_join(origin, forked);
    MUST(cu->LaunchHostFunc(origin, do_nothing, NULL));
    MUST(cu->MemsetD8Async(memory, 1, BYTES, forked));
    capture_join(forked, origin);
    MUST(cu->LaunchHostFunc(origin, do_nothing, NULL));
    graph_captured(origin, "hsh ac bc");
}

/* The memory that the calls below use. */
static CUdeviceptr memory, to_free;
static void *pinned_to_free;

static CUresult call_alloc(CUstream stream)
{
    CUdeviceptr made;

    (void)stream;
    return cu->MemAlloc_v2(&made, BYTES);
}

static CUresult call_free(CUstream stream)
{
    (void)stream;
    return cu->MemFree_v2(to_free);
}

static CUresult call_alloc_host(CUstream stream)
{
    void *made;

    (void)stream;
    return cu->MemAllocHost_v2(&made, BYTES);
}

static CUresult call_free_host(CUstream stream)
{
    (void)stream;
    return cu->MemFreeHost(pinned_to_free);
}

static CUresult call_copy(CUstream stream)
{
    unsigned char byte = 1;

    (void)stream;
    return cu->MemcpyHtoD_v2(memory, &byte, 1);
}

static CUresult call_set(CUstream stream)
{
    (void)stream;
    return cu->MemsetD8_v2(memory, 1, BYTES);
}

static CUresult call_stream(CUstream stream)
{
    CUstream made;

    (void)stream;
    return cu->StreamCreate(&made, CU_STREAM_NON_BLOCKING);
}

static CUresult call_memory_info(CUstream stream)
{
    size_t free_bytes, total;

    (void)stream;
    return cu->MemGetInfo_v2(&free_bytes, &total);
}

MEASURED_CASE(146, some_calls_are_forbidden_while_capturing)
{
    static const struct {
        CUresult (*call)(CUstream stream);
        bool strict, relaxed; /* whether these modes forbid the call */
    } calls[] = {
        {call_alloc, true, false},      {call_free, true, false},
        {call_alloc_host, true, false}, {call_free_host, true, false},
        {call_copy, false, false},      {call_set, false, false},
        {call_stream, false, false},    {call_memory_info, false, false},
    };
    CUstream stream;

    stream = begin_stream();
    memory = graph_memory(BYTES);
    for (size_t i = 0; i < COUNT(calls); i++) {
        for (unsigned mode = 0; mode < CAPTURE_MODES; mode++) {
            const bool forbidden =
                capture_modes[mode] == RELAXED ? calls[i].relaxed : calls[i].strict;

            to_free = graph_memory(BYTES);
            MUST(cu->MemAllocHost_v2(&pinned_to_free, BYTES));
            capture_begin(stream, capture_modes[mode]);
            CODE(forbidden ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS,
                 calls[i].call(stream));
            if (forbidden)
                capture_invalidated(stream);
            else
                capture_end(stream);
        }
    }
}

MEASURED_CASE(146, graph_is_not_instantiated_while_capturing)
{
    CUgraphExec exec = NULL;
    CUstream stream = begin_stream();
    CUgraph graph = graph_begin();

    graph_add_host(graph, NULL, 0, NULL);
    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu->GraphInstantiateWithFlags(&exec, graph, 0));
    CHECK(exec == NULL);
}

MEASURED_CASE(147, program_says_what_comes_next)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUgraph graph = graph_begin(), same = NULL;
    CUgraphNode root, extra;
    CUstream stream = begin_stream();

    CODE(CUDA_ERROR_ILLEGAL_STATE, cu->StreamUpdateCaptureDependencies(stream, NULL, 0, 1));
    MUST(cu->GraphAddEmptyNode(&root, graph, NULL, 0));
    OK(cu->StreamBeginCaptureToGraph(stream, graph, &root, NULL, 1, GLOBAL));
    MUST(cu->LaunchHostFunc(stream, do_nothing, NULL));
    OK(cu->StreamEndCapture(stream, &same));
    CHECK(same == graph);
    EQUAL(2, graph_nodes(graph));
    EQUAL(1, graph_edges(graph));
    capture_begin(stream, GLOBAL);
    MUST(cu->LaunchHostFunc(stream, do_nothing, NULL));
    OK(cu->StreamUpdateCaptureDependencies(stream, NULL, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    MUST(cu->LaunchHostFunc(stream, do_nothing, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->StreamUpdateCaptureDependencies(stream, NULL, 0, 7));
    MUST(cu->StreamGetCaptureInfo_v2(stream, &status, NULL, &graph, NULL, NULL));
    MUST(cu->GraphAddEmptyNode(&extra, graph, NULL, 0));
    OK(cu->StreamUpdateCaptureDependencies(stream, &extra, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    MUST(cu->LaunchHostFunc(stream, do_nothing, NULL));
    graph_captured(stream, "hheh bd cd");
}

MEASURED_CASE(148, launch_records_external_events_alone)
{
    CUevent inside = begin_event(), outside = begin_event();
    CUgraph graph = NULL;
    CUgraphExec exec;
    CUstream stream = begin_stream();

    capture_begin(stream, GLOBAL);
    MUST(cu->EventRecord(inside, stream));
    MUST(cu->EventRecordWithFlags(outside, stream, CU_EVENT_RECORD_EXTERNAL));
    MUST(cu->StreamEndCapture(stream, &graph));
    exec = graph_exec(graph);
    OK(cu->GraphLaunch(exec, stream));
    drain(stream);
    OK(cu->EventQuery(outside));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->EventQuery(inside));
}
