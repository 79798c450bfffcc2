/* SPDX-License-Identifier: Apache-2.0 */
/* Conditional nodes, their handles and their bodies. Statements 232-235. */
#include <string.h>

#include "cases.h"
#include "graph.h"

enum { IF = 0, WHILE = 1, SWITCH = 2, MOST = 3, BYTES = 64 };
enum { UNUSED_CONDITION = 5, PAGEABLE = 4 }; /* results of instantiation that old headers lack */

static CUgraphConditionalHandle handle_of(CUgraph graph, unsigned value, unsigned flags)
{
    CUgraphConditionalHandle handle = 0;

    MUST(cu->GraphConditionalHandleCreate(&handle, graph, current_context(), value, flags));
    return handle;
}

static CUgraphNodeParams params_of(CUgraphConditionalHandle handle, int type, unsigned size)
{
    CUgraphNodeParams params;

    memset(&params, 0, sizeof params);
    params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    params.conditional.ctx = current_context();
    return params;
}

static CUresult add(CUgraph graph, CUgraphNode *node, CUgraphNodeParams *params)
{
    return cu->GraphAddNode_v2(node, graph, NULL, NULL, 0, params);
}

/* Add a node whose condition begins with a value; returns its bodies. */
static CUgraph *begin_node(CUgraph graph, CUgraphNode *node, int type, unsigned size,
                           unsigned value)
{
    CUgraphNodeParams params =
        params_of(handle_of(graph, value, CU_GRAPH_COND_ASSIGN_DEFAULT), type, size);

    MUST(add(graph, node, &params));
    return params.conditional.phGraph_out;
}

static CUgraphNode add_set(CUgraph graph, CUdeviceptr memory, unsigned value)
{
    const CUDA_MEMSET_NODE_PARAMS set = {
        .dst = memory, .value = value, .elementSize = 1, .width = 1, .height = 1};
    CUgraphNode node = NULL;

    MUST(cu->GraphAddMemsetNode(&node, graph, NULL, 0, &set, current_context()));
    return node;
}

MEASURED_CASE(232, handle_needs_a_context)
{
    CUcontext context = begin_context(), other = begin_other_context();
    CUgraph graph = graph_begin();
    CUgraphConditionalHandle handle = 0;

    REFUSED(cu->GraphConditionalHandleCreate(NULL, graph, context, 0, 0));
    REFUSED(cu->GraphConditionalHandleCreate(&handle, NULL, context, 0, 0));
    for (unsigned flags = 2; flags < 5; flags++)
        REFUSED(cu->GraphConditionalHandleCreate(&handle, graph, context, 0, flags));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->GraphConditionalHandleCreate(&handle, graph, NULL, 0, 0));
    OK(cu->GraphConditionalHandleCreate(&handle, graph, context, UINT32_MAX, 1));
    EQUAL(1, handle);
    OK(cu->GraphConditionalHandleCreate(&handle, graph, context, 0, 1));
    EQUAL(2, handle);
    OK(cu->GraphConditionalHandleCreate(&handle, graph, other, 1, 0));
    EQUAL(1, handle);
    make_current(NULL);
    OK(cu->GraphConditionalHandleCreate(&handle, graph, context, 1, 0));
}

static CUresult instantiate(CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    CUgraphExec exec;

    memset(params, 0, sizeof *params);
    return cu->GraphInstantiateWithParams(&exec, graph, params);
}

MEASURED_CASE(232, graph_with_an_unused_handle_is_not_instantiated)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS result;
    CUgraph graph = graph_begin();
    CUgraphNode node;
    CUgraphNodeParams params = params_of(handle_of(graph, 0, 1), IF, 1);

    REFUSED(instantiate(graph, &result));
    EQUAL(UNUSED_CONDITION, result.result_out);
    CHECK(!result.hErrNode_out);
    OK(add(graph, &node, &params));
    OK(instantiate(graph, &result));
}

