/* SPDX-License-Identifier: Apache-2.0 */
/* Captures: how they begin, which streams take part, and how they end. */
#include <stdlib.h>
#include <string.h>

#include "src/mock/context/context.h"
#include "src/mock/core/state.h"
#include "src/mock/event/event.h"
#include "src/mock/graph/graph.h"
#include "src/mock/stream/capture.h"

struct mock_capture *cushim__mock_captures;

static cuuint64_t last_id;

/* Make a stream take part in a capture. */
static CUresult join(struct mock_capture *capture, struct mock_stream *stream,
                     const struct mock_edges *frontier)
{
    struct mock_captured_stream *captured = calloc(1, sizeof *captured);
    struct mock_captured_stream **link = &capture->streams;

    if (!captured || !cushim__mock_edges_join(&captured->frontier, frontier)) {
        free(captured);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    captured->stream = stream;
    while (*link)
        link = &(*link)->next;
    *link = captured;
    stream->capture = capture;
    stream->captured = captured;
    return CUDA_SUCCESS;
}

/* Called when the graph is destroyed with its parent graph, so the captured nodes are lost. */
static void lose_graph(struct mock_capture *capture)
{
    cushim__mock_misuse(CUSHIM__MOCK_FOUND_UNDEFINED,
                        "the graph is destroyed while a stream is captured into it");
    cushim__mock_capture_end(capture);
}

CUresult cushim__mock_capture_begin(struct mock_stream *stream, CUstreamCaptureMode mode,
                                    struct mock_graph *graph, bool given,
                                    const struct mock_edges *dependencies)
{
    const struct mock_thread *thread = cushim__mock_thread_get();
    struct mock_capture *capture = thread ? calloc(1, sizeof *capture) : NULL;

    if (!capture || join(capture, stream, dependencies) != CUDA_SUCCESS) {
        free(capture);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    capture->id = ++last_id;
    capture->graph = graph;
    capture->given = given;
    capture->mode = mode;
    capture->thread = thread->number;
    capture->origin = capture->streams;
    capture->next = cushim__mock_captures;
    cushim__mock_captures = capture;
    graph->capture = capture;
    graph->lose = lose_graph;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_capture_check(const struct mock_stream *stream)
{
    return stream->capture->invalidated ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

/* Mark all nodes that a frontier depends on. `stack` holds marked nodes still to be followed. */
static void mark(const struct mock_edges *frontier, struct mock_node **stack)
{
    size_t depth = 0;

    for (size_t i = 0; i < frontier->count; i++) {
        frontier->at[i].node->waiting = 1;
        stack[depth++] = frontier->at[i].node;
    }
    while (depth > 0) {
        const struct mock_node *node = stack[--depth];

        for (size_t i = 0; i < node->dependencies.count; i++) {
            struct mock_node *before = node->dependencies.at[i].node;

            if (before->waiting == 0) {
                before->waiting = 1;
                stack[depth++] = before;
            }
        }
    }
}

static bool is_marked(const struct mock_edges *frontier)
{
    for (size_t i = 0; i < frontier->count; i++) {
        if (frontier->at[i].node->waiting == 0)
            return false;
    }
    return true;
}

CUresult cushim__mock_capture_check_joined(const struct mock_capture *capture)
{
    struct mock_node **stack = calloc(capture->graph->node_count + 1, sizeof *stack);
    bool joined = true;

    if (!stack)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (struct mock_node *node = capture->graph->first; node; node = node->next)
        node->waiting = 0;
    mark(&capture->origin->frontier, stack);
    for (const struct mock_captured_stream *one = capture->streams; one; one = one->next)
        joined = joined && is_marked(&one->frontier);
    joined = joined && is_marked(&capture->left);
    free(stack);
    return joined ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}

static void leave(struct mock_captured_stream *captured)
{
    captured->stream->capture = NULL;
    captured->stream->captured = NULL;
    cushim__mock_edges_clear(&captured->frontier);
    free(captured->handles);
    free(captured->data);
    free(captured);
}

void cushim__mock_capture_end(struct mock_capture *capture)
{
    struct mock_capture **link = &cushim__mock_captures;
    struct mock_event *event = NULL;

    while ((event = cushim__mock_object_next(MOCK_EVENT, event))) {
        if (event->capture == capture)
            cushim__mock_event_forget_capture(event, MOCK_WAS_CAPTURED);
    }
    while (capture->streams) {
        struct mock_captured_stream *first = capture->streams;

        capture->streams = first->next;
        leave(first);
    }
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    capture->graph->capture = NULL;
    cushim__mock_edges_clear(&capture->left);
    free(capture);
}

bool cushim__mock_capture_forget_stream(struct mock_stream *stream, bool at_any_price)
{
    struct mock_captured_stream *captured = stream->captured;
    struct mock_capture *capture = stream->capture;
    struct mock_captured_stream **link = &capture->streams;
    struct mock_graph *graph = capture->graph;

    if (captured == capture->origin) {
        const bool given = capture->given;

        cushim__mock_capture_end(capture);
        if (!given)
            cushim__mock_graph_destroy(graph);
        return true;
    }
    if (!cushim__mock_edges_join(&capture->left, &captured->frontier)) {
        if (!at_any_price)
            return false;
        capture->invalidated = true;
    }
    while (*link != captured)
        link = &(*link)->next;
    *link = captured->next;
    leave(captured);
    return true;
}

void cushim__mock_captures_clear(void)
{
    while (cushim__mock_captures)
        cushim__mock_capture_end(cushim__mock_captures);
}

/* Calls that captures forbid, and calls that invalidate captures. */

/* Whether this capture forbids the calling thread to make unsafe calls. */
static bool forbids(const struct mock_capture *capture, const struct mock_thread *thread)
{
    if (capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
        thread->capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
        return false;
    if (capture->thread == thread->number)
        return true;
    return capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
           thread->capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

CUresult cushim__mock_capture_refuse_unsafe(void)
{
    const struct mock_thread *thread = cushim__mock_thread_get();
    CUresult code = CUDA_SUCCESS;

    if (!thread)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (struct mock_capture *one = cushim__mock_captures; one; one = one->next) {
        if (!forbids(one, thread))
            continue;
        one->invalidated = true;
        code = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return code;
}

struct mock_capture *cushim__mock_capture_in_the_way(const struct mock_stream *stream)
{
    if (stream->kind != MOCK_LEGACY)
        return NULL;
    for (struct mock_capture *capture = cushim__mock_captures; capture; capture = capture->next) {
        for (const struct mock_captured_stream *one = capture->streams; one; one = one->next) {
            if (one->stream->object.context == stream->object.context &&
                cushim__mock_stream_blocks(one->stream))
                return capture;
        }
    }
    return NULL;
}

CUresult cushim__mock_capture_legacy(struct mock_stream *legacy)
{
    struct mock_capture *capture = cushim__mock_capture_in_the_way(legacy);

    if (!capture)
        return CUDA_SUCCESS;
    capture->invalidated = true;
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

CUresult cushim__mock_capture_refuse(struct mock_stream *stream)
{
    stream->capture->invalidated = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult cushim__mock_capture_query_stream(struct mock_stream *stream)
{
    CUresult code = cushim__mock_capture_legacy(stream);

    if (code != CUDA_SUCCESS)
        return code;
    return stream->capture ? cushim__mock_capture_refuse(stream) : cushim__mock_capture_unsafe();
}

/* An event of an invalidated capture behaves as one of a capture that has ended. */
static enum mock_event_capture state_of(const struct mock_event *event)
{
    return event->capture_state == MOCK_IN_CAPTURE && event->capture->invalidated
               ? MOCK_WAS_CAPTURED
               : event->capture_state;
}

CUresult cushim__mock_capture_elapsed_event(struct mock_event *event)
{
    static const CUresult codes[] = {
        [MOCK_IN_CAPTURE] = CUDA_ERROR_CAPTURED_EVENT,
        [MOCK_WAS_CAPTURED] = CUDA_ERROR_INVALID_VALUE,
    };

    return codes[state_of(event)];
}

CUresult cushim__mock_capture_query_event(struct mock_event *event)
{
    CUresult code = cushim__mock_capture_elapsed_event(event);

    if (code == CUDA_ERROR_CAPTURED_EVENT)
        event->capture->invalidated = true;
    return code ? code : cushim__mock_capture_unsafe();
}

static bool has_stream_of(const struct mock_capture *capture, const struct mock_context *context)
{
    for (const struct mock_captured_stream *one = capture->streams; one; one = one->next) {
        if (one->stream->object.context == context)
            return true;
    }
    return false;
}

CUresult cushim__mock_capture_context(struct mock_context *context)
{
    CUresult code = CUDA_SUCCESS;

    for (struct mock_capture *one = cushim__mock_captures; one; one = one->next) {
        if (!has_stream_of(one, context))
            continue;
        one->invalidated = true;
        code = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return code;
}

/* In captured streams, work becomes nodes and events become edges. */

/* Add a node of any kind. Takes the work over. */
static CUresult add_work(struct mock_stream *stream, struct mock_work *work)
{
    struct mock_edges *frontier = &stream->captured->frontier;
    struct mock_node *node;
    CUresult code = cushim__mock_capture_check(stream);

    if (code == CUDA_SUCCESS && !cushim__mock_edges_reserve(frontier, 1))
        code = CUDA_ERROR_OUT_OF_MEMORY;
    if (code != CUDA_SUCCESS) {
        cushim__mock_work_end(work);
        return code;
    }
    code = cushim__mock_node_add(stream->capture->graph, frontier, work, &node);
    if (code != CUDA_SUCCESS)
        return code;
    frontier->count = 0;
    cushim__mock_edges_add(frontier, node, NULL);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_capture_add(struct mock_stream *stream, struct mock_operation *operation)
{
    struct mock_work work = {
        .type = operation->class->node_type,
        .operation = operation,
        .context = stream->object.context->object.handle,
        .priority = stream->priority,
    };

    return add_work(stream, &work);
}

/* Give a kernel's edges from other kernels data, where they have none. */
static void make_programmatic(struct mock_node *node)
{
    static const CUgraphEdgeData plain;
    const CUgraphEdgeData data = {.from_port = MOCK_PORT_PROGRAMMATIC,
                                  .type = MOCK_EDGE_PROGRAMMATIC};

    for (size_t i = 0; i < node->dependencies.count; i++) {
        struct mock_edge *edge = &node->dependencies.at[i];

        if (edge->node->work.type != CU_GRAPH_NODE_TYPE_KERNEL ||
            memcmp(&edge->data, &plain, sizeof plain) != 0)
            continue;
        edge->data = data;
        cushim__mock_edges_find(&edge->node->dependents, node)->data = data;
    }
}

/* An event stands for nodes of its capture from now on. */
static void capture_event(struct mock_event *event, struct mock_capture *capture,
                          struct mock_edges nodes)
{
    cushim__mock_event_forget_capture(event, MOCK_NOT_CAPTURED);
    event->capture_nodes = nodes;
    cushim__mock_event_record_release(event->record);
    event->record = NULL;
    event->capture = capture;
    event->capture_state = MOCK_IN_CAPTURE;
}

/* Once a node was added, the frontier is that node alone. */
CUresult cushim__mock_capture_launch(struct mock_stream *stream, struct mock_operation *operation,
                                     const struct mock_launch_extras *extras)
{
    const CUgraphEdgeData data = {.from_port = extras->port, .type = MOCK_EDGE_PROGRAMMATIC};
    struct mock_edges fired = {0};
    struct mock_node *node;
    CUresult code;

    if (extras->event && !cushim__mock_edges_reserve(&fired, 1)) {
        cushim__mock_operation_destroy(operation);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    code = cushim__mock_capture_add(stream, operation);
    if (code != CUDA_SUCCESS) {
        cushim__mock_edges_clear(&fired);
        return code;
    }
    node = stream->captured->frontier.at[0].node;
    if (extras->programmatic)
        make_programmatic(node);
    if (extras->event) {
        cushim__mock_edges_add(&fired, node, &data);
        capture_event(extras->event, stream->capture, fired);
    }
    return CUDA_SUCCESS;
}

static CUresult add_event(struct mock_stream *stream, CUgraphNodeType type,
                          const struct mock_event *event)
{
    struct mock_work work = {.type = type, .event = event->object.handle};

    return add_work(stream, &work);
}

CUresult cushim__mock_capture_record(struct mock_stream *stream, struct mock_event *event,
                                     unsigned flags)
{
    CUresult code = cushim__mock_capture_check(stream);
    struct mock_edges nodes = {0};

    if (code != CUDA_SUCCESS)
        return code;
    if (flags == CU_EVENT_RECORD_EXTERNAL)
        return add_event(stream, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
    if (!cushim__mock_edges_join(&nodes, &stream->captured->frontier))
        return CUDA_ERROR_OUT_OF_MEMORY;
    capture_event(event, stream->capture, nodes);
    return CUDA_SUCCESS;
}

/* A wait of a captured stream for an event that was last recorded outside captures. */
static CUresult wait_for_outside(struct mock_stream *stream, const struct mock_event *event)
{
    if (!event->record && !event->shared)
        return CUDA_SUCCESS;
    stream->capture->invalidated = true;
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
}

static CUresult wait_for_captured(struct mock_stream *stream, const struct mock_event *event)
{
    if (stream->kind == MOCK_LEGACY) {
        event->capture->invalidated = true;
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    if (!stream->capture)
        return join(event->capture, stream, &event->capture_nodes);
    if (stream->capture != event->capture) {
        stream->capture->invalidated = true;
        event->capture->invalidated = true;
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    return cushim__mock_edges_join(&stream->captured->frontier, &event->capture_nodes)
               ? CUDA_SUCCESS
               : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cushim__mock_capture_wait(struct mock_stream *stream, struct mock_event *event,
                                   unsigned flags)
{
    CUresult code = stream->capture ? cushim__mock_capture_check(stream) : CUDA_SUCCESS;

    if (code != CUDA_SUCCESS)
        return code;
    if (state_of(event) == MOCK_WAS_CAPTURED) {
        if (stream->capture)
            stream->capture->invalidated = true;
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (flags == CU_EVENT_WAIT_EXTERNAL)
        return stream->capture ? add_event(stream, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event)
                               : CUDA_ERROR_ILLEGAL_STATE;
    return event->capture_state == MOCK_IN_CAPTURE ? wait_for_captured(stream, event)
                                                   : wait_for_outside(stream, event);
}
