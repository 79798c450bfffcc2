/* SPDX-License-Identifier: Apache-2.0 */
/* What single nodes of executable graphs do, as programs change it. */
#include "src/mock/api/api.h"
#include "src/mock/api/copy.h"
#include "src/mock/api/graph_exec.h"
#include "src/mock/api/graph_node_work.h"
#include "src/mock/api/memory.h"

/* Whether two addresses lie in the same kind of memory of the same context. */
static bool is_alike(CUdeviceptr one, CUdeviceptr other)
{
    struct mock_range first, second;
    const bool known = cushim__mock_memory_find(one, &first);

    if (known != cushim__mock_memory_find(other, &second))
        return false;
    return !known || (first.place == second.place && first.context == second.context);
}

static CUresult check_memset(const struct mock_work *former, const struct mock_work *work)
{
    CUDA_MEMSET_NODE_PARAMS was, is;

    if (!cushim__mock_set_parameters(former->operation, &was) ||
        !cushim__mock_set_parameters(work->operation, &is))
        return CUDA_ERROR_INVALID_VALUE;
    if (was.height != is.height || !is_alike(was.dst, is.dst))
        return CUDA_ERROR_INVALID_VALUE;
    if (was.height > 1 &&
        (was.width != is.width || was.elementSize != is.elementSize || was.pitch != is.pitch))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static CUdeviceptr source_of(const CUDA_MEMCPY3D *copy)
{
    return copy->srcMemoryType == CU_MEMORYTYPE_HOST ? (CUdeviceptr)(uintptr_t)copy->srcHost
                                                     : copy->srcDevice;
}

static CUdeviceptr destination_of(const CUDA_MEMCPY3D *copy)
{
    return copy->dstMemoryType == CU_MEMORYTYPE_HOST ? (CUdeviceptr)(uintptr_t)copy->dstHost
                                                     : copy->dstDevice;
}

static CUresult check_memcpy(const struct mock_work *former, const struct mock_work *work)
{
    CUDA_MEMCPY3D was, is;

    if (!cushim__mock_copy_parameters(former->operation, &was) ||
        !cushim__mock_copy_parameters(work->operation, &is))
        return CUDA_ERROR_INVALID_VALUE;
    if (was.srcMemoryType != is.srcMemoryType || was.dstMemoryType != is.dstMemoryType)
        return CUDA_ERROR_INVALID_VALUE;
    if (was.Height > 1 || was.Depth > 1 || is.Height > 1 || is.Depth > 1)
        return CUDA_ERROR_INVALID_VALUE;
    if (!is_alike(source_of(&was), source_of(&is)) ||
        !is_alike(destination_of(&was), destination_of(&is)))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_exec_check(const struct mock_node *node, const struct mock_work *work)
{
    if (node->work.type != work->type)
        return CUDA_ERROR_INVALID_VALUE;
    if (work->type == CU_GRAPH_NODE_TYPE_MEMSET)
        return check_memset(&node->work, work);
    if (work->type == CU_GRAPH_NODE_TYPE_MEMCPY)
        return check_memcpy(&node->work, work);
    return CUDA_SUCCESS;
}

/* Let a node do `work`, which `code` says is there. Takes it over in any case. */
static CUresult set(CUgraphExec handle, CUgraphNode node, CUresult code, struct mock_work *work)
{
    struct mock_node *copy;

    if (code != CUDA_SUCCESS)
        return code;
    code = cushim__mock_exec_node(handle, node, &copy);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_exec_check(copy, work);
    if (code == CUDA_SUCCESS)
        return cushim__mock_node_set(copy, work);
    cushim__mock_work_end(work);
    return code;
}

MOCK_EXACT(GraphExecHostNodeSetParams)
(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    struct mock_work work;

    return set(hGraphExec, hNode, cushim__mock_work_host(nodeParams, &work), &work);
}

MOCK_EXACT(GraphExecMemcpyNodeSetParams)
(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    struct mock_work work;

    return set(hGraphExec, hNode, cushim__mock_work_memcpy(copyParams, ctx, &work), &work);
}

MOCK_EXACT(GraphExecMemsetNodeSetParams)
(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *memsetParams,
 CUcontext ctx)
{
    struct mock_work work;

    return set(hGraphExec, hNode, cushim__mock_work_memset(memsetParams, ctx, &work), &work);
}

MOCK_EXACT(GraphExecKernelNodeSetParams_v2)
(CUgraphExec hGraphExec, CUgraphNode hNode, const cushim_CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    struct mock_work work;

    return set(hGraphExec, hNode, cushim__mock_work_kernel(nodeParams, &work), &work);
}

MOCK_EXACT(GraphExecKernelNodeSetParams)
(CUgraphExec hGraphExec, CUgraphNode hNode, const struct CUDA_KERNEL_NODE_PARAMS_st *nodeParams)
{
    CUDA_KERNEL_NODE_PARAMS parameters;

    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    parameters = cushim__mock_kernel_parameters(nodeParams);
    return cushim__mock_GraphExecKernelNodeSetParams_v2(hGraphExec, hNode, &parameters);
}

MOCK_EXACT(GraphExecEventRecordNodeSetEvent)
(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event)
{
    struct mock_work work;

    return set(hGraphExec, hNode,
               cushim__mock_work_event(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event, &work), &work);
}

MOCK_EXACT(GraphExecEventWaitNodeSetEvent)
(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event)
{
    struct mock_work work;

    return set(hGraphExec, hNode,
               cushim__mock_work_event(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event, &work), &work);
}

MOCK_EXACT(GraphExecChildGraphNodeSetParams)
(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraph childGraph)
{
    CUgraphExecUpdateResultInfo info;
    struct mock_graph *graph;
    struct mock_node *copy;
    CUresult code = cushim__mock_exec_node(hGraphExec, hNode, &copy);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_graph_find(childGraph, &graph);
    if (code == CUDA_SUCCESS && !copy->work.child)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        code = cushim__mock_exec_update(copy->work.child, graph, &info);
    return code;
}

MOCK_EXACT(GraphExecNodeSetParams)
(CUgraphExec hGraphExec, CUgraphNode hNode, cushim_CUgraphNodeParams *nodeParams)
{
    struct mock_work work;

    if (nodeParams && nodeParams->type == CU_GRAPH_NODE_TYPE_GRAPH)
        return cushim__mock_GraphExecChildGraphNodeSetParams(hGraphExec, hNode,
                                                             nodeParams->graph.graph);
    return set(hGraphExec, hNode, cushim__mock_work_any(nodeParams, &work), &work);
}

static CUresult find_switched(CUgraphExec handle, CUgraphNode node, struct mock_node **copy)
{
    CUresult code = cushim__mock_exec_node(handle, node, copy);

    if (code == CUDA_SUCCESS && (*copy)->work.type != CU_GRAPH_NODE_TYPE_KERNEL &&
        (*copy)->work.type != CU_GRAPH_NODE_TYPE_MEMCPY &&
        (*copy)->work.type != CU_GRAPH_NODE_TYPE_MEMSET)
        code = CUDA_ERROR_INVALID_VALUE;
    return code;
}

MOCK_EXACT(GraphNodeSetEnabled)
(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled)
{
    struct mock_node *copy;
    CUresult code = find_switched(hGraphExec, hNode, &copy);

    if (code == CUDA_SUCCESS)
        copy->disabled = isEnabled == 0;
    return code;
}

MOCK_EXACT(GraphNodeGetEnabled)
(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int *isEnabled)
{
    struct mock_node *copy;
    CUresult code = isEnabled ? find_switched(hGraphExec, hNode, &copy) : CUDA_ERROR_INVALID_VALUE;

    if (code == CUDA_SUCCESS)
        *isEnabled = !copy->disabled;
    return code;
}
