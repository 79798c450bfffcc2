/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures, as other calls meet them. Each function answers what the driver does (statements 61 to
 * 73) and invalidates captures where the driver does.
 */
#ifndef CUSHIM_MOCK_CAPTURE_H
#define CUSHIM_MOCK_CAPTURE_H

#include <cuda.h>

#include <stdbool.h>

struct cushim__capture;
struct cushim__context;
struct cushim__event;
struct cushim__node;
struct cushim__operation;
struct cushim__stream;
struct cushim__work;

/* How many captures there are in the process: what callers ask first. */
extern unsigned cushim__capture_count;

/*
 * A call that is not allowed while something is captured, if the calling thread's mode says so:
 * cuMemAlloc, cuCtxSynchronize, cuEventQuery of an event that is not captured ... `invalidates`:
 * whether it also invalidates the captures in question.
 */
CUresult cushim__capture_unsafe(bool invalidates);

/*
 * Whether the stream is the legacy default one, and a capture stands in its way. NULL: none does.
 */
struct cushim__capture *cushim__capture_in_the_way(const struct cushim__stream *stream);

void cushim__capture_invalidate(struct cushim__capture *capture);

/* cuStreamQuery and cuStreamSynchronize of a stream. */
CUresult cushim__capture_query_stream(struct cushim__stream *stream);

/* A call that cannot be captured, on a stream that is captured: 900, and the capture is invalid. */
CUresult cushim__capture_refuse(struct cushim__stream *stream);

/* cuEventQuery and cuEventSynchronize of an event; elapsed time of one. */
CUresult cushim__capture_query_event(struct cushim__event *event);
CUresult cushim__capture_elapsed_event(struct cushim__event *event);

/*
 * cuCtxSynchronize, cuCtxRecordEvent and cuCtxWaitEvent: 900 while a stream of the context is
 * captured, which is invalidated.
 */
CUresult cushim__capture_context(struct cushim__context *context);

/*
 * Something is about to use the legacy default stream, while a stream that blocks it is captured.
 */
CUresult cushim__capture_legacy(struct cushim__stream *legacy);

/*
 * An operation for a stream that is captured becomes a node of the graph. Takes it over. The
 * stream's `capture` is not NULL.
 */
CUresult cushim__capture_add(struct cushim__stream *stream, struct cushim__operation *operation);

/* A record on a stream that is captured. `flags` as of the call. */
CUresult cushim__capture_record(struct cushim__stream *stream, struct cushim__event *event,
                                unsigned flags);

/*
 * A wait on a stream that is captured, or for an event that was recorded in a capture that has not
 * ended. `flags` as of the call.
 */
CUresult cushim__capture_wait(struct cushim__stream *stream, struct cushim__event *event,
                              unsigned flags);

/* The event is recorded outside a capture now, or destroyed. */
void cushim__capture_forget_event(struct cushim__event *event);

/*
 * The stream is destroyed: a capture that began in it goes. False: there is no memory for what it
 * leaves to another's capture, and nothing is done; at any price that capture is invalidated.
 */
bool cushim__capture_forget_stream(struct cushim__stream *stream, bool at_any_price);

/* The graph is destroyed, with one that it is a child of: nobody has what was captured. */
void cushim__capture_lose_graph(struct cushim__capture *capture);

/* The mock ends. */
void cushim__captures_clear(void);

#endif
