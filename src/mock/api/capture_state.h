/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that implement captures share. */
#ifndef CUSHIM_MOCK_CAPTURE_STATE_H
#define CUSHIM_MOCK_CAPTURE_STATE_H

#include "src/mock/api/capture.h"
#include "src/mock/api/event.h"
#include "src/mock/api/graph_dependencies.h"
#include "src/mock/sim/stream.h"

struct cushim__graph;

/* A stream that takes part in a capture. */
struct cushim__captured_stream {
    struct cushim__captured_stream *next; /* in its capture */
    struct cushim__stream *stream;
    struct cushim__edges frontier; /* what the next node depends on */
    CUgraphNode *handles;          /* the frontier as the program was last told of it */
    struct cushim__edge_data *data;
};

struct cushim__capture {
    struct cushim__capture *next;
    cuuint64_t id;
    struct cushim__graph *graph;
    bool given; /* the graph is the program's: cuStreamBeginCaptureToGraph */
    bool invalidated;
    CUstreamCaptureMode mode;
    uint64_t thread;                         /* that began it */
    struct cushim__captured_stream *origin;  /* the stream that it began in; NULL: destroyed */
    struct cushim__captured_stream *streams; /* all that take part */
    struct cushim__edges left;               /* frontiers of streams that are destroyed */
};

/* All captures. */
extern struct cushim__capture *cushim__captures;

/* Begin a capture of a stream into a graph. */
CUresult cushim__capture_begin(struct cushim__stream *stream, CUstreamCaptureMode mode,
                               struct cushim__graph *graph, bool given,
                               const struct cushim__edges *dependencies);

/* Make a stream take part. */
CUresult cushim__capture_join(struct cushim__capture *capture, struct cushim__stream *stream,
                              const struct cushim__edges *frontier);

/* What an event is to calls. */
enum cushim__event_capture cushim__capture_state_of(const struct cushim__event *event);

/* 901 for the stream of a capture that was invalidated. */
CUresult cushim__capture_check(const struct cushim__stream *stream);

/*
 * Whether the first stream's work depends on that of all others. CUDA_SUCCESS,
 * STREAM_CAPTURE_UNJOINED or OUT_OF_MEMORY.
 */
CUresult cushim__capture_check_joined(const struct cushim__capture *capture);

/* The capture is over: streams leave it, its events were captured. The graph is the caller's. */
void cushim__capture_end(struct cushim__capture *capture);

#endif
