/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs, their nodes, and the edges between these. */
#ifndef CUSHIM_MOCK_GRAPH_GRAPH_H
#define CUSHIM_MOCK_GRAPH_GRAPH_H

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

/* Edges in the order in which they were added; none if zeroed. */
struct mock_edges {
    struct mock_edge *at;
    size_t count, room;
};

/* Whether all are ordinary dependencies, without data. */
bool cushim__mock_edges_are_plain(const struct mock_edges *edges);

/* Make room for `room` edges in all. Returns false if memory runs out. */
bool cushim__mock_edges_reserve(struct mock_edges *edges, size_t room);

/* Add an edge, without data if `data` is NULL. Returns false if memory runs out. */
bool cushim__mock_edges_add(struct mock_edges *edges, struct mock_node *node,
                            const CUgraphEdgeData *data);

/* The edge to a node. NULL if there is none. */
struct mock_edge *cushim__mock_edges_find(const struct mock_edges *edges,
                                          const struct mock_node *node);

/* Remove the edge to a node, if there is one. */
void cushim__mock_edges_remove(struct mock_edges *edges, const struct mock_node *node);

/* Add those of `more` that are not there yet, or none and return false if memory runs out. */
bool cushim__mock_edges_join(struct mock_edges *edges, const struct mock_edges *more);

void cushim__mock_edges_clear(struct mock_edges *edges);

/*
 * Return edges as calls with two arrays of `*count` entries do: entries after the last edge are
 * NULL, and `*count` is lowered to the number of edges. If `nodes` is NULL, only the number is
 * returned. If only `data` is NULL, all must be plain, or the result is CUDA_ERROR_LOSSY_QUERY.
 */
CUresult cushim__mock_edges_give(const struct mock_edges *edges, CUgraphNode *nodes,
                                 CUgraphEdgeData *data, size_t *count);

/* A value that decides which body of a conditional node a launch executes. */
struct mock_condition {
    struct mock_condition *next; /* in the outermost graph */
    uint64_t handle;             /* counted from 1 in the outermost graph and the context */
    CUcontext context;
    unsigned value; /* at the beginning of a launch */
};

/* What the condition of a node decides: CUgraphConditionalNodeType, which old headers lack. */
enum mock_branch { MOCK_IF, MOCK_WHILE, MOCK_SWITCH };

/* What a conditional node may execute. */
struct mock_bodies {
    uint64_t condition; /* its handle */
    enum mock_branch branch;
    unsigned count;
    struct mock_graph **graphs;
    CUgraph *handles; /* of `graphs`, as an array that the program reads */
};

/* What a node does. */
struct mock_work {
    CUresult code; /* why it cannot be done, with the rest zero; otherwise CUDA_SUCCESS */
    CUgraphNodeType type;
    struct mock_operation *operation; /* each launch queues a copy of it; NULL if nothing */
    CUcontext context;                /* where a copy or a set executes */
    int priority;                     /* of a kernel; it has no effect */
    CUevent event;                    /* of a node that records or awaits one */
    struct mock_graph *child;         /* of a child graph node, which owns it */
    bool moved; /* the child is the program's own graph; the node owns it once it is the parent */
    struct mock_bodies *bodies; /* of a conditional node, which owns them */
};

struct mock_node {
    struct mock_object object; /* without a handle in an executable graph */
    struct mock_graph *graph;
    struct mock_node *next, *previous; /* in its graph, in order of creation */
    uint64_t number;                   /* counts nodes in this process, from 1 */
    unsigned local;                    /* counts nodes made in its graph, from 0 */
    uint64_t origin;                   /* number of the node that it is a copy of, or 0 */
    struct mock_edges dependencies, dependents;
    struct mock_work work;
    size_t waiting;            /* scratch value of a traversal of the graph */
    struct mock_node *partner; /* its node in an executable graph being updated by this one */

