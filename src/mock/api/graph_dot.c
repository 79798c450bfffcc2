/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs as text for Graphviz. */
#include <stdio.h>

#include "src/base/system.h"
#include "src/mock/api/api.h"
#include "src/mock/api/graph.h"

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

/* By what cuGraphGetId and cuGraphNodeGetLocalId answer. */
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
(CUgraph hGraph, const char *path, unsigned int flags)
{
    struct mock_graph *graph;
    CUresult code = path ? cushim__mock_graph_find(hGraph, &graph) : CUDA_ERROR_INVALID_VALUE;
    FILE *file;
    bool failed;

    (void)flags;
    if (code != CUDA_SUCCESS)
        return code;
    file = cushim__host_new_file(path);
    if (!file)
        return CUDA_ERROR_OPERATING_SYSTEM;
    fprintf(file, "digraph graph_%llu {\n", (unsigned long long)graph->number);
    print(graph, file);
    fprintf(file, "}\n");
    failed = ferror(file) != 0;
    return fclose(file) != 0 || failed ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}
