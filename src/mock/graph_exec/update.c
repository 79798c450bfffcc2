/* SPDX-License-Identifier: Apache-2.0 */
/* Updates of whole executable graphs from a graph of the same topology. */
#include <stdlib.h>

#include "src/mock/graph/graph.h"
#include "src/mock/graph_exec/exec.h"
#include "src/mock/sim/operation.h"

/* Report which node of the program's graph prevents the update. */
static CUresult fail(CUgraphExecUpdateResultInfo *info, CUgraphExecUpdateResult result,
                     const struct mock_node *node, const struct mock_node *from)
{
    info->result = result;
    info->errorNode = node ? node->object.handle : NULL;
    info->errorFromNode = from ? from->object.handle : NULL;
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

/* A node of an executable graph, and the node of the program's graph that it is compared with. */
struct pair {
    struct mock_node *image;
    struct mock_node *node;
};

/* Both graphs have equally many nodes. `waiting` of a paired node is its pair's number, from 1. */
struct pairing {
    struct pair *pairs;
    size_t count;
};

static void forget(const struct mock_graph *graph)
{
    for (struct mock_node *node = graph->first; node; node = node->next)
        node->waiting = 0;
}

/* Pair two nodes; false if either has a different partner already. */
static bool pair(struct pairing *pairing, struct mock_node *image, struct mock_node *node)
{
    if (image->waiting > 0 || node->waiting > 0)
        return image->waiting == node->waiting;
    pairing->pairs[pairing->count++] = (struct pair){image, node};
    node->partner = image;
    image->waiting = node->waiting = pairing->count;
    return true;
}

/* Return the next node that no other depends on, from `node` on. */
static struct mock_node *next_exit(struct mock_node *node)
{
    while (node && node->dependents.count > 0)
        node = node->next;
    return node;
}

/* Reverse the order of the pairs. */
static void turn(struct pairing *pairing)
{
    for (size_t i = 0, last = pairing->count; i + 1 < last; i++) {
        const struct pair moved = pairing->pairs[--last];

        pairing->pairs[last] = pairing->pairs[i];
        pairing->pairs[i] = moved;
    }
    for (size_t i = 0; i < pairing->count; i++)
        pairing->pairs[i].image->waiting = pairing->pairs[i].node->waiting = i + 1;
}

/*
 * Pair exit nodes in the order of creation; from there, the dependencies of each pair are paired in
 * order. The exit node that was made last is looked at first (driver-semantics.md #183).
 */
static CUresult pair_exits(struct pairing *pairing, const struct mock_graph *image,
                           const struct mock_graph *graph, CUgraphExecUpdateResultInfo *info)
{
    struct mock_node *one = next_exit(image->first), *node = next_exit(graph->first);
    const struct mock_node *first = node;

    for (; one && node; one = next_exit(one->next), node = next_exit(node->next))
        pair(pairing, one, node);
    if (one || node)
        return fail(info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, node ? first : NULL, NULL);
    turn(pairing);
    return CUDA_SUCCESS;
}

static CUresult pair_dependencies(struct pairing *pairing, struct pair both,
                                  CUgraphExecUpdateResultInfo *info)
{
    const struct mock_edges *ones = &both.image->dependencies, *others = &both.node->dependencies;

    if (ones->count != others->count)
        return fail(info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, both.node, NULL);
    for (size_t i = 0; i < ones->count; i++) {
        if (!pair(pairing, ones->at[i].node, others->at[i].node))
            return fail(info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, both.node,
                        others->at[i].node);
    }
    return CUDA_SUCCESS;
}

/* The first ABI pairs nodes in the order of creation, and compares what depends on them. */
static CUresult pair_created(struct pairing *pairing, const struct mock_graph *image,
                             const struct mock_graph *graph, CUgraphExecUpdateResultInfo *info)
{
    struct mock_node *one = image->first;

    for (struct mock_node *node = graph->first; node; node = node->next, one = one->next)
        pair(pairing, one, node);
    for (size_t i = 0; i < pairing->count; i++) {
        const struct mock_edges *ones = &pairing->pairs[i].image->dependents;
        const struct mock_edges *others = &pairing->pairs[i].node->dependents;
        bool same = ones->count == others->count;

        for (size_t k = 0; same && k < ones->count; k++)
            same = ones->at[k].node->waiting == others->at[k].node->waiting;
        if (!same)
            return fail(info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, pairing->pairs[i].node,
                        NULL);
    }
    return CUDA_SUCCESS;
}

static CUresult check(const struct mock_graph *image, const struct mock_graph *graph,
                      bool first_abi, CUgraphExecUpdateResultInfo *info);

/* Whether two conditional nodes have equal parameters. */
static bool is_same(const struct mock_bodies *one, const struct mock_bodies *other)
{
    return one->condition == other->condition && one->branch == other->branch &&
           one->count == other->count;
}

static CUresult check_pair(struct pair both, bool first_abi, CUgraphExecUpdateResultInfo *info)
{
    const struct mock_graph *inner;

    if (both.image->work.type != both.node->work.type)
        return fail(info, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, both.node, NULL);
    if (both.node->work.bodies && (both.node->work.context != both.image->work.context ||
                                   !is_same(both.image->work.bodies, both.node->work.bodies)))
        return fail(info, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED, both.node, NULL);
    for (unsigned i = 0; (inner = cushim__mock_work_graph(&both.node->work, i)); i++) {
        CUresult code =
            check(cushim__mock_work_graph(&both.image->work, i), inner, first_abi, info);

        if (code != CUDA_SUCCESS)
            return code;
    }
    if (cushim__mock_exec_check(both.image, &both.node->work) != CUDA_SUCCESS)
        return fail(info, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, both.node, NULL);
    return CUDA_SUCCESS;
}

/* Leaves the number of each node's pair in its `waiting`. */
static CUresult check(const struct mock_graph *image, const struct mock_graph *graph,
                      bool first_abi, CUgraphExecUpdateResultInfo *info)
{
    struct pairing pairing = {.pairs = calloc(image->node_count + 1, sizeof *pairing.pairs)};
    CUresult code = pairing.pairs ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;

    if (code == CUDA_SUCCESS && image->node_count != graph->node_count)
        code = fail(info,
                    first_abi ? CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED
                              : CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED,
                    NULL, NULL);
    forget(image);
    forget(graph);
    if (code == CUDA_SUCCESS)
        code = (first_abi ? pair_created : pair_exits)(&pairing, image, graph, info);
    for (size_t i = 0; code == CUDA_SUCCESS && i < pairing.count; i++) {
        if (!first_abi)
            code = pair_dependencies(&pairing, pairing.pairs[i], info);
        if (code == CUDA_SUCCESS)
            code = check_pair(pairing.pairs[i], first_abi, info);
    }
    /* In a graph with a cycle, some nodes cannot be reached from the exit nodes. */
    if (code == CUDA_SUCCESS && pairing.count < graph->node_count)
        code = fail(info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, graph->first, NULL);
    free(pairing.pairs);
    return code;
}

/* Copy what nodes will do, and the graph will hold, before any node does it. */
static CUresult prepare(struct mock_graph *image, const struct mock_graph *graph)
{
    CUresult code = cushim__mock_held_copy(graph->held, &image->coming) ? CUDA_SUCCESS
                                                                        : CUDA_ERROR_OUT_OF_MEMORY;

    for (const struct mock_node *node = graph->first; node && code == CUDA_SUCCESS;
         node = node->next) {
        const struct mock_graph *inner;

        for (unsigned i = 0; !code && (inner = cushim__mock_work_graph(&node->work, i)); i++)
            code = prepare(cushim__mock_work_graph(&node->partner->work, i), inner);
        if (node->work.operation) {
            node->partner->coming = cushim__mock_operation_copy(node->work.operation);
            if (!node->partner->coming)
                code = CUDA_ERROR_OUT_OF_MEMORY;
        }
    }
    return code;
}

/* Destroy the copies that were made. */
static void give_up(struct mock_graph *image, const struct mock_graph *graph)
{
    cushim__mock_held_release(image->coming);
    image->coming = NULL;
    for (const struct mock_node *node = graph->first; node; node = node->next) {
        const struct mock_graph *inner;

        for (unsigned i = 0; (inner = cushim__mock_work_graph(&node->work, i)); i++)
            give_up(cushim__mock_work_graph(&node->partner->work, i), inner);
        cushim__mock_operation_destroy(node->partner->coming);
        node->partner->coming = NULL;
    }
}

/*
 * Make each partner do what its node does. Child graphs and bodies stay; their nodes are updated.
 * Launches that are pending have references of their own.
 */
static void take(struct mock_graph *image, const struct mock_graph *graph)
{
    struct mock_held *former = image->held;

    image->held = image->coming;
    image->coming = NULL;
    cushim__mock_held_release(former);
    for (const struct mock_node *node = graph->first; node; node = node->next) {
        struct mock_work work = node->work;
        const struct mock_graph *inner;

        for (unsigned i = 0; (inner = cushim__mock_work_graph(&work, i)); i++)
            take(cushim__mock_work_graph(&node->partner->work, i), inner);
        if (cushim__mock_work_graph(&work, 0))
            continue;
        work.operation = node->partner->coming;
        node->partner->coming = NULL;
        cushim__mock_node_set(node->partner, &work);
    }
}

/* Take over the default values of conditions. */
static void take_values(const struct mock_graph *image, const struct mock_graph *graph)
{
    for (struct mock_condition *one = image->conditions; one; one = one->next) {
        const struct mock_condition *other =
            cushim__mock_condition_find(graph, one->context, one->handle);

        if (other)
            one->value = other->value;
    }
}

CUresult cushim__mock_exec_update(struct mock_graph *image, const struct mock_graph *graph,
                                  bool first_abi, CUgraphExecUpdateResultInfo *info)
{
    CUresult code = check(image, graph, first_abi, info);

    if (code != CUDA_SUCCESS)
        return code;
    code = prepare(image, graph);
    if (code == CUDA_SUCCESS) {
        take(image, graph);
        take_values(image, graph);
    } else {
        give_up(image, graph);
    }
    return code;
}