    /* In an executable graph. */
    bool disabled;
    bool awaited;                    /* by a node in another lane */
    unsigned lane;                   /* its stream in a launch, from 0 */
    struct mock_event_record *fence; /* its end in a launch being queued; NULL if not awaited */
    struct mock_operation *coming;   /* what it executes after the update in progress */
};

struct mock_graph {
    struct mock_object object;
    struct mock_node *first, *last;
    size_t node_count;
    unsigned nodes_made;          /* including those that are gone */
    uint64_t number;              /* counts graphs in this process, from 1 */
    uint64_t origin;              /* number of the graph that it is a copy of, or 0 */
    struct mock_node *parent;     /* the node that it is the child graph or a body of, or NULL */
    struct mock_capture *capture; /* the capture that makes it, or NULL */
    struct mock_node **order;     /* of an executable graph: its nodes in launch order */
    unsigned lanes;               /* of an executable graph: the streams of a launch */
    struct mock_condition *conditions; /* the newest first (condition.c) */
    struct mock_held *held;            /* references on user objects (user_object.c) */
    struct mock_held *coming;          /* during an update: those that replace them */

    /* Tells the capture that the graph is destroyed before it has ended. */
    void (*lose)(struct mock_capture *capture);
};

/* Create an empty graph. If `visible`, it and its nodes have handles. */
CUresult cushim__mock_graph_create(bool visible, struct mock_graph **graph);

/* Destroy a graph and everything in it, including child graphs. NULL is a no-op. */
void cushim__mock_graph_destroy(struct mock_graph *graph);

/*
 * Whether a graph has a node of this kind, also in its child graphs and bodies; MEMORY is a node
 * that allocates or frees. Such a graph cannot be cloned, and has at most one executable graph
 * (driver-semantics.md #234 and #238).
 */
enum mock_content { MOCK_CONDITIONAL = 1, MOCK_MEMORY = 2 };
bool cushim__mock_graph_has(const struct mock_graph *graph, unsigned contents);

/* Whether a graph is the body of a conditional node, or lies in one. */
bool cushim__mock_graph_in_body(const struct mock_graph *graph);

/* Copy a graph with all that it owns. */
CUresult cushim__mock_graph_clone(const struct mock_graph *graph, bool visible,
                                  struct mock_graph **clone);

/* The copy of a node in a clone of its graph, or in an executable graph. NULL if there is none. */
struct mock_node *cushim__mock_graph_copy_of(const struct mock_graph *clone,
                                             const struct mock_node *original);

/* Add a node that depends on others of its graph. Takes over what `work` owns, also on failure. */
CUresult cushim__mock_node_add(struct mock_graph *graph, const struct mock_edges *dependencies,
                               struct mock_work *work, struct mock_node **node);

/*
 * Whether `child` may become the child graph of a node of `graph`. The depth is limited, because
 * functions that visit child graphs recurse; the log says so if the answer is false.
 */
bool cushim__mock_graph_takes_child(const struct mock_graph *graph, const struct mock_graph *child);

/* Destroy a node with its edges. */
void cushim__mock_node_destroy(struct mock_node *node);

/* Make `to` depend on `from`. Returns false if memory runs out. */
bool cushim__mock_node_connect(struct mock_node *from, struct mock_node *to,
                               const CUgraphEdgeData *data);
void cushim__mock_node_disconnect(struct mock_node *from, struct mock_node *to);

/* Edges that do not wait for a kernel's end, but for a port of it. */
enum { MOCK_EDGE_PROGRAMMATIC = 1 }; /* a type */
enum { MOCK_PORT_PROGRAMMATIC = 1, MOCK_PORT_LAUNCH_ORDER = 2 };

/* Whether an edge that comes from a node can have this data. */
bool cushim__mock_edge_allowed(const CUgraphEdgeData *data, const struct mock_node *from);

/*
 * Read the arrays of a call, which name nodes of `graph`, into empty `edges`. `data` may be NULL. A
 * node that is named twice counts once. The caller clears `edges` afterwards.
 */
CUresult cushim__mock_edges_read(const struct mock_graph *graph, const CUgraphNode *nodes,
                                 const CUgraphEdgeData *data, size_t count,
                                 struct mock_edges *edges);

