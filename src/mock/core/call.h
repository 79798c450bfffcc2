/* SPDX-License-Identifier: Apache-2.0 */
/* The call of the driver that is under way on a thread. */
#ifndef CUSHIM_MOCK_CORE_CALL_H
#define CUSHIM_MOCK_CORE_CALL_H

#include <stdbool.h>

#include "src/base/layer_host.h"

struct cushim_mock;

struct mock_call {
    struct cushim_mock *mock; /* NULL: no call is under way, or there is no mock */
    unsigned slot;
    bool too_early; /* cuInit was not called: only the answer to the arguments counts */
    /*
     * Whether NULL means the per-thread default stream: set by the wrappers of `_ptsz` and `_ptds`
     * symbols around the function that they share with their twin.
     */
    bool per_thread;
    bool in_host_function; /* the thread executes a host function of the program */
    /*
     * The mock whose lock this thread has taken for a fork; NULL: none. Handlers for the fork that
     * come after the mock's may call the driver, as a loader's does that asks whether it is
     * initialised.
     */
    struct cushim_mock *held_for_fork;
};
extern _Thread_local struct mock_call cushim__mock_call;

/* The exported name of the function under way, or "". */
const char *cushim__mock_call_name(void);

#endif
