/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges: the nodes that a node, a captured stream or a captured event depends on, or is awaited by.
 */
#ifndef CUSHIM_MOCK_API_GRAPH_DEPENDENCIES_H
#define CUSHIM_MOCK_API_GRAPH_DEPENDENCIES_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

struct mock_node;

struct mock_edge {
    struct mock_node *node;
    CUgraphEdgeData data;
};

/* In the order in which they came; zeroed: none. */
struct mock_edges {
    struct mock_edge *at;
    size_t count, room;
};

/* Whether all are ordinary dependencies, without data. */
bool cushim__mock_edges_are_plain(const struct mock_edges *edges);

/* Room for so many edges: the next that are added find it. False: out of memory. */
bool cushim__mock_edges_reserve(struct mock_edges *edges, size_t room);

/* Add an edge; `data` may be NULL: none. False: out of memory. */
bool cushim__mock_edges_add(struct mock_edges *edges, struct mock_node *node,
                            const CUgraphEdgeData *data);

/* The edge to a node. NULL: there is none. */
struct mock_edge *cushim__mock_edges_find(const struct mock_edges *edges,
                                          const struct mock_node *node);

/* Take the edge to a node away, if there is one. */
void cushim__mock_edges_remove(struct mock_edges *edges, const struct mock_node *node);

/* Add those of `more` that are not there yet. False: out of memory; nothing was added. */
bool cushim__mock_edges_join(struct mock_edges *edges, const struct mock_edges *more);

void cushim__mock_edges_clear(struct mock_edges *edges);

/*
 * Give edges to a program as the calls do that take two arrays and the room in them: `room`
 * entries, NULL after the last edge, and how many there were to `*count`. `nodes` NULL: the number
 * alone. `data` may be NULL: then all must be plain, or the result is CUDA_ERROR_LOSSY_QUERY.
 */
CUresult cushim__mock_edges_give(const struct mock_edges *edges, CUgraphNode *nodes,
                                 CUgraphEdgeData *data, size_t *count);

#endif
