/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of graphs, and changes of executable ones. Statements 139 to 143. */
#include <string.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "graph.h"
#include "latch.h"

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

static void launch_takes_any_stream(void)
{
    CUcontext context = begin_context();
    CUstream stream = begin_stream();
    CUgraph graph = graph_begin();
    atomic_int ran = 0;
    CUgraphExec exec, empty;

    empty = graph_exec(graph);
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

static void launches_of_one_executable_graph_take_turns(void)
{
    CUstream stream, other;
    atomic_int ran = 0;
    struct latch latch;
    CUgraphExec exec;
    CUgraph graph;

    begin_context();
    stream = begin_stream();
    other = begin_stream();
    graph = graph_begin();
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

static void branches_of_a_graph_run_side_by_side(void)
{
    CUDA_HOST_NODE_PARAMS stand = {gate_stand, NULL};
    struct gate gate = GATE;
    CUgraphNode node, branches[2];
    CUdeviceptr memory;
    CUgraphExec exec;
    CUstream stream, look;
    CUevent event;
    CUgraph graph;
    unsigned char *seen = NULL;

    begin_context();
    stream = begin_stream();
    look = begin_stream();
    event = begin_event();
    graph = graph_begin();
    memory = graph_memory(BYTES);
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

static void executable_graph_is_updated_by_one_of_its_shape(void)
{
    CUgraphExecUpdateResultInfo info;
    CUgraphNode node, found = (CUgraphNode)&node;
    CUgraphExecUpdateResult result;
    CUdeviceptr memory;
    CUgraph graph, other;
    CUgraphExec exec;
    CUstream stream;

    begin_context();
    stream = begin_stream();
    memory = graph_memory(BYTES);
    graph = graph_begin();
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
}

static void nodes_of_an_executable_graph_are_changed_alone(void)
{
    CUDA_MEMSET_NODE_PARAMS set = {.value = 8, .elementSize = 1, .width = BYTES, .height = 1};
    CUgraphNode node, empty, foreign;
    unsigned enabled = 77;
    CUdeviceptr memory;
    CUgraphExec exec;
    CUstream stream;
    CUgraph graph;

    begin_context();
    stream = begin_stream();
    memory = set.dst = graph_memory(BYTES);
    graph = graph_begin();
    node = add_set(graph, NULL, 0, memory, 7);
    MUST(cu->GraphAddEmptyNode(&empty, graph_begin(), NULL, 0));
    foreign = empty;
    exec = graph_exec(graph);
    OK(cu->GraphMemsetNodeSetParams(node, &set));
    OK(cu->GraphLaunch(exec, stream));
    drain(stream);
    EQUAL(7, graph_byte(memory));
    set.value = 9;
    OK(cu->GraphExecMemsetNodeSetParams(exec, node, &set, current_context()));
    OK(cu->GraphLaunch(exec, stream));
    drain(stream);
    EQUAL(9, graph_byte(memory));

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

const struct conformance_case graph_launch_cases[] = {
    MEASURED_CASE("139_launch_takes_any_stream", launch_takes_any_stream),
    MEASURED_CASE("140_launches_of_one_executable_graph_take_turns",
                  launches_of_one_executable_graph_take_turns),
    MEASURED_CASE("141_branches_of_a_graph_run_side_by_side", branches_of_a_graph_run_side_by_side),
    MEASURED_CASE("142_executable_graph_is_updated_by_one_of_its_shape",
                  executable_graph_is_updated_by_one_of_its_shape),
    DOCUMENTED_CASE("143_nodes_of_an_executable_graph_are_changed_alone",
                    nodes_of_an_executable_graph_are_changed_alone),
    {.name = NULL},
};
