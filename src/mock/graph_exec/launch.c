/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches of graphs. Nodes that do not depend on each other are executed concurrently, so a launch
 * uses streams of its own besides the one that it is queued on (graph/dependencies.c), ordered by
 * event records. A launch also waits for the previous one of the same executable graph, whichever
 * stream that was queued on.
 */
#include <stdlib.h>

#include "src/mock/copy/copy.h"
#include "src/mock/core/state.h"
#include "src/mock/event/event.h"
#include "src/mock/graph/graph.h"
#include "src/mock/graph_exec/exec.h"
#include "src/mock/graph_exec/memory.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/stream/stream.h"
#include "src/race/race.h"

/*
 * Keeps the user objects of a graph and of its child graphs until the launch has ended, whatever
 * becomes of the executable graph: an update replaces its references.
 */
struct launch_end {
    struct mock_operation operation;
    struct mock_held *held;
};

static void launch_end_drop(struct mock_operation *operation)
{
    cushim__mock_held_release(((struct launch_end *)operation)->held);
}

static const struct mock_operation_class launch_end_class = {
    .name = "graph",
    .size = sizeof(struct launch_end),
    .node_type = CU_GRAPH_NODE_TYPE_EMPTY,
    .drop = launch_end_drop,
};

static CUresult plan_end(struct mock_plan *plan, const struct mock_graph *image,
                         struct mock_stream *stream)
{
    struct mock_held *held = NULL;
    struct launch_end *end = NULL;

    if (cushim__mock_held_copy_all(image, &held)) {
        if (!held)
            return CUDA_SUCCESS;
        end = cushim__mock_operation_create(&launch_end_class, MOCK_NO_UNIT, 0);
    }
    if (!end) {
        cushim__mock_held_release(held);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    end->held = held;
    return cushim__mock_plan_operation(plan, stream, &end->operation);
}

static CUresult plan_graph(struct mock_plan *plan, const struct mock_graph *image,
                           struct mock_stream *stream);

/* Sources in pageable memory are read at the launch. */
static bool stage(struct mock_operation *operation)
{
    const struct mock_copy *copy = cushim__mock_copy_of(operation);

    return !copy || !copy->from.pageable || !copy->to.on_device ||
           cushim__mock_copy_stage((struct mock_copy *)operation);
}

static CUresult plan_event(struct mock_plan *plan, const struct mock_work *work,
                           struct mock_stream *stream)
{
    struct mock_event *event = cushim__mock_object_lookup(work->event, MOCK_EVENT);

    return work->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD
               ? cushim__mock_plan_event_record(plan, event, stream)
               : cushim__mock_plan_event_wait(plan, event, stream);
}

static CUresult plan_body(struct mock_plan *plan, const struct mock_node *node,
                          struct mock_stream *stream)
{
    const struct mock_graph *body = cushim__mock_bodies_chosen(node);

    return body ? plan_graph(plan, body, stream) : CUDA_SUCCESS;
}

static CUresult plan_work(struct mock_plan *plan, const struct mock_node *node,
                          struct mock_stream *stream)
{
    const struct mock_work *work = &node->work;
    struct mock_operation *operation;

    if (work->child)
        return plan_graph(plan, work->child, stream);
    if (work->bodies)
        return plan_body(plan, node, stream);
    if (work->event)
        return plan_event(plan, work, stream);
    if (!work->operation)
        return CUDA_SUCCESS;
    operation = cushim__mock_operation_copy(work->operation);
    if (operation && !stage(operation)) {
        cushim__mock_operation_destroy(operation);
        operation = NULL;
    }
    return cushim__mock_plan_operation(plan, stream, operation);
}

static CUresult plan_node(struct mock_plan *plan, struct mock_node *node,
                          struct mock_stream *const *lanes)
{
    struct mock_stream *stream = lanes[node->lane];
    CUresult code = CUDA_SUCCESS;

    for (size_t i = 0; code == CUDA_SUCCESS && i < node->dependencies.count; i++) {
        const struct mock_node *before = node->dependencies.at[i].node;

        if (before->lane != node->lane)
            code = cushim__mock_plan_wait(plan, before->fence, stream);
    }
    if (code == CUDA_SUCCESS && !node->disabled)
        code = plan_work(plan, node, stream);
    if (code == CUDA_SUCCESS && node->awaited)
        code = cushim__mock_plan_fence(plan, &node->fence, stream);
    return code;
}

/* Create streams for the other lanes, which begin after what is queued on the first. */
static CUresult begin_lanes(struct mock_plan *plan, const struct mock_graph *image,
                            struct mock_stream **lanes)
{
    struct mock_event_record *start = NULL;
    CUresult code =
        image->lanes > 1 ? cushim__mock_plan_fence(plan, &start, lanes[0]) : CUDA_SUCCESS;

