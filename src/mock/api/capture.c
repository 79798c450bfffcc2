/* SPDX-License-Identifier: Apache-2.0 */
/* Captures: how they begin, which streams take part, and how they end. */
#include <stdlib.h>

#include "src/mock/api/capture_state.h"
#include "src/mock/api/context.h"
#include "src/mock/api/event.h"
#include "src/mock/api/graph.h"
#include "src/mock/core/state.h"

unsigned cushim__mock_capture_count;
struct mock_capture *cushim__mock_captures;

static cuuint64_t last_id;

CUresult cushim__mock_capture_join(struct mock_capture *capture, struct mock_stream *stream,
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

CUresult cushim__mock_capture_begin(struct mock_stream *stream, CUstreamCaptureMode mode,
                                    struct mock_graph *graph, bool given,
                                    const struct mock_edges *dependencies)
{
    const struct mock_thread *thread = cushim__mock_thread_get();
    struct mock_capture *capture = thread ? calloc(1, sizeof *capture) : NULL;

    if (!capture || cushim__mock_capture_join(capture, stream, dependencies) != CUDA_SUCCESS) {
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
    cushim__mock_capture_count++;
    graph->capture = capture;
    return CUDA_SUCCESS;
}

void cushim__mock_capture_invalidate(struct mock_capture *capture)
{
    capture->invalidated = true;
}

CUresult cushim__mock_capture_check(const struct mock_stream *stream)
{
    return stream->capture->invalidated ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

/* Mark what a frontier depends on; the marked nodes that are still to be followed are the stack. */
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

static void forget(struct mock_event *event, enum mock_event_capture state)
{
    cushim__mock_edges_clear(&event->capture_nodes);
    event->capture = NULL;
    event->capture_state = state;
}

void cushim__mock_capture_end(struct mock_capture *capture)
{
    struct mock_capture **link = &cushim__mock_captures;
    struct mock_event *event = NULL;

    while ((event = cushim__mock_object_next(MOCK_EVENT, event))) {
        if (event->capture == capture)
            forget(event, MOCK_WAS_CAPTURED);
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
    cushim__mock_capture_count--;
}

void cushim__mock_capture_lose_graph(struct mock_capture *capture)
{
    cushim__mock_misuse("the graph is destroyed while a stream is captured into it");
    cushim__mock_capture_end(capture);
}

void cushim__mock_capture_forget_event(struct mock_event *event)
{
    if (event->capture_state != MOCK_NOT_CAPTURED)
        forget(event, MOCK_NOT_CAPTURED);
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
        cushim__mock_capture_invalidate(capture);
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
