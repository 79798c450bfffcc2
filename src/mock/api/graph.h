/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs, their nodes, and the edges between these. */
#ifndef CUSHIM_MOCK_API_GRAPH_H
#define CUSHIM_MOCK_API_GRAPH_H

#include <stdbool.h>

#include "src/mock/core/object.h"

struct mock_capture;
struct mock_graph;
struct mock_node;
struct mock_held;
struct mock_operation;
struct mock_event_record;
struct mock_user_object;

/* An edge: what a node, a captured stream or a captured event depends on, or is awaited by. */
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

/* What a node does. */
struct mock_work {
    CUresult code; /* anything but CUDA_SUCCESS: why it cannot be done; the rest is zero then */
    CUgraphNodeType type;
    struct mock_operation *operation; /* what each launch queues a copy of; NULL: nothing */
    CUcontext context;                /* where a copy or a set executes */
    CUevent event;                    /* of a node that records or awaits one */
    struct mock_graph *child;         /* of a child graph node, which owns it */
};

struct mock_node {
    struct mock_object object; /* without a handle in an executable graph */
    struct mock_graph *graph;
    struct mock_node *next, *previous; /* in its graph, by creation */
    uint64_t number;                   /* of nodes in this process, from 1 */
    unsigned local;                    /* of nodes made in its graph, from 0 */
    uint64_t origin;                   /* of the node that it is a copy of; 0: of none */
    struct mock_edges dependencies, dependents;
    struct mock_work work;
    size_t waiting;            /* free for whoever goes through a graph */
    struct mock_node *partner; /* of an executable graph that is being updated by this one */

    /* In an executable graph. */
    bool disabled;
    bool awaited;  /* by a node in another lane */
    unsigned lane; /* the streams of a launch, from 0 */
    struct mock_event_record
        *fence;                    /* its end in a launch that is being queued; NULL: none waits */
    struct mock_operation *coming; /* of an update that is under way */
};

struct mock_graph {
    struct mock_object object;
    struct mock_node *first, *last;
    size_t node_count;
    unsigned nodes_made;          /* those that are gone too */
    uint64_t number;              /* of graphs in this process, from 1 */
    uint64_t origin;              /* of the graph that it is a copy of; 0: of none */
    struct mock_node *parent;     /* the child graph node that owns it; NULL: none */
    struct mock_capture *capture; /* that makes it; NULL: none */
    struct mock_node **order;     /* of an executable graph: how its nodes are launched */
    unsigned lanes;               /* and in how many streams */
    struct mock_held *held;       /* references on user objects: user_object.c */
};

/* A new, empty graph. `visible`: it and its nodes have handles. */
CUresult cushim__mock_graph_create(bool visible, struct mock_graph **graph);

/* A graph and everything in it, child graphs too. NULL is a no-op. */
void cushim__mock_graph_destroy(struct mock_graph *graph);

/* A copy with all that it owns. */
CUresult cushim__mock_graph_clone(const struct mock_graph *graph, bool visible,
                                  struct mock_graph **clone);

/* The copy of a node in a clone of its graph, or in an executable graph. NULL: there is none. */
struct mock_node *cushim__mock_graph_copy_of(const struct mock_graph *clone,
                                             const struct mock_node *original);

/*
 * A node that depends on others of the same graph. Takes what `work` owns over in any case.
 */
CUresult cushim__mock_node_add(struct mock_graph *graph, const struct mock_edges *dependencies,
                               struct mock_work *work, struct mock_node **node);

/*
 * Whether a graph may become the child of a node of `graph`. The log says why not: what goes
 * through child graphs takes room on the caller's stack for each level.
 */
bool cushim__mock_graph_takes_child(const struct mock_graph *graph, const struct mock_graph *child);

/* Take a node out of its graph, with its edges. */
void cushim__mock_node_destroy(struct mock_node *node);

/* A dependency of `to` on `from`. False: out of memory. */
bool cushim__mock_node_connect(struct mock_node *from, struct mock_node *to,
                               const CUgraphEdgeData *data);
