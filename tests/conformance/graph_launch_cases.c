/* SPDX-License-Identifier: Apache-2.0 */
/* Launches, changes and updates of executable graphs. Statements 132-136, 139-143. */
#include <string.h>

#include "cases.h"
#include "graph.h"

enum { BYTES = 64 };

static CUgraphNode add_set(CUgraph graph, const CUgraphNode *dependencies, size_t count,
                           CUdeviceptr memory, unsigned value)
{
    const CUDA_MEMSET_NODE_PARAMS set = {
        .dst = memory, .value = value, .elementSize = 1, .width = BYTES, .height = 1};
    CUgraphNode node = NULL;

    MUST(cu->GraphAddMemsetNode(&node, graph, dependencies, count, &set, NULL));
    return node;
}

MEASURED_CASE(139, launch_takes_any_stream)
{
    CUcontext context = begin_context();
    CUstream stream = begin_stream();
    CUgraph graph = graph_begin();
    atomic_int ran = 0;
    CUgraphExec exec, empty = graph_exec(graph);

    OK(cu->GraphLaunch(empty, stream));
    graph_add_host(graph, NULL, 0, &ran);
    exec = graph_exec(graph);
    OK(cu->GraphDestroy(graph));
    OK(cu->GraphLaunch(exec, stream));
    OK(cu->GraphLaunch(exec, NULL));
    OK(cu->GraphLaunch(exec, CU_STREAM_PER_THREAD));
    OK(cu->GraphUpload(exec, stream));
    MUST(cu->CtxSynchronize());
    EQUAL(3, atomic_load(&ran));
    make_current(begin_other_context());
    OK(cu->GraphLaunch(exec, stream));
    OK(cu->GraphLaunch(exec, begin_stream()));
    MUST(cu->CtxSynchronize());
    make_current(NULL);
    OK(cu->GraphLaunch(exec, stream));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->GraphLaunch(exec, NULL));
    make_current(context);
    MUST(cu->CtxSynchronize());
    EQUAL(6, atomic_load(&ran));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->GraphLaunch(NULL, stream));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->GraphUpload(NULL, stream));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->GraphExecDestroy(NULL));
}

MEASURED_CASE(140, launches_of_one_executable_graph_take_turns)
{
    CUstream stream = begin_stream(), other = begin_stream();
    atomic_int ran = 0;
    struct latch latch;
    CUgraphExec exec;
    CUgraph graph = graph_begin();

    graph_add_host(graph, NULL, 0, &ran);
    exec = graph_exec(graph);
    latch = latch_shut(stream);
    OK(cu->GraphLaunch(exec, stream));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    OK(cu->GraphLaunch(exec, stream));
    OK(cu->GraphLaunch(exec, other));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(other));
    OK(cu->GraphDestroy(graph));
    OK(cu->GraphExecDestroy(exec));
    EQUAL(0, atomic_load(&ran));
    latch_open(&latch);
    drain(stream);
    drain(other);
    EQUAL(3, atomic_load(&ran));
}

MEASURED_CASE(141, branches_of_a_graph_run_side_by_side)
{
    CUDA_HOST_NODE_PARAMS stand = {gate_stand, NULL};
    struct gate gate = GATE;
    CUgraphNode node, branches[2];
    CUgraphExec exec;
    CUstream stream = begin_stream(), look = begin_stream();
    CUevent event = begin_event();
    CUgraph graph = graph_begin();
    unsigned char *seen = NULL;
    CUdeviceptr memory = graph_memory(BYTES);

    MUST(cu->MemAllocHost_v2((void **)&seen, BYTES));
    gate_prepare(&gate);
    stand.userData = &gate;
    MUST(cu->GraphAddHostNode(&branches[0], graph, NULL, 0, &stand));
    branches[1] = add_set(graph, NULL, 0, memory, 7);
    node = add_set(graph, branches, 2, memory, 9);
    CHECK(node != NULL);
    exec = graph_exec(graph);
    OK(cu->GraphLaunch(exec, stream));
    OK(cu->EventRecord(event, stream));
    while (!gate_is_reached(&gate))
        let_time_pass();
    for (*seen = 0; *seen == 0; let_time_pass()) {
        MUST(cu->MemcpyDtoHAsync_v2(seen, memory, 1, look));
        drain(look);
    }
    EQUAL(7, *seen);
    CODE(CUDA_ERROR_NOT_READY, cu->EventQuery(event));
    gate_open(&gate);
    drain(stream);
    OK(cu->EventQuery(event));
    EQUAL(9, graph_byte(memory));
}

