/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a call is going to queue, if that is more than one operation. All of it is made before any
 * is queued, so that a call without memory has done nothing.
 */
#ifndef CUSHIM_MOCK_API_STREAM_PLAN_H
#define CUSHIM_MOCK_API_STREAM_PLAN_H

#include <stddef.h>

#include <cuda.h>

struct mock_event;
struct mock_planned;
struct mock_event_record;
struct mock_stream;

/* Zeroed: nothing. */
struct mock_plan {
    struct mock_planned *at;
    size_t count, room;
    struct mock_stream *streams; /* by `next_planned` */
};

/*
 * A record of what the stream comes to until then, in place of the one in `*record`, which may be
 * NULL.
 */
CUresult cushim__mock_plan_record(struct mock_plan *plan, struct mock_event_record **record,
                                  struct mock_stream *stream);

/* Wait for a record; NULL: for nothing. */
CUresult cushim__mock_plan_wait(struct mock_plan *plan, struct mock_event_record *record,
                                struct mock_stream *stream);

/* Record an event, and wait for what it stands for when that is queued. */
CUresult cushim__mock_plan_event_record(struct mock_plan *plan, struct mock_event *event,
                                        struct mock_stream *stream);

/* A stream that ends with the plan: with what is queued on it by then. */
void cushim__mock_plan_stream(struct mock_plan *plan, struct mock_stream *stream);

/* Queue all of it, or nothing if there is no memory for it. */
CUresult cushim__mock_plan_queue(struct mock_plan *plan);

/* Free what was not queued. */
void cushim__mock_plan_clear(struct mock_plan *plan);

#endif