MEASURED_CASE(233, number_of_bodies_depends_on_the_type)
{
    static const unsigned most[] = {2, 1, 1000};
    CUgraphNodeParams params;
    CUgraph graph = graph_begin();
    CUgraphNode node;

    for (int type = -1; type <= 3; type++) {
        for (unsigned size = 0; size <= MOST; size++) {
            const bool fits = type >= IF && type <= SWITCH && size > 0 && size <= most[type];

            params = params_of(handle_of(graph, 0, 1), type, size);
            CODE(fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE, add(graph, &node, &params));
            CHECK(fits == (params.conditional.phGraph_out != NULL));
        }
    }
    params = params_of(handle_of(graph, 0, 1), SWITCH, most[SWITCH]);
    OK(add(graph, &node, &params));
    EQUAL(0, graph_nodes(params.conditional.phGraph_out[most[SWITCH] - 1]));
}

MEASURED_CASE(233, handle_is_used_once_at_a_time)
{
    CUgraph graph = graph_begin(), *body;
    CUgraphNode node;
    CUgraphConditionalHandle handle;
    CUgraphNodeParams params = params_of(0, IF, 1);

    REFUSED(add(graph, &node, &params));
    handle = handle_of(graph, 0, 1);
    params = params_of(handle + 1, IF, 1);
    REFUSED(add(graph, &node, &params));
    params = params_of(handle, IF, 1);
    OK(add(graph, &node, &params));
    CHECK(params.conditional.handle == handle);
    REFUSED(add(graph, &node, &params));
    OK(cu->GraphDestroyNode(node));
    OK(add(graph, &node, &params));
    body = params.conditional.phGraph_out;
    params = params_of(handle_of(graph, 0, 1), IF, 1);
    OK(add(body[0], &node, &params));
    params = params_of(handle_of(body[0], 0, 1), IF, 1);
    OK(add(body[0], &node, &params));
}

MEASURED_CASE(233, node_has_the_context_of_its_handle)
{
    CUgraphNodeParams params, other;
    CUgraph graph = graph_begin();
    CUgraphNode node;

    params = params_of(handle_of(graph, 0, 1), IF, 1);
    other = params, other.conditional.ctx = NULL;
    CODE(CUDA_ERROR_INVALID_CONTEXT, add(graph, &node, &other));
    other.conditional.ctx = begin_other_context();
    REFUSED(add(graph, &node, &other));
    other = params, other.reserved0[1] = 1;
    REFUSED(add(graph, &node, &other));
    other = params, other.reserved1[20] = 1;
    REFUSED(add(graph, &node, &other));
    other = params, other.reserved2 = 1;
    REFUSED(add(graph, &node, &other));
    REFUSED(cu->GraphAddNode_v2(NULL, graph, NULL, NULL, 0, &params));
    make_current(NULL);
    OK(add(graph, &node, &params));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphNodeSetParams(node, &params));
    REFUSED(cu->GraphNodeSetParams(NULL, &params));
    MUST(cu->GraphAddEmptyNode(&node, graph, NULL, 0));
    REFUSED(cu->GraphNodeSetParams(node, &params));
}

MEASURED_CASE(234, bodies_belong_to_their_node)
{
    CUgraph graph = graph_begin(), parent = graph_begin(), clone, *body;
    CUgraphNode node, inner;
    CUgraphNodeParams child = {.type = CU_GRAPH_NODE_TYPE_GRAPH}, params;
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;
    CUgraphExec exec;

    body = begin_node(graph, &node, IF, 1, 1);
    OK(cu->GraphNodeGetType(node, &type));
    EQUAL(CU_GRAPH_NODE_TYPE_CONDITIONAL, type);
    MUST(cu->GraphAddEmptyNode(&inner, body[0], NULL, 0));
    EQUAL(1, graph_nodes(graph));
    REFUSED(cu->GraphDestroy(body[0]));
    REFUSED(cu->GraphChildGraphNodeGetGraph(node, &clone));
    REFUSED(cu->GraphAddDependencies(graph, &node, &inner, 1));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphInstantiateWithFlags(&exec, body[0], 0));
    for (unsigned i = 0; i < 2; i++) {
        const CUgraph one = i == 0 ? body[0] : graph;

        child.graph.graph = one;
        child.graph.ownership = 1;
        CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphClone(&clone, one));
        CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphAddChildGraphNode(&inner, parent, NULL, 0, one));
        CODE(CUDA_ERROR_NOT_SUPPORTED, add(parent, &inner, &child));
    }
    exec = graph_exec(graph);
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphInstantiateWithFlags(&exec, graph, 0));
    REFUSED(cu->GraphNodeSetEnabled(exec, node, 0));
    params = params_of(1, IF, 1);
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->GraphExecNodeSetParams(exec, node, &params));
    OK(cu->GraphExecDestroy(exec));
    exec = graph_exec(graph);
    OK(cu->GraphDestroyNode(node));
    EQUAL(0, graph_nodes(graph));
}

