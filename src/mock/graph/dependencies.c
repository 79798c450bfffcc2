/* SPDX-License-Identifier: Apache-2.0 */
/* Edges between nodes, and the order in which the nodes of a graph are launched. */
#include "src/mock/graph/graph.h"

#include <stdlib.h>
#include <string.h>

bool cushim__mock_edges_are_plain(const struct mock_edges *edges)
{
    static const CUgraphEdgeData plain;

    for (size_t i = 0; i < edges->count; i++) {
        if (memcmp(&edges->at[i].data, &plain, sizeof plain) != 0)
            return false;
    }
    return true;
}

bool cushim__mock_edges_reserve(struct mock_edges *edges, size_t room)
{
    struct mock_edge *at;

    if (room <= edges->room)
        return true;
    if (room < edges->room * 2)
        room = edges->room * 2;
    at = realloc(edges->at, room * sizeof *at);
    if (!at)
        return false;
    edges->at = at;
    edges->room = room;
    return true;
}

bool cushim__mock_edges_add(struct mock_edges *edges, struct mock_node *node,
                            const CUgraphEdgeData *data)
{
    struct mock_edge edge = {.node = node};

    if (!cushim__mock_edges_reserve(edges, edges->count + 1))
        return false;
    if (data)
        edge.data = *data;
    edges->at[edges->count++] = edge;
    return true;
}

struct mock_edge *cushim__mock_edges_find(const struct mock_edges *edges,
                                          const struct mock_node *node)
{
    for (size_t i = 0; i < edges->count; i++) {
        if (edges->at[i].node == node)
            return &edges->at[i];
    }
    return NULL;
}

void cushim__mock_edges_remove(struct mock_edges *edges, const struct mock_node *node)
{
    struct mock_edge *edge = cushim__mock_edges_find(edges, node);

    if (!edge)
        return;
    edges->count--;
    memmove(edge, edge + 1, (size_t)(edges->at + edges->count - edge) * sizeof *edge);
}

bool cushim__mock_edges_join(struct mock_edges *edges, const struct mock_edges *more)
{
    if (!cushim__mock_edges_reserve(edges, edges->count + more->count))
        return false;
    for (size_t i = 0; i < more->count; i++) {
        if (!cushim__mock_edges_find(edges, more->at[i].node))
            edges->at[edges->count++] = more->at[i];
    }
    return true;
}

void cushim__mock_edges_clear(struct mock_edges *edges)
{
    free(edges->at);
    *edges = (struct mock_edges){0};
}

/* Only kernels have ports that are not 0, and those only towards kernels. */
bool cushim__mock_edge_allowed(const CUgraphEdgeData *data, const struct mock_node *from)
{
    static const CUgraphEdgeData plain;

    if (memcmp(data->reserved, plain.reserved, sizeof plain.reserved) != 0 || data->to_port != 0)
        return false;
    if (data->type == 0)
        return data->from_port == 0;
    return data->type == MOCK_EDGE_PROGRAMMATIC && data->from_port > 0 &&
           data->from_port <= MOCK_PORT_LAUNCH_ORDER &&
           from->work.type == CU_GRAPH_NODE_TYPE_KERNEL;
}

CUresult cushim__mock_edges_read(const struct mock_graph *graph, const CUgraphNode *nodes,
                                 const CUgraphEdgeData *data, size_t count,
                                 struct mock_edges *edges)
{
    if (count > 0 && !nodes)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        struct mock_node *node;
        CUresult code = cushim__mock_object_find(nodes[i], MOCK_NODE, &node);

        if (code != CUDA_SUCCESS)
            return code;
        if (node->graph != graph || (data && !cushim__mock_edge_allowed(&data[i], node)))
            return CUDA_ERROR_INVALID_VALUE;
        if (!cushim__mock_edges_find(edges, node) &&
            !cushim__mock_edges_add(edges, node, data ? &data[i] : NULL))
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

CUresult cushim__mock_edges_give(const struct mock_edges *edges, CUgraphNode *nodes,
                                 CUgraphEdgeData *data, size_t *count)
{
    if (nodes && !data && !cushim__mock_edges_are_plain(edges))
        return CUDA_ERROR_LOSSY_QUERY;
    for (size_t i = 0; nodes && i < *count; i++) {
        const struct mock_edge *edge = i < edges->count ? &edges->at[i] : NULL;

        nodes[i] = edge ? edge->node->object.handle : NULL;
        if (data)
            data[i] = edge ? edge->data : (CUgraphEdgeData){0};
    }
    if (!nodes || *count > edges->count)
        *count = edges->count;
    return CUDA_SUCCESS;
}

/*
 * The nodes of a graph are launched in an order in which each comes after those that it depends on,
 * and in lanes, which become streams at a launch. A node continues the lane of one that it depends
 * on, if it is the first to do so; nodes that do not depend on each other are in different lanes.
 */

/* Beyond this many lanes, nodes share one with others. */
enum { LANES_MAX = 64 };

/* Sort nodes by their distance from the roots and by creation. Returns how many could be sorted. */
static size_t sort(struct mock_graph *graph)
{
    size_t ready = 0, done = 0;

    for (struct mock_node *node = graph->first; node; node = node->next) {
        node->waiting = node->dependencies.count;
        if (node->waiting == 0)
            graph->order[ready++] = node;
    }
    while (done < ready) {
        const struct mock_node *node = graph->order[done++];

        for (size_t i = 0; i < node->dependents.count; i++) {
            struct mock_node *dependent = node->dependents.at[i].node;

            if (--dependent->waiting == 0)
                graph->order[ready++] = dependent;
        }
    }
    return done;
}

static void choose_lane(struct mock_graph *graph, struct mock_node *node,
                        const struct mock_node **last)
{
    node->lane = LANES_MAX;
    for (size_t i = 0; node->lane == LANES_MAX && i < node->dependencies.count; i++) {
        const struct mock_node *before = node->dependencies.at[i].node;

        if (last[before->lane] == before)
            node->lane = before->lane;
    }
    if (node->lane == LANES_MAX)
        node->lane = graph->lanes < LANES_MAX ? graph->lanes++ : 0;
    last[node->lane] = node;
    for (size_t i = 0; i < node->dependencies.count; i++) {
        struct mock_node *before = node->dependencies.at[i].node;

        before->awaited = before->awaited || before->lane != node->lane;
    }
}

static void choose_lanes(struct mock_graph *graph)
{
    const struct mock_node *last[LANES_MAX] = {NULL};

    graph->lanes = 0;
    for (size_t i = 0; i < graph->node_count; i++)
        graph->order[i]->awaited = false;
    for (size_t i = 0; i < graph->node_count; i++)
        choose_lane(graph, graph->order[i], last);
}

CUresult cushim__mock_graph_order(struct mock_graph *graph, struct mock_node **culprit)
{
    free(graph->order);
    graph->order = calloc(graph->node_count + 1, sizeof *graph->order);
    if (!graph->order)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (sort(graph) < graph->node_count) {
        *culprit = graph->first;
        while ((*culprit)->waiting == 0)
            *culprit = (*culprit)->next;
        return CUDA_ERROR_INVALID_VALUE;
    }
    choose_lanes(graph);
    for (struct mock_node *node = graph->first; node; node = node->next) {
        struct mock_graph *inner;

        for (unsigned i = 0; (inner = cushim__mock_work_graph(&node->work, i)); i++) {
            CUresult code = cushim__mock_graph_order(inner, culprit);

            if (code != CUDA_SUCCESS)
                return code;
        }
    }
    return CUDA_SUCCESS;
}
