/* SPDX-License-Identifier: Apache-2.0 */
/* What events are inside. */
#ifndef CUSHIM_TESTS_EXAMPLES_EVENT_H
#define CUSHIM_TESTS_EXAMPLES_EVENT_H

#include "driver.h"

/* What one record leaves: waiters keep the record that they were given, whatever comes later. */
struct driver_record {
    unsigned references;
    bool done;
    uint64_t time_ns;
};

/* An interprocess event's state, in memory that several processes have mapped. */
struct driver_shared {
    _Atomic uint64_t recorded, done; /* numbers of records */
};

struct CUevent_st {
    struct driver_object object;
    unsigned flags;
    bool imported;
    struct driver_record *record; /* NULL: never recorded */
    struct driver_shared *shared; /* NULL: of this process only */
    int file;                     /* of the shared memory that this process made */
};

/* Put an event's state where other processes find it. */
void driver_event_share(CUevent event);

#endif