/* Add a node of a kind, or none; `c` and `g` are child graphs with a host node and with a set. */
static void add_kind(CUgraph body, char kind)
{
    static char pageable[BYTES];
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .WidthInBytes = BYTES,
                          .Height = 1,
                          .Depth = 1};
    const bool is_child = kind == 'c' || kind == 'g';
    const CUgraph graph = is_child ? graph_begin() : body;
    CUgraphNode node;

    if (kind == 'h' || kind == 'c')
        graph_add_host(graph, NULL, 0, NULL);
    if (kind == 's' || kind == 'g')
        add_set(graph, graph_memory(BYTES), 1);
    if (is_child)
        OK(cu->GraphAddChildGraphNode(&node, body, NULL, 0, graph));
    if (kind == 'r')
        OK(cu->GraphAddEventRecordNode(&node, body, NULL, 0, begin_event()));
    if (kind == 'w')
        OK(cu->GraphAddEventWaitNode(&node, body, NULL, 0, begin_event()));
    if (kind == 'e')
        OK(cu->GraphAddEmptyNode(&node, body, NULL, 0));
    if (kind == 'i')
        begin_node(body, &node, IF, 1, 1);
    if (kind == 'p' || kind == 'l') {
        copy.srcDevice = graph_memory(BYTES);
        copy.dstHost = pageable;
        if (kind == 'l')
            MUST(cu->MemAllocHost_v2(&copy.dstHost, BYTES));
        OK(cu->GraphAddMemcpyNode(&node, body, NULL, 0, &copy, current_context()));
    }
}

MEASURED_CASE(234, some_nodes_cannot_be_in_a_body)
{
    static const struct {
        char kind;
        int result;
    } kinds[] = {
        {'h', 3}, {'r', 3}, {'w', 3}, {'c', 3}, {'p', PAGEABLE}, {'l', 0},
        {'g', 0}, {'s', 0}, {'e', 0}, {'i', 0}, {'n', 0},
    };

    begin_context();
    for (int type = IF; type <= SWITCH; type++) {
        for (size_t i = 0; i < COUNT(kinds); i++) {
            CUDA_GRAPH_INSTANTIATE_PARAMS result;
            CUgraph graph = graph_begin();
            CUgraphNode node;

            add_kind(begin_node(graph, &node, type, 1, 0)[0], kinds[i].kind);
            CODE(kinds[i].result ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS,
                 instantiate(graph, &result));
            EQUAL(kinds[i].result, result.result_out);
            CHECK(!kinds[i].result == !result.hErrNode_out);
        }
    }
}

