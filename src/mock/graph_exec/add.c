/* SPDX-License-Identifier: Apache-2.0 */
/* Adds a node to a graph, and checks whether the graph may have it. */
#include "src/mock/core/state.h"
#include "src/mock/graph/graph.h"
#include "src/mock/graph_exec/exec.h"
#include "src/mock/graph_exec/memory.h"

static bool is_memory(const struct mock_work *work)
{
    return work->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || work->type == CU_GRAPH_NODE_TYPE_MEM_FREE;
}

/* Whether the child of a node of `graph` is `graph`, a copy of it, or a graph around it. */
static bool contains_itself(const struct mock_graph *graph, const struct mock_work *work)
{
    if (!work->moved)
        return work->child->origin == graph->number;
    while (graph != work->child && graph->parent)
        graph = graph->parent->graph;
    return graph == work->child;
}

/* Check that a new node of `graph` may use the condition that its work names. */
static CUresult check_condition(const struct mock_graph *graph, const struct mock_work *work)
{
    const uint64_t handle = work->bodies->condition;

    if (!work->context)
        return CUDA_ERROR_INVALID_CONTEXT;
    return cushim__mock_condition_find(graph, work->context, handle) &&
                   !cushim__mock_condition_is_used(graph, work->context, handle)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult cushim__mock_graph_add(CUgraphNode *handle, CUgraph graph_handle,
                                const CUgraphNode *dependencies, const CUgraphEdgeData *data,
                                size_t count, struct mock_work work)
{
    struct mock_edges edges = {0};
    struct mock_graph *graph;
    struct mock_node *node;
    CUresult code;

    if (work.code != CUDA_SUCCESS)
        return work.code;
    code = handle ? cushim__mock_object_find(graph_handle, MOCK_GRAPH, &graph)
                  : CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS && work.child && contains_itself(graph, &work)) {
        cushim__mock_misuse(CUSHIM__MOCK_FOUND_UNDEFINED, "the graph would contain itself");
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS && work.bodies)
        code = check_condition(graph, &work);
    if (code == CUDA_SUCCESS && cushim__mock_work_graph(&work, 0) &&
        !cushim__mock_graph_takes_child(graph, cushim__mock_work_graph(&work, 0)))
        code = CUDA_ERROR_NOT_SUPPORTED;
    if (code == CUDA_SUCCESS)
        code = cushim__mock_edges_read(graph, dependencies, data, count, &edges);
    if (code == CUDA_SUCCESS && edges.count != count) /* a node is named twice */
        code = CUDA_ERROR_INVALID_VALUE;
    /* A child graph gets no memory of its own once it lies in its parent. */
    if (code == CUDA_SUCCESS && is_memory(&work) && graph->parent && graph->parent->work.child)
        code = CUDA_ERROR_NOT_SUPPORTED;
    if (code == CUDA_SUCCESS && is_memory(&work))
        code = cushim__mock_memory_join(graph, work.operation);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_node_add(graph, &edges, &work, &node);
    else
        cushim__mock_work_end(&work);
    if (code == CUDA_SUCCESS)
        *handle = node->object.handle;
    cushim__mock_edges_clear(&edges);
    return code;
}
