/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that programs add to graphs. */
#include "src/mock/api/api.h"
#include "src/mock/api/graph_node_work.h"
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
