/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs and their nodes, as programs call them: what does not depend on what a node does. */
#include <stdio.h>

#include "src/base/system.h"
#include "src/mock/api/api.h"
#include "src/mock/api/graph.h"

MOCK_EXACT(GraphCreate)(struct mock_graph **NOT_NULL graph, unsigned int flags)
{
    return flags == 0 ? cushim__mock_graph_create(true, graph) : CUDA_ERROR_INVALID_VALUE;
}

/*
 * A child graph belongs to its node, a captured one to its capture (driver-semantics.md #136 and
 * #181).
 */
MOCK_EXACT(GraphDestroy)(struct mock_graph *graph)
{
    if (graph->parent)
        return CUDA_ERROR_INVALID_VALUE;
    if (graph->capture)
        return CUDA_ERROR_ILLEGAL_STATE;
    cushim__mock_graph_destroy(graph);
    return CUDA_SUCCESS;
}

MOCK_EXACT(GraphClone)(struct mock_graph **NOT_NULL clone, struct mock_graph *graph)
{
    return cushim__mock_graph_clone(graph, true, clone);
}

MOCK_EXACT(GraphNodeFindInClone)
(CUgraphNode *NOT_NULL phNode, struct mock_node *original, struct mock_graph *clone)
{
    struct mock_node *copy;

    copy = cushim__mock_graph_copy_of(clone, original);
    *phNode = copy ? copy->object.handle : NULL;
    return copy ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/*
 * Give nodes of a graph to a program, as cushim__mock_edges_give() does with those of edges. The
 * driver gives roots the other way round (driver-semantics.md #133).
 */
static CUresult give(const struct mock_graph *graph, bool roots, CUgraphNode *nodes, size_t *room)
{
    const struct mock_node *node = roots ? graph->last : graph->first;
    size_t count = 0;

    if (nodes && *room == 0)
        return CUDA_ERROR_INVALID_VALUE;
    for (; node; node = roots ? node->previous : node->next) {
        if (roots && node->dependencies.count > 0)
            continue;
        if (nodes && count < *room)
            nodes[count] = node->object.handle;
        count++;
    }
    for (size_t i = count; nodes && i < *room; i++)
        nodes[i] = NULL;
    if (!nodes || count < *room)
        *room = count;
    return CUDA_SUCCESS;
}

MOCK_EXACT(GraphGetNodes)
(const struct mock_graph *graph, CUgraphNode *nodes, size_t *NOT_NULL numNodes)
{
    return give(graph, false, nodes, numNodes);
}

MOCK_EXACT(GraphGetRootNodes)
(const struct mock_graph *graph, CUgraphNode *rootNodes, size_t *NOT_NULL numRootNodes)
{
    return give(graph, true, rootNodes, numRootNodes);
}

MOCK_EXACT(GraphNodeGetType)(CUgraphNodeType *NOT_NULL type, struct mock_node *node)
{
    *type = node->work.type;
    return CUDA_SUCCESS;
}

MOCK_APPROXIMATE(GraphGetId, "no driver of this version was measured")
(unsigned int *NOT_NULL graphId, struct mock_graph *graph)
{
    *graphId = (unsigned)graph->number;
    return CUDA_SUCCESS;
}

MOCK_APPROXIMATE(GraphNodeGetLocalId, "no driver of this version was measured")
(unsigned int *NOT_NULL nodeId, struct mock_node *node)
{
    *nodeId = node->local;
    return CUDA_SUCCESS;
}

MOCK_APPROXIMATE(GraphNodeGetToolsId,
                 "no driver of this version was measured; counts all nodes from 1")
(unsigned long long *NOT_NULL toolsNodeId, struct mock_node *node)
{
    *toolsNodeId = node->number;
    return CUDA_SUCCESS;
}

MOCK_APPROXIMATE(GraphNodeGetContainingGraph, "no driver of this version was measured")
(struct mock_graph **NOT_NULL graph, struct mock_node *node)
{
    *graph = node->graph;
    return CUDA_SUCCESS;
}

/* A node cannot be destroyed while a stream is captured into its graph. */
MOCK_EXACT(GraphDestroyNode)(struct mock_node *node)
{
    if (node->graph->capture)
        return CUDA_ERROR_ILLEGAL_STATE;
    cushim__mock_node_destroy(node);
    return CUDA_SUCCESS;
}

MOCK_EXACT(GraphChildGraphNodeGetGraph)
(struct mock_graph **NOT_NULL graph, struct mock_node *node)
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
    };

    return (size_t)type < sizeof names / sizeof *names ? names[type] : "OTHER";
}

/* A name consists of what cuGraphGetId and cuGraphNodeGetLocalId return. */
static void print_name(const struct mock_node *node, FILE *file)
{
    fprintf(file, "\"graph_%llu_node_%u\"", (unsigned long long)node->graph->number, node->local);
}

static void print(const struct mock_graph *graph, FILE *file)
{
    for (const struct mock_node *node = graph->first; node; node = node->next) {
        print_name(node, file);
        fprintf(file, " [label=\"%s\"];\n", name_of(node->work.type));
        for (size_t i = 0; i < node->dependents.count; i++) {
            print_name(node, file);
            fprintf(file, " -> ");
            print_name(node->dependents.at[i].node, file);
            fprintf(file, ";\n");
        }
        if (!node->work.child)
            continue;
        fprintf(file, "  subgraph \"cluster%llu\" {\n", (unsigned long long)node->number);
        print(node->work.child, file);
        fprintf(file, "  }\n");
    }
}

MOCK_APPROXIMATE(GraphDebugDotPrint, "nodes have a type and edges alone, whatever is asked for")
(const char *NOT_NULL path, const struct mock_graph *graph)
{
    FILE *file = cushim__host_new_file(path);
    bool failed;

    if (!file)
        return CUDA_ERROR_OPERATING_SYSTEM;
    fprintf(file, "digraph graph_%llu {\n", (unsigned long long)graph->number);
    print(graph, file);
    fprintf(file, "}\n");
    failed = ferror(file) != 0;
    return fclose(file) != 0 || failed ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}
