/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that graphs allocate and free, without calls that the layer could see. For the rules on
 * memory and on leaks, each launch creates the memory that the graph allocates, and destroys what
 * the graph frees.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <stdlib.h>

#include "src/check/order.h"

/* What a node allocates or frees. */
struct part {
    struct part *next;
    uint64_t address;
    uint64_t bytes; /* allocated; 0: the node frees the memory */
};

/* What a graph, or an executable graph, allocates and frees. */
struct plan {
    struct plan *next;
    enum cushim__object_type type;
    uint64_t value;
    bool frees_at_launch; /* each launch first frees the memory, so it is no leak */
    struct part *parts;
};
static struct plan *plans;

static void drop(struct plan **link)
{
    struct plan *plan = *link;

    *link = plan->next;
    while (plan->parts) {
        struct part *part = plan->parts;

        plan->parts = part->next;
        free(part);
    }
    free(plan);
}

static struct plan **find(enum cushim__object_type type, uint64_t value)
{
    struct plan **link = &plans;

    while (*link && !((*link)->type == type && (*link)->value == value))
        link = &(*link)->next;
    return link;
}

/* Add a part at the end. If memory runs out, the part is lost. */
static void add(enum cushim__object_type type, uint64_t value, uint64_t address, uint64_t bytes)
{
    struct plan **plan = find(type, value);
    struct part *part = calloc(1, sizeof *part), **link;

    if (part && !*plan) {
        *plan = calloc(1, sizeof **plan);
        if (*plan)
            **plan = (struct plan){.type = type, .value = value};
    }
    if (!part || !*plan) {
        free(part);
        return;
    }
    part->address = address;
    part->bytes = bytes;
    for (link = &(*plan)->parts; *link;)
        link = &(*link)->next;
    *link = part;
}

/* Append the parts of a graph to the plan of another object. */
static void copy(enum cushim__object_type type, uint64_t value, uint64_t graph)
{
    const struct plan *from = *find(CUSHIM__TYPE_GRAPH, graph);

    for (const struct part *part = from ? from->parts : NULL; part; part = part->next)
        add(type, value, part->address, part->bytes);
}

/* --- what the driver says after a call of this thread --- */

static _Thread_local struct {
    uint64_t graph; /* that the call is captured into; 0: none */
    bool frees_at_launch;
} asked;

static bool captures(const struct cushim__object_effect *effect,
                     const struct cushim__effects *effects)
{
    return effect->type == CUSHIM__TYPE_MEMORY && effects->stream != CUSHIM__NO_PARAMETER &&
           (effect->kind == CUSHIM__EFFECT_CREATES || effect->kind == CUSHIM__EFFECT_DESTROYS);
}

static bool instantiates(const struct cushim__object_effect *effect)
{
    return effect->kind == CUSHIM__EFFECT_CREATES && effect->type == CUSHIM__TYPE_EXEC;
}

static bool is_capture_active(void)
{
    struct cushim_layer *layer = cushim_layer_current();
    bool is_active;

    cushim__lock_take(&layer->lock);
    is_active = cushim__capture_is_under_way();
    cushim__lock_release(&layer->lock);
    return is_active;
}

void cushim__check_graph_memory_after(const struct cushim__call *call, CUresult answer)
{
    const struct cushim__effects *effects = &cushim__effects[call->slot];
    const struct cushim__object_effect *effect = cushim__effect_first(call->slot);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUgraph graph = NULL;
    cuuint64_t flags = 0;

    asked.graph = 0;
    asked.frees_at_launch = false;
    if (answer != CUDA_SUCCESS || call->is_injected || !effect)
        return;
    if (captures(effect, effects) && call->values[effects->stream] != 0 && is_capture_active() &&
        cushim__layer_next.StreamGetCaptureInfo_v2(
            (CUstream)(uintptr_t)call->values[effects->stream], &status, NULL, &graph, NULL,
            NULL) == CUDA_SUCCESS &&
        status == CU_STREAM_CAPTURE_STATUS_ACTIVE)
        asked.graph = (uintptr_t)graph;
    if (instantiates(effect) &&
        cushim__layer_next.GraphExecGetFlags(
            *(const CUgraphExec *)(uintptr_t)call->values[effect->parameter], &flags) ==
            CUDA_SUCCESS)
        asked.frees_at_launch = flags & 1; /* CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH */
}

/* --- calls --- */

