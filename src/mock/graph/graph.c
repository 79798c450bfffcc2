/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs and nodes: how they begin, are copied and end. */
#include "src/mock/graph/graph.h"

#include <stdlib.h>

#include "src/mock/core/state.h"
#include "src/mock/sim/operation.h"

enum { LEVELS_MAX = 64 };

static uint64_t graphs_made, nodes_made;

void cushim__mock_work_end(struct mock_work *work)
{
    cushim__mock_operation_destroy(work->operation);
    if (!work->moved || work->child->parent)
        cushim__mock_graph_destroy(work->child);
    cushim__mock_bodies_destroy(work->bodies);
    *work = (struct mock_work){.type = work->type};
}

static void node_free(struct mock_node *node)
{
    cushim__mock_edges_clear(&node->dependencies);
    cushim__mock_edges_clear(&node->dependents);
    free(node);
}

/*
 * At the end of the mock, each object with a handle is dropped on its own, in any order, so these
 * functions leave alone what has a handle of its own.
 */
static void drop_node(void *object)
{
    struct mock_node *node = object;

    cushim__mock_operation_destroy(node->work.operation);
    cushim__mock_bodies_free(node->work.bodies);
    node_free(node);
}

static void drop_graph(void *object)
{
    struct mock_graph *graph = object;

    cushim__mock_held_free(graph->held);
    cushim__mock_conditions_free(graph);
    free(graph->order);
    free(graph);
}

