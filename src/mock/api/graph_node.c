/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that programs add to graphs. */
#include <string.h>

#include "src/mock/api/api.h"
#include "src/mock/api/context.h"
#include "src/mock/api/copy.h"
#include "src/mock/api/graph.h"
#include "src/mock/api/kernel.h"
#include "src/mock/api/stream.h"
#include "src/mock/core/state.h"

/* What a call says about where the node goes. */
struct place {
    CUgraphNode *node;
    CUgraph graph;
    const CUgraphNode *dependencies;
    const struct mock_edge_data *data;
    size_t count;
};

/* Add a node that does `work`, which `code` says is there. Takes it over in any case. */
static CUresult add(const struct place *place, CUresult code, struct mock_work *work)
{
    struct mock_edges edges = {0};
    struct mock_graph *graph;
    struct mock_node *node;

    if (code != CUDA_SUCCESS)
        return code;
    code = place->node ? cushim__mock_graph_find(place->graph, &graph) : CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS && work->child && work->child->origin == graph->number) {
        cushim__mock_misuse("the graph would contain itself");
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS && work->child && !cushim__mock_graph_takes_child(graph, work->child))
        code = CUDA_ERROR_NOT_SUPPORTED;
    if (code == CUDA_SUCCESS)
        code =
            cushim__mock_edges_read(graph, place->dependencies, place->data, place->count, &edges);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_node_add(graph, &edges, work, &node);
    else
        cushim__mock_work_end(work);
    if (code == CUDA_SUCCESS)
        *place->node = node->object.handle;
    cushim__mock_edges_clear(&edges);
    return code;
}

MOCK_EXACT(GraphAddEmptyNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies)
{
    const struct place place = {phGraphNode, hGraph, dependencies, NULL, numDependencies};
    struct mock_work work = {.type = CU_GRAPH_NODE_TYPE_EMPTY};

    return add(&place, CUDA_SUCCESS, &work);
}

MOCK_EXACT(GraphAddHostNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    const struct place place = {phGraphNode, hGraph, dependencies, NULL, numDependencies};
    struct mock_work work;

    return add(&place, cushim__mock_work_host(nodeParams, &work), &work);
}

MOCK_EXACT(GraphAddMemcpyNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    const struct place place = {phGraphNode, hGraph, dependencies, NULL, numDependencies};
    struct mock_work work;

    return add(&place, cushim__mock_work_memcpy(copyParams, ctx, &work), &work);
}

MOCK_EXACT(GraphAddMemsetNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    const struct place place = {phGraphNode, hGraph, dependencies, NULL, numDependencies};
    struct mock_work work;

    return add(&place, cushim__mock_work_memset(memsetParams, ctx, &work), &work);
}

MOCK_EXACT(GraphAddKernelNode_v2)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 const cushim_CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    const struct place place = {phGraphNode, hGraph, dependencies, NULL, numDependencies};
    struct mock_work work;

    return add(&place, cushim__mock_work_kernel(nodeParams, &work), &work);
}

MOCK_EXACT(GraphAddKernelNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 const struct CUDA_KERNEL_NODE_PARAMS_st *nodeParams)
{
    CUDA_KERNEL_NODE_PARAMS parameters;

    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    parameters = cushim__mock_kernel_parameters(nodeParams);
    return cushim__mock_GraphAddKernelNode_v2(phGraphNode, hGraph, dependencies, numDependencies,
                                              &parameters);
}

MOCK_EXACT(GraphAddEventRecordNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 CUevent event)
{
    const struct place place = {phGraphNode, hGraph, dependencies, NULL, numDependencies};
    struct mock_work work;

    return add(&place, cushim__mock_work_event(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event, &work),
               &work);
}

MOCK_EXACT(GraphAddEventWaitNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 CUevent event)
{
    const struct place place = {phGraphNode, hGraph, dependencies, NULL, numDependencies};
    struct mock_work work;

    return add(&place, cushim__mock_work_event(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event, &work), &work);
}

