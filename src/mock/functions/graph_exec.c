/* SPDX-License-Identifier: Apache-2.0 */
/* Executable graphs: instantiation, updates, launches and destruction. */
#include "src/mock/graph/graph.h"

#include <stdlib.h>

#include "src/mock/context/context.h"
#include "src/mock/copy/copy.h"
#include "src/mock/functions/functions.h"
#include "src/mock/graph_exec/exec.h"
#include "src/mock/graph_exec/memory.h"
#include "src/mock/stream/capture.h"
#include "src/mock/stream/stream.h"

enum {
    AUTO_FREE = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH,
    UPLOAD = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD,
    DEVICE_LAUNCH = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH,
    NODE_PRIORITY = CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY,
};

static bool runs_on_device(CUgraphNodeType type)
{
    return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
           type == CU_GRAPH_NODE_TYPE_MEMSET || type == CU_GRAPH_NODE_TYPE_GRAPH;
}

/* Where an instantiation has failed. */
struct failure {
    struct mock_node *node; /* of the program's graph, or NULL */
    CUgraphInstantiateResult result;
};

/* Check that a graph may be launched from the device. */
static CUresult check_device_launch(const struct mock_graph *graph, struct failure *failure)
{
    for (struct mock_node *node = graph->first; node; node = node->next) {
        if (runs_on_device(node->work.type))
            continue;
        failure->node = node;
        failure->result = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
        return CUDA_ERROR_INVALID_VALUE;
    }
    return graph->first ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Results that old headers lack. */
enum { CONTEXTS_NOT_SUPPORTED = 4, CONDITION_UNUSED = 5 };

/* Whether a copy uses memory that is neither a device's nor page-locked. */
static bool copies_pageable(const struct mock_work *work)
{
    const struct mock_copy *copy =
        work->type == CU_GRAPH_NODE_TYPE_MEMCPY ? cushim__mock_copy_of(work->operation) : NULL;

    return copy && (copy->from.pageable || copy->to.pageable);
}

/* Check that a body has only nodes that a body may have (driver-semantics.md #234). */
static CUresult check_body(const struct mock_graph *body, struct failure *failure)
{
    CUresult code = CUDA_SUCCESS;

    for (struct mock_node *node = body->first; node && code == CUDA_SUCCESS; node = node->next) {
        const struct mock_graph *inner;

        failure->node = node;
        if (!runs_on_device(node->work.type) && node->work.type != CU_GRAPH_NODE_TYPE_EMPTY &&
            node->work.type != CU_GRAPH_NODE_TYPE_CONDITIONAL) {
            failure->result = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
            return CUDA_ERROR_INVALID_VALUE;
        }
        if (copies_pageable(&node->work)) {
            failure->result = (CUgraphInstantiateResult)CONTEXTS_NOT_SUPPORTED;
            return CUDA_ERROR_INVALID_VALUE;
        }
        failure->node = NULL;
        for (unsigned i = 0; !code && (inner = cushim__mock_work_graph(&node->work, i)); i++)
            code = check_body(inner, failure);
    }
    return code;
}

/* Check the bodies of the conditional nodes of a graph. */
static CUresult check_bodies(const struct mock_graph *graph, struct failure *failure)
{
    CUresult code = CUDA_SUCCESS;

    for (const struct mock_node *node = graph->first; node && !code; node = node->next) {
        const struct mock_graph *inner;

        for (unsigned i = 0; !code && (inner = cushim__mock_work_graph(&node->work, i)); i++)
            code = node->work.bodies ? check_body(inner, failure) : check_bodies(inner, failure);
    }
    return code;
}

static CUresult check_conditions(const struct mock_graph *graph, struct failure *failure)
{
    for (const struct mock_condition *one = graph->conditions; one; one = one->next) {
        if (!cushim__mock_condition_is_used(graph, one->context, one->handle)) {
            failure->result = (CUgraphInstantiateResult)CONDITION_UNUSED;
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return check_bodies(graph, failure);
}

/* The executable graph of a graph that can have only one; NULL if it may get one. */
static const struct mock_exec *taker_of(const struct mock_graph *graph)
{
    const bool has_memory = cushim__mock_graph_has(graph, MOCK_MEMORY);
    const struct mock_exec *exec = NULL;

    if (!has_memory && !cushim__mock_graph_has(graph, MOCK_CONDITIONAL))
        return NULL;
    while ((exec = cushim__mock_object_next(MOCK_EXEC, exec))) {
        if ((has_memory ? exec->source : exec->image->origin) == graph->number)
            break;
    }
    return exec;
}

static CUresult check(const struct mock_graph *graph, cuuint64_t flags, struct failure *failure)
{
    CUresult code;

    if (flags & ~(cuuint64_t)(AUTO_FREE | DEVICE_LAUNCH | NODE_PRIORITY))
        return CUDA_ERROR_INVALID_VALUE;
    if (flags & AUTO_FREE && flags & DEVICE_LAUNCH)
        return CUDA_ERROR_INVALID_VALUE;
    if (graph->parent || taker_of(graph))
        return CUDA_ERROR_NOT_SUPPORTED;
    code = check_conditions(graph, failure);
    if (code)
        return code;
    return flags & DEVICE_LAUNCH ? check_device_launch(graph, failure) : CUDA_SUCCESS;
}

static CUresult instantiate(CUgraphExec *exec, CUgraph handle, cuuint64_t flags,
                            struct failure *failure)
{
    struct mock_context *context;
    struct mock_graph *graph;
    struct mock_exec *made;
    CUresult code;

    *failure = (struct failure){.result = CUDA_GRAPH_INSTANTIATE_ERROR};
    code = cushim__mock_context_current(&context);
    if (code == CUDA_SUCCESS)
        code = exec ? cushim__mock_capture_unsafe() : CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        code = cushim__mock_object_find(handle, MOCK_GRAPH, &graph);
    if (code == CUDA_SUCCESS)
        code = check(graph, flags, failure);
    if (code != CUDA_SUCCESS)
        return code;
    code = cushim__mock_graph_order(graph, &failure->node);
    if (code == CUDA_ERROR_INVALID_VALUE)
        failure->result = CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
    /* The flag for priorities is not returned (driver-semantics.md #138). */
    if (code == CUDA_SUCCESS)
        code = cushim__mock_exec_create(graph, flags & ~(cuuint64_t)NODE_PRIORITY, &made);
    if (code == CUDA_SUCCESS)
        *exec = made->object.handle;
    return code;
}

CUresult cushim__mock_GraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph,
                                                unsigned long long flags)
{
    struct failure failure;

    return instantiate(phGraphExec, hGraph, flags, &failure);
}

/* Also cuGraphInstantiate. The log stays empty, and no node is blamed. */
CUresult cushim__mock_GraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph,
                                          CUgraphNode *phErrorNode, char *logBuffer,
                                          size_t bufferSize)
{
    struct failure failure;
    CUresult code = instantiate(phGraphExec, hGraph, 0, &failure);

    if (phErrorNode)
        *phErrorNode = NULL;
    if (logBuffer && bufferSize > 0)
        logBuffer[0] = '\0';
    return code;
}

CUresult
cushim__mock_GraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
                                        cushim_CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams)
{
    const cuuint64_t flags = instantiateParams->flags;
    struct failure failure = {.result = CUDA_GRAPH_INSTANTIATE_ERROR};
    struct mock_stream *stream;
    CUresult code = CUDA_SUCCESS;

    if (flags & UPLOAD)
        code = cushim__mock_stream_find(instantiateParams->hUploadStream, &stream);
    if (code == CUDA_SUCCESS)
        code = instantiate(phGraphExec, hGraph, flags & ~(cuuint64_t)UPLOAD, &failure);
    instantiateParams->hErrNode_out = failure.node ? failure.node->object.handle : NULL;
    instantiateParams->result_out = code ? failure.result : CUDA_GRAPH_INSTANTIATE_SUCCESS;
    return code;
}

