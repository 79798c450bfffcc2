/* SPDX-License-Identifier: Apache-2.0 */
/* The page that processes share of an event: how it is made, and found by another process. */
#ifndef CUSHIM_MOCK_SHARED_EVENT_H
#define CUSHIM_MOCK_SHARED_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

struct mock_shared_event;

enum { MOCK_SHARED_KEY_BYTES = 16 };

/* Where a page is. */
struct mock_shared_address {
    int32_t process, file; /* of the process that made it */
    unsigned char key[MOCK_SHARED_KEY_BYTES];
};

/* Make a page, with one reference. OUT_OF_MEMORY or OPERATING_SYSTEM. */
CUresult cushim__mock_shared_event_create(struct mock_shared_event **shared);

void cushim__mock_shared_event_address(const struct mock_shared_event *shared,
                                       struct mock_shared_address *address);

/* Find the page of another process. MAP_FAILED: it is not there. */
CUresult cushim__mock_shared_event_open(const struct mock_shared_address *address,
                                        struct mock_shared_event **shared);

bool cushim__mock_shared_event_has_key(const struct mock_shared_event *shared,
                                       const unsigned char key[MOCK_SHARED_KEY_BYTES]);

#endif
