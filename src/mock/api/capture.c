/* SPDX-License-Identifier: Apache-2.0 */
/* Captures: how they begin, which streams take part, and how they end. */
#include <stdlib.h>

#include "src/mock/api/capture_state.h"
#include "src/mock/api/context.h"
#include "src/mock/api/event.h"
#include "src/mock/api/graph.h"
#include "src/mock/core/state.h"

unsigned cushim__capture_count;
struct cushim__capture *cushim__captures;

static cuuint64_t last_id;

CUresult cushim__capture_join(struct cushim__capture *capture, struct cushim__stream *stream,
                              const struct cushim__edges *frontier)
{
    struct cushim__captured_stream *captured = calloc(1, sizeof *captured);
    struct cushim__captured_stream **link = &capture->streams;

    if (!captured || !cushim__edges_join(&captured->frontier, frontier)) {
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

CUresult cushim__capture_begin(struct cushim__stream *stream, CUstreamCaptureMode mode,
                               struct cushim__graph *graph, bool given,
                               const struct cushim__edges *dependencies)
{
    const struct cushim__thread *thread = cushim__thread_get();
    struct cushim__capture *capture = thread ? calloc(1, sizeof *capture) : NULL;

    if (!capture || cushim__capture_join(capture, stream, dependencies) != CUDA_SUCCESS) {
        free(capture);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    capture->id = ++last_id;
    capture->graph = graph;
    capture->given = given;
    capture->mode = mode;
    capture->thread = thread->number;
    capture->origin = capture->streams;
    capture->next = cushim__captures;
    cushim__captures = capture;
    cushim__capture_count++;
    graph->capture = capture;
    return CUDA_SUCCESS;
}

void cushim__capture_invalidate(struct cushim__capture *capture)
{
    capture->invalidated = true;
}

CUresult cushim__capture_check(const struct cushim__stream *stream)
{
    return stream->capture->invalidated ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

/* Mark what a frontier depends on; the marked nodes that are still to be followed are the stack. */
static void mark(const struct cushim__edges *frontier, struct cushim__node **stack)
{
    size_t depth = 0;

    for (size_t i = 0; i < frontier->count; i++) {
        frontier->at[i].node->waiting = 1;
        stack[depth++] = frontier->at[i].node;
    }
    while (depth > 0) {
        const struct cushim__node *node = stack[--depth];

        for (size_t i = 0; i < node->dependencies.count; i++) {
            struct cushim__node *before = node->dependencies.at[i].node;

            if (before->waiting == 0) {
                before->waiting = 1;
                stack[depth++] = before;
            }
        }
    }
}

static bool is_marked(const struct cushim__edges *frontier)
{
    for (size_t i = 0; i < frontier->count; i++) {
        if (frontier->at[i].node->waiting == 0)
            return false;
    }
    return true;
}

CUresult cushim__capture_check_joined(const struct cushim__capture *capture)
{
    struct cushim__node **stack = calloc(capture->graph->node_count + 1, sizeof *stack);
    bool joined = true;

    if (!stack)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (struct cushim__node *node = capture->graph->first; node; node = node->next)
        node->waiting = 0;
    mark(&capture->origin->frontier, stack);
    for (const struct cushim__captured_stream *one = capture->streams; one; one = one->next)
        joined = joined && is_marked(&one->frontier);
    joined = joined && is_marked(&capture->left);
    free(stack);
    return joined ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}

static void leave(struct cushim__captured_stream *captured)
{
    captured->stream->capture = NULL;
    captured->stream->captured = NULL;
    cushim__edges_clear(&captured->frontier);
    free(captured->handles);
    free(captured->data);
    free(captured);
}

static void forget(struct cushim__event *event, enum cushim__event_capture state)
{
    cushim__edges_clear(&event->capture_nodes);
    event->capture = NULL;
    event->capture_state = state;
}

void cushim__capture_end(struct cushim__capture *capture)
{
    struct cushim__capture **link = &cushim__captures;
    struct cushim__event *event = NULL;

    while ((event = cushim__object_next(CUSHIM__EVENT, event))) {
        if (event->capture == capture)
            forget(event, CUSHIM__WAS_CAPTURED);
    }
    while (capture->streams) {
        struct cushim__captured_stream *first = capture->streams;

        capture->streams = first->next;
        leave(first);
    }
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    capture->graph->capture = NULL;
    cushim__edges_clear(&capture->left);
    free(capture);
    cushim__capture_count--;
}

void cushim__capture_lose_graph(struct cushim__capture *capture)
{
    cushim__violation("the graph is destroyed while a stream is captured into it");
    cushim__capture_end(capture);
}

void cushim__capture_forget_event(struct cushim__event *event)
{
    if (event->capture_state != CUSHIM__NOT_CAPTURED)
        forget(event, CUSHIM__NOT_CAPTURED);
}

bool cushim__capture_forget_stream(struct cushim__stream *stream, bool at_any_price)
{
    struct cushim__captured_stream *captured = stream->captured;
    struct cushim__capture *capture = stream->capture;
    struct cushim__captured_stream **link = &capture->streams;
    struct cushim__graph *graph = capture->graph;

    if (captured == capture->origin) {
        const bool given = capture->given;

        cushim__capture_end(capture);
        if (!given)
            cushim__graph_destroy(graph);
        return true;
    }
    if (!cushim__edges_join(&capture->left, &captured->frontier)) {
        if (!at_any_price)
            return false;
        cushim__capture_invalidate(capture);
    }
    while (*link != captured)
        link = &(*link)->next;
    *link = captured->next;
    leave(captured);
    return true;
}

void cushim__captures_clear(void)
{
    while (cushim__captures)
        cushim__capture_end(cushim__captures);
}
