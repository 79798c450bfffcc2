/* SPDX-License-Identifier: Apache-2.0 */
/* Executable graphs. */
#ifndef CUSHIM_MOCK_GRAPH_EXEC_H
#define CUSHIM_MOCK_GRAPH_EXEC_H

#include "src/mock/api/graph.h"

struct mock_record;

struct mock_exec {
    struct mock_object object;
    unsigned references; /* the program, and launches that have not ended */
    cuuint64_t flags;
    struct mock_graph *image; /* a copy of the graph, with its nodes in order */
    struct mock_record *last; /* the end of the last launch; NULL: there was none */
};

/* What a handle means; NULL is INVALID_VALUE. */
CUresult cushim__mock_exec_find(CUgraphExec handle, struct mock_exec **exec);

void cushim__mock_exec_release(struct mock_exec *exec);

/* The node of an executable graph that was made from a node. INVALID_VALUE: there is none. */
CUresult cushim__mock_exec_node(CUgraphExec handle, CUgraphNode node, struct mock_node **copy);

/*
 * Whether a node of an executable graph can do `work` instead of what it does. INVALID_VALUE: it
 * changes what was decided when the graph was instantiated.
 */
CUresult cushim__mock_exec_check(const struct mock_node *node, const struct mock_work *work);

/*
 * Make the nodes of an executable graph do what those of another graph do, in pairs by creation,
 * once all of them can. What stands in the way of it goes to `info`.
 */
CUresult cushim__mock_exec_update(struct mock_graph *image, const struct mock_graph *graph,
                                  CUgraphExecUpdateResultInfo *info);

#endif
