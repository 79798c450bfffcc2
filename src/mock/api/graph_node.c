/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that add nodes to graphs, and that read and change what nodes do. */
#include <string.h>

#include "src/mock/api/api.h"
#include "src/mock/api/context.h"
#include "src/mock/api/copy.h"
#include "src/mock/api/graph.h"
#include "src/mock/api/kernel.h"
#include "src/mock/api/stream.h"
#include "src/mock/core/state.h"

/* Add a node that does `work`, as the parameters of a call say. Takes the work over. */
static CUresult add(CUgraphNode *handle, CUgraph graph_handle, const CUgraphNode *dependencies,
                    const cushim_CUgraphEdgeData *data, size_t count, struct mock_work work)
{
    struct mock_edges edges = {0};
    struct mock_graph *graph;
    struct mock_node *node;
    CUresult code;

    if (work.code != CUDA_SUCCESS)
        return work.code;
    code = handle ? cushim__mock_object_find(graph_handle, MOCK_GRAPH, &graph)
                  : CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS && work.child && work.child->origin == graph->number) {
        cushim__mock_misuse(CUSHIM__CHECK_NONE, "the graph would contain itself");
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS && work.child && !cushim__mock_graph_takes_child(graph, work.child))
        code = CUDA_ERROR_NOT_SUPPORTED;
    if (code == CUDA_SUCCESS)
        code = cushim__mock_edges_read(graph, dependencies, data, count, &edges);
    if (code == CUDA_SUCCESS && edges.count != count) /* a node is named twice */
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        code = cushim__mock_node_add(graph, &edges, &work, &node);
    else
        cushim__mock_work_end(&work);
    if (code == CUDA_SUCCESS)
        *handle = node->object.handle;
    cushim__mock_edges_clear(&edges);
    return code;
}

MOCK_EXACT(GraphAddEmptyNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies)
{
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies,
               (struct mock_work){.type = CU_GRAPH_NODE_TYPE_EMPTY});
}

MOCK_EXACT(GraphAddHostNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies,
               cushim__mock_work_host(nodeParams));
}

MOCK_EXACT(GraphAddMemcpyNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies,
               cushim__mock_work_memcpy(copyParams, ctx));
}

MOCK_EXACT(GraphAddMemsetNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies,
               cushim__mock_work_memset(memsetParams, ctx));
}

MOCK_EXACT(GraphAddKernelNode_v2)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 const cushim_CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies,
               cushim__mock_work_kernel(nodeParams, sizeof *nodeParams));
}

MOCK_EXACT(GraphAddKernelNode)
(const struct CUDA_KERNEL_NODE_PARAMS_st *NOT_NULL nodeParams, CUgraphNode *phGraphNode,
 CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies)
{
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies,
               cushim__mock_work_kernel(nodeParams, sizeof *nodeParams));
}

MOCK_ALSO(GraphAddEventWaitNode)
MOCK_EXACT(GraphAddEventRecordNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 CUevent event, unsigned slot)
{
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies,
               cushim__mock_work_event(slot == CUSHIM__SLOT(GraphAddEventWaitNode)
                                           ? CU_GRAPH_NODE_TYPE_WAIT_EVENT
                                           : CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                       event));
}

MOCK_APPROXIMATE(GraphAddChildGraphNode, "at most 64 graphs lie in each other")
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 CUgraph childGraph)
{
    return add(phGraphNode, hGraph, dependencies, NULL, numDependencies,
               cushim__mock_work_child(childGraph));
}

MOCK_ALSO(GraphAddNode)
MOCK_APPROXIMATE(GraphAddNode_v2, "refuses nodes for memory, semaphores and conditions; a child "
                                  "graph is always copied, and at most 64 lie in each other")
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
 const cushim_CUgraphEdgeData *dependencyData, size_t numDependencies,
 cushim_CUgraphNodeParams *nodeParams)
{
    return add(phGraphNode, hGraph, dependencies, dependencyData, numDependencies,
               cushim__mock_work_any(nodeParams));
}