CUresult cushim__mock_graph_create(bool visible, struct mock_graph **graph)
{
    struct mock_graph *created = calloc(1, sizeof *created);

    if (!created)
        return CUDA_ERROR_OUT_OF_MEMORY;
    created->number = ++graphs_made;
    created->object.drop = drop_graph;
    if (visible && cushim__mock_object_add(created, MOCK_GRAPH, NULL) != CUDA_SUCCESS) {
        free(created);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *graph = created;
    return CUDA_SUCCESS;
}

static bool is_visible(const struct mock_graph *graph)
{
    return graph->object.handle != NULL;
}

static void unlink_node(struct mock_node *node)
{
    struct mock_graph *graph = node->graph;

    *(node->previous ? &node->previous->next : &graph->first) = node->next;
    *(node->next ? &node->next->previous : &graph->last) = node->previous;
    graph->node_count--;
}

/* Count the levels of nested graphs, this one included. */
static unsigned levels_below(const struct mock_graph *graph)
{
    unsigned most = 0;

    for (const struct mock_node *node = graph->first; node; node = node->next) {
        const struct mock_graph *inner;

        for (unsigned i = 0; (inner = cushim__mock_work_graph(&node->work, i)); i++) {
            const unsigned levels = levels_below(inner);

            most = levels > most ? levels : most;
        }
    }
    return most + 1;
}

bool cushim__mock_graph_takes_child(const struct mock_graph *graph, const struct mock_graph *child)
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

static unsigned content_of(const struct mock_node *node)
{
    switch ((int)node->work.type) { /* the enumeration of older headers is shorter */
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return MOCK_CONDITIONAL;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return MOCK_MEMORY;
    default:
        return 0;
    }
}

bool cushim__mock_graph_has(const struct mock_graph *graph, unsigned contents)
{
    bool has = false;

    for (const struct mock_node *node = graph->first; node && !has; node = node->next) {
        const struct mock_graph *inner;

        has = content_of(node) & contents;
        for (unsigned i = 0; !has && (inner = cushim__mock_work_graph(&node->work, i)); i++)
            has = cushim__mock_graph_has(inner, contents);
    }
    return has;
}

bool cushim__mock_graph_in_body(const struct mock_graph *graph)
{
    while (graph->parent && !graph->parent->work.bodies)
        graph = graph->parent->graph;
    return graph->parent;
}

/* The caller has removed the node's edges, or frees the whole graph. */
static void node_end(struct mock_node *node)
{
    unlink_node(node);
    if (node->object.handle)
        cushim__mock_object_remove(node);
    cushim__mock_work_end(&node->work);
    node_free(node);
}

void cushim__mock_graph_destroy(struct mock_graph *graph)
{
    if (!graph)
        return;
    if (graph->capture)
        graph->lose(graph->capture);
    while (graph->first)
        node_end(graph->first);
    cushim__mock_held_release(graph->held);
    cushim__mock_conditions_free(graph);
    if (is_visible(graph))
        cushim__mock_object_remove(graph);
    free(graph->order);
    free(graph);
}

bool cushim__mock_node_connect(struct mock_node *from, struct mock_node *to,
                               const CUgraphEdgeData *data)
{
    if (!cushim__mock_edges_add(&to->dependencies, from, data))
        return false;
    if (!cushim__mock_edges_add(&from->dependents, to, data)) {
        to->dependencies.count--;
        return false;
    }
    return true;
}

void cushim__mock_node_disconnect(struct mock_node *from, struct mock_node *to)
{
    cushim__mock_edges_remove(&to->dependencies, from);
    cushim__mock_edges_remove(&from->dependents, to);
}

void cushim__mock_node_destroy(struct mock_node *node)
{
    while (node->dependencies.count > 0)
        cushim__mock_node_disconnect(node->dependencies.at[0].node, node);
    while (node->dependents.count > 0)
        cushim__mock_node_disconnect(node, node->dependents.at[0].node);
    node_end(node);
}

/* Append a node without edges. Returns NULL if memory runs out; `work` is the caller's then. */
static struct mock_node *node_create(struct mock_graph *graph, const struct mock_work *work)
{
    struct mock_node *node = calloc(1, sizeof *node);
    struct mock_graph *inner;

    if (!node)
        return NULL;
    node->object.drop = drop_node;
    if (is_visible(graph) && cushim__mock_object_add(node, MOCK_NODE, NULL) != CUDA_SUCCESS) {
        free(node);
        return NULL;
    }
    node->graph = graph;
    node->number = ++nodes_made;
    node->local = graph->nodes_made++;
    node->previous = graph->last;
    *(graph->last ? &graph->last->next : &graph->first) = node;
    graph->last = node;
    graph->node_count++;
    node->work = *work;
    for (unsigned i = 0; (inner = cushim__mock_work_graph(work, i)); i++)
        inner->parent = node;
    return node;
}

CUresult cushim__mock_node_add(struct mock_graph *graph, const struct mock_edges *dependencies,
                               struct mock_work *work, struct mock_node **node)
{
    struct mock_node *created = node_create(graph, work);

    if (!created) {
        cushim__mock_work_end(work);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < dependencies->count; i++) {
        const struct mock_edge *edge = &dependencies->at[i];

        if (!cushim__mock_node_connect(edge->node, created, &edge->data)) {
            if (work->moved)
                work->child->parent = NULL; /* it stays the program's */
            cushim__mock_node_destroy(created);
            graph->nodes_made--; /* a call that fails leaves no hole in the numbers */
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
    }
    if (work->moved)
        work->child->object.internal = true;
    *node = created;
    return CUDA_SUCCESS;
}

static bool work_copy(const struct mock_work *work, bool visible, struct mock_work *copy)
{
    *copy = *work;
    copy->operation = NULL;
    copy->child = NULL;
    copy->moved = false;
    copy->bodies = NULL;
    if (work->operation) {
        copy->operation = cushim__mock_operation_copy(work->operation);
        return copy->operation != NULL;
    }
    if (work->bodies) {
        copy->bodies = cushim__mock_bodies_copy(work->bodies, visible);
        return copy->bodies != NULL;
    }
    return !work->child ||
           cushim__mock_graph_clone(work->child, visible, &copy->child) == CUDA_SUCCESS;
}

/* Copy a node without its edges. */
static bool node_copy(const struct mock_node *node, struct mock_graph *clone)
{
    struct mock_work work;
    struct mock_node *copy;

    if (!work_copy(&node->work, is_visible(clone), &work))
        return false;
    copy = node_create(clone, &work);
    if (!copy) {
        cushim__mock_work_end(&work);
        return false;
    }
    copy->origin = node->number;
    copy->disabled = node->disabled;
    return true;
}

static bool copy_edges(const struct mock_edges *edges, struct mock_node *const *copies,
                       struct mock_edges *to)
{
    for (size_t i = 0; i < edges->count; i++) {
        const struct mock_edge *edge = &edges->at[i];

        if (!cushim__mock_edges_add(to, copies[edge->node->waiting], &edge->data))
            return false;
    }
    return true;
}

/* Copies are in the order of the originals, so that a copy has the index of its original. */
static bool copy_all_edges(const struct mock_graph *graph, const struct mock_graph *clone,
                           struct mock_node **copies)
{
    struct mock_node *copy = clone->first;
    size_t place = 0;

    for (struct mock_node *node = graph->first; node; node = node->next, copy = copy->next) {
        node->waiting = place;
        copies[place++] = copy;
    }
    for (const struct mock_node *node = graph->first; node; node = node->next) {
        copy = copies[node->waiting];
        if (!copy_edges(&node->dependencies, copies, &copy->dependencies) ||
            !copy_edges(&node->dependents, copies, &copy->dependents))
            return false;
    }
    return true;
}

CUresult cushim__mock_graph_clone(const struct mock_graph *graph, bool visible,
                                  struct mock_graph **clone)
{
    struct mock_node **copies = calloc(graph->node_count + 1, sizeof *copies);
    struct mock_graph *made = NULL;
    bool complete = copies && cushim__mock_graph_create(visible, &made) == CUDA_SUCCESS;

    for (const struct mock_node *node = graph->first; complete && node; node = node->next)
        complete = node_copy(node, made);
    complete = complete && copy_all_edges(graph, made, copies) &&
               cushim__mock_held_copy(graph->held, &made->held) &&
               cushim__mock_conditions_copy(graph, made);
    free(copies);
    if (!complete) {
        cushim__mock_graph_destroy(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->origin = graph->number;
    *clone = made;
    return CUDA_SUCCESS;
}

struct mock_node *cushim__mock_graph_copy_of(const struct mock_graph *clone,
                                             const struct mock_node *original)
{
    if (clone->origin != original->graph->number)
        return NULL;
    for (struct mock_node *node = clone->first; node; node = node->next) {
        if (node->origin == original->number)
            return node;
    }
    return NULL;
}
