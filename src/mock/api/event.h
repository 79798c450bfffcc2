/* SPDX-License-Identifier: Apache-2.0 */
/* Events, and the records that they stand for. */
#ifndef CUSHIM_MOCK_EVENT_H
#define CUSHIM_MOCK_EVENT_H

#include "src/mock/api/graph_dependencies.h"
#include "src/mock/core/object.h"
#include "src/mock/sim/stream.h"

struct cushim__capture;
struct cushim__clock;
struct cushim__shared_event;

/*
 * What one record leaves. Waiters keep the record that they were given, whatever is recorded later.
 * Reference-counted: the event, the operation that sets it and each operation that waits.
 */
struct cushim__record {
    unsigned references;
    bool done;
    uint64_t time_ns;                    /* when it was done */
    struct cushim__stream *stream;       /* while it is not done */
    uint64_t number;                     /* of the operation */
    struct cushim__stream *waiting;      /* streams whose head waits for it */
    struct cushim__shared_event *shared; /* an interprocess event's; NULL: of this process only */
    uint64_t shared_number;
    struct cushim__clock *clock; /* what comes before it: src/race/race_search.h */
};

enum cushim__event_capture {
    CUSHIM__NOT_CAPTURED,
    CUSHIM__IN_CAPTURE,  /* recorded in a capture that has not ended: `capture` tells which */
    CUSHIM__WAS_CAPTURED /* recorded in a capture that has ended: calls answer INVALID_VALUE */
};

struct cushim__event {
    struct cushim__object object;
    unsigned flags;
    bool imported;
    struct cushim__record *record; /* NULL: never recorded, or in a capture */
    struct cushim__shared_event *shared;

    /* Owned by capture.c. */
    enum cushim__event_capture capture_state;
    struct cushim__capture *capture;
    struct cushim__edges capture_nodes; /* what stood before it in its stream */
};

CUresult cushim__event_find(CUevent handle, struct cushim__event **event);

/* A new event of a context, with its handle: for cuIpcOpenEventHandle as well. */
CUresult cushim__event_create(struct cushim__context *context, unsigned flags,
                              struct cushim__event **event);

/* A new record with one reference, and its release. NULL: out of memory. */
struct cushim__record *cushim__record_create(void);
struct cushim__record *cushim__record_retain(struct cushim__record *record);
void cushim__record_release(struct cushim__record *record);
bool cushim__record_done(const struct cushim__record *record);

/*
 * Operations that set a record and wait for one; they retain it. NULL: out of memory. One that is
 * to wait may be told later for what.
 */
void *cushim__record_operation(struct cushim__record *record);
void *cushim__wait_operation(struct cushim__record *record);
void cushim__wait_set(void *operation, struct cushim__record *record);

/*
 * An event is recorded in four steps, of which the first alone may fail (NULL: out of memory): the
 * operation that sets a new record, the record's beginning, the operation that is queued by the
 * caller on a stream that is not captured, and the event that takes the record over.
 */
void *cushim__event_operation(const struct cushim__event *event, struct cushim__record *record);
void cushim__event_begin_record(const struct cushim__event *event, struct cushim__record *record,
                                struct cushim__stream *stream);
void cushim__event_end_record(struct cushim__event *event, struct cushim__record *record,
                              const struct cushim__stream *stream);

/* Whether nothing is left to wait for. */
bool cushim__event_done(const struct cushim__event *event);

/* Make a new record stand for what the event, which processes share, stands for now. */
void cushim__event_share(const struct cushim__event *event, struct cushim__record *record);

/* For the search for races: a stream comes after the event, also if that is done already. */
void cushim__event_follow(const struct cushim__event *event, struct cushim__stream *stream);

/* Make a stream that is not captured wait for what the event stands for now. */
CUresult cushim__event_wait(struct cushim__event *event, struct cushim__stream *stream);

#endif
