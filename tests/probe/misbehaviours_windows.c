/* SPDX-License-Identifier: Apache-2.0 */
#include <windows.h>

#include "tests/probe/probing.h"

/* Words of a reason. */
#define ENDED " has ended its process"

const struct misbehaviour misbehaviours[] = {
    {"call-exit", CUSHIM_PROBE_BROKEN, 3, 0, ENDED " with exit status 3", false, false},
    {"call-quick-exit", CUSHIM_PROBE_BROKEN, 4, 0, ENDED " with exit status 4", false, false},
    {"end-well", CUSHIM_PROBE_BROKEN, 0, 0, ENDED " with exit status 0", false, false},
    {"hang", CUSHIM_PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"print", CUSHIM_PROBE_USABLE, 0, 0, "has 1 device.", false, false},
    {"spin", CUSHIM_PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"write-nowhere", CUSHIM_PROBE_BROKEN, -1, EXCEPTION_ACCESS_VIOLATION,
     ENDED " by 0xc0000005 (access violation)", false, true},
    {NULL, CUSHIM_PROBE_UNKNOWN, 0, 0, NULL, false, false},
};