/*
 * Sort the nodes of a graph and of its child graphs into an order in which they may be launched,
 * and into lanes. Returns INVALID_VALUE if there is a cycle; `*culprit` is then a node of it.
 */
CUresult cushim__mock_graph_order(struct mock_graph *graph, struct mock_node **culprit);

/* Free what `work` owns. */
void cushim__mock_work_end(struct mock_work *work);

/* The graphs in a node, by an index from 0: its child graph, or its bodies. NULL after the last. */
struct mock_graph *cushim__mock_work_graph(const struct mock_work *work, unsigned index);

/* Conditions, and the bodies of conditional nodes. */

CUresult cushim__mock_condition_create(struct mock_graph *graph, CUcontext context, unsigned value,
                                       uint64_t *handle);

/* Find a condition of the outermost graph around a graph. NULL if there is none. */
const struct mock_condition *cushim__mock_condition_find(const struct mock_graph *graph,
                                                         CUcontext context, uint64_t handle);

/* Whether any node in the outermost graph uses the condition. */
bool cushim__mock_condition_is_used(const struct mock_graph *graph, CUcontext context,
                                    uint64_t handle);

/* Create empty bodies. Returns NULL if memory runs out. */
struct mock_bodies *cushim__mock_bodies_create(uint64_t condition, enum mock_branch branch,
                                               unsigned count);

/* Copy bodies with all that is in them. Returns NULL if memory runs out. */
struct mock_bodies *cushim__mock_bodies_copy(const struct mock_bodies *bodies, bool visible);

/* Destroy bodies with their graphs, or free all but the graphs. NULL is a no-op. */
void cushim__mock_bodies_destroy(struct mock_bodies *bodies);
void cushim__mock_bodies_free(struct mock_bodies *bodies);

/*
 * The body that a launch executes by the default value of the condition; NULL if none. For a WHILE
 * node it is the body that would be repeated without end, which the caller refuses.
 */
struct mock_graph *cushim__mock_bodies_chosen(const struct mock_node *node);

bool cushim__mock_conditions_copy(const struct mock_graph *from, struct mock_graph *to);
void cushim__mock_conditions_free(struct mock_graph *graph);

/* User objects, which programs give to graphs, and which are destroyed with the last of these. */

/* Create an object with references of the program. Fails with OUT_OF_MEMORY. */
CUresult cushim__mock_user_object_create(CUhostFn destroy, void *pointer,
                                         unsigned long long references,
                                         struct mock_user_object **object);

/* Whether the program has `count` references, besides those of graphs. If not, that is misuse. */
bool cushim__mock_user_object_owns(const struct mock_user_object *object, unsigned count);
void cushim__mock_user_object_retain(struct mock_user_object *object, unsigned long long count);
void cushim__mock_user_object_release(struct mock_user_object *object, unsigned long long count);

/* The references of a graph to user objects: a list with one entry per object, or NULL. */

/* Add references to an object, or release them if there are that many. */
CUresult cushim__mock_held_add(struct mock_held **list, struct mock_user_object *object,
                               unsigned long long count);
void cushim__mock_held_remove(struct mock_held **list, struct mock_user_object *object,
                              unsigned long long count);

/* Copy the references for a copy of the graph. Returns false if memory runs out. */
bool cushim__mock_held_copy(const struct mock_held *held, struct mock_held **copy);

/* Copy the references of a graph and of the child graphs in it to a list. False as above. */
bool cushim__mock_held_copy_all(const struct mock_graph *graph, struct mock_held **list);

/* Release the references, or only free the list. NULL is a no-op. */
void cushim__mock_held_release(struct mock_held *held);
void cushim__mock_held_free(struct mock_held *held);

/* Forget the references at the end of the mock, when the objects are already gone. */
void cushim__mock_held_forget(struct mock_graph *graph);

/* Wait for destructors under way, at the end of the mock. Releases the lock meanwhile. */
void cushim__mock_user_objects_clear(void);

#endif
