/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs and nodes: how they begin, are copied and end. */
#include "src/mock/api/graph.h"

#include <stdlib.h>

#include "src/mock/api/capture.h"
#include "src/mock/api/user_object.h"
#include "src/mock/core/state.h"
#include "src/mock/sim/operation.h"

enum { LEVELS_MAX = 64 };

static uint64_t graphs_made, nodes_made;

CUresult cushim__graph_find(CUgraph handle, struct cushim__graph **graph)
{
    return handle ? cushim__object_find(handle, CUSHIM__GRAPH, graph) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cushim__node_find(CUgraphNode handle, struct cushim__node **node)
{
    return handle ? cushim__object_find(handle, CUSHIM__NODE, node) : CUDA_ERROR_INVALID_VALUE;
}

void cushim__work_end(struct cushim__work *work)
{
    cushim__operation_destroy(work->operation);
    cushim__graph_destroy(work->child);
    *work = (struct cushim__work){.type = work->type};
}

static void node_free(struct cushim__node *node)
{
    cushim__edges_clear(&node->dependencies);
    cushim__edges_clear(&node->dependents);
    free(node);
}

/*
 * At the end of the mock each object with a handle goes by itself, in no order that matters: what
 * has a handle of its own is left alone.
 */
static void drop_node(void *object)
{
    struct cushim__node *node = object;

    cushim__operation_destroy(node->work.operation);
    node_free(node);
}

static void drop_graph(void *object)
{
    struct cushim__graph *graph = object;

    cushim__held_free(graph->held);
    free(graph->order);
    free(graph);
}

CUresult cushim__graph_create(bool visible, struct cushim__graph **graph)
{
    struct cushim__graph *created = calloc(1, sizeof *created);

    if (!created)
        return CUDA_ERROR_OUT_OF_MEMORY;
    created->number = ++graphs_made;
    created->object.drop = drop_graph;
    if (visible && cushim__object_add(created, CUSHIM__GRAPH, NULL) != CUDA_SUCCESS) {
        free(created);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *graph = created;
    return CUDA_SUCCESS;
}

static bool is_visible(const struct cushim__graph *graph)
{
    return graph->object.handle != NULL;
}

static void unlink_node(struct cushim__node *node)
{
    struct cushim__graph *graph = node->graph;

    *(node->previous ? &node->previous->next : &graph->first) = node->next;
    *(node->next ? &node->next->previous : &graph->last) = node->previous;
    graph->node_count--;
}

/* How many graphs lie in each other, this one included. */
static unsigned levels_below(const struct cushim__graph *graph)
{
    unsigned most = 0;

    for (const struct cushim__node *node = graph->first; node; node = node->next) {
        const unsigned levels = node->work.child ? levels_below(node->work.child) : 0;

        most = levels > most ? levels : most;
    }
    return most + 1;
}

bool cushim__graph_takes_child(const struct cushim__graph *graph, const struct cushim__graph *child)
{
    unsigned levels = levels_below(child) + 1;

    while (graph->parent) {
        graph = graph->parent->graph;
        levels++;
    }
    if (levels > LEVELS_MAX)
        cushim__mock_log(
            "%u graphs would lie in each other, at most %d can: CUDA_ERROR_NOT_SUPPORTED", levels,
            LEVELS_MAX);
    return levels <= LEVELS_MAX;
}

/* Its edges are the caller's affair. */
static void node_end(struct cushim__node *node)
{
    unlink_node(node);
    if (node->object.handle)
        cushim__object_remove(node);
    cushim__work_end(&node->work);
    node_free(node);
}

void cushim__graph_destroy(struct cushim__graph *graph)
{
    if (!graph)
        return;
    if (graph->capture)
        cushim__capture_lose_graph(graph->capture);
    while (graph->first)
        node_end(graph->first);
    cushim__held_release(graph->held);
    if (is_visible(graph))
        cushim__object_remove(graph);
    free(graph->order);
    free(graph);
}

bool cushim__node_connect(struct cushim__node *from, struct cushim__node *to,
                          const struct cushim__edge_data *data)
{
    if (!cushim__edges_add(&to->dependencies, from, data))
        return false;
    if (!cushim__edges_add(&from->dependents, to, data)) {
        to->dependencies.count--;
        return false;
    }
    return true;
}

void cushim__node_disconnect(struct cushim__node *from, struct cushim__node *to)
{
    cushim__edges_remove(&to->dependencies, from);
    cushim__edges_remove(&from->dependents, to);
}

void cushim__node_destroy(struct cushim__node *node)
{
    while (node->dependencies.count > 0)
        cushim__node_disconnect(node->dependencies.at[0].node, node);
    while (node->dependents.count > 0)
        cushim__node_disconnect(node, node->dependents.at[0].node);
    node_end(node);
}

/*
 * A node at the end of its graph, without edges. NULL: out of memory; `work` is the caller's then.
 */
static struct cushim__node *node_create(struct cushim__graph *graph,
                                        const struct cushim__work *work)
{
    struct cushim__node *node = calloc(1, sizeof *node);

    if (!node)
        return NULL;
    node->object.drop = drop_node;
    if (is_visible(graph) && cushim__object_add(node, CUSHIM__NODE, NULL) != CUDA_SUCCESS) {
        free(node);
        return NULL;
    }
    node->graph = graph;
    node->number = ++nodes_made;
    node->previous = graph->last;
    *(graph->last ? &graph->last->next : &graph->first) = node;
    graph->last = node;
    graph->node_count++;
    node->work = *work;
    if (work->child)
        work->child->parent = node;
    return node;
}

CUresult cushim__node_add(struct cushim__graph *graph, const struct cushim__edges *dependencies,
                          struct cushim__work *work, struct cushim__node **node)
{
    struct cushim__node *created = node_create(graph, work);

    if (!created) {
        cushim__work_end(work);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < dependencies->count; i++) {
        const struct cushim__edge *edge = &dependencies->at[i];

        if (!cushim__node_connect(edge->node, created, &edge->data)) {
            cushim__node_destroy(created);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
    }
    if (node)
        *node = created;
    return CUDA_SUCCESS;
}

static bool work_copy(const struct cushim__work *work, bool visible, struct cushim__work *copy)
{
    *copy = *work;
    copy->operation = NULL;
    copy->child = NULL;
    if (work->operation) {
        copy->operation = cushim__operation_copy(work->operation);
        return copy->operation != NULL;
    }
    return !work->child || cushim__graph_clone(work->child, visible, &copy->child) == CUDA_SUCCESS;
}

/* Copy a node; its dependencies were copied before, `copies` are those of the nodes before it. */
static bool node_copy(const struct cushim__node *node, struct cushim__graph *clone)
{
    struct cushim__work work;
    struct cushim__node *copy;

    if (!work_copy(&node->work, is_visible(clone), &work))
        return false;
    copy = node_create(clone, &work);
    if (!copy) {
        cushim__work_end(&work);
        return false;
    }
    copy->origin = node->number;
    copy->disabled = node->disabled;
    return true;
}

/* The copies stand in the order of the originals, so each has the place of its own. */
static bool edges_copy(const struct cushim__graph *graph, const struct cushim__graph *clone,
                       struct cushim__node **copies)
{
    struct cushim__node *copy = clone->first;
    size_t place = 0;

    for (struct cushim__node *node = graph->first; node; node = node->next, copy = copy->next) {
        node->waiting = place;
        copies[place++] = copy;
    }
    for (const struct cushim__node *node = graph->first; node; node = node->next) {
        copy = copies[node->waiting];
        for (size_t i = 0; i < node->dependencies.count; i++) {
            const struct cushim__edge *edge = &node->dependencies.at[i];

            if (!cushim__edges_add(&copy->dependencies, copies[edge->node->waiting], &edge->data))
                return false;
        }
        for (size_t i = 0; i < node->dependents.count; i++) {
            const struct cushim__edge *edge = &node->dependents.at[i];

            if (!cushim__edges_add(&copy->dependents, copies[edge->node->waiting], &edge->data))
                return false;
        }
    }
    return true;
}

CUresult cushim__graph_clone(const struct cushim__graph *graph, bool visible,
                             struct cushim__graph **clone)
{
    struct cushim__node **copies = calloc(graph->node_count + 1, sizeof *copies);
    struct cushim__graph *made = NULL;
    bool complete = copies && cushim__graph_create(visible, &made) == CUDA_SUCCESS;

    for (const struct cushim__node *node = graph->first; complete && node; node = node->next)
        complete = node_copy(node, made);
    complete =
        complete && edges_copy(graph, made, copies) && cushim__held_copy(graph->held, &made->held);
    free(copies);
    if (!complete) {
        cushim__graph_destroy(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->origin = graph->number;
    *clone = made;
    return CUDA_SUCCESS;
}

struct cushim__node *cushim__graph_copy_of(const struct cushim__graph *clone,
                                           const struct cushim__node *original)
{
    if (clone->origin != original->graph->number)
        return NULL;
    for (struct cushim__node *node = clone->first; node; node = node->next) {
        if (node->origin == original->number)
            return node;
    }
    return NULL;
}
