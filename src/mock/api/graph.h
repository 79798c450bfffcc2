/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs and their nodes. */
#ifndef CUSHIM_MOCK_GRAPH_H
#define CUSHIM_MOCK_GRAPH_H

#include "src/mock/api/graph_dependencies.h"
#include "src/mock/core/object.h"

struct cushim__capture;
struct cushim__graph;
struct cushim__held;
struct cushim__operation;
struct cushim__record;

/* What a node does. */
struct cushim__work {
    CUgraphNodeType type;
    struct cushim__operation *operation; /* what each launch queues a copy of; NULL: nothing */
    CUcontext context;                   /* where a copy or a set executes */
    CUevent event;                       /* of a node that records or awaits one */
    struct cushim__graph *child;         /* of a child graph node, which owns it */
};

struct cushim__node {
    struct cushim__object object; /* without a handle in an executable graph */
    struct cushim__graph *graph;
    struct cushim__node *next, *previous; /* in its graph, by creation */
    uint64_t number;                      /* of nodes in this process, from 1 */
    uint64_t origin;                      /* of the node that it is a copy of; 0: of none */
    struct cushim__edges dependencies, dependents;
    struct cushim__work work;
    size_t waiting;               /* free for whoever goes through a graph */
    struct cushim__node *partner; /* of an executable graph that is being updated by this one */

    /* In an executable graph. */
    bool disabled;
    bool awaited;                     /* by a node in another lane */
    unsigned lane;                    /* the streams of a launch, from 0 */
    struct cushim__record *record;    /* of a launch that is being queued, if it is awaited */
    struct cushim__operation *coming; /* of an update that is under way */
};

struct cushim__graph {
    struct cushim__object object;
    struct cushim__node *first, *last;
    size_t node_count;
    uint64_t number;                 /* of graphs in this process, from 1 */
    uint64_t origin;                 /* of the graph that it is a copy of; 0: of none */
    struct cushim__node *parent;     /* the child graph node that owns it; NULL: none */
    struct cushim__capture *capture; /* that makes it; NULL: none */
    struct cushim__node **order;     /* of an executable graph: how its nodes are launched */
    unsigned lanes;                  /* and in how many streams */
    struct cushim__held *held;       /* references on user objects: user_object.c */
};

/* What handles mean; NULL is INVALID_VALUE. */
CUresult cushim__graph_find(CUgraph handle, struct cushim__graph **graph);
CUresult cushim__node_find(CUgraphNode handle, struct cushim__node **node);

/* A new, empty graph. `visible`: it and its nodes have handles. */
CUresult cushim__graph_create(bool visible, struct cushim__graph **graph);

/* A graph and everything in it, child graphs too. NULL is a no-op. */
void cushim__graph_destroy(struct cushim__graph *graph);

/* A copy with all that it owns. */
CUresult cushim__graph_clone(const struct cushim__graph *graph, bool visible,
                             struct cushim__graph **clone);

/* The copy of a node in a clone of its graph, or in an executable graph. NULL: there is none. */
struct cushim__node *cushim__graph_copy_of(const struct cushim__graph *clone,
                                           const struct cushim__node *original);

/*
 * A node that depends on others of the same graph. Takes what `work` owns over in any case.
 * `node` may be NULL.
 */
CUresult cushim__node_add(struct cushim__graph *graph, const struct cushim__edges *dependencies,
                          struct cushim__work *work, struct cushim__node **node);

/*
 * Whether a graph may become the child of a node of `graph`. The log says why not: what goes
 * through child graphs takes room on the caller's stack for each level.
 */
bool cushim__graph_takes_child(const struct cushim__graph *graph,
                               const struct cushim__graph *child);

/* Take a node out of its graph, with its edges. */
void cushim__node_destroy(struct cushim__node *node);

/* A dependency of `to` on `from`. False: out of memory. */
bool cushim__node_connect(struct cushim__node *from, struct cushim__node *to,
                          const struct cushim__edge_data *data);
void cushim__node_disconnect(struct cushim__node *from, struct cushim__node *to);

/*
 * Read the arrays of a call into empty `edges`: nodes of `graph`, each once. `data` may be NULL.
 * Clear `edges` after. `any`: a node may be named twice, and counts once.
 */
CUresult cushim__edges_read_any(const struct cushim__graph *graph, const CUgraphNode *nodes,
                                const struct cushim__edge_data *data, size_t count,
                                struct cushim__edges *edges);
CUresult cushim__edges_read(const struct cushim__graph *graph, const CUgraphNode *nodes,
                            const struct cushim__edge_data *data, size_t count,
                            struct cushim__edges *edges);

/*
 * Bring the nodes of a graph and of its child graphs into an order in which they may be launched,
 * and into lanes. INVALID_VALUE: there is a cycle, and `*culprit` is a node of it.
 */
CUresult cushim__graph_order(struct cushim__graph *graph, struct cushim__node **culprit);

/* Free what a work owns. */
void cushim__work_end(struct cushim__work *work);

#endif