    for (unsigned i = 1; code == CUDA_SUCCESS && i < image->lanes; i++) {
        lanes[i] = cushim__mock_stream_create(lanes[0]->object.context, MOCK_CREATED,
                                              CU_STREAM_NON_BLOCKING, lanes[0]->priority);
        code = lanes[i] ? cushim__mock_plan_wait(plan, start, lanes[i]) : CUDA_ERROR_OUT_OF_MEMORY;
    }
    cushim__mock_event_record_release(start);
    return code;
}

/* Make the first stream wait for the others, which end once everything is queued. */
static CUresult end_lanes(struct mock_plan *plan, const struct mock_graph *image,
                          struct mock_stream **lanes, CUresult code)
{
    for (unsigned i = 1; i < image->lanes && lanes[i]; i++) {
        struct mock_event_record *end = NULL;

        if (code == CUDA_SUCCESS)
            code = cushim__mock_plan_fence(plan, &end, lanes[i]);
        if (code == CUDA_SUCCESS)
            code = cushim__mock_plan_wait(plan, end, lanes[0]);
        cushim__mock_event_record_release(end);
        cushim__mock_plan_stream(plan, lanes[i]);
    }
    return code;
}

static CUresult plan_graph(struct mock_plan *plan, const struct mock_graph *image,
                           struct mock_stream *stream)
{
    struct mock_stream **lanes = calloc(image->lanes + 1, sizeof *lanes);
    CUresult code;

    if (!lanes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    lanes[0] = stream;
    code = begin_lanes(plan, image, lanes);
    for (size_t i = 0; code == CUDA_SUCCESS && i < image->node_count; i++)
        code = plan_node(plan, image->order[i], lanes);
    code = end_lanes(plan, image, lanes, code);
    for (size_t i = 0; i < image->node_count; i++) {
        cushim__mock_event_record_release(image->order[i]->fence);
        image->order[i]->fence = NULL;
    }
    free(lanes);
    return code;
}

/* The graph in a node that a launch executes; NULL if there is none. */
static const struct mock_graph *executed(const struct mock_node *node)
{
    return node->work.bodies ? cushim__mock_bodies_chosen(node) : node->work.child;
}

/* Kernels of the mock cannot set conditions, so a loop that begins would never end. */
static bool is_endless(const struct mock_node *node, const struct mock_graph *body)
{
    if (!body || !node->work.bodies || node->work.bodies->branch != MOCK_WHILE)
        return false;
    cushim__mock_log("a WHILE node would never end, because kernels do not set conditions: "
                     "CUDA_ERROR_NOT_SUPPORTED");
    return true;
}

/* Check the events and the loops of a graph before anything of it is queued. */
static CUresult check(const struct mock_graph *image)
{
    CUresult code = CUDA_SUCCESS;

    for (size_t i = 0; code == CUDA_SUCCESS && i < image->node_count; i++) {
        const struct mock_node *node = image->order[i];
        const struct mock_graph *inner = executed(node);
        struct mock_event *event;

        if (node->work.event)
            code = cushim__mock_object_find(node->work.event, MOCK_EVENT, &event);
        else if (is_endless(node, inner))
            code = CUDA_ERROR_NOT_SUPPORTED;
        else if (inner)
            code = check(inner);
    }
    return code;
}

/* Whether a copy in the graph writes to pageable memory; the launch then returns after it. */
static bool writes_pageable(const struct mock_graph *image)
{
    for (size_t i = 0; i < image->node_count; i++) {
        const struct mock_work *work = &image->order[i]->work;
        const struct mock_graph *inner = executed(image->order[i]);
        const struct mock_copy *copy;

        if (inner && writes_pageable(inner))
            return true;
        if (work->type != CU_GRAPH_NODE_TYPE_MEMCPY || image->order[i]->disabled)
            continue;
        copy = cushim__mock_copy_of(work->operation);
        if (copy && copy->to.at.type == CU_MEMORYTYPE_HOST &&
            !cushim__mock_allocation_at(cushim__copy_address(&copy->to.at)))
            return true;
    }
    return false;
}

CUresult cushim__mock_exec_launch(struct mock_exec *exec, struct mock_stream *stream)
{
    struct mock_event_record *last = NULL;
    struct mock_plan plan = {0};
    CUresult code = check(exec->image);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_memory_check_launch(
            exec->image, exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);

    cushim__mock_sim_name(stream);
    cushim__race_launch_begin(&stream->race);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_plan_wait(&plan, exec->last, stream);
    if (code == CUDA_SUCCESS)
        code = plan_graph(&plan, exec->image, stream);
    if (code == CUDA_SUCCESS)
        code = plan_end(&plan, exec->image, stream);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_plan_fence(&plan, &last, stream);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_plan_submit(&plan);
    cushim__mock_plan_clear(&plan);
    cushim__race_launch_end();
    if (code != CUDA_SUCCESS) {
        cushim__mock_event_record_release(last);
        return code;
    }
    cushim__mock_event_record_release(exec->last);
    exec->last = last;
    cushim__mock_memory_launched(exec->image);
    return writes_pageable(exec->image) ? cushim__mock_sim_wait_last(stream, true) : CUDA_SUCCESS;
}
