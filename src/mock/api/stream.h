/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, as the functions of the driver see them: what a handle means. */
#ifndef CUSHIM_MOCK_API_STREAM_H
#define CUSHIM_MOCK_API_STREAM_H

#include <stdint.h>

#include <cuda.h>

#include "src/mock/sim/operation.h"
#include "src/mock/sim/sim.h"
#include "src/mock/sim/stream.h"

/*
 * The stream that a handle means: NULL is the legacy default stream of the current context, or in a
 * per-thread call the calling thread's. INVALID_CONTEXT if a default stream is meant and no context
 * is current; a created stream needs none.
 */
CUresult cushim__mock_stream_find(CUstream handle, struct mock_stream **stream);

/* Whether a handle means a default stream; and which of a context it means, current or not. */
bool cushim__mock_stream_is_default(CUstream handle);
CUresult cushim__mock_stream_default(CUstream handle, struct mock_context *context,
                                     struct mock_stream **stream);

/*
 * The stream of a call that uses memory: the one that it names, or, if it is not asynchronous, the
 * current context's default stream.
 */
CUresult cushim__mock_memory_stream(CUstream handle, bool asynchronous,
                                    struct mock_stream **stream);

/* Queue an operation of such a call and wait for it. Takes it over. */
CUresult cushim__mock_memory_finish(struct mock_stream *stream, struct mock_operation *operation);

/* A stream of a context, which has no handle yet. NULL: out of memory. */
struct mock_stream *cushim__mock_stream_create(struct mock_context *context,
                                               enum mock_stream_kind kind, unsigned flags,
                                               int priority);

/*
 * Queue an operation on a stream: or, while the stream is captured, add it to the graph. Takes the
 * operation over in any case.
 */
CUresult cushim__mock_stream_submit(struct mock_stream *stream, void *operation);

/* A context ends, and its streams are idle: free the default ones, keep those that have handles. */
void cushim__mock_streams_forget(struct mock_context *context);

/* Host functions, as graphs meet them. */

/* The operation of a host node, and its parameters again. */
CUresult cushim__mock_host_operation(const CUDA_HOST_NODE_PARAMS *parameters,
                                     struct mock_operation **operation);
void cushim__mock_host_parameters(const struct mock_operation *operation,
                                  CUDA_HOST_NODE_PARAMS *parameters);

/*
 * What a call is going to queue, if that is more than one operation. All of it is made before any
 * is queued, so that a call without memory has done nothing.
 */

struct mock_event;
struct mock_event_record;
struct mock_planned;

/* Zeroed: nothing. */
struct mock_plan {
    struct mock_planned *at;
    size_t count, room;
    struct mock_stream *streams; /* by `next_planned` */
};

/*
 * A fence: a record, without an event, of what the stream comes to until then. It takes the place
 * of the one in `*fence`, which may be NULL.
 */
CUresult cushim__mock_plan_fence(struct mock_plan *plan, struct mock_event_record **fence,
                                 struct mock_stream *stream);

/* Wait for a fence; NULL: for nothing. */
CUresult cushim__mock_plan_wait(struct mock_plan *plan, struct mock_event_record *fence,
                                struct mock_stream *stream);

/* Record an event, and wait for what it stands for when that is queued. */
CUresult cushim__mock_plan_event_record(struct mock_plan *plan, struct mock_event *event,
                                        struct mock_stream *stream);

/* A stream that ends with the plan: with what is queued on it by then. */
void cushim__mock_plan_stream(struct mock_plan *plan, struct mock_stream *stream);

/* Queue all of it, or nothing if there is no memory for it. */
CUresult cushim__mock_plan_submit(struct mock_plan *plan);

/* Free what was not queued. */
void cushim__mock_plan_clear(struct mock_plan *plan);

#endif
