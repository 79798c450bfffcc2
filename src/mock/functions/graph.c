/* SPDX-License-Identifier: Apache-2.0 */
/* The calls on graphs and their nodes that do not depend on what a node does. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "src/base/system.h"
#include "src/mock/context/context.h"
#include "src/mock/functions/functions.h"
#include "src/mock/graph/graph.h"

CUresult cushim__mock_GraphCreate(struct mock_graph **graph, unsigned int flags)
{
    return flags == 0 ? cushim__mock_graph_create(true, graph) : CUDA_ERROR_INVALID_VALUE;
}

/*
 * A child graph belongs to its node, a captured one to its capture (driver-semantics.md #136 and
 * #181).
 */
CUresult cushim__mock_GraphDestroy(struct mock_graph *graph)
{
    if (graph->parent)
        return CUDA_ERROR_INVALID_VALUE;
    if (graph->capture)
        return CUDA_ERROR_ILLEGAL_STATE;
    cushim__mock_graph_destroy(graph);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_GraphClone(struct mock_graph **clone, struct mock_graph *graph)
{
    if (cushim__mock_graph_in_body(graph) ||
        cushim__mock_graph_has(graph, MOCK_CONDITIONAL | MOCK_MEMORY))
        return CUDA_ERROR_NOT_SUPPORTED;
    return cushim__mock_graph_clone(graph, true, clone);
}

CUresult cushim__mock_GraphNodeFindInClone(CUgraphNode *phNode, struct mock_node *original,
                                           struct mock_graph *clone)
{
    struct mock_node *copy;

    copy = cushim__mock_graph_copy_of(clone, original);
    *phNode = copy ? copy->object.handle : NULL;
    return copy ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/*
 * Also cuGraphGetRootNodes. Return nodes of a graph to a program, as cushim__mock_edges_give() does
 * those of edges. The driver returns roots in reverse order (driver-semantics.md #133).
 */
CUresult cushim__mock_GraphGetNodes(const struct mock_graph *graph, CUgraphNode *nodes,
                                    size_t *numNodes, unsigned slot)
{
    const bool roots = slot == CUSHIM__SLOT(GraphGetRootNodes);
    const struct mock_node *node = roots ? graph->last : graph->first;
    size_t count = 0;

    if (nodes && *numNodes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    for (; node; node = roots ? node->previous : node->next) {
        if (roots && node->dependencies.count > 0)
            continue;
        if (nodes && count < *numNodes)
            nodes[count] = node->object.handle;
        count++;
    }
    for (size_t i = count; nodes && i < *numNodes; i++)
        nodes[i] = NULL;
    if (!nodes || count < *numNodes)
        *numNodes = count;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_GraphConditionalHandleCreate(cushim_CUgraphConditionalHandle *pHandle_out,
                                                   struct mock_graph *graph, CUcontext ctx,
                                                   unsigned int defaultLaunchValue,
                                                   unsigned int flags)
{
    struct mock_context *context;
    uint64_t handle;
    CUresult code;

    if (flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT)
        return CUDA_ERROR_INVALID_VALUE;
    if (!ctx)
        return CUDA_ERROR_INVALID_CONTEXT;
    code = cushim__mock_context_find_or_current(ctx, &context);
    /* Without the flag, the reference promises no value; the driver takes 0. */
    if (code == CUDA_SUCCESS)
        code = cushim__mock_condition_create(graph, ctx, flags ? defaultLaunchValue : 0, &handle);
    if (code == CUDA_SUCCESS)
        *pHandle_out = handle;
    return code;
}

CUresult cushim__mock_GraphNodeGetType(struct mock_node *node, CUgraphNodeType *type)
{
    *type = node->work.type;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_GraphGetId(struct mock_graph *graph, unsigned int *graphId)
{
    *graphId = (unsigned)graph->number;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_GraphNodeGetLocalId(struct mock_node *node, unsigned int *nodeId)
{
    *nodeId = node->local;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_GraphNodeGetToolsId(struct mock_node *node, unsigned long long *toolsNodeId)
{
    *toolsNodeId = node->number;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_GraphNodeGetContainingGraph(struct mock_node *node, struct mock_graph **graph)
{
    *graph = node->graph;
    return CUDA_SUCCESS;
}

/* A node cannot be destroyed while a stream is captured into its graph. */
CUresult cushim__mock_GraphDestroyNode(struct mock_node *node)
{
    if (node->graph->capture)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (cushim__mock_graph_has(node->graph, MOCK_MEMORY))
        return CUDA_ERROR_NOT_SUPPORTED;
    cushim__mock_node_destroy(node);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_GraphChildGraphNodeGetGraph(struct mock_node *node, struct mock_graph **graph)
{
    *graph = node->work.child;
    return *graph ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static const char *name_of(CUgraphNodeType type)
{
    static const char *const names[] = {
        [CU_GRAPH_NODE_TYPE_KERNEL] = "KERNEL",
        [CU_GRAPH_NODE_TYPE_MEMCPY] = "MEMCPY",
        [CU_GRAPH_NODE_TYPE_MEMSET] = "MEMSET",
        [CU_GRAPH_NODE_TYPE_HOST] = "HOST",
        [CU_GRAPH_NODE_TYPE_GRAPH] = "GRAPH",
        [CU_GRAPH_NODE_TYPE_EMPTY] = "EMPTY",
        [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = "EVENT_WAIT",
        [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = "EVENT_RECORD",
        [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = "MEM_ALLOC",
        [CU_GRAPH_NODE_TYPE_MEM_FREE] = "MEM_FREE",
        [CU_GRAPH_NODE_TYPE_CONDITIONAL] = "CONDITIONAL",
    };

    return (size_t)type < sizeof names / sizeof *names && names[type] ? names[type] : "OTHER";
}

/* The name of a node consists of what cuGraphGetId and cuGraphNodeGetLocalId return. */
static void print(const struct mock_graph *graph, FILE *file)
{
    const unsigned long long number = graph->number;
    const struct mock_graph *inner;

    for (const struct mock_node *node = graph->first; node; node = node->next) {
        fprintf(file, "\"graph_%llu_node_%u\" [label=\"%s\"];\n", number, node->local,
                name_of(node->work.type));
        for (size_t i = 0; i < node->dependents.count; i++)
            fprintf(file, "\"graph_%llu_node_%u\" -> \"graph_%llu_node_%u\";\n", number,
                    node->local, number, node->dependents.at[i].node->local);
        for (unsigned i = 0; (inner = cushim__mock_work_graph(&node->work, i)); i++) {
            fprintf(file, "  subgraph \"cluster%llu_%u\" {\n", (unsigned long long)node->number, i);
            print(inner, file);
            fprintf(file, "  }\n");
        }
    }
}

CUresult cushim__mock_GraphDebugDotPrint(const struct mock_graph *graph, const char *path)
{
    FILE *file = cushim__system_create_file(path);
    bool failed;

    if (!file)
        return CUDA_ERROR_OPERATING_SYSTEM;
    fprintf(file, "digraph graph_%llu {\n", (unsigned long long)graph->number);
    print(graph, file);
    fprintf(file, "}\n");
    failed = ferror(file) != 0;
    return fclose(file) != 0 || failed ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}

/* The calls that read and change the edges of graphs. */

/* Also cuGraphGetEdges. Edges are returned in the order of the nodes that they come from. */
CUresult cushim__mock_GraphGetEdges_v2(const struct mock_graph *graph, CUgraphNode *from,
                                       CUgraphNode *to, cushim_CUgraphEdgeData *edgeData,
                                       size_t *numEdges)
{
    size_t count = 0;

    if (!from != !to || (edgeData && !from))
        return CUDA_ERROR_INVALID_VALUE;
    for (const struct mock_node *node = graph->first; node; node = node->next) {
        if (from && !edgeData && !cushim__mock_edges_are_plain(&node->dependents))
            return CUDA_ERROR_LOSSY_QUERY;
    }
    for (const struct mock_node *node = graph->first; node; node = node->next) {
        for (size_t i = 0; i < node->dependents.count; i++, count++) {
            if (!from || count >= *numEdges)
                continue;
            from[count] = node->object.handle;
            to[count] = node->dependents.at[i].node->object.handle;
            if (edgeData)
                edgeData[count] = node->dependents.at[i].data;
        }
    }
    for (size_t i = count; from && i < *numEdges; i++)
        from[i] = to[i] = NULL;
    if (!from || *numEdges > count)
        *numEdges = count;
    return CUDA_SUCCESS;
}

/* Also cuGraphNodeGetDependencies. */
CUresult cushim__mock_GraphNodeGetDependencies_v2(const struct mock_node *node,
                                                  CUgraphNode *dependencies,
                                                  cushim_CUgraphEdgeData *edgeData,
                                                  size_t *numDependencies)
{
    if (edgeData && !dependencies)
        return CUDA_ERROR_INVALID_VALUE;
    return cushim__mock_edges_give(&node->dependencies, dependencies, edgeData, numDependencies);
}

/* Also cuGraphNodeGetDependentNodes. */
CUresult cushim__mock_GraphNodeGetDependentNodes_v2(const struct mock_node *node,
                                                    CUgraphNode *dependentNodes,
                                                    cushim_CUgraphEdgeData *edgeData,
                                                    size_t *numDependentNodes)
{
    if (edgeData && !dependentNodes)
        return CUDA_ERROR_INVALID_VALUE;
    return cushim__mock_edges_give(&node->dependents, dependentNodes, edgeData, numDependentNodes);
}

static CUresult connect(struct mock_node *from, struct mock_node *to, const CUgraphEdgeData *data)
{
    if (from == to || cushim__mock_edges_find(&to->dependencies, from) ||
        (data && !cushim__mock_edge_allowed(data, from)))
        return CUDA_ERROR_INVALID_VALUE;
    return cushim__mock_node_connect(from, to, data) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* A driver removes the edge whatever data is given. */
static CUresult disconnect(struct mock_node *from, struct mock_node *to)
{
    if (!cushim__mock_edges_find(&to->dependencies, from))
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_node_disconnect(from, to);
    return CUDA_SUCCESS;
}

/* Also cuGraphAddDependencies, cuGraphRemoveDependencies, cuGraphRemoveDependencies_v2. */
CUresult cushim__mock_GraphAddDependencies_v2(const struct mock_graph *graph,
                                              const CUgraphNode *from, const CUgraphNode *to,
                                              const cushim_CUgraphEdgeData *edgeData,
                                              size_t numDependencies, unsigned slot)
{
    const bool removes = slot == CUSHIM__SLOT(GraphRemoveDependencies) ||
                         slot == CUSHIM__SLOT(GraphRemoveDependencies_v2);
    CUresult code = numDependencies > 0 && (!from || !to) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;

    if (code == CUDA_SUCCESS && removes && numDependencies > 0 &&
        cushim__mock_graph_has(graph, MOCK_MEMORY))
        return CUDA_ERROR_NOT_SUPPORTED;

    for (size_t i = 0; code == CUDA_SUCCESS && i < numDependencies; i++) {
        struct mock_node *one, *other;

        code = cushim__mock_object_find(from[i], MOCK_NODE, &one);
        if (code == CUDA_SUCCESS)
            code = cushim__mock_object_find(to[i], MOCK_NODE, &other);
        if (code == CUDA_SUCCESS && (one->graph != graph || other->graph != graph))
            code = CUDA_ERROR_INVALID_VALUE;
        if (code == CUDA_SUCCESS)
            code = removes ? disconnect(one, other)
                           : connect(one, other, edgeData ? &edgeData[i] : NULL);
    }
    return code;
}

/* The calls on user objects, which programs give to graphs. */

static bool is_count(unsigned count)
{
    return count > 0 && count <= INT_MAX;
}

CUresult cushim__mock_UserObjectCreate(struct mock_user_object **made, void *ptr, CUhostFn destroy,
                                       unsigned int initialRefcount, unsigned int flags)
{
    if (!destroy || initialRefcount == 0 || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
        return CUDA_ERROR_INVALID_VALUE;
    if (cushim__mock_call.refusal)
        return cushim__mock_call.refusal;
    return cushim__mock_user_object_create(destroy, ptr, initialRefcount, made);
}

CUresult cushim__mock_UserObjectRetain(struct mock_user_object *object, unsigned int count)
{
    if (!is_count(count))
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_user_object_retain(object, count);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_UserObjectRelease(struct mock_user_object *object, unsigned int count)
{
    if (!is_count(count) || !cushim__mock_user_object_owns(object, count))
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_user_object_release(object, count);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_GraphRetainUserObject(struct mock_graph *owner,
                                            struct mock_user_object *object, unsigned int count,
                                            unsigned int flags)
{
    CUresult code;

    if (!is_count(count) || flags > CU_GRAPH_USER_OBJECT_MOVE ||
        (flags == CU_GRAPH_USER_OBJECT_MOVE && !cushim__mock_user_object_owns(object, count)))
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_held_add(&owner->held, object, count);
    if (code == CUDA_SUCCESS && flags != CU_GRAPH_USER_OBJECT_MOVE)
        cushim__mock_user_object_retain(object, count);
    return code;
}

CUresult cushim__mock_GraphReleaseUserObject(struct mock_graph *owner,
                                             struct mock_user_object *object, unsigned int count)
{
    if (!is_count(count))
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_held_remove(&owner->held, object, count);
    return CUDA_SUCCESS;
}
