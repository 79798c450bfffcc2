/* SPDX-License-Identifier: Apache-2.0 */
/* Executable graphs: how they begin and end, and what their nodes can do. */
#include "src/mock/graph_exec/exec.h"

#include <stdlib.h>

#include "src/mock/copy/copy.h"
#include "src/mock/event/event.h"
#include "src/mock/graph/graph.h"
#include "src/mock/memory/allocation.h"

static void exec_free(struct mock_exec *exec)
{
    cushim__mock_graph_destroy(exec->image);
    cushim__mock_event_record_release(exec->last);
    free(exec);
}

void cushim__mock_exec_destroy(struct mock_exec *exec)
{
    cushim__mock_object_remove(exec);
    exec_free(exec);
}

/* Called at the end of the mock, when the simulator and all launches have ended. */
static void drop(void *object)
{
    struct mock_exec *exec = object;

    cushim__mock_held_forget(exec->image);
    exec_free(exec);
}

CUresult cushim__mock_exec_create(struct mock_graph *graph, cuuint64_t flags,
                                  struct mock_exec **made)
{
    struct mock_exec *exec = cushim__mock_object_create(sizeof *exec, MOCK_EXEC, NULL, drop);
    struct mock_node *culprit;
    CUresult code;

    if (!exec)
        return CUDA_ERROR_OUT_OF_MEMORY;
    exec->flags = flags;
    exec->source = graph->number;
    code = cushim__mock_graph_clone(graph, false, &exec->image);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_graph_order(exec->image, &culprit);
    if (code == CUDA_SUCCESS)
        *made = exec;
    else
        cushim__mock_exec_destroy(exec);
    return code;
}

/* Find the copy of a node, also in child graphs and bodies. */
static struct mock_node *copy_in(const struct mock_graph *image, const struct mock_node *original)
{
    struct mock_node *copy = cushim__mock_graph_copy_of(image, original);

    for (const struct mock_node *node = image->first; node && !copy; node = node->next) {
        const struct mock_graph *inner;

        for (unsigned i = 0; !copy && (inner = cushim__mock_work_graph(&node->work, i)); i++)
            copy = copy_in(inner, original);
    }
    return copy;
}

CUresult cushim__mock_exec_node(CUgraphExec handle, CUgraphNode node, struct mock_node **copy)
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

/* Whether two addresses lie in the same kind of memory of the same context. */
static bool is_alike(CUdeviceptr one, CUdeviceptr other)
{
    const struct mock_allocation *first = cushim__mock_allocation_known(one);
    const struct mock_allocation *second = cushim__mock_allocation_known(other);

    if (!first || !second)
        return first == second;
    return first->context == second->context && !first->pool == !second->pool &&
           cushim__mock_allocation_place(first) == cushim__mock_allocation_place(second);
}

/* A set node may change between memory of a graph and other memory; a copy node may not. */
static bool is_from_or_to_graph(CUdeviceptr one, CUdeviceptr other)
{
    const struct mock_allocation *first = cushim__mock_allocation_known(one);
    const struct mock_allocation *second = cushim__mock_allocation_known(other);

    return first && second && (first->graph || second->graph) &&
           cushim__mock_allocation_place(first) == cushim__mock_allocation_place(second);
}

bool cushim__mock_exec_may_set(const struct mock_node *node, CUdeviceptr address)
{
    const struct mock_allocation *memory = cushim__mock_allocation_known(address);
    CUDA_MEMSET_NODE_PARAMS was;

    return !memory || !memory->graph || !memory->unlaunched ||
           node->work.type != CU_GRAPH_NODE_TYPE_MEMSET ||
           !cushim__mock_set_parameters(node->work.operation, &was) ||
           cushim__mock_allocation_known(was.dst) == memory;
}

static CUresult check_memset(const struct mock_work *former, const struct mock_work *work)
{
    CUDA_MEMSET_NODE_PARAMS was, is;

    if (!cushim__mock_set_parameters(former->operation, &was) ||
        !cushim__mock_set_parameters(work->operation, &is))
        return CUDA_ERROR_INVALID_VALUE;
    if (was.height != is.height ||
        (!is_alike(was.dst, is.dst) && !is_from_or_to_graph(was.dst, is.dst)))
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
