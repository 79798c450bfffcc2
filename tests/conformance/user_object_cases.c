/* SPDX-License-Identifier: Apache-2.0 */
/* User objects, which graphs hold. Statement 149. */
#include <stdatomic.h>

#include "cases.h"
#include "graph.h"

/* What a host node uses and a user object owns. */
struct owned {
    atomic_int destroyed, runs, runs_destroyed;
};

static void CUDA_CB destroy(void *data)
{
    atomic_fetch_add(&((struct owned *)data)->destroyed, 1);
}

static void CUDA_CB use(void *data)
{
    struct owned *owned = data;

    atomic_fetch_add(&owned->runs, 1);
    if (atomic_load(&owned->destroyed) > 0)
        atomic_fetch_add(&owned->runs_destroyed, 1);
}

MEASURED_CASE(149, user_object_goes_with_its_last_reference)
{
    static struct owned owned;
    CUuserObject object = NULL;
    CUgraph graph = graph_begin();

    REFUSED(cu->UserObjectCreate(&object, &owned, destroy, 1, 0));
    REFUSED(cu->UserObjectCreate(&object, &owned, destroy, 0, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(cu->UserObjectCreate(&object, &owned, destroy, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(cu->GraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    REFUSED(cu->GraphRetainUserObject(graph, object, 0, 0));
    OK(cu->UserObjectRelease(object, 1));
    EQUAL(0, atomic_load(&owned.destroyed));
    OK(cu->GraphDestroy(graph));
    while (atomic_load(&owned.destroyed) == 0)
        let_time_pass();
    EQUAL(1, atomic_load(&owned.destroyed));
}

/* A graph with a host node, which holds what the node uses. */
static CUgraph begin_holder(struct owned *owned)
{
    const CUDA_HOST_NODE_PARAMS host = {.fn = use, .userData = owned};
    CUuserObject object = NULL;
    CUgraph graph = graph_begin();
    CUgraphNode node;

    MUST(cu->UserObjectCreate(&object, owned, destroy, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    MUST(cu->GraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    MUST(cu->GraphAddHostNode(&node, graph, NULL, 0, &host));
    return graph;
}

/* A graph whose child graph is a holder, and holds the only reference. */
static CUgraph begin_parent(struct owned *owned, CUgraphNode *node)
{
    CUgraph graph = graph_begin(), child = begin_holder(owned);

    MUST(cu->GraphAddChildGraphNode(node, graph, NULL, 0, child));
    MUST(cu->GraphDestroy(child));
    return graph;
}

static void await_destroyed(struct owned *owned)
{
    while (atomic_load(&owned->destroyed) == 0)
        let_time_pass();
    EQUAL(1, atomic_load(&owned->destroyed));
    EQUAL(0, atomic_load(&owned->runs_destroyed));
}

/* Launch a graph behind a gate, and destroy it or replace what it does before the gate opens. */
static void check_replaced(bool with_parameters)
{
    static struct owned first, second;
    CUstream stream = begin_stream();
    CUgraphExecUpdateResultInfo info;
    struct gate gate = GATE;
    CUgraphNode node, other;
    CUgraph graph = begin_parent(&first, &node), next;
    CUgraphExec exec = graph_exec(graph);

    gate_shut(&gate, stream);
    OK(cu->GraphLaunch(exec, stream));
    if (with_parameters) {
        next = begin_holder(&second);
        OK(cu->GraphExecChildGraphNodeSetParams(exec, node, next));
    } else {
        next = begin_parent(&second, &other);
        OK(cu->GraphExecUpdate_v2(exec, next, &info));
    }
    OK(cu->GraphDestroy(graph));
    OK(cu->GraphDestroy(next));
    EQUAL(0, atomic_load(&first.destroyed)); /* the launch holds it */
    gate_open(&gate);
    drain(stream);
    EQUAL(1, atomic_load(&first.runs));
    await_destroyed(&first);
    OK(cu->GraphLaunch(exec, stream));
    drain(stream);
    EQUAL(1, atomic_load(&second.runs));
    EQUAL(0, atomic_load(&second.destroyed));
    OK(cu->GraphExecDestroy(exec));
    await_destroyed(&second);
}

DOCUMENTED_CASE(149, update_replaces_references)
{
    check_replaced(false);
}

DOCUMENTED_CASE(149, child_graph_of_a_node_replaces_references)
{
    check_replaced(true);
}

DOCUMENTED_CASE(149, launch_holds_what_child_graphs_hold)
{
    static struct owned owned;
    CUstream stream = begin_stream();
    struct gate gate = GATE;
    CUgraphNode node;
    CUgraph graph = begin_parent(&owned, &node);
    CUgraphExec exec = graph_exec(graph);

    OK(cu->GraphDestroy(graph));
    gate_shut(&gate, stream);
    OK(cu->GraphLaunch(exec, stream));
    OK(cu->GraphExecDestroy(exec));
    EQUAL(0, atomic_load(&owned.destroyed));
    gate_open(&gate);
    drain(stream);
    EQUAL(1, atomic_load(&owned.runs));
    await_destroyed(&owned);
}

MEASURED_CASE(149, clone_exec_and_launch_hold_what_their_graph_holds)
{
    static struct owned owned;
    CUstream stream = begin_stream();
    CUgraph graph = begin_holder(&owned), clone = NULL;
    struct latch latch;
    CUgraphExec exec;

    OK(cu->GraphClone(&clone, graph));
    OK(cu->GraphDestroy(graph));
    exec = graph_exec(clone);
    OK(cu->GraphDestroy(clone));
    latch = latch_shut(stream);
    OK(cu->GraphLaunch(exec, stream));
    OK(cu->GraphExecDestroy(exec));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    EQUAL(0, atomic_load(&owned.destroyed));
    latch_open(&latch);
    drain(stream);
    await_destroyed(&owned);
}
