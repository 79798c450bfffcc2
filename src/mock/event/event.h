/* SPDX-License-Identifier: Apache-2.0 */
/* Events, and the records that they stand for. */
#ifndef CUSHIM_MOCK_EVENT_EVENT_H
#define CUSHIM_MOCK_EVENT_EVENT_H

#include "src/mock/core/object.h"
#include "src/mock/graph/graph.h"
#include "src/mock/sim/stream.h"

struct mock_shared_event;

/*
 * One record of an event. Waiters keep the record that they were given, whatever is recorded later.
 * References are held by the event, the operation that marks it as done and each that waits.
 */
struct mock_event_record {
    unsigned references;
    bool done;
    uint64_t time_ns;                 /* when it was done */
    struct mock_stream *stream;       /* where it was recorded, until it is done */
    uint64_t number;                  /* the operation's number */
    struct mock_stream *waiting;      /* streams whose head waits for it */
    struct mock_shared_event *shared; /* of an interprocess event; NULL if of this process only */
    uint64_t shared_number;
    struct race_clock *clock; /* what comes before it: src/race/race.h */
};

enum mock_event_capture {
    MOCK_NOT_CAPTURED,
    MOCK_IN_CAPTURE,  /* recorded in a capture that has not ended: `capture` */
    MOCK_WAS_CAPTURED /* recorded in a capture that has ended: calls return INVALID_VALUE */
};

struct mock_event {
    struct mock_object object;
    unsigned flags;
    bool imported;
    struct mock_event_record *record; /* NULL if never recorded, or recorded in a capture */
    struct mock_shared_event *shared;

    /* Set by captures (stream/capture.c). */
    enum mock_event_capture capture_state;
    struct mock_capture *capture;
    struct mock_edges capture_nodes; /* the nodes that come before the record in its stream */
};

/* Create an event of a context, with its handle; destroy it with its handle. */
CUresult cushim__mock_event_create(struct mock_context *context, unsigned flags,
                                   struct mock_event **event);

void cushim__mock_event_destroy(struct mock_event *event);

/* The event no longer stands for nodes of its capture, which has ended or was lost. */
void cushim__mock_event_forget_capture(struct mock_event *event, enum mock_event_capture state);

/* Create a record with one reference. Returns NULL if memory runs out. */
struct mock_event_record *cushim__mock_event_record_create(void);
struct mock_event_record *cushim__mock_event_record_retain(struct mock_event_record *record);
void cushim__mock_event_record_release(struct mock_event_record *record);
bool cushim__mock_event_record_done(const struct mock_event_record *record);

/*
 * Create the operation that marks a new record as done, or one that waits for a record. Both retain
 * the record; NULL if memory runs out. The record to wait for may be set later.
 */
void *cushim__mock_event_record_operation(struct mock_event_record **record);
void *cushim__mock_event_wait_operation(struct mock_event_record *record);
void cushim__mock_event_wait_set_record(void *operation, struct mock_event_record *record);

/*
 * An event is recorded in four steps: create a record with its operation (NULL if memory runs out),
 * prepare the record, let the caller queue the operation on a stream that is not captured, and then
 * report that it was submitted, upon which the event takes the record over.
 */
void *cushim__mock_event_operation(const struct mock_event *event,
                                   struct mock_event_record **record);
void cushim__mock_event_record_prepare(const struct mock_event *event,
                                       struct mock_event_record *record,
                                       struct mock_stream *stream);
void cushim__mock_event_record_submitted(struct mock_event *event, struct mock_event_record *record,
                                         const struct mock_stream *stream);

/* Retain the newest record. NULL if the event was not recorded or memory runs out. */
struct mock_event_record *cushim__mock_event_newest(const struct mock_event *event);

/* Whether the event has nothing left to wait for. */
bool cushim__mock_event_done(const struct mock_event *event);

/* Make a new record stand for the newest record of an event that processes share. */
void cushim__mock_event_share(const struct mock_event *event, struct mock_event_record *record);

/* For the race detector: order a stream after the event, even if that is already done. */
void cushim__mock_event_follow(const struct mock_event *event, struct mock_stream *stream);

#endif
