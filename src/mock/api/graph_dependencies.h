/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges: the nodes that a node, a captured stream or a captured event depends on, or is awaited by.
 */
#ifndef CUSHIM_MOCK_EDGE_H
#define CUSHIM_MOCK_EDGE_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

struct cushim__node;

/* The layout of CUgraphEdgeData, which headers before CUDA 12.3 do not know. */
struct cushim__edge_data {
    unsigned char from_port, to_port, type, reserved[5];
};

struct cushim__edge {
    struct cushim__node *node;
    struct cushim__edge_data data;
};

/* In the order in which they came; zeroed: none. */
struct cushim__edges {
    struct cushim__edge *at;
    size_t count, room;
};

/* An ordinary dependency, without data. */
bool cushim__edge_is_plain(const struct cushim__edge *edge);

/* Room for so many edges: the next that are added find it. False: out of memory. */
bool cushim__edges_reserve(struct cushim__edges *edges, size_t room);

/* Add an edge; `data` may be NULL: none. False: out of memory. */
bool cushim__edges_add(struct cushim__edges *edges, struct cushim__node *node,
                       const struct cushim__edge_data *data);

/* The edge to a node. NULL: there is none. */
struct cushim__edge *cushim__edges_find(const struct cushim__edges *edges,
                                        const struct cushim__node *node);

/* Take the edge to a node away, if there is one. */
void cushim__edges_remove(struct cushim__edges *edges, const struct cushim__node *node);

/* Add those of `more` that are not there yet. False: out of memory; nothing was added. */
bool cushim__edges_join(struct cushim__edges *edges, const struct cushim__edges *more);

void cushim__edges_clear(struct cushim__edges *edges);

/*
 * Give edges to a program as the calls do that take two arrays and the room in them: `room`
 * entries, NULL after the last edge, and how many there were to `*count`. `nodes` NULL: the number
 * alone. `data` may be NULL: then all must be plain, or the answer is CUDA_ERROR_LOSSY_QUERY.
 */
CUresult cushim__edges_give(const struct cushim__edges *edges, CUgraphNode *nodes,
                            struct cushim__edge_data *data, size_t *count);

#endif
