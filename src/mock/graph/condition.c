/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions, which belong to graphs, and the bodies of conditional nodes. */
#include "src/mock/graph/graph.h"

#include <stdlib.h>

/* Conditions belong to the graph that is in no other. */
static struct mock_graph *outermost(const struct mock_graph *graph)
{
    while (graph->parent)
        graph = graph->parent->graph;
    return (struct mock_graph *)graph;
}

CUresult cushim__mock_condition_create(struct mock_graph *graph, CUcontext context, unsigned value,
                                       uint64_t *handle)
{
    struct mock_condition *condition = calloc(1, sizeof *condition);
    const struct mock_condition *before;

    if (!condition)
        return CUDA_ERROR_OUT_OF_MEMORY;
    graph = outermost(graph);
    for (before = graph->conditions; before && before->context != context;)
        before = before->next;
    condition->handle = before ? before->handle + 1 : 1;
    condition->context = context;
    condition->value = value;
    condition->next = graph->conditions;
    graph->conditions = condition;
    *handle = condition->handle;
    return CUDA_SUCCESS;
}

const struct mock_condition *cushim__mock_condition_find(const struct mock_graph *graph,
                                                         CUcontext context, uint64_t handle)
{
    const struct mock_condition *one;

    graph = outermost(graph);
    for (one = graph->conditions; one && !(one->handle == handle && one->context == context);)
        one = one->next;
    return one;
}

static bool is_used_in(const struct mock_graph *graph, CUcontext context, uint64_t handle)
{
    bool is_used = false;

    for (const struct mock_node *node = graph->first; node && !is_used; node = node->next) {
        const struct mock_graph *inner;

        is_used = node->work.bodies && node->work.bodies->condition == handle &&
                  node->work.context == context;
        for (unsigned i = 0; !is_used && (inner = cushim__mock_work_graph(&node->work, i)); i++)
            is_used = is_used_in(inner, context, handle);
    }
    return is_used;
}

bool cushim__mock_condition_is_used(const struct mock_graph *graph, CUcontext context,
                                    uint64_t handle)
{
    graph = outermost(graph);
    return is_used_in(graph, context, handle);
}

bool cushim__mock_conditions_copy(const struct mock_graph *from, struct mock_graph *to)
{
    struct mock_condition **link = &to->conditions;

    for (const struct mock_condition *one = from->conditions; one; one = one->next) {
        *link = malloc(sizeof **link);
        if (!*link)
            return false;
        **link = *one;
        (*link)->next = NULL;
        link = &(*link)->next;
    }
    return true;
}

void cushim__mock_conditions_free(struct mock_graph *graph)
{
    while (graph->conditions) {
        struct mock_condition *first = graph->conditions;

        graph->conditions = first->next;
        free(first);
    }
}

void cushim__mock_bodies_free(struct mock_bodies *bodies)
{
    if (!bodies)
        return;
    free(bodies->graphs);
    free(bodies->handles);
    free(bodies);
}

void cushim__mock_bodies_destroy(struct mock_bodies *bodies)
{
    for (unsigned i = 0; bodies && i < bodies->count; i++)
        cushim__mock_graph_destroy(bodies->graphs[i]);
    cushim__mock_bodies_free(bodies);
}

/* Create bodies without graphs. */
static struct mock_bodies *create(uint64_t condition, enum mock_branch branch, unsigned count)
{
    struct mock_bodies *made = calloc(1, sizeof *made);

    if (!made)
        return NULL;
    *made = (struct mock_bodies){
        .condition = condition,
        .branch = branch,
        .graphs = calloc(count, sizeof(struct mock_graph *)),
        .handles = calloc(count, sizeof(CUgraph)),
    };
    if (made->graphs && made->handles)
        return made;
    cushim__mock_bodies_free(made);
    return NULL;
}

/* Take a graph over as the next body. */
static void append(struct mock_bodies *bodies, struct mock_graph *graph)
{
    graph->object.internal = true;
    bodies->handles[bodies->count] = graph->object.handle;
    bodies->graphs[bodies->count++] = graph;
}

struct mock_bodies *cushim__mock_bodies_create(uint64_t condition, enum mock_branch branch,
                                               unsigned count)
{
    struct mock_bodies *made = create(condition, branch, count);
    struct mock_graph *graph;

    while (made && made->count < count) {
        if (cushim__mock_graph_create(true, &graph) == CUDA_SUCCESS) {
            append(made, graph);
        } else {
            cushim__mock_bodies_destroy(made);
            made = NULL;
        }
    }
    return made;
}

struct mock_bodies *cushim__mock_bodies_copy(const struct mock_bodies *bodies, bool visible)
{
    struct mock_bodies *made = create(bodies->condition, bodies->branch, bodies->count);
    struct mock_graph *graph;

    while (made && made->count < bodies->count) {
        if (cushim__mock_graph_clone(bodies->graphs[made->count], visible, &graph) ==
            CUDA_SUCCESS) {
            append(made, graph);
        } else {
            cushim__mock_bodies_destroy(made);
            made = NULL;
        }
    }
    return made;
}

struct mock_graph *cushim__mock_bodies_chosen(const struct mock_node *node)
{
    const struct mock_bodies *bodies = node->work.bodies;
    const struct mock_condition *condition =
        cushim__mock_condition_find(node->graph, node->work.context, bodies->condition);
    const unsigned value = condition ? condition->value : 0;
    const unsigned place = bodies->branch == MOCK_SWITCH ? value : value == 0;

    return place < bodies->count ? bodies->graphs[place] : NULL;
}

struct mock_graph *cushim__mock_work_graph(const struct mock_work *work, unsigned index)
{
    if (work->bodies)
        return index < work->bodies->count ? work->bodies->graphs[index] : NULL;
    return index == 0 ? work->child : NULL;
}
