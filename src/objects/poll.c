/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting with a deadline, where the driver only has a query. */
#include "src/base/system.h"
#include "src/objects/objects.h"

/*
 * The first looks come without a pause, to catch work that is nearly done. Then pauses double: at
 * most twice as long as the wait so far, and never so long that a late answer would be noticed.
 */
enum { IMMEDIATE_LOOKS = 4, FIRST_PAUSE_NS = 1000, LONGEST_PAUSE_NS = 1000 * 1000 };

CUresult cushim__poll(CUresult (*query)(void *object), void *object, uint64_t timeout_ns)
{
    const uint64_t start = cushim__system_clock_ns();
    uint64_t pause = FIRST_PAUSE_NS;

    for (unsigned looks = 1;; looks++) {
        const CUresult code = query(object);
        uint64_t waited, left;

        if (code != CUDA_ERROR_NOT_READY)
            return code;
        waited = cushim__system_clock_ns() - start;
        if (waited >= timeout_ns) /* 0 expires at the first query, UINT64_MAX after 584 years */
            return CUDA_ERROR_TIMEOUT;
        if (looks < IMMEDIATE_LOOKS)
            continue;
        left = timeout_ns - waited;
        cushim__system_sleep_ns(pause < left ? pause : left);
        if (pause < LONGEST_PAUSE_NS)
            pause = 2 * pause < LONGEST_PAUSE_NS ? 2 * pause : LONGEST_PAUSE_NS;
    }
}
