/* SPDX-License-Identifier: Apache-2.0 */
/* Executable graphs: how they are made and end. */
#include "src/mock/graph/graph.h"

#include <stdlib.h>

#include "src/mock/context/context.h"
#include "src/mock/copy/copy.h"
#include "src/mock/event/event.h"
#include "src/mock/functions/functions.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/stream/capture.h"
#include "src/mock/stream/stream.h"

enum {
    AUTO_FREE = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH,
    UPLOAD = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD,
    DEVICE_LAUNCH = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH,
    NODE_PRIORITY = CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY,
};

static void exec_free(struct mock_exec *exec)
{
    cushim__mock_graph_destroy(exec->image);
    cushim__mock_event_record_release(exec->last);
    free(exec);
}

void cushim__mock_exec_release(struct mock_exec *exec)
{
    if (--exec->references == 0)
        exec_free(exec);
}

/* Called at the end of the mock, when the engine, and with it all launches, is gone. */
static void drop(void *object)
{
    struct mock_exec *exec = object;

    cushim__mock_held_forget(exec->image);
    exec_free(exec);
}

/* Find the copy of a node, also in child graphs. */
static struct mock_node *copy_in(const struct mock_graph *image, const struct mock_node *original)
{
    struct mock_node *copy = cushim__mock_graph_copy_of(image, original);

    for (const struct mock_node *node = image->first; node && !copy; node = node->next) {
        if (node->work.child)
            copy = copy_in(node->work.child, original);
    }
    return copy;
}

/* Find the node of an executable graph that was made from a node, or return INVALID_VALUE. */
static CUresult exec_node(CUgraphExec handle, CUgraphNode node, struct mock_node **copy)
{
    struct mock_node *original;
    struct mock_exec *exec;
    CUresult code = cushim__mock_object_find(handle, MOCK_EXEC, &exec);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_object_find(node, MOCK_NODE, &original);
    if (code != CUDA_SUCCESS)
        return code;
    *copy = copy_in(exec->image, original);
    return *copy ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

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

static CUresult check(const struct mock_graph *graph, cuuint64_t flags, struct failure *failure)
{
    if (flags & ~(cuuint64_t)(AUTO_FREE | DEVICE_LAUNCH | NODE_PRIORITY))
        return CUDA_ERROR_INVALID_VALUE;
    if (flags & AUTO_FREE && flags & DEVICE_LAUNCH)
        return CUDA_ERROR_INVALID_VALUE;
    if (graph->parent)
        return CUDA_ERROR_NOT_SUPPORTED;
    return flags & DEVICE_LAUNCH ? check_device_launch(graph, failure) : CUDA_SUCCESS;
}

static CUresult make(struct mock_graph *graph, cuuint64_t flags, CUgraphExec *handle)
{
    struct mock_exec *exec = cushim__mock_object_create(sizeof *exec, MOCK_EXEC, NULL, drop);
    struct mock_node *culprit;
    CUresult code;

    if (!exec)
        return CUDA_ERROR_OUT_OF_MEMORY;
    exec->references = 1;
    /* The flag for priorities is not returned (driver-semantics.md #138). */
    exec->flags = flags & ~(cuuint64_t)NODE_PRIORITY;
    code = cushim__mock_graph_clone(graph, false, &exec->image);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_graph_order(exec->image, &culprit);
    if (code == CUDA_SUCCESS) {
        *handle = exec->object.handle;
    } else {
        cushim__mock_object_remove(exec);
        cushim__mock_exec_release(exec);
    }
    return code;
}

static CUresult instantiate(CUgraphExec *exec, CUgraph handle, cuuint64_t flags,
                            struct failure *failure)
{
    struct mock_context *context;
    struct mock_graph *graph;
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
    return code ? code : make(graph, flags, exec);
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
    cushim__mock_object_remove(exec);
    cushim__mock_exec_release(exec);
    return CUDA_SUCCESS;
}

/* The calls that change what single nodes of executable graphs do. */

/* Whether two addresses lie in the same kind of memory of the same context. */
static bool is_alike(CUdeviceptr one, CUdeviceptr other)
{
    const struct mock_allocation *first = cushim__mock_allocation_at(one);
    const struct mock_allocation *second = cushim__mock_allocation_at(other);

    if (!first || !second)
        return first == second;
    return first->context == second->context &&
           cushim__mock_allocation_place(first) == cushim__mock_allocation_place(second);
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

static bool is_half_alike(const struct cushim__copy_half *was, const struct cushim__copy_half *is)
{
    return was->type == is->type && is_alike(cushim__copy_address(was), cushim__copy_address(is));
}

static CUresult check_memcpy(const struct mock_work *former, const struct mock_work *work)
{
    const struct mock_copy *was = cushim__mock_copy_of(former->operation);
    const struct mock_copy *is = cushim__mock_copy_of(work->operation);

    if (!was || !is || !is_half_alike(&was->from.at, &is->from.at) ||
        !is_half_alike(&was->to.at, &is->to.at) || was->height > 1 || was->depth > 1 ||
        is->height > 1 || is->depth > 1)
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

/* Make a node do `work`, which is taken over. */
static CUresult set(CUgraphExec handle, CUgraphNode node, struct mock_work work)
{
    struct mock_node *copy;
    CUresult code = work.code ? work.code : exec_node(handle, node, &copy);

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
    return set(hGraphExec, hNode, cushim__mock_work_memset(memsetParams, ctx));
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
    CUresult code = exec_node(hGraphExec, hNode, &copy);

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
    if (nodeParams && nodeParams->type == CU_GRAPH_NODE_TYPE_GRAPH)
        return cushim__mock_GraphExecChildGraphNodeSetParams(hGraphExec, hNode,
                                                             nodeParams->graph.graph);
    return set(hGraphExec, hNode, cushim__mock_work_any(nodeParams));
}

static CUresult find_switched(CUgraphExec handle, CUgraphNode node, struct mock_node **copy)
{
    CUresult code = exec_node(handle, node, copy);

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
