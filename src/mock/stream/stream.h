/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, as the functions of the driver see them: what handles mean, and how work is queued. */
#ifndef CUSHIM_MOCK_STREAM_STREAM_H
#define CUSHIM_MOCK_STREAM_STREAM_H

#include <stdint.h>

#include <cuda.h>

#include "src/mock/sim/operation.h"
#include "src/mock/sim/sim.h"
#include "src/mock/sim/stream.h"

struct mock_event;
struct mock_event_record;

/*
 * Find the stream that a handle means: NULL is the legacy default stream of the current context, or
 * in a per-thread call the calling thread's. INVALID_CONTEXT if a default stream is meant and no
 * context is current; a created stream needs none.
 */
CUresult cushim__mock_stream_find(CUstream handle, struct mock_stream **stream);

/* Whether a handle means a default stream, and which one it means in a context, current or not. */
static inline bool cushim__mock_stream_is_default(CUstream handle)
{
    return !handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
}

CUresult cushim__mock_stream_default(CUstream handle, struct mock_context *context,
                                     struct mock_stream **stream);

/*
 * Find the stream of a call that uses memory: the one that it names, or, if it is not asynchronous,
 * the current context's default stream.
 */
CUresult cushim__mock_memory_stream(CUstream handle, bool asynchronous,
                                    struct mock_stream **stream);

/*
 * Queue an operation of a call that uses memory, and wait for it. Takes the operation over. The
 * program does not know that it is finished if not `is_seen`.
 */
CUresult cushim__mock_memory_finish(struct mock_stream *stream, struct mock_operation *operation,
                                    bool is_seen);

/* Create a stream of a context, without a handle yet. Returns NULL if memory runs out. */
struct mock_stream *cushim__mock_stream_create(struct mock_context *context,
                                               enum mock_stream_kind kind, unsigned flags,
                                               int priority);

/* Create a stream for the program, whose priority is clamped. Fails with OUT_OF_MEMORY. */
CUresult cushim__mock_stream_make(struct mock_context *context, unsigned flags, int priority,
                                  CUstream *handle);

/* Clamp a priority to the range of the device, as the driver does (driver-semantics.md #50). */
int cushim__mock_stream_clamp(int priority);

/*
 * Queue an operation on a stream or, while that is captured, add it to the graph. Takes the
 * operation over in any case.
 */
CUresult cushim__mock_stream_submit(struct mock_stream *stream, void *operation);

/* Make a stream that is not captured wait for the newest record of the event. */
CUresult cushim__mock_stream_wait_event(struct mock_stream *stream, struct mock_event *event);

/* When a context ends, whose streams are idle: free the default ones, keep those with handles. */
void cushim__mock_streams_forget(struct mock_context *context);

/* Create the operation of a host function or host node, and read its parameters back. */
CUresult cushim__mock_host_operation(const CUDA_HOST_NODE_PARAMS *parameters,
                                     struct mock_operation **operation);
void cushim__mock_host_parameters(const struct mock_operation *operation,
                                  CUDA_HOST_NODE_PARAMS *parameters);

/* Create the operation of a stream callback, which gets `stream`. NULL if memory runs out. */
struct mock_operation *cushim__mock_callback_operation(CUstreamCallback function, void *data,
                                                       CUstream stream);

/*
 * What a call is going to queue, if that is more than one operation. All operations are created
 * before any is queued, so that a call that runs out of memory has done nothing.
 */

struct mock_planned;

/* Empty if zeroed. */
struct mock_plan {
    struct mock_planned *at;
    size_t count, room;
    struct mock_stream *streams; /* linked by `next_planned` */
};

/* Plan an operation. Takes it over in any case; NULL fails with OUT_OF_MEMORY. */
CUresult cushim__mock_plan_operation(struct mock_plan *plan, struct mock_stream *stream,
                                     struct mock_operation *operation);

/*
 * Plan a fence: a record, without an event, of where the stream has got to. It replaces the one in
 * `*fence`, which may be NULL.
 */
CUresult cushim__mock_plan_fence(struct mock_plan *plan, struct mock_event_record **fence,
                                 struct mock_stream *stream);

/* Plan to wait for a fence, or for nothing if it is NULL. */
CUresult cushim__mock_plan_wait(struct mock_plan *plan, struct mock_event_record *fence,
                                struct mock_stream *stream);

/* Plan to record an event. */
CUresult cushim__mock_plan_event_record(struct mock_plan *plan, struct mock_event *event,
                                        struct mock_stream *stream);

/* Plan to wait for an event, as it is when the plan gets there. */
CUresult cushim__mock_plan_event_wait(struct mock_plan *plan, struct mock_event *event,
                                      struct mock_stream *stream);

/* Make a stream end with the plan, after the work that is queued on it by then. */
void cushim__mock_plan_stream(struct mock_plan *plan, struct mock_stream *stream);

/* Queue the whole plan, or nothing if memory runs out. */
CUresult cushim__mock_plan_submit(struct mock_plan *plan);

/* Free what was not queued. */
void cushim__mock_plan_clear(struct mock_plan *plan);

#endif
