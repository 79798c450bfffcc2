/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>

#include "tests/probe/probing.h"

/* Words of a reason. */
#define ENDED " has ended its process"
#define CLOSED "closed descriptors that are not its own"

const struct misbehaviour misbehaviours[] = {
    {"abort", CUSHIM_PROBE_BROKEN, -1, SIGABRT, ENDED " by signal 6 (SIGABRT)", false, false},
    {"call-exit", CUSHIM_PROBE_BROKEN, 3, 0, ENDED " with exit status 3", false, false},
    {"call-quick-exit", CUSHIM_PROBE_BROKEN, 4, 0, ENDED " with exit status 4", false, false},
    {"close-all", CUSHIM_PROBE_BROKEN, 79, 0, CLOSED, false, false},
    {"close-all-and-hang", CUSHIM_PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"end-well", CUSHIM_PROBE_BROKEN, 0, 0, ENDED " with exit status 0", false, false},
    {"expect-default-signals", CUSHIM_PROBE_USABLE, 0, 0, "has 1 device.", false, false},
    {"expect-no-descriptors", CUSHIM_PROBE_USABLE, 0, 0, "has 1 device.", false, false},
    {"expect-own-group", CUSHIM_PROBE_USABLE, 0, 0, "has 1 device.", false, false},
    {"fault", CUSHIM_PROBE_BROKEN, -1, SIGSEGV, ENDED " by signal 11 (SIGSEGV)", true, false},
    {"hang", CUSHIM_PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"hang-blocking-signals", CUSHIM_PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"hang-ignoring-signals", CUSHIM_PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"leave-child", CUSHIM_PROBE_USABLE, 0, 0, "has 1 device.", false, false},
    {"leave-child-and-end", CUSHIM_PROBE_BROKEN, 5, 0, ENDED " with exit status 5", false, false},
    {"leave-child-and-hang", CUSHIM_PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"leave-many-children", CUSHIM_PROBE_USABLE, 0, 0, "has 1 device.", false, false},
    {"print", CUSHIM_PROBE_USABLE, 0, 0, "has 1 device.", false, false},
    {"print-everywhere", CUSHIM_PROBE_BROKEN, 0, 0, "garbled the answer", false, false},
    {"recurse", CUSHIM_PROBE_BROKEN, -1, SIGSEGV, ENDED " by signal 11 (SIGSEGV)", true, false},
    {"replace-all", CUSHIM_PROBE_BROKEN, 79, 0, CLOSED, false, false},
    {"spin", CUSHIM_PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"stop", CUSHIM_PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"write-nowhere", CUSHIM_PROBE_BROKEN, -1, SIGSEGV, ENDED " by signal 11 (SIGSEGV)", true,
     false},
    {NULL, CUSHIM_PROBE_UNKNOWN, 0, 0, NULL, false, false},
};
