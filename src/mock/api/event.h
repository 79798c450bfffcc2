/* SPDX-License-Identifier: Apache-2.0 */
/* Events, and the records that they stand for. */
#ifndef CUSHIM_MOCK_API_EVENT_H
#define CUSHIM_MOCK_API_EVENT_H

#include "src/mock/api/graph.h"
#include "src/mock/core/object.h"
#include "src/mock/sim/stream.h"

struct mock_shared_event;

/*
 * What one record leaves. Waiters keep the record that they were given, whatever is recorded later.
 * Reference-counted: the event, the operation that marks it as done and each operation that waits.
 */
struct mock_event_record {
    unsigned references;
    bool done;
    uint64_t time_ns;                 /* when it was done */
    struct mock_stream *stream;       /* while it is not done */
    uint64_t number;                  /* of the operation */
    struct mock_stream *waiting;      /* streams whose head waits for it */
    struct mock_shared_event *shared; /* an interprocess event's; NULL: of this process only */
    uint64_t shared_number;
    struct race_clock *clock; /* what comes before it: src/race/race.h */
};

enum mock_event_capture {
    MOCK_NOT_CAPTURED,
    MOCK_IN_CAPTURE,  /* recorded in a capture that has not ended: `capture` is it */
    MOCK_WAS_CAPTURED /* recorded in a capture that has ended: calls return INVALID_VALUE */
};

struct mock_event {
    struct mock_object object;
    unsigned flags;
    bool imported;
    struct mock_event_record *record; /* NULL: never recorded, or in a capture */
    struct mock_shared_event *shared;

    /* Owned by capture.c. */
    enum mock_event_capture capture_state;
    struct mock_capture *capture;
    struct mock_edges capture_nodes; /* what stood before it in its stream */
};

/* A new event of a context, with its handle: for cuIpcOpenEventHandle as well. */
CUresult cushim__mock_event_create(struct mock_context *context, unsigned flags,
                                   struct mock_event **event);

/* A new record with one reference, and its release. NULL: out of memory. */
struct mock_event_record *cushim__mock_event_record_create(void);
struct mock_event_record *cushim__mock_event_record_retain(struct mock_event_record *record);
void cushim__mock_event_record_release(struct mock_event_record *record);
bool cushim__mock_event_record_done(const struct mock_event_record *record);

/*
 * Operations that mark a new record as done and that wait for one; they retain it. NULL: out of
 * memory. One that is to wait may get what it waits for later.
 */
void *cushim__mock_event_record_operation(struct mock_event_record **record);
void *cushim__mock_event_wait_operation(struct mock_event_record *record);
void cushim__mock_event_wait_set_record(void *operation, struct mock_event_record *record);

/*
 * An event is recorded in four steps: create a new record with its operation (NULL: out of memory),
 * prepare the record, let the caller queue the operation on a stream that is not captured, and then
 * say that it was submitted: the event takes the record over.
 */
void *cushim__mock_event_operation(const struct mock_event *event,
                                   struct mock_event_record **record);
void cushim__mock_event_record_prepare(const struct mock_event *event,
                                       struct mock_event_record *record,
                                       struct mock_stream *stream);
void cushim__mock_event_record_submitted(struct mock_event *event, struct mock_event_record *record,
                                         const struct mock_stream *stream);

/* Whether nothing is left to wait for. */
bool cushim__mock_event_done(const struct mock_event *event);

/* Make a new record stand for what the event, which processes share, stands for now. */
void cushim__mock_event_share(const struct mock_event *event, struct mock_event_record *record);

/* For the race detector: a stream comes after the event, also if that is done already. */
void cushim__mock_event_follow(const struct mock_event *event, struct mock_stream *stream);

/* Make a stream that is not captured wait for what the event stands for now. */
CUresult cushim__mock_event_wait(struct mock_event *event, struct mock_stream *stream);

#endif
