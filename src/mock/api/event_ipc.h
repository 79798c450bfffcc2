/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of several processes (driver-semantics.md #74 to #77).
 *
 * What they share is one page of memory without a name: a file in memory of the exporting process,
 * which an importer opens through /proc. So nothing is left behind, however a process ends. The
 * page counts the records of the event by all processes and says which are done. The process that
 * begins a record holds a lock on its number until it is done; a record whose number is not locked
 * is done or its process is gone.
 *
 * An event has no page until it is exported, so `event->shared` may become set at any time.
 */
#ifndef CUSHIM_MOCK_API_EVENT_IPC_H
#define CUSHIM_MOCK_API_EVENT_IPC_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "src/mock/memory/pages.h"

struct mock_shared_event;

/* This process's end of it. Reference-counted: the event, and each record that is shared. */

struct mock_shared_event *cushim__mock_shared_event_retain(struct mock_shared_event *shared);
void cushim__mock_shared_event_release(struct mock_shared_event *shared);

/*
 * A record begins: returns its number, from 1. Called when the record is queued; its operation
 * calls end() when it is executed or dropped.
 */
uint64_t cushim__mock_shared_event_begin(struct mock_shared_event *shared);
void cushim__mock_shared_event_end(struct mock_shared_event *shared, uint64_t number);

/* The number of the newest record of all processes; 0: it was never recorded. */
uint64_t cushim__mock_shared_event_newest(const struct mock_shared_event *shared);

/* Whether a record is done; number 0 always is. May be asked again and again. */
bool cushim__mock_shared_event_done(const struct mock_shared_event *shared, uint64_t number);

/* The page that processes share of an event: how it is made, and found by another process. */

/* Make a page, with one reference. OUT_OF_MEMORY or OPERATING_SYSTEM. */
CUresult cushim__mock_shared_event_create(struct mock_shared_event **shared);

void cushim__mock_shared_event_address(const struct mock_shared_event *shared,
                                       struct mock_shared_pages *address);

/* Find the page of another process. MAP_FAILED: it is not there. */
CUresult cushim__mock_shared_event_open(const struct mock_shared_pages *address,
                                        struct mock_shared_event **shared);

bool cushim__mock_shared_event_has_key(const struct mock_shared_event *shared,
                                       const unsigned char key[MOCK_PAGES_KEY_BYTES]);

#endif
