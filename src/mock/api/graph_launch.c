/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches of graphs. What does not depend on each other is executed side by side, so a launch uses
 * streams of its own besides the one that it is queued on (graph_order.c); records order them. A
 * launch also waits for the former one of the same executable graph, whichever stream that went to.
 */
#include <stdlib.h>

#include "src/mock/api/capture.h"
#include "src/mock/api/context.h"
#include "src/mock/api/copy.h"
#include "src/mock/api/copy_side.h"
#include "src/mock/api/event.h"
#include "src/mock/api/graph_exec.h"
#include "src/mock/api/memory.h"
#include "src/mock/api/stream_plan.h"
#include "src/mock/call.h"
#include "src/mock/sim/sim.h"
#include "src/race/race_search.h"

/* The end of a launch keeps what the graph holds until then. */
struct launch_end {
    struct cushim__operation operation;
    struct cushim__exec *exec;
};

static void launch_end_drop(struct cushim__operation *operation)
{
    cushim__exec_release(((struct launch_end *)operation)->exec);
}

static const struct cushim__operation_class launch_end_class = {
    .name = "graph",
    .size = sizeof(struct launch_end),
    .node_type = CU_GRAPH_NODE_TYPE_EMPTY,
    .drop = launch_end_drop,
};

static CUresult plan_end(struct cushim__plan *plan, struct cushim__exec *exec,
                         struct cushim__stream *stream)
{
    struct launch_end *end = cushim__operation_create(&launch_end_class, CUSHIM__NO_UNIT, 0);

    if (!end)
        return CUDA_ERROR_OUT_OF_MEMORY;
    end->exec = exec;
    exec->references++;
    return cushim__plan_operation(plan, stream, &end->operation);
}

static CUresult plan_graph(struct cushim__plan *plan, const struct cushim__graph *image,
                           struct cushim__stream *stream);

/* What is in pageable memory is read at the launch. */
static bool stage(struct cushim__operation *operation)
{
    struct cushim__copy *copy = (struct cushim__copy *)operation;
    struct cushim__copy_box from, to;
    CUDA_MEMCPY3D shape;

    if (!cushim__copy_parameters(operation, &shape) || !copy->from.pageable || !copy->to.on_device)
        return true;
    copy->staged = malloc(copy->width * copy->height * copy->depth);
    if (!copy->staged)
        return false;
    to = cushim__copy_staged(copy);
    if (cushim__copy_find(copy, &copy->from, &from))
        cushim__copy_move(copy, &to, &from);
    return true;
}

static CUresult plan_event(struct cushim__plan *plan, const struct cushim__work *work,
                           struct cushim__stream *stream)
{
    struct cushim__event *event = cushim__object_peek(work->event, CUSHIM__EVENT);

    return work->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD
               ? cushim__plan_event_record(plan, event, stream)
               : cushim__plan_event_wait(plan, event, stream);
}

static CUresult plan_work(struct cushim__plan *plan, const struct cushim__work *work,
                          struct cushim__stream *stream)
{
    struct cushim__operation *operation;

    if (work->child)
        return plan_graph(plan, work->child, stream);
    if (work->event)
        return plan_event(plan, work, stream);
    if (!work->operation)
        return CUDA_SUCCESS;
    operation = cushim__operation_copy(work->operation);
    if (operation && !stage(operation)) {
        cushim__operation_destroy(operation);
        operation = NULL;
    }
    return cushim__plan_operation(plan, stream, operation);
}

static CUresult plan_node(struct cushim__plan *plan, struct cushim__node *node,
                          struct cushim__stream *const *lanes)
{
    struct cushim__stream *stream = lanes[node->lane];
    CUresult code = CUDA_SUCCESS;

    for (size_t i = 0; code == CUDA_SUCCESS && i < node->dependencies.count; i++) {
        const struct cushim__node *before = node->dependencies.at[i].node;

        if (before->lane != node->lane)
            code = cushim__plan_wait(plan, before->record, stream);
    }
    if (code == CUDA_SUCCESS && !node->disabled)
        code = plan_work(plan, &node->work, stream);
    if (code == CUDA_SUCCESS && node->awaited)
        code = cushim__plan_record(plan, &node->record, stream);
    return code;
}

/* Streams for the other lanes, which begin after what is queued on the first. */
static CUresult begin_lanes(struct cushim__plan *plan, const struct cushim__graph *image,
                            struct cushim__stream **lanes)
{
    struct cushim__record *start = NULL;
    CUresult code = image->lanes > 1 ? cushim__plan_record(plan, &start, lanes[0]) : CUDA_SUCCESS;

    for (unsigned i = 1; code == CUDA_SUCCESS && i < image->lanes; i++) {
        lanes[i] = cushim__stream_create(lanes[0]->object.context, CUSHIM__CREATED,
                                         CU_STREAM_NON_BLOCKING, lanes[0]->priority);
        code = lanes[i] ? cushim__plan_wait(plan, start, lanes[i]) : CUDA_ERROR_OUT_OF_MEMORY;
    }
    cushim__record_release(start);
    return code;
}

