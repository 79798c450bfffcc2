/* SPDX-License-Identifier: Apache-2.0 */
/* Executable graphs. */
#ifndef CUSHIM_MOCK_GRAPH_EXEC_H
#define CUSHIM_MOCK_GRAPH_EXEC_H

#include "src/mock/api/graph.h"

struct cushim__record;

struct cushim__exec {
    struct cushim__object object;
    unsigned references; /* the program, and launches that have not ended */
    cuuint64_t flags;
    struct cushim__graph *image; /* a copy of the graph, with its nodes in order */
    struct cushim__record *last; /* the end of the last launch; NULL: there was none */
};

/* What a handle means; NULL is INVALID_VALUE. */
CUresult cushim__exec_find(CUgraphExec handle, struct cushim__exec **exec);

void cushim__exec_release(struct cushim__exec *exec);

/* The node of an executable graph that was made from a node. INVALID_VALUE: there is none. */
CUresult cushim__exec_node(CUgraphExec handle, CUgraphNode node, struct cushim__node **copy);

/*
 * Whether a node of an executable graph can do `work` instead of what it does. INVALID_VALUE: it
 * changes what was decided when the graph was instantiated.
 */
CUresult cushim__exec_check(const struct cushim__node *node, const struct cushim__work *work);

/*
 * Make the nodes of an executable graph do what those of another graph do, in pairs by creation,
 * once all of them can. What stands in the way of it goes to `info`.
 */
CUresult cushim__exec_update(struct cushim__graph *image, const struct cushim__graph *graph,
                             CUgraphExecUpdateResultInfo *info);

#endif
