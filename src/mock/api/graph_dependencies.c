/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/api/graph_dependencies.h"

#include <stdlib.h>
#include <string.h>

#include "src/mock/api/graph.h"

bool cushim__mock_edge_is_plain(const struct mock_edge *edge)
{
    static const struct mock_edge_data plain;

    return memcmp(&edge->data, &plain, sizeof plain) == 0;
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
                            const struct mock_edge_data *data)
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

CUresult cushim__mock_edges_give(const struct mock_edges *edges, CUgraphNode *nodes,
                                 struct mock_edge_data *data, size_t *count)
{
    for (size_t i = 0; nodes && !data && i < edges->count; i++) {
        if (!cushim__mock_edge_is_plain(&edges->at[i]))
            return CUDA_ERROR_LOSSY_QUERY;
    }
    for (size_t i = 0; nodes && i < *count; i++) {
        const struct mock_edge *edge = i < edges->count ? &edges->at[i] : NULL;

        nodes[i] = edge ? edge->node->object.handle : NULL;
        if (data)
            data[i] = edge ? edge->data : (struct mock_edge_data){0};
    }
    if (!nodes || *count > edges->count)
        *count = edges->count;
    return CUDA_SUCCESS;
}
