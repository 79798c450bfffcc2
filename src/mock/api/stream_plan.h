/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a call is going to queue, if that is more than one operation. All of it is made before any
 * is queued, so that a call without memory has done nothing.
 */
#ifndef CUSHIM_MOCK_PLAN_H
#define CUSHIM_MOCK_PLAN_H

#include <stddef.h>

#include <cuda.h>

struct cushim__event;
struct cushim__operation;
struct cushim__planned;
struct cushim__record;
struct cushim__stream;

/* Zeroed: nothing. */
struct cushim__plan {
    struct cushim__planned *at;
    size_t count, room;
    struct cushim__stream *streams; /* by `next_planned` */
};

/* Queue an operation on a stream. Takes it over in any case; NULL is OUT_OF_MEMORY. */
CUresult cushim__plan_operation(struct cushim__plan *plan, struct cushim__stream *stream,
                                struct cushim__operation *operation);

/*
 * A record of what the stream comes to until then, in place of the one in `*record`, which may be
 * NULL.
 */
CUresult cushim__plan_record(struct cushim__plan *plan, struct cushim__record **record,
                             struct cushim__stream *stream);

/* Wait for a record; NULL: for nothing. */
CUresult cushim__plan_wait(struct cushim__plan *plan, struct cushim__record *record,
                           struct cushim__stream *stream);

/* Record an event, and wait for what it stands for when that is queued. */
CUresult cushim__plan_event_record(struct cushim__plan *plan, struct cushim__event *event,
                                   struct cushim__stream *stream);
CUresult cushim__plan_event_wait(struct cushim__plan *plan, struct cushim__event *event,
                                 struct cushim__stream *stream);

/* A stream that ends with the plan: with what is queued on it by then. */
void cushim__plan_stream(struct cushim__plan *plan, struct cushim__stream *stream);

/* Queue all of it, or nothing if there is no memory for it. */
CUresult cushim__plan_queue(struct cushim__plan *plan);

/* Free what was not queued. */
void cushim__plan_clear(struct cushim__plan *plan);

#endif
