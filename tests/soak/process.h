/* SPDX-License-Identifier: Apache-2.0 */
/* What this process holds of its machine, and what the mock's library holds for it. */
#ifndef CUSHIM_TESTS_SOAK_PROCESS_H
#define CUSHIM_TESTS_SOAK_PROCESS_H

#include <stdbool.h>

#include <cushim/mock.h>

/* Bytes of memory that are resident. -1: it cannot be told. */
double process_resident_bytes(void);

/* Bytes of the C library's heap that are in use. -1: it cannot be told. */
double process_heap_bytes(void);

/* Open descriptors, and threads. -1: it cannot be told. */
double process_descriptors(void);
double process_threads(void);

/* What the mock says of itself. False: the driver is no mock, and `state` is as it was. */
bool process_mock_state(struct cushim_mock_state *state);

#endif
