/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting with a deadline, for what the driver only lets one ask about. */
#include "loader/system.h"
#include "src/objects.h"

/*
 * Work that is nearly done is caught by looks without a pause. Then pauses double: at most twice as
 * long as the wait so far, and never so long that a late answer would be felt.
 */
enum { IMMEDIATE_LOOKS = 4, FIRST_PAUSE_NS = 1000, LONGEST_PAUSE_NS = 1000 * 1000 };

CUresult cushim__poll(CUresult (*query)(void *object), void *object, uint64_t timeout_ns)
{
    const uint64_t start = cushim__clock_ns();
    uint64_t pause = FIRST_PAUSE_NS;

    for (unsigned looks = 1;; looks++) {
        const CUresult code = query(object);
        uint64_t waited, left;

        if (code != CUDA_ERROR_NOT_READY)
            return code;
        waited = cushim__clock_ns() - start;
        if (waited >= timeout_ns) /* for 0 at the first look, for UINT64_MAX in 584 years */
            return CUDA_ERROR_TIMEOUT;
        if (looks < IMMEDIATE_LOOKS)
            continue;
        left = timeout_ns - waited;
        cushim__sleep_ns(pause < left ? pause : left);
        if (pause < LONGEST_PAUSE_NS)
            pause = 2 * pause < LONGEST_PAUSE_NS ? 2 * pause : LONGEST_PAUSE_NS;
    }
}
