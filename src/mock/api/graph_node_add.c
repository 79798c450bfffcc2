/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that programs add to graphs. */
#include "src/mock/api/graph_node_work.h"
#include "src/mock/call.h"
#include "src/mock/core/state.h"

/* What a call says about where the node goes. */
struct place {
    CUgraphNode *node;
    CUgraph graph;
    const CUgraphNode *dependencies;
    const struct cushim__edge_data *data;
    size_t count;
};

/* Add a node that does `work`, which `code` says is there. Takes it over in any case. */
static CUresult add(const struct place *place, CUresult code, struct cushim__work *work)
{
    struct cushim__edges edges = {0};
    struct cushim__graph *graph;
    struct cushim__node *node;

    if (code != CUDA_SUCCESS)
        return code;
    code = place->node ? cushim__graph_find(place->graph, &graph) : CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS && work->child && work->child->origin == graph->number) {
        cushim__violation("the graph would contain itself");
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS && work->child && !cushim__graph_takes_child(graph, work->child))
        code = CUDA_ERROR_NOT_SUPPORTED;
    if (code == CUDA_SUCCESS)
        code = cushim__edges_read(graph, place->dependencies, place->data, place->count, &edges);
    if (code == CUDA_SUCCESS)
        code = cushim__node_add(graph, &edges, work, &node);
    else
        cushim__work_end(work);
    if (code == CUDA_SUCCESS)
        *place->node = node->object.handle;
    cushim__edges_clear(&edges);
    return code;
}

CUSHIM__EXACT(GraphAddEmptyNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies)
{
    const struct place place = {phGraphNode, hGraph, dependencies, NULL, numDependencies};
    struct cushim__work work = {.type = CU_GRAPH_NODE_TYPE_EMPTY};

    return add(&place, CUDA_SUCCESS, &work);
}

CUSHIM__EXACT(GraphAddHostNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    const struct place place = {phGraphNode, hGraph, dependencies, NULL, numDependencies};
    struct cushim__work work;

    return add(&place, cushim__work_host(nodeParams, &work), &work);
}

CUSHIM__EXACT(GraphAddMemcpyNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    const struct place place = {phGraphNode, hGraph, dependencies, NULL, numDependencies};
    struct cushim__work work;

    return add(&place, cushim__work_memcpy(copyParams, ctx, &work), &work);
}

CUSHIM__EXACT(GraphAddMemsetNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    const struct place place = {phGraphNode, hGraph, dependencies, NULL, numDependencies};
    struct cushim__work work;

    return add(&place, cushim__work_memset(memsetParams, ctx, &work), &work);
}

CUSHIM__EXACT(GraphAddKernelNode_v2)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 const cushim_CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    const struct place place = {phGraphNode, hGraph, dependencies, NULL, numDependencies};
    struct cushim__work work;

    return add(&place, cushim__work_kernel(nodeParams, &work), &work);
}

CUSHIM__EXACT(GraphAddKernelNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 const struct CUDA_KERNEL_NODE_PARAMS_st *nodeParams)
{
    CUDA_KERNEL_NODE_PARAMS parameters;

    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    parameters = cushim__kernel_parameters(nodeParams);
    return cushim__mock_GraphAddKernelNode_v2(phGraphNode, hGraph, dependencies, numDependencies,
                                              &parameters);
}

CUSHIM__EXACT(GraphAddEventRecordNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 CUevent event)
{
    const struct place place = {phGraphNode, hGraph, dependencies, NULL, numDependencies};
    struct cushim__work work;

    return add(&place, cushim__work_event(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event, &work), &work);
}

CUSHIM__EXACT(GraphAddEventWaitNode)
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 CUevent event)
{
    const struct place place = {phGraphNode, hGraph, dependencies, NULL, numDependencies};
    struct cushim__work work;

    return add(&place, cushim__work_event(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event, &work), &work);
}

CUSHIM__APPROXIMATE(GraphAddChildGraphNode, "at most 64 graphs lie in each other")
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 CUgraph childGraph)
{
    const struct place place = {phGraphNode, hGraph, dependencies, NULL, numDependencies};
    struct cushim__work work;

    return add(&place, cushim__work_child(childGraph, &work), &work);
}

CUSHIM__APPROXIMATE(GraphAddNode_v2, "refuses nodes for memory, semaphores and conditions; a child "
                                     "graph is always copied, and at most 64 lie in each other")
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
 const cushim_CUgraphEdgeData *dependencyData, size_t numDependencies,
 cushim_CUgraphNodeParams *nodeParams)
{
    const struct place place = {phGraphNode, hGraph, dependencies, (const void *)dependencyData,
                                numDependencies};
    struct cushim__work work;

    return add(&place, cushim__work_any(nodeParams, &work), &work);
}

CUSHIM__APPROXIMATE(GraphAddNode, "refuses nodes for memory, semaphores and conditions; a child "
                                  "graph is always copied, and at most 64 lie in each other")
(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
 cushim_CUgraphNodeParams *nodeParams)
{
    return cushim__mock_GraphAddNode_v2(phGraphNode, hGraph, dependencies, NULL, numDependencies,
                                        nodeParams);
}