MOCK_APPROXIMATE(GraphAddChildGraphNode, "at most 64 graphs lie in each other")
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 CUgraph childGraph)
{
    const struct place place = {phGraphNode, hGraph, dependencies, NULL, numDependencies};
    struct mock_work work;

    return add(&place, cushim__mock_work_child(childGraph, &work), &work);
}

MOCK_APPROXIMATE(GraphAddNode_v2, "refuses nodes for memory, semaphores and conditions; a child "
                                  "graph is always copied, and at most 64 lie in each other")
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
 const cushim_CUgraphEdgeData *dependencyData, size_t numDependencies,
 cushim_CUgraphNodeParams *nodeParams)
{
    const struct place place = {phGraphNode, hGraph, dependencies, (const void *)dependencyData,
                                numDependencies};
    struct mock_work work;

    return add(&place, cushim__mock_work_any(nodeParams, &work), &work);
}

MOCK_APPROXIMATE(GraphAddNode_v3, "no driver of this version was measured; refuses what "
                                  "cuGraphAddNode_v2 does, and members that came after CUDA 13.0")
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
 const cushim_CUgraphEdgeData *dependencyData, size_t numDependencies,
 cushim_CUgraphNodeParams *nodeParams)
{
    const struct place place = {phGraphNode, hGraph, dependencies, (const void *)dependencyData,
                                numDependencies};
    struct mock_work work;

    return add(&place, cushim__mock_work_any_checked(nodeParams, &work), &work);
}

MOCK_APPROXIMATE(GraphAddNode, "refuses nodes for memory, semaphores and conditions; a child "
                               "graph is always copied, and at most 64 lie in each other")
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 cushim_CUgraphNodeParams *nodeParams)
{
    return cushim__mock_GraphAddNode_v2(phGraphNode, hGraph, dependencies, NULL, numDependencies,
                                        nodeParams);
}

/* The parameters of nodes, as programs read and change them. */

/* A node of a type, and somewhere to put its parameters. */
static CUresult find(CUgraphNode handle, CUgraphNodeType type, const void *out,
                     struct mock_node **node)
{
    CUresult code = out ? cushim__mock_node_find(handle, node) : CUDA_ERROR_INVALID_VALUE;

    if (code == CUDA_SUCCESS && (*node)->work.type != type)
        code = CUDA_ERROR_INVALID_VALUE;
    return code;
}

/* Let a node do `work`, which `code` says is there. Takes it over in any case. */
static CUresult set(CUgraphNode handle, CUresult code, struct mock_work *work)
{
    struct mock_node *node;

    if (code != CUDA_SUCCESS)
        return code;
    code = cushim__mock_node_find(handle, &node);
    if (code == CUDA_SUCCESS)
        return cushim__mock_node_set(node, work);
    cushim__mock_work_end(work);
    return code;
}

MOCK_EXACT(GraphHostNodeGetParams)(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams)
{
    struct mock_node *node;
    CUresult code = find(hNode, CU_GRAPH_NODE_TYPE_HOST, nodeParams, &node);

    if (code == CUDA_SUCCESS)
        cushim__mock_host_parameters(node->work.operation, nodeParams);
    return code;
}

MOCK_EXACT(GraphHostNodeSetParams)(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    struct mock_work work;

    return set(hNode, cushim__mock_work_host(nodeParams, &work), &work);
}

MOCK_EXACT(GraphMemcpyNodeGetParams)(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams)
{
    struct mock_node *node;
    CUresult code = find(hNode, CU_GRAPH_NODE_TYPE_MEMCPY, nodeParams, &node);

    if (code == CUDA_SUCCESS && !cushim__mock_copy_parameters(node->work.operation, nodeParams))
        code = CUDA_ERROR_INVALID_VALUE;
    return code;
}

