/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures, as other calls meet them. Each function returns what the driver does
 * (driver-semantics.md #61 to #73) and invalidates captures where the driver does.
 */
#ifndef CUSHIM_MOCK_API_CAPTURE_H
#define CUSHIM_MOCK_API_CAPTURE_H

#include <stdbool.h>

#include <cuda.h>

#include "src/mock/api/event.h"
#include "src/mock/sim/stream.h"

struct mock_graph;

/* All captures of the process, in a list; NULL: there is none, which callers look at first. */
extern struct mock_capture *cushim__mock_captures;

/*
 * A call that is not allowed while something is captured, if the calling thread's mode says so:
 * cuMemAlloc, cuCtxSynchronize, cuEventQuery of an event that is not captured ... It invalidates
 * the captures in question.
 */
CUresult cushim__mock_capture_refuse_unsafe(void);
static inline CUresult cushim__mock_capture_unsafe(void)
{
    return cushim__mock_captures ? cushim__mock_capture_refuse_unsafe() : CUDA_SUCCESS;
}

/*
 * Whether the stream is the legacy default one, and a capture stands in its way. NULL: none does.
 */
struct mock_capture *cushim__mock_capture_in_the_way(const struct mock_stream *stream);

/* cuStreamQuery and cuStreamSynchronize of a stream. */
CUresult cushim__mock_capture_query_stream(struct mock_stream *stream);

/* A call that cannot be captured, on a stream that is captured: 900, and the capture is invalid. */
CUresult cushim__mock_capture_refuse(struct mock_stream *stream);

/* cuEventQuery and cuEventSynchronize of an event; elapsed time of one. */
CUresult cushim__mock_capture_query_event(struct mock_event *event);
CUresult cushim__mock_capture_elapsed_event(struct mock_event *event);

/*
 * cuCtxSynchronize, cuCtxRecordEvent and cuCtxWaitEvent: 900 while a stream of the context is
 * captured, which is invalidated.
 */
CUresult cushim__mock_capture_context(struct mock_context *context);

/*
 * Something is about to use the legacy default stream, while a stream that blocks it is captured.
 */
CUresult cushim__mock_capture_legacy(struct mock_stream *legacy);

/*
 * An operation for a stream that is captured becomes a node of the graph. Takes it over. The
 * stream's `capture` is not NULL.
 */
CUresult cushim__mock_capture_add(struct mock_stream *stream, struct mock_operation *operation);

/* A record on a stream that is captured. `flags` as of the call. */
CUresult cushim__mock_capture_record(struct mock_stream *stream, struct mock_event *event,
                                     unsigned flags);

/*
 * A wait on a stream that is captured, or for an event that was recorded in a capture that has not
 * ended. `flags` as of the call.
 */
CUresult cushim__mock_capture_wait(struct mock_stream *stream, struct mock_event *event,
                                   unsigned flags);

/* The event is recorded outside a capture now, or destroyed. */
void cushim__mock_capture_forget_event(struct mock_event *event);

/*
 * The stream is destroyed: a capture that began in it goes. False: there is no memory for what it
 * leaves to another's capture, and nothing is done; at any price that capture is invalidated.
 */
bool cushim__mock_capture_forget_stream(struct mock_stream *stream, bool at_any_price);

/* The graph is destroyed, with one that it is a child of: nobody has what was captured. */
void cushim__mock_capture_lose_graph(struct mock_capture *capture);

/* The mock ends. */
void cushim__mock_captures_clear(void);

/* What the files that implement captures share. */

/* A stream that takes part in a capture. */
struct mock_captured_stream {
    struct mock_captured_stream *next; /* in its capture */
    struct mock_stream *stream;
    struct mock_edges frontier; /* what the next node depends on */
    CUgraphNode *handles;       /* the frontier as a call last returned it */
    CUgraphEdgeData *data;
};

struct mock_capture {
    struct mock_capture *next;
    cuuint64_t id;
    struct mock_graph *graph;
    bool given; /* the graph is the program's: cuStreamBeginCaptureToGraph */
    bool invalidated;
    CUstreamCaptureMode mode;
    uint64_t thread;                      /* that began it */
    struct mock_captured_stream *origin;  /* the stream that it began in; NULL: destroyed */
    struct mock_captured_stream *streams; /* all that take part */
    struct mock_edges left;               /* frontiers of streams that are destroyed */
};

/* Begin a capture of a stream into a graph. */
CUresult cushim__mock_capture_begin(struct mock_stream *stream, CUstreamCaptureMode mode,
                                    struct mock_graph *graph, bool given,
                                    const struct mock_edges *dependencies);

/* 901 for the stream of a capture that was invalidated. */
CUresult cushim__mock_capture_check(const struct mock_stream *stream);

/*
 * Whether the first stream's work depends on that of all others. CUDA_SUCCESS,
 * STREAM_CAPTURE_UNJOINED or OUT_OF_MEMORY.
 */
CUresult cushim__mock_capture_check_joined(const struct mock_capture *capture);

/* The capture is over: streams leave it, its events were captured. The graph is the caller's. */
void cushim__mock_capture_end(struct mock_capture *capture);

#endif
