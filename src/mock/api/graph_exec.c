/* SPDX-License-Identifier: Apache-2.0 */
/* Executable graphs: how they are made and end. */
#include "src/mock/api/graph_exec.h"

#include <stdlib.h>

#include "src/mock/api/api.h"
#include "src/mock/api/capture.h"
#include "src/mock/api/context.h"
#include "src/mock/api/event.h"
#include "src/mock/api/stream.h"
#include "src/mock/api/user_object.h"

enum {
    AUTO_FREE = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH,
    UPLOAD = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD,
    DEVICE_LAUNCH = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH,
    NODE_PRIORITY = CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY,
};

CUresult cushim__mock_exec_find(CUgraphExec handle, struct mock_exec **exec)
{
    return handle ? cushim__mock_object_find(handle, MOCK_EXEC, exec) : CUDA_ERROR_INVALID_VALUE;
}

void cushim__mock_exec_release(struct mock_exec *exec)
{
    if (--exec->references > 0)
        return;
    cushim__mock_graph_destroy(exec->image);
    cushim__mock_record_release(exec->last);
    free(exec);
}

/* At the end of the mock: the engine, and with it all launches, went before. */
static void drop(void *object)
{
    struct mock_exec *exec = object;

    cushim__mock_held_forget(exec->image);
    cushim__mock_graph_destroy(exec->image);
    cushim__mock_record_release(exec->last);
    free(exec);
}

/* Nodes of child graphs count too. */
static struct mock_node *copy_in(const struct mock_graph *image, const struct mock_node *original)
{
    struct mock_node *copy = cushim__mock_graph_copy_of(image, original);

    for (const struct mock_node *node = image->first; node && !copy; node = node->next) {
        if (node->work.child)
            copy = copy_in(node->work.child, original);
    }
    return copy;
}

CUresult cushim__mock_exec_node(CUgraphExec handle, CUgraphNode node, struct mock_node **copy)
{
    struct mock_node *original;
    struct mock_exec *exec;
    CUresult code = cushim__mock_exec_find(handle, &exec);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_node_find(node, &original);
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

/* Where an instantiation fails. */
struct failure {
    struct mock_node *node; /* of the program's graph; NULL: none */
    CUgraphInstantiateResult result;
};

/* What a graph that is launched from the device may consist of. */
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
    struct mock_exec *exec = calloc(1, sizeof *exec);
    struct mock_node *culprit;
    CUresult code =
        exec ? cushim__mock_graph_clone(graph, false, &exec->image) : CUDA_ERROR_OUT_OF_MEMORY;

    if (code == CUDA_SUCCESS)
        code = cushim__mock_graph_order(exec->image, &culprit);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_object_add(exec, MOCK_EXEC, NULL);
    if (code != CUDA_SUCCESS) {
        if (exec)
            cushim__mock_graph_destroy(exec->image);
        free(exec);
        return code;
    }
    exec->object.drop = drop;
    exec->references = 1;
    exec->flags = flags & ~(cuuint64_t)NODE_PRIORITY; /* which is not told (statement 138) */
    *handle = exec->object.handle;
    return CUDA_SUCCESS;
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
        code = exec ? cushim__mock_graph_find(handle, &graph) : CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS && cushim__mock_capture_count > 0)
        code = cushim__mock_capture_unsafe(true);
    if (code == CUDA_SUCCESS)
        code = check(graph, flags, failure);
    if (code != CUDA_SUCCESS)
        return code;
    code = cushim__mock_graph_order(graph, &failure->node);
    if (code == CUDA_ERROR_INVALID_VALUE)
        failure->result = CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
    return code ? code : make(graph, flags, exec);
}

static CUgraphNode node_of(const struct failure *failure)
{
    return failure->node ? failure->node->object.handle : NULL;
}

MOCK_EXACT(GraphInstantiateWithFlags)
(CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags)
{
    struct failure failure;

    return instantiate(phGraphExec, hGraph, flags, &failure);
}

/* The log stays empty, and no node is blamed. */
MOCK_EXACT(GraphInstantiate_v2)
(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer,
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

MOCK_EXACT(GraphInstantiate)
(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer,
 size_t bufferSize)
{
    return cushim__mock_GraphInstantiate_v2(phGraphExec, hGraph, phErrorNode, logBuffer,
                                            bufferSize);
}

MOCK_EXACT(GraphInstantiateWithParams)
(CUgraphExec *phGraphExec, CUgraph hGraph, cushim_CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams)
{
    struct mock_stream *stream;
    struct failure failure;
    cuuint64_t flags;
    CUresult code = CUDA_SUCCESS;

    if (!instantiateParams)
        return CUDA_ERROR_INVALID_VALUE;
    flags = instantiateParams->flags;
    if (flags & UPLOAD)
        code = cushim__mock_stream_find(instantiateParams->hUploadStream, &stream);
    failure = (struct failure){.result = CUDA_GRAPH_INSTANTIATE_ERROR};
    if (code == CUDA_SUCCESS)
        code = instantiate(phGraphExec, hGraph, flags & ~(cuuint64_t)UPLOAD, &failure);
    instantiateParams->hErrNode_out = node_of(&failure);
    instantiateParams->result_out = code ? failure.result : CUDA_GRAPH_INSTANTIATE_SUCCESS;
    return code;
}

MOCK_EXACT(GraphExecGetFlags)(CUgraphExec hGraphExec, cuuint64_t *flags)
{
    struct mock_exec *exec;
    CUresult code = flags ? cushim__mock_exec_find(hGraphExec, &exec) : CUDA_ERROR_INVALID_VALUE;

    if (code == CUDA_SUCCESS)
        *flags = exec->flags;
    return code;
}

MOCK_APPROXIMATE(GraphExecGetId, "no driver of this version was measured")
(CUgraphExec hGraphExec, unsigned int *graphId)
{
    struct mock_exec *exec;
    CUresult code = graphId ? cushim__mock_exec_find(hGraphExec, &exec) : CUDA_ERROR_INVALID_VALUE;

    if (code == CUDA_SUCCESS)
        *graphId = (unsigned)exec->image->number;
    return code;
}

/* A launch under way goes on. */
MOCK_EXACT(GraphExecDestroy)(CUgraphExec hGraphExec)
{
    struct mock_exec *exec;
    CUresult code = cushim__mock_exec_find(hGraphExec, &exec);

    if (code == CUDA_SUCCESS && cushim__mock_capture_count > 0)
        code = cushim__mock_capture_unsafe(true);
    if (code != CUDA_SUCCESS)
        return code;
    cushim__mock_object_remove(exec);
    cushim__mock_exec_release(exec);
    return CUDA_SUCCESS;
}
