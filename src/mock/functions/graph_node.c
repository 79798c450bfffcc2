/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that add nodes to graphs, and that read and change what nodes do. */
#include <string.h>

#include "src/mock/context/context.h"
#include "src/mock/copy/copy.h"
#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"
#include "src/mock/graph/graph.h"
#include "src/mock/graph_exec/exec.h"
#include "src/mock/graph_exec/memory.h"
#include "src/mock/launch/kernel.h"
#include "src/mock/stream/stream.h"

CUresult cushim__mock_GraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                        const CUgraphNode *dependencies, size_t numDependencies)
{
    return cushim__mock_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies,
                                  (struct mock_work){.type = CU_GRAPH_NODE_TYPE_EMPTY});
}

CUresult cushim__mock_GraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                       const CUgraphNode *dependencies, size_t numDependencies,
                                       const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    return cushim__mock_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies,
                                  cushim__mock_work_host(nodeParams));
}

CUresult cushim__mock_GraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                         const CUgraphNode *dependencies, size_t numDependencies,
                                         const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    return cushim__mock_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies,
                                  cushim__mock_work_memcpy(copyParams, ctx));
}

CUresult cushim__mock_GraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                         const CUgraphNode *dependencies, size_t numDependencies,
                                         const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    return cushim__mock_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies,
                                  cushim__mock_work_memset(memsetParams, ctx));
}

CUresult cushim__mock_GraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                                            const CUgraphNode *dependencies, size_t numDependencies,
                                            const cushim_CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    return cushim__mock_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies,
                                  cushim__mock_work_kernel(nodeParams, sizeof *nodeParams));
}

CUresult cushim__mock_GraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                         const CUgraphNode *dependencies, size_t numDependencies,
                                         const struct CUDA_KERNEL_NODE_PARAMS_st *nodeParams)
{
    return cushim__mock_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies,
                                  cushim__mock_work_kernel(nodeParams, sizeof *nodeParams));
}

/* Also cuGraphAddEventWaitNode. */
CUresult cushim__mock_GraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                              const CUgraphNode *dependencies,
                                              size_t numDependencies, CUevent event, unsigned slot)
{
    return cushim__mock_graph_add(
        phGraphNode, hGraph, dependencies, NULL, numDependencies,
        cushim__mock_work_event(slot == CUSHIM__SLOT(GraphAddEventWaitNode)
                                    ? CU_GRAPH_NODE_TYPE_WAIT_EVENT
                                    : CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                event));
}

CUresult cushim__mock_GraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                             const CUgraphNode *dependencies,
                                             size_t numDependencies, CUgraph childGraph)
{
    return cushim__mock_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies,
                                  cushim__mock_work_child(childGraph));
}

/* If the node was added, write the members of its parameters that the driver returns. */
static CUresult answer(CUresult code, const CUgraphNode *handle, CUgraphNodeParams *parameters)
{
    CUDA_MEM_ALLOC_NODE_PARAMS made;
    const struct mock_node *node;

    if (code != CUDA_SUCCESS)
        return code;
    node = cushim__mock_object_lookup(*handle, MOCK_NODE);
    if (node->work.bodies)
        parameters->conditional.phGraph_out = node->work.bodies->handles;
    if (cushim__mock_memory_parameters(node->work.operation, &made))
        parameters->alloc.dptr = made.dptr;
    return CUDA_SUCCESS;
}

/* Also cuGraphAddNode. */
CUresult cushim__mock_GraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                                      const CUgraphNode *dependencies,
                                      const cushim_CUgraphEdgeData *dependencyData,
                                      size_t numDependencies, cushim_CUgraphNodeParams *nodeParams)
{
    return answer(cushim__mock_graph_add(phGraphNode, hGraph, dependencies, dependencyData,
                                         numDependencies, cushim__mock_work_any(nodeParams)),
                  phGraphNode, nodeParams);
}

CUresult cushim__mock_GraphAddNode_v3(CUgraphNode *phGraphNode, CUgraph hGraph,
                                      const CUgraphNode *dependencies,
                                      const cushim_CUgraphEdgeData *dependencyData,
                                      size_t numDependencies, cushim_CUgraphNodeParams *nodeParams)
{
    return answer(cushim__mock_graph_add(phGraphNode, hGraph, dependencies, dependencyData,
                                         numDependencies,
                                         cushim__mock_work_any_checked(nodeParams)),
                  phGraphNode, nodeParams);
}

/* The calls that read and change the parameters of nodes. */