MOCK_APPROXIMATE(GraphAddNode_v3, "no driver of this version was measured; refuses what "
                                  "cuGraphAddNode_v2 does, and members that came after CUDA 13.0")
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
 const cushim_CUgraphEdgeData *dependencyData, size_t numDependencies,
 cushim_CUgraphNodeParams *nodeParams)
{
    return add(phGraphNode, hGraph, dependencies, dependencyData, numDependencies,
               cushim__mock_work_any_checked(nodeParams));
}

/* The calls that read and change the parameters of nodes. */

/* Make a node do `work`, which is taken over. */
static CUresult set(CUgraphNode handle, struct mock_work work)
{
    struct mock_node *node;
    CUresult code = work.code ? work.code : cushim__mock_object_find(handle, MOCK_NODE, &node);

    if (code == CUDA_SUCCESS)
        return cushim__mock_node_set(node, &work);
    cushim__mock_work_end(&work);
    return code;
}

MOCK_EXACT(GraphHostNodeGetParams)
(CUDA_HOST_NODE_PARAMS *NOT_NULL nodeParams, const struct mock_node *node)
{
    if (node->work.type != CU_GRAPH_NODE_TYPE_HOST)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_host_parameters(node->work.operation, nodeParams);
    return CUDA_SUCCESS;
}

MOCK_EXACT(GraphHostNodeSetParams)(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    return set(hNode, cushim__mock_work_host(nodeParams));
}

MOCK_EXACT(GraphMemcpyNodeGetParams)
(CUDA_MEMCPY3D *NOT_NULL nodeParams, const struct mock_node *node)
{
    const struct mock_copy *copy = node->work.type == CU_GRAPH_NODE_TYPE_MEMCPY
                                       ? cushim__mock_copy_of(node->work.operation)
                                       : NULL;
    struct cushim__copy shape;

    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    shape =
        (struct cushim__copy){copy->from.at, copy->to.at, copy->width, copy->height, copy->depth};
    memcpy(nodeParams, &shape, sizeof shape);
    return CUDA_SUCCESS;
}

MOCK_EXACT(GraphMemcpyNodeSetParams)
(const CUDA_MEMCPY3D *NOT_NULL nodeParams, struct mock_node *node)
{
    if (node->work.type != CU_GRAPH_NODE_TYPE_MEMCPY)
        return CUDA_ERROR_INVALID_VALUE;
    return set(node->object.handle, cushim__mock_work_memcpy(nodeParams, node->work.context));
}

