/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of nodes, as programs read and change them. */
#include "src/mock/api/context.h"
#include "src/mock/api/copy.h"
#include "src/mock/api/graph_node_work.h"
#include "src/mock/api/host_function.h"
#include "src/mock/api/kernel.h"
#include "src/mock/call.h"

/* A node of a type, and somewhere to put its parameters. */
static CUresult find(CUgraphNode handle, CUgraphNodeType type, const void *out,
                     struct cushim__node **node)
{
    CUresult code = out ? cushim__node_find(handle, node) : CUDA_ERROR_INVALID_VALUE;

    if (code == CUDA_SUCCESS && (*node)->work.type != type)
        code = CUDA_ERROR_INVALID_VALUE;
    return code;
}

/* Let a node do `work`, which `code` says is there. Takes it over in any case. */
static CUresult set(CUgraphNode handle, CUresult code, struct cushim__work *work)
{
    struct cushim__node *node;

    if (code != CUDA_SUCCESS)
        return code;
    code = cushim__node_find(handle, &node);
    if (code == CUDA_SUCCESS)
        return cushim__node_set(node, work);
    cushim__work_end(work);
    return code;
}

CUSHIM__EXACT(GraphHostNodeGetParams)(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams)
{
    struct cushim__node *node;
    CUresult code = find(hNode, CU_GRAPH_NODE_TYPE_HOST, nodeParams, &node);

    if (code == CUDA_SUCCESS)
        cushim__host_parameters(node->work.operation, nodeParams);
    return code;
}

CUSHIM__EXACT(GraphHostNodeSetParams)(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    struct cushim__work work;

    return set(hNode, cushim__work_host(nodeParams, &work), &work);
}

CUSHIM__EXACT(GraphMemcpyNodeGetParams)(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams)
{
    struct cushim__node *node;
    CUresult code = find(hNode, CU_GRAPH_NODE_TYPE_MEMCPY, nodeParams, &node);

    if (code == CUDA_SUCCESS && !cushim__copy_parameters(node->work.operation, nodeParams))
        code = CUDA_ERROR_INVALID_VALUE;
    return code;
}

CUSHIM__EXACT(GraphMemcpyNodeSetParams)(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams)
{
    struct cushim__node *node;
    struct cushim__work work;
    CUresult code = find(hNode, CU_GRAPH_NODE_TYPE_MEMCPY, nodeParams, &node);

    if (code == CUDA_SUCCESS)
        code = cushim__work_memcpy(nodeParams, node->work.context, &work);
    return code ? code : cushim__node_set(node, &work);
}

CUSHIM__EXACT(GraphMemsetNodeGetParams)(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    struct cushim__node *node;
    CUresult code = find(hNode, CU_GRAPH_NODE_TYPE_MEMSET, nodeParams, &node);

    if (code == CUDA_SUCCESS && !cushim__set_parameters(node->work.operation, nodeParams))
        code = CUDA_ERROR_INVALID_VALUE;
    return code;
}

CUSHIM__EXACT(GraphMemsetNodeSetParams)
(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    struct cushim__node *node;
    struct cushim__work work;
    CUresult code = find(hNode, CU_GRAPH_NODE_TYPE_MEMSET, nodeParams, &node);

    if (code == CUDA_SUCCESS)
        code = cushim__work_memset(nodeParams, node->work.context, &work);
    return code ? code : cushim__node_set(node, &work);
}

CUSHIM__EXACT(GraphKernelNodeGetParams_v2)
(CUgraphNode hNode, cushim_CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    const struct cushim__object *function;
    struct cushim__node *node;
    CUresult code = find(hNode, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams, &node);

    if (code != CUDA_SUCCESS)
        return code;
    cushim__kernel_params(node->work.operation, nodeParams);
    function = cushim__object_peek(nodeParams->func, CUSHIM__FUNCTION);
    if (function)
        nodeParams->ctx = function->context->object.handle;
    return CUDA_SUCCESS;
}

CUSHIM__EXACT(GraphKernelNodeGetParams)
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

CUSHIM__EXACT(GraphKernelNodeSetParams_v2)
(CUgraphNode hNode, const cushim_CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    struct cushim__work work;

    return set(hNode, cushim__work_kernel(nodeParams, &work), &work);
}

CUSHIM__EXACT(GraphKernelNodeSetParams)
(CUgraphNode hNode, const struct CUDA_KERNEL_NODE_PARAMS_st *nodeParams)
{
    CUDA_KERNEL_NODE_PARAMS parameters;

    if (!nodeParams)
        return CUDA_ERROR_INVALID_VALUE;
    parameters = cushim__kernel_parameters(nodeParams);
    return cushim__mock_GraphKernelNodeSetParams_v2(hNode, &parameters);
}

static CUresult get_event(CUgraphNode handle, CUgraphNodeType type, CUevent *event)
{
    struct cushim__node *node;
    CUresult code = find(handle, type, event, &node);

    if (code == CUDA_SUCCESS)
        *event = node->work.event;
    return code;
}

CUSHIM__EXACT(GraphEventRecordNodeGetEvent)(CUgraphNode hNode, CUevent *event_out)
{
    return get_event(hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event_out);
}

CUSHIM__EXACT(GraphEventWaitNodeGetEvent)(CUgraphNode hNode, CUevent *event_out)
{
    return get_event(hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event_out);
}

CUSHIM__EXACT(GraphEventRecordNodeSetEvent)(CUgraphNode hNode, CUevent event)
{
    struct cushim__work work;

    return set(hNode, cushim__work_event(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event, &work), &work);
}

CUSHIM__EXACT(GraphEventWaitNodeSetEvent)(CUgraphNode hNode, CUevent event)
{
    struct cushim__work work;

    return set(hNode, cushim__work_event(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event, &work), &work);
}

CUSHIM__EXACT(GraphNodeSetParams)(CUgraphNode hNode, cushim_CUgraphNodeParams *nodeParams)
{
    struct cushim__work work;

    return set(hNode, cushim__work_any(nodeParams, &work), &work);
}