/* Make a node do `work`, which is taken over. */
static CUresult set(CUgraphNode handle, struct mock_work work)
{
    struct mock_node *node;
    CUresult code = work.code ? work.code : cushim__mock_object_find(handle, MOCK_NODE, &node);

    if (code == CUDA_SUCCESS && work.moved)
        code = CUDA_ERROR_NOT_SUPPORTED; /* only a new node takes a graph from the program */
    if (code == CUDA_SUCCESS)
        return cushim__mock_node_set(node, &work);
    cushim__mock_work_end(&work);
    return code;
}

CUresult cushim__mock_GraphHostNodeGetParams(const struct mock_node *node,
                                             CUDA_HOST_NODE_PARAMS *nodeParams)
{
    if (node->work.type != CU_GRAPH_NODE_TYPE_HOST)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_host_parameters(node->work.operation, nodeParams);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_GraphHostNodeSetParams(CUgraphNode hNode,
                                             const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    return set(hNode, cushim__mock_work_host(nodeParams));
}

CUresult cushim__mock_GraphMemcpyNodeGetParams(const struct mock_node *node,
                                               CUDA_MEMCPY3D *nodeParams)
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

CUresult cushim__mock_GraphMemcpyNodeSetParams(struct mock_node *node,
                                               const CUDA_MEMCPY3D *nodeParams)
{
    if (node->work.type != CU_GRAPH_NODE_TYPE_MEMCPY)
        return CUDA_ERROR_INVALID_VALUE;
    return set(node->object.handle, cushim__mock_work_memcpy(nodeParams, node->work.context));
}

CUresult cushim__mock_GraphMemsetNodeGetParams(const struct mock_node *node,
                                               CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    return node->work.type == CU_GRAPH_NODE_TYPE_MEMSET &&
                   cushim__mock_set_parameters(node->work.operation, nodeParams)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult cushim__mock_GraphMemsetNodeSetParams(struct mock_node *node,
                                               const CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    if (node->work.type != CU_GRAPH_NODE_TYPE_MEMSET)
        return CUDA_ERROR_INVALID_VALUE;
    return set(node->object.handle, cushim__mock_work_memset(nodeParams, node->work.context));
}

CUresult cushim__mock_GraphKernelNodeGetParams_v2(const struct mock_node *node,
                                                  cushim_CUDA_KERNEL_NODE_PARAMS *nodeParams)
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
CUresult cushim__mock_GraphKernelNodeGetParams(const struct mock_node *node,
                                               struct CUDA_KERNEL_NODE_PARAMS_st *nodeParams)
{
    CUDA_KERNEL_NODE_PARAMS parameters;
    CUresult code = cushim__mock_GraphKernelNodeGetParams_v2(node, &parameters);

    if (code == CUDA_SUCCESS)
        memcpy(nodeParams, &parameters, sizeof *nodeParams);
    return code;
}

/* Attributes of kernel nodes have the numbers of those of launches. */
enum { PRIORITY = 8, LAST_ATTRIBUTE = 16 };

static CUresult check_attribute(const struct mock_node *node, int attribute)
{
    if (node->work.type != CU_GRAPH_NODE_TYPE_KERNEL || attribute <= 0 ||
        attribute > LAST_ATTRIBUTE)
        return CUDA_ERROR_INVALID_VALUE;
    return attribute == PRIORITY ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cushim__mock_GraphKernelNodeGetAttribute(const struct mock_node *node,
                                                  CUkernelNodeAttrID attr,
                                                  CUkernelNodeAttrValue *value_out)
{
    const CUresult code = check_attribute(node, (int)attr);

    if (code == CUDA_SUCCESS)
        ((CUstreamAttrValue *)value_out)->priority = node->work.priority;
    return code;
}

CUresult cushim__mock_GraphKernelNodeSetAttribute(struct mock_node *node, CUkernelNodeAttrID attr,
                                                  const CUkernelNodeAttrValue *value)
{
    const CUresult code = check_attribute(node, (int)attr);

    if (code == CUDA_SUCCESS)
        node->work.priority =
            cushim__mock_stream_clamp(((const CUstreamAttrValue *)value)->priority);
    return code;
}

CUresult cushim__mock_GraphKernelNodeSetParams_v2(CUgraphNode hNode,
                                                  const cushim_CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    return set(hNode, cushim__mock_work_kernel(nodeParams, sizeof *nodeParams));
}

CUresult cushim__mock_GraphKernelNodeSetParams(CUgraphNode hNode,
                                               const struct CUDA_KERNEL_NODE_PARAMS_st *nodeParams)
{
    return set(hNode, cushim__mock_work_kernel(nodeParams, sizeof *nodeParams));
}

/* Also cuGraphEventWaitNodeGetEvent. */
CUresult cushim__mock_GraphEventRecordNodeGetEvent(const struct mock_node *node, CUevent *event_out,
                                                   unsigned slot)
{
    if (node->work.type != (slot == CUSHIM__SLOT(GraphEventWaitNodeGetEvent)
                                ? CU_GRAPH_NODE_TYPE_WAIT_EVENT
                                : CU_GRAPH_NODE_TYPE_EVENT_RECORD))
        return CUDA_ERROR_INVALID_VALUE;
    *event_out = node->work.event;
    return CUDA_SUCCESS;
}

/* Also cuGraphEventWaitNodeSetEvent. */
CUresult cushim__mock_GraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event, unsigned slot)
{
    return set(hNode, cushim__mock_work_event(slot == CUSHIM__SLOT(GraphEventWaitNodeSetEvent)
                                                  ? CU_GRAPH_NODE_TYPE_WAIT_EVENT
                                                  : CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                              event));
}

/* The code for parameters of a kind of node that cannot change. */
static CUresult refuse(CUgraphNode handle, const CUgraphNodeParams *parameters)
{
    struct mock_node *node;
    CUresult code = cushim__mock_object_find(handle, MOCK_NODE, &node);

    return code ? code : cushim__mock_node_refuse(node, parameters);
}

CUresult cushim__mock_GraphNodeSetParams(CUgraphNode hNode, cushim_CUgraphNodeParams *nodeParams)
{
    return cushim__mock_work_is_fixed(nodeParams) ? refuse(hNode, nodeParams)
                                                  : set(hNode, cushim__mock_work_any(nodeParams));
}

CUresult cushim__mock_GraphNodeSetParams_v2(CUgraphNode hNode, cushim_CUgraphNodeParams *nodeParams)
{
    return cushim__mock_work_is_fixed(nodeParams)
               ? refuse(hNode, nodeParams)
               : set(hNode, cushim__mock_work_any_checked(nodeParams));
}

static CUresult get_kernel(const struct mock_node *node, CUgraphNodeParams *parameters)
{
    CUDA_KERNEL_NODE_PARAMS kernel;
    CUresult code = cushim__mock_GraphKernelNodeGetParams_v2(node, &kernel);

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

static CUresult get_conditional(const struct mock_node *node, CUgraphNodeParams *parameters)
{
    const struct mock_bodies *bodies = node->work.bodies;

    parameters->conditional.handle = bodies->condition;
    parameters->conditional.type = (int)bodies->branch;
    parameters->conditional.size = bodies->count;
    parameters->conditional.phGraph_out = bodies->handles;
    parameters->conditional.ctx = node->work.context;
    return CUDA_SUCCESS;
}

/* Write what a node does to zeroed parameters. */
static CUresult get(const struct mock_node *node, CUgraphNodeParams *parameters)
{
    CUDA_MEM_ALLOC_NODE_PARAMS made;

    parameters->type = node->work.type;
    switch ((int)node->work.type) { /* the enumeration of older headers is shorter */
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return get_kernel(node, parameters);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        parameters->memcpy.copyCtx = node->work.context;
        return cushim__mock_GraphMemcpyNodeGetParams(node, &parameters->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return get_memset(node, parameters);
    case CU_GRAPH_NODE_TYPE_HOST:
        return get_host(node, parameters);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        parameters->graph.graph = node->work.child->object.handle;
        parameters->graph.ownership = node->work.moved;
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        parameters->eventWait.event = node->work.event;
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        parameters->eventRecord.event = node->work.event;
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        cushim__mock_memory_parameters(node->work.operation, &made);
        memcpy(&parameters->alloc, &made, sizeof made);
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        parameters->free.dptr = cushim__mock_memory_address(node->work.operation);
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return get_conditional(node, parameters);
    default: /* an empty node */
        return CUDA_SUCCESS;
    }
}

CUresult cushim__mock_GraphNodeGetParams(const struct mock_node *node,
                                         cushim_CUgraphNodeParams *nodeParams)
{
    CUgraphNodeParams parameters;
    CUresult code;

    memset(&parameters, 0, sizeof parameters);
    code = get(node, &parameters);
    if (code == CUDA_SUCCESS)
        *nodeParams = parameters;
    return code;
}
