/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that processes share (driver-semantics.md #74 to #77).
 *
 * The processes share a page (memory/pages.h), so nothing is left behind, however one ends. The
 * page counts the records of the event by all processes and shows which are done. The process that
 * begins a record holds its number until the record is done or the process ends; a record whose
 * number nobody holds is done, or its process is gone.
 *
 * An event has no page until it is exported, so `event->shared` may become set at any time.
 */
#ifndef CUSHIM_MOCK_EVENT_SHARED_H
#define CUSHIM_MOCK_EVENT_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "src/mock/memory/pages.h"

/* A record that is this far behind the newest counts as done. */
enum { MOCK_EVENT_SLOTS = 448 };

struct mock_event_page {
    _Atomic uint64_t newest; /* the number of the newest record of all processes; 0 if none */
    _Atomic uint64_t done[MOCK_EVENT_SLOTS]; /* the latest done of the numbers that share a slot */
    /* Only on Windows: */
    _Atomic uint64_t begun[MOCK_EVENT_SLOTS]; /* the latest begun of these numbers */
    _Atomic uint32_t members;                 /* how many processes have had the page */
};

/* This process's side of a shared event. Referenced by the event and by each shared record. */
struct mock_shared_event {
    unsigned references;
    struct mock_event_page *page;
    struct mock_shared_pages pages; /* where other processes find it */
    void *room;                     /* the shared memory; NULL if it is another process's */
    size_t bytes;
    struct mock_event_holder *holder; /* what this process holds numbers with */
};

struct mock_shared_event *cushim__mock_shared_event_retain(struct mock_shared_event *shared);
void cushim__mock_shared_event_release(struct mock_shared_event *shared);

/* Create a page with one reference. Fails with OUT_OF_MEMORY or OPERATING_SYSTEM. */
CUresult cushim__mock_shared_event_create(struct mock_shared_event **shared);

/* Find the page of another process. Returns MAP_FAILED if it is not there. */
CUresult cushim__mock_shared_event_open(const struct mock_shared_pages *address,
                                        struct mock_shared_event **shared);

/* The number of the newest record of all processes; 0 if it was never recorded. */
uint64_t cushim__mock_shared_event_newest(const struct mock_shared_event *shared);

/*
 * Begin a record, and return its number, from 1. Called when the record is queued; its operation
 * calls end() when it is executed or dropped.
 */
uint64_t cushim__mock_shared_event_begin(struct mock_shared_event *shared);
void cushim__mock_shared_event_end(struct mock_shared_event *shared, uint64_t number);

/* Whether a record is done; number 0 always is. May be called repeatedly. */
bool cushim__mock_shared_event_done(const struct mock_shared_event *shared, uint64_t number);

/*
 * Implemented for each operating system: start and stop holding numbers, release one, and check
 * whether any process holds a number that is not marked as done. On Linux, `file` is the page's
 * file, which the holder takes over if the page is another process's. Creation fails with
 * OUT_OF_MEMORY or OPERATING_SYSTEM.
 */
CUresult cushim__mock_event_holder_create(struct mock_shared_event *shared, int file);
void cushim__mock_event_holder_destroy(struct mock_shared_event *shared);
void cushim__mock_event_unhold(struct mock_shared_event *shared, uint64_t number);
bool cushim__mock_event_is_held(const struct mock_shared_event *shared, uint64_t number);

#endif