MOCK_EXACT(GraphMemcpyNodeSetParams)(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams)
{
    struct mock_node *node;
    struct mock_work work;
    CUresult code = find(hNode, CU_GRAPH_NODE_TYPE_MEMCPY, nodeParams, &node);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_work_memcpy(nodeParams, node->work.context, &work);
    return code ? code : cushim__mock_node_set(node, &work);
}

MOCK_EXACT(GraphMemsetNodeGetParams)(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    struct mock_node *node;
    CUresult code = find(hNode, CU_GRAPH_NODE_TYPE_MEMSET, nodeParams, &node);

    if (code == CUDA_SUCCESS && !cushim__mock_set_parameters(node->work.operation, nodeParams))
        code = CUDA_ERROR_INVALID_VALUE;
    return code;
}

MOCK_EXACT(GraphMemsetNodeSetParams)
(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    struct mock_node *node;
    struct mock_work work;
    CUresult code = find(hNode, CU_GRAPH_NODE_TYPE_MEMSET, nodeParams, &node);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_work_memset(nodeParams, node->work.context, &work);
    return code ? code : cushim__mock_node_set(node, &work);
}

MOCK_EXACT(GraphKernelNodeGetParams_v2)
(CUgraphNode hNode, cushim_CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    const struct mock_object *function;
    struct mock_node *node;
    CUresult code = find(hNode, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams, &node);

    if (code != CUDA_SUCCESS)
        return code;
    cushim__mock_kernel_params(node->work.operation, nodeParams);
    function = cushim__mock_object_lookup(nodeParams->func, MOCK_FUNCTION);
    if (function)
        nodeParams->ctx = function->context->object.handle;
    return CUDA_SUCCESS;
}

MOCK_EXACT(GraphKernelNodeGetParams)
(CUgraphNode hNode, struct CUDA_KERNEL_NODE_PARAMS_st *nodeParams)
{
    CUDA_KERNEL_NODE_PARAMS parameters;
    CUresult code = nodeParams ? cushim__mock_GraphKernelNodeGetParams_v2(hNode, &parameters)
                               : CUDA_ERROR_INVALID_VALUE;

    if (code != CUDA_SUCCESS)
        return code;
    *nodeParams = (struct CUDA_KERNEL_NODE_PARAMS_st){
        .func = parameters.func,
        .gridDimX = parameters.gridDimX,
        .gridDimY = parameters.gridDimY,
        .gridDimZ = parameters.gridDimZ,
        .blockDimX = parameters.blockDimX,
        .blockDimY = parameters.blockDimY,
        .blockDimZ = parameters.blockDimZ,
        .sharedMemBytes = parameters.sharedMemBytes,
        .kernelParams = parameters.kernelParams,
        .extra = parameters.extra,
    };
    return CUDA_SUCCESS;
}

MOCK_EXACT(GraphKernelNodeSetParams_v2)
(CUgraphNode hNode, const cushim_CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    struct mock_work work;

    return set(hNode, cushim__mock_work_kernel(nodeParams, &work), &work);
}

MOCK_EXACT(GraphKernelNodeSetParams)
(CUgraphNode hNode, const struct CUDA_KERNEL_NODE_PARAMS_st *nodeParams)
{
    CUDA_KERNEL_NODE_PARAMS parameters;

    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    parameters = cushim__mock_kernel_parameters(nodeParams);
    return cushim__mock_GraphKernelNodeSetParams_v2(hNode, &parameters);
}

static CUresult get_event(CUgraphNode handle, CUgraphNodeType type, CUevent *event)
{
    struct mock_node *node;
    CUresult code = find(handle, type, event, &node);

    if (code == CUDA_SUCCESS)
        *event = node->work.event;
    return code;
}

MOCK_EXACT(GraphEventRecordNodeGetEvent)(CUgraphNode hNode, CUevent *event_out)
{
    return get_event(hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event_out);
}

MOCK_EXACT(GraphEventWaitNodeGetEvent)(CUgraphNode hNode, CUevent *event_out)
{
    return get_event(hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event_out);
}