MOCK_EXACT(GraphMemsetNodeGetParams)
(CUDA_MEMSET_NODE_PARAMS *NOT_NULL nodeParams, const struct mock_node *node)
{
    return node->work.type == CU_GRAPH_NODE_TYPE_MEMSET &&
                   cushim__mock_set_parameters(node->work.operation, nodeParams)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

MOCK_EXACT(GraphMemsetNodeSetParams)
(const CUDA_MEMSET_NODE_PARAMS *NOT_NULL nodeParams, struct mock_node *node)
{
    if (node->work.type != CU_GRAPH_NODE_TYPE_MEMSET)
        return CUDA_ERROR_INVALID_VALUE;
    return set(node->object.handle, cushim__mock_work_memset(nodeParams, node->work.context));
}

MOCK_EXACT(GraphKernelNodeGetParams_v2)
(cushim_CUDA_KERNEL_NODE_PARAMS *NOT_NULL nodeParams, const struct mock_node *node)
{
    const struct mock_object *function;

    if (node->work.type != CU_GRAPH_NODE_TYPE_KERNEL)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_kernel_params(node->work.operation, nodeParams);
    function = cushim__mock_object_lookup(nodeParams->func, MOCK_FUNCTION);
    if (function)
        nodeParams->ctx = function->context->object.handle;
    return CUDA_SUCCESS;
}

/* The earlier struct consists of the first members of the later one. */
MOCK_EXACT(GraphKernelNodeGetParams)
(struct CUDA_KERNEL_NODE_PARAMS_st *NOT_NULL nodeParams, const struct mock_node *node)
{
    CUDA_KERNEL_NODE_PARAMS parameters;
    CUresult code = cushim__mock_GraphKernelNodeGetParams_v2(&parameters, node);

    if (code == CUDA_SUCCESS)
        memcpy(nodeParams, &parameters, sizeof *nodeParams);
    return code;
}

MOCK_EXACT(GraphKernelNodeSetParams_v2)
(CUgraphNode hNode, const cushim_CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    return set(hNode, cushim__mock_work_kernel(nodeParams, sizeof *nodeParams));
}

MOCK_EXACT(GraphKernelNodeSetParams)
(const struct CUDA_KERNEL_NODE_PARAMS_st *NOT_NULL nodeParams, CUgraphNode hNode)
{
    return set(hNode, cushim__mock_work_kernel(nodeParams, sizeof *nodeParams));
}

MOCK_ALSO(GraphEventWaitNodeGetEvent)
MOCK_EXACT(GraphEventRecordNodeGetEvent)
(CUevent *NOT_NULL event_out, const struct mock_node *node, unsigned slot)
{
    if (node->work.type != (slot == CUSHIM__SLOT(GraphEventWaitNodeGetEvent)
                                ? CU_GRAPH_NODE_TYPE_WAIT_EVENT
                                : CU_GRAPH_NODE_TYPE_EVENT_RECORD))
        return CUDA_ERROR_INVALID_VALUE;
    *event_out = node->work.event;
    return CUDA_SUCCESS;
}

MOCK_ALSO(GraphEventWaitNodeSetEvent)
MOCK_EXACT(GraphEventRecordNodeSetEvent)(CUgraphNode hNode, CUevent event, unsigned slot)
{
    return set(hNode, cushim__mock_work_event(slot == CUSHIM__SLOT(GraphEventWaitNodeSetEvent)
                                                  ? CU_GRAPH_NODE_TYPE_WAIT_EVENT
                                                  : CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                              event));
}

MOCK_EXACT(GraphNodeSetParams)(CUgraphNode hNode, cushim_CUgraphNodeParams *nodeParams)
{
    return set(hNode, cushim__mock_work_any(nodeParams));
}

MOCK_APPROXIMATE(GraphNodeSetParams_v2,
                 "no driver of this version was measured; refuses members that came "
                 "after CUDA 13.0")
(CUgraphNode hNode, cushim_CUgraphNodeParams *nodeParams)
{
    return set(hNode, cushim__mock_work_any_checked(nodeParams));
}

static CUresult get_kernel(const struct mock_node *node, CUgraphNodeParams *parameters)
{
    CUDA_KERNEL_NODE_PARAMS kernel;
    CUresult code = cushim__mock_GraphKernelNodeGetParams_v2(&kernel, node);

    if (code == CUDA_SUCCESS)
        memcpy(&parameters->kernel, &kernel, sizeof kernel);
    return code;
}

/* The earlier structs of sets and of host functions are the first members of the later ones. */
static CUresult get_memset(const struct mock_node *node, CUgraphNodeParams *parameters)
{
    CUDA_MEMSET_NODE_PARAMS set;

    if (!cushim__mock_set_parameters(node->work.operation, &set))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&parameters->memset, &set, sizeof set);
    parameters->memset.ctx = node->work.context;
    return CUDA_SUCCESS;
}

static CUresult get_host(const struct mock_node *node, CUgraphNodeParams *parameters)
{
    CUDA_HOST_NODE_PARAMS host;

    cushim__mock_host_parameters(node->work.operation, &host);
    memcpy(&parameters->host, &host, sizeof host);
    return CUDA_SUCCESS;
}

/* Write what a node does to zeroed parameters. */
static CUresult get(const struct mock_node *node, CUgraphNodeParams *parameters)
{
    parameters->type = node->work.type;
    switch ((int)node->work.type) { /* the enumeration of older headers is shorter */
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return get_kernel(node, parameters);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        parameters->memcpy.copyCtx = node->work.context;
        return cushim__mock_GraphMemcpyNodeGetParams(&parameters->memcpy.copyParams, node);
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
(cushim_CUgraphNodeParams *NOT_NULL nodeParams, const struct mock_node *node)
{
    CUgraphNodeParams parameters;
    CUresult code;

    memset(&parameters, 0, sizeof parameters);
    code = get(node, &parameters);
    if (code == CUDA_SUCCESS)
        *nodeParams = parameters;
    return code;
}