MEASURED_CASE(142, executable_graph_is_updated_by_one_of_its_shape)
{
    CUDA_MEMSET_NODE_PARAMS rows = {.elementSize = 1, .width = 8, .height = 2, .pitch = 16};
    CUgraphExecUpdateResultInfo info;
    CUgraphNode node, found = (CUgraphNode)&node;
    CUgraphExecUpdateResult result;
    CUgraph graph = graph_begin(), other;
    CUgraphExec exec;
    CUstream stream = begin_stream();
    CUdeviceptr memory = graph_memory(BYTES);

    add_set(graph, NULL, 0, memory, 7);
    exec = graph_exec(graph);
    other = graph_begin();
    memset(&info, 0x77, sizeof info);
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cu->GraphExecUpdate_v2(exec, other, &info));
    EQUAL(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, info.result);
    CHECK(info.errorNode == NULL);
    MUST(cu->GraphAddEmptyNode(&node, other, NULL, 0));
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cu->GraphExecUpdate_v2(exec, other, &info));
    EQUAL(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, info.result);
    CHECK(info.errorNode == node);
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cu->GraphExecUpdate_v2(exec, other, NULL));
    MUST(cu->GraphDestroyNode(node));
    add_set(other, NULL, 0, memory, 8);
    OK(cu->GraphExecUpdate_v2(exec, other, &info));
    EQUAL(CU_GRAPH_EXEC_UPDATE_SUCCESS, info.result);
    CHECK(info.errorNode == NULL && info.errorFromNode == NULL);
    OK(cu->GraphLaunch(exec, stream));
    drain(stream);
    EQUAL(8, graph_byte(memory));
    OK(cu->GraphExecUpdate(exec, graph, &found, &result));
    EQUAL(CU_GRAPH_EXEC_UPDATE_SUCCESS, result);
    CHECK(found == NULL);
    other = graph_begin();
    rows.dst = memory;
    MUST(cu->GraphAddMemsetNode(&node, other, NULL, 0, &rows, NULL));
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cu->GraphExecUpdate_v2(exec, other, &info));
    EQUAL(CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, info.result);
    CHECK(info.errorNode == node);
}