MOCK_EXACT(GraphEventRecordNodeSetEvent)(CUgraphNode hNode, CUevent event)
{
    struct mock_work work;

    return set(hNode, cushim__mock_work_event(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event, &work),
               &work);
}

MOCK_EXACT(GraphEventWaitNodeSetEvent)(CUgraphNode hNode, CUevent event)
{
    struct mock_work work;

    return set(hNode, cushim__mock_work_event(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event, &work), &work);
}

MOCK_EXACT(GraphNodeSetParams)(CUgraphNode hNode, cushim_CUgraphNodeParams *nodeParams)
{
    struct mock_work work;

    return set(hNode, cushim__mock_work_any(nodeParams, &work), &work);
}

MOCK_APPROXIMATE(GraphNodeSetParams_v2,
                 "no driver of this version was measured; refuses members that came "
                 "after CUDA 13.0")
(CUgraphNode hNode, cushim_CUgraphNodeParams *nodeParams)
{
    struct mock_work work;

    return set(hNode, cushim__mock_work_any_checked(nodeParams, &work), &work);
}

static CUresult get_kernel(CUgraphNode handle, CUgraphNodeParams *parameters)
{
    CUDA_KERNEL_NODE_PARAMS kernel;
    CUresult code = cushim__mock_GraphKernelNodeGetParams_v2(handle, &kernel);

    if (code == CUDA_SUCCESS)
        memcpy(&parameters->kernel, &kernel, sizeof kernel);
    return code;
}

static CUresult get_memset(const struct mock_node *node, CUgraphNodeParams *parameters)
{
    CUDA_MEMSET_NODE_PARAMS set;

    if (!cushim__mock_set_parameters(node->work.operation, &set))
        return CUDA_ERROR_INVALID_VALUE;
    parameters->memset.dst = set.dst;
    parameters->memset.pitch = set.pitch;
    parameters->memset.value = set.value;
    parameters->memset.elementSize = set.elementSize;
    parameters->memset.width = set.width;
    parameters->memset.height = set.height;
    parameters->memset.ctx = node->work.context;
    return CUDA_SUCCESS;
}

static CUresult get_host(const struct mock_node *node, CUgraphNodeParams *parameters)
{
    CUDA_HOST_NODE_PARAMS host;

    cushim__mock_host_parameters(node->work.operation, &host);
    parameters->host.fn = host.fn;
    parameters->host.userData = host.userData;
    return CUDA_SUCCESS;
}

/* What a node does, into parameters that are zero. */
static CUresult get(const struct mock_node *node, CUgraphNodeParams *parameters)
{
    parameters->type = node->work.type;
    switch ((int)node->work.type) { /* the enumeration of older headers is shorter */
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return get_kernel(node->object.handle, parameters);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        parameters->memcpy.copyCtx = node->work.context;
        return cushim__mock_GraphMemcpyNodeGetParams(node->object.handle,
                                                     &parameters->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return get_memset(node, parameters);
    case CU_GRAPH_NODE_TYPE_HOST:
        return get_host(node, parameters);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        parameters->graph.graph = node->work.child->object.handle;
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        parameters->eventWait.event = node->work.event;
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        parameters->eventRecord.event = node->work.event;
        return CUDA_SUCCESS;
    default: /* an empty node */
        return CUDA_SUCCESS;
    }
}

MOCK_APPROXIMATE(GraphNodeGetParams, "no driver of this version was measured")
(CUgraphNode hNode, cushim_CUgraphNodeParams *nodeParams)
{
    CUgraphNodeParams parameters;
    struct mock_node *node;
    CUresult code = nodeParams ? cushim__mock_node_find(hNode, &node) : CUDA_ERROR_INVALID_VALUE;

    memset(&parameters, 0, sizeof parameters);
    if (code == CUDA_SUCCESS)
        code = get(node, &parameters);
    if (code == CUDA_SUCCESS)
        *nodeParams = parameters;
    return code;
}