/* The value of a call's first handle of a type. */
static uint64_t value_of(const struct cushim__call *call, enum cushim__object_type type)
{
    for (unsigned i = 0; i < cushim__parameter_count(call->slot); i++) {
        const struct cushim__decoder decoder = cushim__decoder_of(call->slot, i);

        if (decoder.form == CUSHIM__READ_HANDLE && decoder.type == type)
            return call->values[i];
    }
    return 0;
}

static void note_node(const struct cushim__call *call)
{
    const struct cushim__graph_node *node = cushim__check_graph_node(call);
    const struct cushim__allocation_node *allocation = NULL;
    const uint64_t graph = value_of(call, CUSHIM__TYPE_GRAPH);

    if (call->slot == CUSHIM__SLOT(GraphAddMemAllocNode))
        allocation = (const struct cushim__allocation_node *)(uintptr_t)call->values[4];
    else if (node && node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        allocation = &node->of.allocation;
    if (allocation)
        add(CUSHIM__TYPE_GRAPH, graph, allocation->address, allocation->bytes);
    if (call->slot == CUSHIM__SLOT(GraphAddMemFreeNode))
        add(CUSHIM__TYPE_GRAPH, graph, call->values[4], 0);
    else if (node && node->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
        add(CUSHIM__TYPE_GRAPH, graph, node->of.freed, 0);
    else if (node && node->type == CU_GRAPH_NODE_TYPE_GRAPH &&
             node->of.child.ownership == CUSHIM__CHILD_IS_MOVED)
        copy(CUSHIM__TYPE_GRAPH, graph, (uintptr_t)node->of.child.graph);
}

static void note_captured(const struct cushim__call *call,
                          const struct cushim__object_effect *effect)
{
    const struct cushim__argument *argument = &call->arguments.list[effect->parameter];

    if (effect->kind == CUSHIM__EFFECT_DESTROYS)
        add(CUSHIM__TYPE_GRAPH, asked.graph, argument->value, 0);
    else if (argument->is_written && argument->written != 0)
        add(CUSHIM__TYPE_GRAPH, asked.graph, argument->written, call->values[effect->amount]);
}

static void launch(const struct cushim__call *call)
{
    const struct plan *plan = *find(CUSHIM__TYPE_EXEC, value_of(call, CUSHIM__TYPE_EXEC));

    for (const struct part *part = plan ? plan->parts : NULL; part; part = part->next) {
        struct cushim__handle *object =
            part->bytes > 0 ? cushim__handle_create(CUSHIM__TYPE_MEMORY, part->address, part->bytes)
                            : cushim__handle_find(CUSHIM__TYPE_MEMORY, part->address, false);

        if (!object || (part->bytes == 0 && object->is_destroyed))
            continue;
        object->is_live = part->bytes > 0 && !plan->frees_at_launch;
        cushim__tracker_note(call, part->bytes > 0 ? &object->maker : &object->ender);
        if (part->bytes == 0)
            cushim__handle_destroy(object);
    }
}

void cushim__check_graph_memory_ended(const struct cushim__call *call, CUresult answer)
{
    const struct cushim__object_effect *effect = cushim__effect_first(call->slot);
    const struct cushim__argument *argument;
    struct plan **plan;

    if (answer != CUDA_SUCCESS || call->is_injected)
        return;
    if (cushim__effects[call->slot].work == CUSHIM__WORK_GRAPH) {
        launch(call);
        return;
    }
    if (!effect || effect->parameter == CUSHIM__NO_PARAMETER)
        return;
    argument = &call->arguments.list[effect->parameter];
    if (effect->kind == CUSHIM__EFFECT_DESTROYS) {
        plan = find(effect->type, argument->value);
        if (*plan)
            drop(plan);
    } else if (instantiates(effect)) {
        copy(CUSHIM__TYPE_EXEC, argument->written, value_of(call, CUSHIM__TYPE_GRAPH));
        plan = find(CUSHIM__TYPE_EXEC, argument->written);
        if (*plan)
            (*plan)->frees_at_launch = asked.frees_at_launch;
    } else if (effect->type == CUSHIM__TYPE_NODE) {
        note_node(call);
    }
    if (asked.graph != 0 && effect->type == CUSHIM__TYPE_MEMORY)
        note_captured(call, effect);
}

void cushim__check_graph_memory_destroy(void)
{
    while (plans)
        drop(&plans);
}
