/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the nodes of a graph are launched: in an order in which each comes after those that it
 * depends on, and in lanes, which are streams at a launch. A node goes on in the lane of one that
 * it depends on, if it is the first to do so; nodes that do not depend on each other are in
 * different lanes.
 */
#include <stdlib.h>

#include "src/mock/api/graph.h"

/* Beyond so many lanes, nodes share one with others. */
enum { LANES_MAX = 64 };

/*
 * By their distance from the roots and by creation. Returns how many could be brought into order.
 */
static size_t sort(struct mock_graph *graph)
{
    size_t ready = 0, done = 0;

    for (struct mock_node *node = graph->first; node; node = node->next) {
        node->waiting = node->dependencies.count;
        if (node->waiting == 0)
            graph->order[ready++] = node;
    }
    while (done < ready) {
        const struct mock_node *node = graph->order[done++];

        for (size_t i = 0; i < node->dependents.count; i++) {
            struct mock_node *dependent = node->dependents.at[i].node;

            if (--dependent->waiting == 0)
                graph->order[ready++] = dependent;
        }
    }
    return done;
}

static void choose_lane(struct mock_graph *graph, struct mock_node *node,
                        const struct mock_node **last)
{
    node->lane = LANES_MAX;
    for (size_t i = 0; node->lane == LANES_MAX && i < node->dependencies.count; i++) {
        const struct mock_node *before = node->dependencies.at[i].node;

        if (last[before->lane] == before)
            node->lane = before->lane;
    }
    if (node->lane == LANES_MAX)
        node->lane = graph->lanes < LANES_MAX ? graph->lanes++ : 0;
    last[node->lane] = node;
    for (size_t i = 0; i < node->dependencies.count; i++) {
        struct mock_node *before = node->dependencies.at[i].node;

        before->awaited = before->awaited || before->lane != node->lane;
    }
}

static void choose_lanes(struct mock_graph *graph)
{
    const struct mock_node *last[LANES_MAX] = {NULL};

    graph->lanes = 0;
    for (size_t i = 0; i < graph->node_count; i++)
        graph->order[i]->awaited = false;
    for (size_t i = 0; i < graph->node_count; i++)
        choose_lane(graph, graph->order[i], last);
}

CUresult cushim__mock_graph_order(struct mock_graph *graph, struct mock_node **culprit)
{
    free(graph->order);
    graph->order = calloc(graph->node_count + 1, sizeof *graph->order);
    if (!graph->order)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (sort(graph) < graph->node_count) {
        *culprit = graph->first;
        while ((*culprit)->waiting == 0)
            *culprit = (*culprit)->next;
        return CUDA_ERROR_INVALID_VALUE;
    }
    choose_lanes(graph);
    for (struct mock_node *node = graph->first; node; node = node->next) {
        CUresult code = CUDA_SUCCESS;

        if (node->work.child)
            code = cushim__mock_graph_order(node->work.child, culprit);
        if (code != CUDA_SUCCESS)
            return code;
    }
    return CUDA_SUCCESS;
}
