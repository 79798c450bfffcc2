/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/api/graph_dependencies.h"

#include <stdlib.h>
#include <string.h>

#include "src/mock/api/graph.h"

bool cushim__edge_is_plain(const struct cushim__edge *edge)
{
    static const struct cushim__edge_data plain;

    return memcmp(&edge->data, &plain, sizeof plain) == 0;
}

bool cushim__edges_reserve(struct cushim__edges *edges, size_t room)
{
    struct cushim__edge *at;

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

bool cushim__edges_add(struct cushim__edges *edges, struct cushim__node *node,
                       const struct cushim__edge_data *data)
{
    struct cushim__edge edge = {.node = node};

    if (!cushim__edges_reserve(edges, edges->count + 1))
        return false;
    if (data)
        edge.data = *data;
    edges->at[edges->count++] = edge;
    return true;
}

struct cushim__edge *cushim__edges_find(const struct cushim__edges *edges,
                                        const struct cushim__node *node)
{
    for (size_t i = 0; i < edges->count; i++) {
        if (edges->at[i].node == node)
            return &edges->at[i];
    }
    return NULL;
}

void cushim__edges_remove(struct cushim__edges *edges, const struct cushim__node *node)
{
    struct cushim__edge *edge = cushim__edges_find(edges, node);

    if (!edge)
        return;
    edges->count--;
    memmove(edge, edge + 1, (size_t)(edges->at + edges->count - edge) * sizeof *edge);
}

bool cushim__edges_join(struct cushim__edges *edges, const struct cushim__edges *more)
{
    if (!cushim__edges_reserve(edges, edges->count + more->count))
        return false;
    for (size_t i = 0; i < more->count; i++) {
        if (!cushim__edges_find(edges, more->at[i].node))
            edges->at[edges->count++] = more->at[i];
    }
    return true;
}

void cushim__edges_clear(struct cushim__edges *edges)
{
    free(edges->at);
    *edges = (struct cushim__edges){0};
}

CUresult cushim__edges_give(const struct cushim__edges *edges, CUgraphNode *nodes,
                            struct cushim__edge_data *data, size_t *count)
{
    for (size_t i = 0; nodes && !data && i < edges->count; i++) {
        if (!cushim__edge_is_plain(&edges->at[i]))
            return CUDA_ERROR_LOSSY_QUERY;
    }
    for (size_t i = 0; nodes && i < *count; i++) {
        const struct cushim__edge *edge = i < edges->count ? &edges->at[i] : NULL;

        nodes[i] = edge ? edge->node->object.handle : NULL;
        if (data)
            data[i] = edge ? edge->data : (struct cushim__edge_data){0};
    }
    if (!nodes || *count > edges->count)
        *count = edges->count;
    return CUDA_SUCCESS;
}
