/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that implement captures share. */
#ifndef CUSHIM_MOCK_CAPTURE_STATE_H
#define CUSHIM_MOCK_CAPTURE_STATE_H

#include "src/mock/api/capture.h"
#include "src/mock/api/event.h"
#include "src/mock/api/graph_dependencies.h"
#include "src/mock/sim/stream.h"

struct mock_graph;

/* A stream that takes part in a capture. */
struct mock_captured_stream {
    struct mock_captured_stream *next; /* in its capture */
    struct mock_stream *stream;
    struct mock_edges frontier; /* what the next node depends on */
    CUgraphNode *handles;       /* the frontier as the program was last told of it */
    struct mock_edge_data *data;
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

/* All captures. */
extern struct mock_capture *cushim__mock_captures;

/* Begin a capture of a stream into a graph. */
CUresult cushim__mock_capture_begin(struct mock_stream *stream, CUstreamCaptureMode mode,
                                    struct mock_graph *graph, bool given,
                                    const struct mock_edges *dependencies);

/* Make a stream take part. */
CUresult cushim__mock_capture_join(struct mock_capture *capture, struct mock_stream *stream,
                                   const struct mock_edges *frontier);

/* What an event is to calls. */
enum mock_event_capture cushim__mock_capture_state_of(const struct mock_event *event);

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