DOCUMENTED_CASE(143, nodes_of_an_executable_graph_are_changed_alone)
{
    CUDA_MEMSET_NODE_PARAMS set = {.value = 8, .elementSize = 1, .width = BYTES, .height = 1};
    CUDA_HOST_NODE_PARAMS counted = {.fn = NULL};
    CUgraphNode node, empty, foreign, host;
    atomic_int before = 0, after = 0;
    unsigned enabled = 77;
    CUdeviceptr memory;
    CUgraphExec exec;
    CUstream stream = begin_stream();
    CUgraph graph;

    memory = set.dst = graph_memory(BYTES);
    graph = graph_begin();
    node = add_set(graph, NULL, 0, memory, 7);
    host = graph_add_host(graph, NULL, 0, &before);
    MUST(cu->GraphAddEmptyNode(&empty, graph_begin(), NULL, 0));
    foreign = empty;
    exec = graph_exec(graph);
    OK(cu->GraphMemsetNodeSetParams(node, &set));
    OK(cu->GraphLaunch(exec, stream));
    drain(stream);
    EQUAL(7, graph_byte(memory));
    EQUAL(1, atomic_load(&before));
    set.value = 9;
    OK(cu->GraphExecMemsetNodeSetParams(exec, node, &set, current_context()));
    OK(cu->GraphHostNodeGetParams(host, &counted));
    CHECK(counted.fn != NULL && counted.userData == &before);
    counted.userData = &after;
    OK(cu->GraphExecHostNodeSetParams(exec, host, &counted));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->GraphExecHostNodeSetParams(exec, node, &counted));
    OK(cu->GraphHostNodeSetParams(host, &counted));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->GraphHostNodeSetParams(node, &counted));
    OK(cu->GraphLaunch(exec, stream));
    drain(stream);
    EQUAL(9, graph_byte(memory));
    EQUAL(1, atomic_load(&before));
    EQUAL(1, atomic_load(&after));

    OK(cu->GraphNodeSetEnabled(exec, node, 0));
    OK(cu->GraphNodeGetEnabled(exec, node, &enabled));
    EQUAL(0, enabled);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->GraphNodeSetEnabled(exec, foreign, 0));
    MUST(cu->MemsetD8_v2(memory, 1, BYTES));
    MUST(cu->CtxSynchronize());
    OK(cu->GraphLaunch(exec, stream));
    drain(stream);
    EQUAL(1, graph_byte(memory));
}

/*
 * Details of executable graphs: updates with other graphs, and launches. Statements 132-136, 140,
 * 142.
 */

/* Update an executable graph with the first ABI and with the second. */
static CUresult update_first(CUgraphExec exec, CUgraph graph, CUgraphNode *node, int *result)
{
    CUgraphExecUpdateResult reported = CU_GRAPH_EXEC_UPDATE_ERROR;
    CUresult code = cu->GraphExecUpdate(exec, graph, node, &reported);

    *result = (int)reported;
    return code;
}

static CUresult update(CUgraphExec exec, CUgraph graph, CUgraphNode *node, int *result)
{
    CUgraphExecUpdateResultInfo info;
    CUresult code;

    memset(&info, 0x77, sizeof info);
    code = cu->GraphExecUpdate_v2(exec, graph, &info);
    *node = info.errorNode;
    *result = (int)info.result;
    return code;
}

/* A graph of two or three host nodes in sequence. */
static CUgraph begin_row(size_t count, CUgraphNode *nodes)
{
    CUgraph graph = graph_begin();

    for (size_t i = 0; i < count; i++)
        nodes[i] = graph_add_host(graph, i > 0 ? &nodes[i - 1] : NULL, i > 0 ? 1 : 0, NULL);
    return graph;
}

MEASURED_CASE(142, nodes_are_paired_from_the_exits)
{
    CUgraphNode row[3], nodes[3], node;
    CUgraph graph;
    int result;
    CUgraphExec exec = graph_exec(begin_row(2, row));

    /* The second node before the first. */
    graph = graph_begin();
    nodes[0] = graph_add_host(graph, NULL, 0, NULL);
    nodes[1] = graph_add_host(graph, NULL, 0, NULL);
    MUST(cu->GraphAddDependencies(graph, &nodes[1], &nodes[0], 1));
    OK(update(exec, graph, &node, &result));
    EQUAL(CU_GRAPH_EXEC_UPDATE_SUCCESS, result);
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, update_first(exec, graph, &node, &result));
    EQUAL(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, result);
    CHECK(node == nodes[0]);
    /* Without an edge. */
    MUST(cu->GraphRemoveDependencies(graph, &nodes[1], &nodes[0], 1));
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, update(exec, graph, &node, &result));
    EQUAL(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, result);
    CHECK(node == nodes[0]);
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, update_first(exec, graph, &node, &result));
    CHECK(node == nodes[0]);
}