CUresult cushim__mock_GraphExecGetFlags(struct mock_exec *exec, cuuint64_t *flags)
{
    *flags = exec->flags;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_GraphExecGetId(struct mock_exec *exec, unsigned int *graphId)
{
    *graphId = (unsigned)exec->image->number;
    return CUDA_SUCCESS;
}

/* A launch that is under way runs to its end. */
CUresult cushim__mock_GraphExecDestroy(struct mock_exec *exec)
{
    cushim__mock_exec_destroy(exec);
    return CUDA_SUCCESS;
}

/* The calls that change what single nodes of executable graphs do. */

/* Make a node do `work`, which is taken over. */
static CUresult set(CUgraphExec handle, CUgraphNode node, struct mock_work work)
{
    struct mock_node *copy;
    CUresult code = work.code ? work.code : cushim__mock_exec_node(handle, node, &copy);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_exec_check(copy, &work);
    if (code == CUDA_SUCCESS)
        return cushim__mock_node_set(copy, &work);
    cushim__mock_work_end(&work);
    return code;
}

CUresult cushim__mock_GraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                 const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    return set(hGraphExec, hNode, cushim__mock_work_host(nodeParams));
}

CUresult cushim__mock_GraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                   const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    return set(hGraphExec, hNode, cushim__mock_work_memcpy(copyParams, ctx));
}

