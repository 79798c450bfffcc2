/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of several processes (driver-semantics.md #74 to #77).
 *
 * What they share is a page (memory/pages.h), so nothing is left behind, however a process ends. It
 * counts the records of the event by all processes and says which are done. The process that begins
 * a record holds its number until it is done, as long as the process lives; a record whose number
 * nobody holds is done, or its process is gone.
 *
 * An event has no page until it is exported, so `event->shared` may become set at any time.
 */
#ifndef CUSHIM_MOCK_API_EVENT_IPC_H
#define CUSHIM_MOCK_API_EVENT_IPC_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "src/mock/memory/pages.h"

/* A record that is this many before the newest counts as done. */
enum { MOCK_EVENT_SLOTS = 448 };

struct mock_event_page {
    _Atomic uint64_t newest; /* the number of the newest record of all processes; 0: none */
    _Atomic uint64_t done[MOCK_EVENT_SLOTS]; /* of the numbers that share a slot, the last done */
    /* On Windows alone: */
    _Atomic uint64_t begun[MOCK_EVENT_SLOTS]; /* the same, the last begun */
    _Atomic uint32_t members;                 /* how many processes have had the page */
};

/* This process's end of it. Reference-counted: the event, and each record that is shared. */
struct mock_shared_event {
    unsigned references;
    struct mock_event_page *page;
    struct mock_shared_pages pages; /* where other processes find it */
    void *room;                     /* what was shared; NULL: it is another process's */
    size_t bytes;
    struct mock_event_holder *holder; /* by what this process holds numbers */
};

struct mock_shared_event *cushim__mock_shared_event_retain(struct mock_shared_event *shared);
void cushim__mock_shared_event_release(struct mock_shared_event *shared);

/* Make a page, with one reference. OUT_OF_MEMORY or OPERATING_SYSTEM. */
CUresult cushim__mock_shared_event_create(struct mock_shared_event **shared);

/* Find the page of another process. MAP_FAILED: it is not there. */
CUresult cushim__mock_shared_event_open(const struct mock_shared_pages *address,
                                        struct mock_shared_event **shared);

/* The number of the newest record of all processes; 0: it was never recorded. */
uint64_t cushim__mock_shared_event_newest(const struct mock_shared_event *shared);

/*
 * A record begins: returns its number, from 1. Called when the record is queued; its operation
 * calls end() when it is executed or dropped.
 */
uint64_t cushim__mock_shared_event_begin(struct mock_shared_event *shared);
void cushim__mock_shared_event_end(struct mock_shared_event *shared, uint64_t number);

/* Whether a record is done; number 0 always is. May be asked again and again. */
bool cushim__mock_shared_event_done(const struct mock_shared_event *shared, uint64_t number);

/*
 * The system's part: begin and stop to hold numbers; the end of one; and whether a number that is
 * not marked as done is held. `file` is the page's, on Linux, and taken over with the page of another
 * process. OUT_OF_MEMORY or OPERATING_SYSTEM.
 */
CUresult cushim__mock_event_holder_create(struct mock_shared_event *shared, int file);
void cushim__mock_event_holder_destroy(struct mock_shared_event *shared);
void cushim__mock_event_unhold(struct mock_shared_event *shared, uint64_t number);
bool cushim__mock_event_is_held(const struct mock_shared_event *shared, uint64_t number);

#endif