void cushim__mock_node_disconnect(struct mock_node *from, struct mock_node *to);

/*
 * Read the arrays of a call into empty `edges`: nodes of `graph`. `data` may be NULL. Clear `edges`
 * after. A node may be named twice, and counts once.
 */
CUresult cushim__mock_edges_read(const struct mock_graph *graph, const CUgraphNode *nodes,
                                 const CUgraphEdgeData *data, size_t count,
                                 struct mock_edges *edges);

/*
 * Bring the nodes of a graph and of its child graphs into an order in which they may be launched,
 * and into lanes. INVALID_VALUE: there is a cycle, and `*culprit` is a node of it.
 */
CUresult cushim__mock_graph_order(struct mock_graph *graph, struct mock_node **culprit);

/* Free what a work owns. */
void cushim__mock_work_end(struct mock_work *work);

/* Executable graphs. */

struct mock_exec {
    struct mock_object object;
    unsigned references; /* the program, and launches that have not ended */
    cuuint64_t flags;
    struct mock_graph *image;       /* a copy of the graph, with its nodes in order */
    struct mock_event_record *last; /* the end of the last launch; NULL: there was none */
};

void cushim__mock_exec_release(struct mock_exec *exec);

/*
 * Whether a node of an executable graph can do `work` instead of what it does. INVALID_VALUE: it
 * changes what was decided when the graph was instantiated.
 */
CUresult cushim__mock_exec_check(const struct mock_node *node, const struct mock_work *work);

/*
 * Make the nodes of an executable graph do what those of another graph do, in pairs by creation,
 * once all of them can. What stands in the way of it goes to `info`. `first_abi`: of the call.
 */
CUresult cushim__mock_exec_update(struct mock_graph *image, const struct mock_graph *graph,
                                  bool first_abi, CUgraphExecUpdateResultInfo *info);

/*
 * What a node does, made from the parameters that programs give. It is the caller's, to be given to
 * a node or ended, unless `code` says that there is nothing.
 */

/* `bytes`: of a CUDA_KERNEL_NODE_PARAMS, or of its first members, which were all before CUDA 12.0. */
struct mock_work cushim__mock_work_kernel(const void *parameters, size_t bytes);
struct mock_work cushim__mock_work_memcpy(const CUDA_MEMCPY3D *parameters, CUcontext context);
struct mock_work cushim__mock_work_memset(const CUDA_MEMSET_NODE_PARAMS *parameters,
                                          CUcontext context);
struct mock_work cushim__mock_work_host(const CUDA_HOST_NODE_PARAMS *parameters);
struct mock_work cushim__mock_work_child(CUgraph child);

/* Of a node that records an event or waits for one. */
struct mock_work cushim__mock_work_event(CUgraphNodeType type, CUevent event);

/*
 * Any of these, from the parameters of cuGraphAddNode. NOT_SUPPORTED: a type that is not simulated.
 */
struct mock_work cushim__mock_work_any(const CUgraphNodeParams *parameters);

/*
 * The same, as of cuGraphAddNode_v3. INVALID_CONTEXT: the context of a kernel's node is not the one
 * that its function was loaded into.
 */
struct mock_work cushim__mock_work_any_checked(const CUgraphNodeParams *parameters);

/* Let a node do this from now on. Takes `work` over in any case; its type must be the node's. */
CUresult cushim__mock_node_set(struct mock_node *node, struct mock_work *work);

/* User objects: what programs give to graphs to be destroyed with them. */

/* References that a graph has, a list with one entry per object. NULL: none. */

/* The same references for a copy of the graph. False: out of memory. */
bool cushim__mock_held_copy(const struct mock_held *held, struct mock_held **copy);

/* Give them back, or free the list alone. NULL is a no-op. */
void cushim__mock_held_release(struct mock_held *held);
void cushim__mock_held_free(struct mock_held *held);

/* The objects are gone already: at the end of the mock. */
void cushim__mock_held_forget(struct mock_graph *graph);

/* At the end of the mock: the destructors under way are waited for. Gives up the lock meanwhile. */
void cushim__mock_user_objects_clear(void);

#endif