MEASURED_CASE(142, number_of_nodes_and_exits_must_be_the_same)
{
    CUgraphNode row[3], nodes[3], node = NULL;
    int result;
    CUgraphExec exec = graph_exec(begin_row(3, row));
    CUgraph graph = begin_row(2, nodes);

    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, update(exec, graph, &node, &result));
    EQUAL(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, result);
    CHECK(node == NULL);
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, update_first(exec, graph, &node, &result));
    EQUAL(CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED, result);
    CHECK(node == NULL);
    nodes[2] = graph_add_host(graph, &nodes[0], 1, NULL);
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, update(exec, graph, &node, &result));
    EQUAL(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, result);
    CHECK(node == nodes[1]);
    CODE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, update_first(exec, graph, &node, &result));
    CHECK(node == nodes[0]);
    CODE(CUDA_ERROR_INVALID_VALUE, update(NULL, graph, &node, &result));
    EQUAL(CU_GRAPH_EXEC_UPDATE_SUCCESS, result);
}

MEASURED_CASE(133, lists_without_room_are_refused)
{
    CUgraphNode nodes[2], list[1] = {NULL};
    size_t count = 0;
    CUgraph graph = begin_row(2, nodes);

    CODE(CUDA_ERROR_INVALID_VALUE, cu->GraphGetNodes(graph, list, &count));
    CHECK(list[0] == NULL);
}

MEASURED_CASE(134, edge_is_removed_whatever_its_data)
{
    const CUgraphEdgeData unknown = {.type = 9}, plain = {0};
    CUDA_KERNEL_NODE_PARAMS kernel;
    CUgraphNode nodes[2], from, to;
    CUgraphEdgeData data;
    const CUgraphEdgeData *given[] = {&unknown, &plain, &data};
    CUgraph graph;
    size_t count = 1;

    memset(&kernel, 0, sizeof kernel);
    memset(&data, 0, sizeof data);
    kernel.func = begin_function(begin_module(), "cushim_nothing");
    kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
    kernel.blockDimX = kernel.blockDimY = kernel.blockDimZ = 1;
    graph = graph_begin();
    MUST(cu->GraphAddKernelNode_v2(&nodes[0], graph, NULL, 0, &kernel));
    MUST(cu->GraphAddKernelNode_v2(&nodes[1], graph, NULL, 0, &kernel));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->GraphAddDependencies_v2(graph, &nodes[0], &nodes[1], &unknown, 1));
    data.type = 1;
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->GraphAddDependencies_v2(graph, &nodes[0], &nodes[1], &data, 1));
    data.from_port = 1;
    OK(cu->GraphAddDependencies_v2(graph, &nodes[0], &nodes[1], &data, 1));
    CODE(CUDA_ERROR_LOSSY_QUERY, cu->GraphGetEdges(graph, &from, &to, &count));
    for (size_t i = 0; i < COUNT(given); i++) {
        OK(cu->GraphRemoveDependencies_v2(graph, &nodes[0], &nodes[1], given[i], 1));
        EQUAL(0, graph_edges(graph));
        OK(cu->GraphAddDependencies_v2(graph, &nodes[0], &nodes[1], &data, 1));
    }
    OK(cu->GraphRemoveDependencies(graph, &nodes[0], &nodes[1], 1));
    EQUAL(0, graph_edges(graph));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->GraphRemoveDependencies_v2(graph, &nodes[0], &nodes[1], &data, 1));
}

MEASURED_CASE(134, cycle_has_no_node_to_blame_in_the_first_abis)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS parameters = {.flags = 0};
    CUgraphNode nodes[2], blamed = (CUgraphNode)(uintptr_t)7;
    CUgraphExec exec = NULL;
    char log[8] = "seven";
    CUgraph graph = begin_row(2, nodes);

    OK(cu->GraphAddDependencies(graph, &nodes[1], &nodes[0], 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->GraphInstantiate_v2(&exec, graph, &blamed, log, sizeof log));
    CHECK(blamed == NULL && exec == NULL);
    EQUAL(0, log[0]);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->GraphInstantiateWithParams(&exec, graph, &parameters));
    EQUAL(CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE, parameters.result_out);
    CHECK(parameters.hErrNode_out == nodes[0] || parameters.hErrNode_out == nodes[1]);
}