CUresult cushim__mock_GraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                   const CUDA_MEMSET_NODE_PARAMS *memsetParams,
                                                   CUcontext ctx)
{
    struct mock_work work = cushim__mock_work_memset(memsetParams, ctx);
    struct mock_node *copy;

    if (work.code == CUDA_SUCCESS &&
        cushim__mock_exec_node(hGraphExec, hNode, &copy) == CUDA_SUCCESS &&
        !cushim__mock_exec_may_set(copy, memsetParams->dst)) {
        cushim__mock_work_end(&work);
        return CUDA_ERROR_INVALID_VALUE;
    }
    return set(hGraphExec, hNode, work);
}

CUresult
cushim__mock_GraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                             const cushim_CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    return set(hGraphExec, hNode, cushim__mock_work_kernel(nodeParams, sizeof *nodeParams));
}

CUresult
cushim__mock_GraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                          const struct CUDA_KERNEL_NODE_PARAMS_st *nodeParams)
{
    return set(hGraphExec, hNode, cushim__mock_work_kernel(nodeParams, sizeof *nodeParams));
}

/* Also cuGraphExecEventWaitNodeSetEvent. */
CUresult cushim__mock_GraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                       CUevent event, unsigned slot)
{
    return set(hGraphExec, hNode,
               cushim__mock_work_event(slot == CUSHIM__SLOT(GraphExecEventWaitNodeSetEvent)
                                           ? CU_GRAPH_NODE_TYPE_WAIT_EVENT
                                           : CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                       event));
}

CUresult cushim__mock_GraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                       CUgraph childGraph)
{
    CUgraphExecUpdateResultInfo info;
    struct mock_graph *graph;
    struct mock_node *copy;
    CUresult code = cushim__mock_exec_node(hGraphExec, hNode, &copy);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_object_find(childGraph, MOCK_GRAPH, &graph);
    if (code == CUDA_SUCCESS && !copy->work.child)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        code = cushim__mock_exec_update(copy->work.child, graph, false, &info);
    return code;
}

