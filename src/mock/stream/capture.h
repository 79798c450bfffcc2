/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures of streams. Each function returns what the driver does (driver-semantics.md #61 to #73)
 * and invalidates captures where the driver does.
 */
#ifndef CUSHIM_MOCK_STREAM_CAPTURE_H
#define CUSHIM_MOCK_STREAM_CAPTURE_H

#include <stdbool.h>

#include <cuda.h>

#include "src/mock/event/event.h"
#include "src/mock/sim/stream.h"

struct mock_graph;

/* A list of all captures of the process. NULL if there is none, which callers check first. */
extern struct mock_capture *cushim__mock_captures;

/*
 * Refuse a call that is not allowed during a capture, such as cuMemAlloc, cuCtxSynchronize, or
 * cuEventQuery of an event that is not captured. Returns 900, and invalidates every capture that
 * forbids the call by its mode and the calling thread's; CUDA_SUCCESS if there is none.
 */
CUresult cushim__mock_capture_refuse_unsafe(void);
static inline CUresult cushim__mock_capture_unsafe(void)
{
    return cushim__mock_captures ? cushim__mock_capture_refuse_unsafe() : CUDA_SUCCESS;
}

/* A capture that forbids the use of a legacy default stream. NULL if none, or for other streams. */
struct mock_capture *cushim__mock_capture_in_the_way(const struct mock_stream *stream);

/* For cuStreamQuery and cuStreamSynchronize. */
CUresult cushim__mock_capture_query_stream(struct mock_stream *stream);

/* Refuse a call that cannot be captured: returns 900, and invalidates the stream's capture. */
CUresult cushim__mock_capture_refuse(struct mock_stream *stream);

/* For cuEventQuery and cuEventSynchronize; for either event of cuEventElapsedTime. */
CUresult cushim__mock_capture_query_event(struct mock_event *event);
CUresult cushim__mock_capture_elapsed_event(struct mock_event *event);

/*
 * For cuCtxSynchronize, cuCtxRecordEvent and cuCtxWaitEvent: returns 900 while a stream of the
 * context is captured, and invalidates its capture.
 */
CUresult cushim__mock_capture_context(struct mock_context *context);

/* Check a use of the legacy default stream. Invalidates a capture of a stream that blocks it. */
CUresult cushim__mock_capture_legacy(struct mock_stream *legacy);

/*
 * Make an operation for a captured stream a node of the graph. Takes the operation over. The
 * stream's `capture` is not NULL.
 */
CUresult cushim__mock_capture_add(struct mock_stream *stream, struct mock_operation *operation);

/* What attributes say of a launch beside the shape of its grid. */
struct mock_launch_extras {
    /* It may begin before the kernels before it end: see driver-semantics.md #205. */
    bool programmatic;
    /* Recorded with the launch, and fired by a port of the kernel; NULL: none. */
    struct mock_event *event;
    unsigned char port;
};

/* The same for the launch of a kernel. */
CUresult cushim__mock_capture_launch(struct mock_stream *stream, struct mock_operation *operation,
                                     const struct mock_launch_extras *extras);

/* Record an event on a captured stream. `flags` are those of the call. */
CUresult cushim__mock_capture_record(struct mock_stream *stream, struct mock_event *event,
                                     unsigned flags);

/*
 * Wait on a captured stream, or for an event that was recorded in a capture that has not ended.
 * `flags` are those of the call.
 */
CUresult cushim__mock_capture_wait(struct mock_stream *stream, struct mock_event *event,
                                   unsigned flags);

/*
 * Take a stream that is being destroyed out of its capture. A capture that began in the stream
 * ends. Any other one keeps the stream's frontier; if there is no memory for that, this returns
 * false and has done nothing, or, if `at_any_price`, invalidates the capture.
 */
bool cushim__mock_capture_forget_stream(struct mock_stream *stream, bool at_any_price);

/* End all captures when the mock ends. */
void cushim__mock_captures_clear(void);

/* Shared by the files that implement captures. */

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
    bool given; /* the graph is the program's (cuStreamBeginCaptureToGraph) */
    bool invalidated;
    CUstreamCaptureMode mode;
    uint64_t thread;                      /* the thread that began it */
    struct mock_captured_stream *origin;  /* the stream that it began in; NULL: destroyed */
    struct mock_captured_stream *streams; /* all that take part */
    struct mock_edges left;               /* frontiers of streams that were destroyed */
};

/* Begin a capture of a stream into a graph. */
CUresult cushim__mock_capture_begin(struct mock_stream *stream, CUstreamCaptureMode mode,
                                    struct mock_graph *graph, bool given,
                                    const struct mock_edges *dependencies);

/* Returns 901 for a stream whose capture was invalidated. */
CUresult cushim__mock_capture_check(const struct mock_stream *stream);

/*
 * Check that the first stream's work depends on that of all others. Returns CUDA_SUCCESS,
 * STREAM_CAPTURE_UNJOINED or OUT_OF_MEMORY.
 */
CUresult cushim__mock_capture_check_joined(const struct mock_capture *capture);

/* End a capture: streams leave it, events become MOCK_WAS_CAPTURED, the caller owns the graph. */
void cushim__mock_capture_end(struct mock_capture *capture);

#endif