MEASURED_CASE(135, later_node_is_not_in_the_clone)
{
    CUgraphNode nodes[2], late, found = (CUgraphNode)(uintptr_t)7;
    CUgraph graph = begin_row(2, nodes), clone;

    MUST(cu->GraphClone(&clone, graph));
    late = graph_add_host(graph, NULL, 0, NULL);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->GraphNodeFindInClone(&found, late, clone));
    CHECK(found == NULL);
    OK(cu->GraphNodeFindInClone(&found, nodes[1], clone));
    OK(cu->GraphDestroyNode(found));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->GraphNodeFindInClone(&found, nodes[1], clone));
    EQUAL(1, graph_edges(graph));
}

MEASURED_CASE(136, child_graph_is_launched_with_its_parent_alone)
{
    CUDA_HOST_NODE_PARAMS host = {.fn = NULL};
    CUgraphNode nodes[1], node, inner;
    CUgraph graph = graph_begin(), child = begin_row(1, nodes), embedded;
    CUgraphExec exec = NULL;
    size_t count = 1;

    MUST(cu->GraphHostNodeGetParams(nodes[0], &host));
    MUST(cu->GraphAddChildGraphNode(&node, graph, NULL, 0, child));
    MUST(cu->GraphChildGraphNodeGetGraph(node, &embedded));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphInstantiateWithFlags(&exec, embedded, 0));
    MUST(cu->GraphGetNodes(embedded, &inner, &count));
    exec = graph_exec(graph);
    OK(cu->GraphExecHostNodeSetParams(exec, inner, &host));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->GraphExecHostNodeSetParams(exec, nodes[0], &host));
}

MEASURED_CASE(140, pageable_memory_is_read_at_the_launch)
{
    static unsigned char source[64], back[64];
    CUDA_MEMCPY3D copy = {FROM_HOST(source, 0), .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .WidthInBytes = sizeof source, .Height = 1, .Depth = 1};
    CUcontext context = begin_context();
    CUstream stream = begin_stream();
    struct gate gate = GATE;
    CUgraphExec exec;
    CUgraphNode node;
    CUgraph graph = graph_begin(), outer;

    copy.dstDevice = graph_memory(sizeof source);
    memset(source, 1, sizeof source);
    MUST(cu->GraphAddMemcpyNode(&node, graph, NULL, 0, &copy, context));
    exec = graph_exec(graph);
    memset(source, 2, sizeof source);
    gate_shut(&gate, stream);
    OK(cu->GraphLaunch(exec, stream));
    memset(source, 3, sizeof source);
    gate_open(&gate);
    drain(stream);
    EQUAL(2, graph_byte(copy.dstDevice));
    /* It is written when the launch returns, even by a graph within the graph. */
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = copy.dstDevice;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = back;
    graph = graph_begin();
    MUST(cu->GraphAddMemcpyNode(&node, graph, NULL, 0, &copy, context));
    outer = graph_begin();
    MUST(cu->GraphAddChildGraphNode(&node, outer, NULL, 0, graph));
    exec = graph_exec(outer);
    queue_spin(begin_kernel("cushim_spin"), stream, 50000000);
    OK(cu->GraphLaunch(exec, stream));
    EQUAL(2, back[63]);
}

MEASURED_CASE(132, nodes_find_the_context_of_their_memory)
{
    CUDA_MEMSET_NODE_PARAMS set = {.elementSize = 1, .width = 16, .height = 1};
    CUgraphNode node;
    CUgraph graph = graph_begin();

    set.dst = graph_memory(64);
    make_current(NULL);
    OK(cu->GraphAddMemsetNode(&node, graph, NULL, 0, &set, NULL));
}