CUresult cushim__mock_GraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                             cushim_CUgraphNodeParams *nodeParams)
{
    struct mock_node *copy;

    if (nodeParams && nodeParams->type == CU_GRAPH_NODE_TYPE_GRAPH)
        return cushim__mock_GraphExecChildGraphNodeSetParams(hGraphExec, hNode,
                                                             nodeParams->graph.graph);
    if (cushim__mock_work_is_fixed(nodeParams)) {
        CUresult code = cushim__mock_exec_node(hGraphExec, hNode, &copy);

        return code ? code : cushim__mock_node_refuse(copy, nodeParams);
    }
    return set(hGraphExec, hNode, cushim__mock_work_any(nodeParams));
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

CUresult cushim__mock_GraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
                                          unsigned int isEnabled)
{
    struct mock_node *copy;
    CUresult code = find_switched(hGraphExec, hNode, &copy);

    if (code == CUDA_SUCCESS)
        copy->disabled = isEnabled == 0;
    return code;
}

CUresult cushim__mock_GraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
                                          unsigned int *isEnabled)
{
    struct mock_node *copy;
    CUresult code = isEnabled ? find_switched(hGraphExec, hNode, &copy) : CUDA_ERROR_INVALID_VALUE;

    if (code == CUDA_SUCCESS)
        *isEnabled = !copy->disabled;
    return code;
}

/* Updates of whole graphs, and launches. */

static CUresult update_exec(CUgraphExec handle, CUgraph graph_handle, bool first_abi,
                            CUgraphExecUpdateResultInfo *info)
{
    struct mock_graph *graph;
    struct mock_exec *exec;
    CUresult code = cushim__mock_object_find(handle, MOCK_EXEC, &exec);

    *info = (CUgraphExecUpdateResultInfo){.result = CU_GRAPH_EXEC_UPDATE_SUCCESS};
    if (code == CUDA_SUCCESS)
        code = cushim__mock_object_find(graph_handle, MOCK_GRAPH, &graph);
    if (code == CUDA_SUCCESS && graph->parent && graph->parent->work.moved)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS && cushim__mock_graph_has(graph, MOCK_MEMORY) && taker_of(graph) &&
        taker_of(graph) != exec)
        code = CUDA_ERROR_NOT_SUPPORTED;
    if (code == CUDA_SUCCESS)
        code = cushim__mock_exec_update(exec->image, graph, first_abi, info);
    if (code == CUDA_SUCCESS)
        exec->source = graph->number;
    return code;
}

CUresult cushim__mock_GraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                                         cushim_CUgraphExecUpdateResultInfo *resultInfo)
{
    CUgraphExecUpdateResultInfo info;
    const CUresult code = update_exec(hGraphExec, hGraph, false, &info);

    if (resultInfo && code != CUDA_ERROR_OUT_OF_MEMORY)
        *resultInfo = info;
    return code;
}

CUresult cushim__mock_GraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph,
                                      CUgraphNode *hErrorNode_out,
                                      CUgraphExecUpdateResult *updateResult_out)
{
    CUgraphExecUpdateResultInfo info;
    const CUresult code = update_exec(hGraphExec, hGraph, true, &info);

    if (code == CUDA_ERROR_OUT_OF_MEMORY)
        return code;
    if (hErrorNode_out)
        *hErrorNode_out = info.errorNode;
    if (updateResult_out)
        *updateResult_out = info.result;
    return code;
}

/* A graph cannot be launched into a capture, nor on a stream that would break one. */
static CUresult check_capture(struct mock_stream *stream)
{
    return stream->capture ? cushim__mock_capture_refuse(stream)
                           : cushim__mock_capture_legacy(stream);
}

CUresult cushim__mock_GraphLaunch(struct mock_exec *exec, struct mock_stream *stream)
{
    CUresult code = check_capture(stream);

    return code ? code : cushim__mock_exec_launch(exec, stream);
}

CUresult cushim__mock_GraphUpload(struct mock_exec *exec, struct mock_stream *stream)
{
    CUresult code = check_capture(stream);

    if (code == CUDA_SUCCESS)
        cushim__mock_memory_reserve(exec->image);
    return code;
}