/* What follows on the first stream waits for the others, and these go once they are queued. */
static CUresult end_lanes(struct cushim__plan *plan, const struct cushim__graph *image,
                          struct cushim__stream **lanes, CUresult code)
{
    for (unsigned i = 1; i < image->lanes && lanes[i]; i++) {
        struct cushim__record *end = NULL;

        if (code == CUDA_SUCCESS)
            code = cushim__plan_record(plan, &end, lanes[i]);
        if (code == CUDA_SUCCESS)
            code = cushim__plan_wait(plan, end, lanes[0]);
        cushim__record_release(end);
        cushim__plan_stream(plan, lanes[i]);
    }
    return code;
}

static CUresult plan_graph(struct cushim__plan *plan, const struct cushim__graph *image,
                           struct cushim__stream *stream)
{
    struct cushim__stream **lanes = calloc(image->lanes + 1, sizeof *lanes);
    CUresult code;

    if (!lanes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    lanes[0] = stream;
    code = begin_lanes(plan, image, lanes);
    for (size_t i = 0; code == CUDA_SUCCESS && i < image->node_count; i++)
        code = plan_node(plan, image->order[i], lanes);
    code = end_lanes(plan, image, lanes, code);
    for (size_t i = 0; i < image->node_count; i++) {
        cushim__record_release(image->order[i]->record);
        image->order[i]->record = NULL;
    }
    free(lanes);
    return code;
}

/* The events of a graph, before anything of it is queued. */
static CUresult check_events(const struct cushim__graph *image)
{
    CUresult code = CUDA_SUCCESS;

    for (size_t i = 0; code == CUDA_SUCCESS && i < image->node_count; i++) {
        const struct cushim__node *node = image->order[i];
        struct cushim__event *event;

        if (node->work.event)
            code = cushim__event_find(node->work.event, &event);
        else if (node->work.child)
            code = check_events(node->work.child);
    }
    return code;
}

/* Whether a copy of the graph writes to pageable memory: then the launch returns after it. */
static bool writes_pageable(const struct cushim__graph *image)
{
    for (size_t i = 0; i < image->node_count; i++) {
        const struct cushim__work *work = &image->order[i]->work;
        struct cushim__range range;
        CUDA_MEMCPY3D shape;

        if (work->child && writes_pageable(work->child))
            return true;
        if (work->type == CU_GRAPH_NODE_TYPE_MEMCPY && !image->order[i]->disabled &&
            cushim__copy_parameters(work->operation, &shape) &&
            shape.dstMemoryType == CU_MEMORYTYPE_HOST &&
            !cushim__memory_find((CUdeviceptr)(uintptr_t)shape.dstHost, &range))
            return true;
    }
    return false;
}

static CUresult launch(struct cushim__exec *exec, struct cushim__stream *stream)
{
    struct cushim__record *last = NULL;
    struct cushim__plan plan = {0};
    CUresult code = check_events(exec->image);

    cushim__races_launch_begin(stream);
    if (code == CUDA_SUCCESS)
        code = cushim__plan_wait(&plan, exec->last, stream);
    if (code == CUDA_SUCCESS)
        code = plan_graph(&plan, exec->image, stream);
    if (code == CUDA_SUCCESS && exec->image->held)
        code = plan_end(&plan, exec, stream);
    if (code == CUDA_SUCCESS)
        code = cushim__plan_record(&plan, &last, stream);
    if (code == CUDA_SUCCESS)
        code = cushim__plan_queue(&plan);
    cushim__plan_clear(&plan);
    cushim__races_launch_end();
    if (code != CUDA_SUCCESS) {
        cushim__record_release(last);
        return code;
    }
    cushim__record_release(exec->last);
    exec->last = last;
    return writes_pageable(exec->image) ? cushim__engine_wait_last(stream) : CUDA_SUCCESS;
}

/* The stream is what is wrong first. */
static CUresult find(CUgraphExec handle, CUstream stream_handle, struct cushim__exec **exec,
                     struct cushim__stream **stream)
{
    const CUresult code = cushim__stream_find(stream_handle, stream);

    return code ? code : cushim__exec_find(handle, exec);
}

CUSHIM__APPROXIMATE(GraphLaunch, "refuses a graph with an event that was destroyed")
(CUgraphExec hGraph, CUstream hStream)
{
    struct cushim__stream *stream;
    struct cushim__exec *exec;
    CUresult code = find(hGraph, hStream, &exec, &stream);

    if (code != CUDA_SUCCESS)
        return code;
    if (stream->capture)
        return cushim__capture_refuse(stream);
    if (cushim__capture_count > 0 && stream->kind == CUSHIM__LEGACY)
        code = cushim__capture_legacy(stream);
    return code ? code : launch(exec, stream);
}

CUSHIM__APPROXIMATE(GraphUpload, "there is nothing to upload")
(CUgraphExec hGraph, CUstream hStream)
{
    struct cushim__stream *stream;
    struct cushim__exec *exec;

    CUresult code = find(hGraph, hStream, &exec, &stream);

    if (code == CUDA_SUCCESS && stream->capture)
        code = cushim__capture_refuse(stream);
    else if (code == CUDA_SUCCESS && cushim__capture_count > 0 && stream->kind == CUSHIM__LEGACY)
        code = cushim__capture_legacy(stream);
    return code;
}