MEASURED_CASE(234, capture_fills_a_body)
{
    CUstream stream = begin_stream(), other = begin_stream();
    CUdeviceptr memory = graph_memory(BYTES);
    CUstreamCaptureStatus status;
    CUgraphNodeParams params;
    CUgraph graph, same = NULL;
    CUgraphNode node;

    capture_begin(stream, GLOBAL);
    MUST(cu->StreamGetCaptureInfo_v2(stream, &status, NULL, &graph, NULL, NULL));
    params = params_of(handle_of(graph, 1, 1), IF, 1);
    OK(add(graph, &node, &params));
    OK(cu->StreamUpdateCaptureDependencies(stream, &node, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    OK(cu->StreamBeginCaptureToGraph(other, params.conditional.phGraph_out[0], NULL, NULL, 0,
                                     GLOBAL));
    OK(cu->MemsetD8Async(memory, 7, 1, other));
    OK(cu->StreamEndCapture(other, &same));
    CHECK(same == params.conditional.phGraph_out[0]);
    MUST(cu->MemsetD8Async(memory + 1, 8, 1, stream));
    OK(cu->StreamEndCapture(stream, &graph));
    CHECK(!strcmp(graph_shape(graph), "is ab"));
    OK(cu->GraphLaunch(graph_exec(graph), stream));
    drain(stream);
    EQUAL(7, graph_byte(memory));
    EQUAL(8, graph_byte(memory + 1));
}

/* Without the flag the reference promises no value; the driver's was 0. */
MEASURED_CASE(235, default_value_chooses_the_body)
{
    CUstream stream = begin_stream();

    for (int type = IF; type <= SWITCH; type++) {
        for (unsigned size = 1; size <= (type == SWITCH ? MOST : type == IF ? 2 : 1); size++) {
            for (unsigned i = 0; i < (type == WHILE ? 1 : 10); i++) {
                const unsigned value = i / 2, flags = i % 2 || type == WHILE,
                               begins = flags * value;
                const unsigned chosen = type == SWITCH ? begins : begins == 0;
                const CUdeviceptr memory = graph_memory(MOST);
                CUgraph graph = graph_begin();
                CUgraphNodeParams params = params_of(handle_of(graph, value, flags), type, size);
                CUgraphNode node;
                CUgraphExec exec;

                MUST(add(graph, &node, &params));
                for (unsigned k = 0; k < size; k++)
                    add_set(params.conditional.phGraph_out[k], memory + k, k + 1);
                exec = graph_exec(graph);
                for (unsigned launch = 0; launch < 2; launch++) {
                    MUST(cu->MemsetD8Async(memory, 0, MOST, stream));
                    OK(cu->GraphLaunch(exec, stream));
                    drain(stream);
                    for (unsigned k = 0; k < size; k++)
                        EQUAL(k == chosen ? k + 1 : 0, graph_byte(memory + k));
                }
            }
        }
    }
}

MEASURED_CASE(235, node_after_waits_for_the_body)
{
    CUstream stream = begin_stream();
    const CUdeviceptr memory = graph_memory(BYTES);
    CUgraph graph = graph_begin();
    CUgraphNode node, after;

    add_set(begin_node(graph, &node, IF, 1, 1)[0], memory, 1);
    after = add_set(graph, memory, 2);
    MUST(cu->GraphAddDependencies(graph, &node, &after, 1));
    OK(cu->GraphLaunch(graph_exec(graph), stream));
    drain(stream);
    EQUAL(2, graph_byte(memory));
}

static CUgraph conditional(int type, unsigned size, unsigned value, CUdeviceptr memory,
                           unsigned byte)
{
    CUgraph graph = graph_begin();
    CUgraphNode node;
    CUgraph *body = begin_node(graph, &node, type, size, value);

    if (byte == 1)
        MUST(cu->GraphAddEmptyNode(&node, body[0], NULL, 0));
    else if (byte > 0)
        add_set(body[0], memory, byte);
    return graph;
}

MEASURED_CASE(235, update_keeps_type_size_and_handle)
{
    enum { TYPE_CHANGED = 3, TOPOLOGY_CHANGED = 2, NOT_SUPPORTED = 6 };
    static const struct {
        int type;
        unsigned size, value, byte, want; /* `want` is the byte after the update */
        int result;
    } rows[] = {
        {IF, 1, 1, 11, 11, 0},
        {IF, 1, 0, 12, 0, 0},
        {IF, 1, 1, 13, 13, 0},
        {WHILE, 1, 0, 14, 13, NOT_SUPPORTED},
        {IF, 2, 1, 15, 13, NOT_SUPPORTED},
        {SWITCH, 1, 1, 16, 13, NOT_SUPPORTED},
        {IF, 1, 1, 1, 13, TYPE_CHANGED},
        {IF, 1, 1, 0, 13, TOPOLOGY_CHANGED},
    };
    CUstream stream = begin_stream();
    const CUdeviceptr memory = graph_memory(BYTES);
    CUgraphExec exec = graph_exec(conditional(IF, 1, 1, memory, 10));

    for (size_t i = 0; i < COUNT(rows); i++) {
        CUgraph graph =
            conditional(rows[i].type, rows[i].size, rows[i].value, memory, rows[i].byte);
        CUgraphExecUpdateResultInfo info;

        CODE(rows[i].result ? CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE : CUDA_SUCCESS,
             cu->GraphExecUpdate_v2(exec, graph, &info));
        EQUAL(rows[i].result, info.result);
        CHECK(!info.errorNode == (!rows[i].result || rows[i].result == TOPOLOGY_CHANGED));
        MUST(cu->MemsetD8Async(memory, 0, 1, stream));
        OK(cu->GraphLaunch(exec, stream));
        drain(stream);
        EQUAL(rows[i].want, graph_byte(memory));
    }
}
