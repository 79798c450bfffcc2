/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probing on POSIX. This process adopts orphans, so that the test finds each process that is left.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/probe/probing.h"
#include "tests/support/cmocka.h"
#include "tests/support/descriptor.h"

/* A killed process may take a while to end; any other process is still there after this time. */
enum { PATIENCE_MS = 120000 };

int left_orphans;

static int descriptors;

int left_begin(void **state)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    descriptors = descriptor_count();
    return 0;
}

void left_await(long process)
{
    waitpid((pid_t)process, NULL, 0);
}

int left_check(void **state)
{
    int status = 0, waited_ms = 0;
    pid_t ended;

    while ((ended = waitpid(-1, &status, WNOHANG)) >= 0) {
        if (ended == 0) {
            assert_true(waited_ms++ < PATIENCE_MS);
            usleep(1000);
            continue;
        }
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGKILL);
        left_orphans++;
    }
    assert_int_equal(errno, ECHILD);
    assert_int_equal(descriptor_count(), descriptors);
    return 0;
}

/* A part of a reason. */
#define ENDED " has ended its process"
#define CLOSED "closed descriptors that are not its own"

const struct misbehaviour misbehaviours[] = {
    {"abort", PROBE_BROKEN, -1, SIGABRT, ENDED " by signal 6 (SIGABRT)", false, false},
    {"call-exit", PROBE_BROKEN, 3, 0, ENDED " with exit status 3", false, false},
    {"call-quick-exit", PROBE_BROKEN, 4, 0, ENDED " with exit status 4", false, false},
    {"close-all", PROBE_BROKEN, 79, 0, CLOSED, false, false},
    {"close-all-and-hang", PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"end-well", PROBE_BROKEN, 0, 0, ENDED " with exit status 0", false, false},
    {"expect-default-signals", PROBE_USABLE, 0, 0, "has 1 device.", false, false},
    {"expect-no-descriptors", PROBE_USABLE, 0, 0, "has 1 device.", false, false},
    {"expect-own-group", PROBE_USABLE, 0, 0, "has 1 device.", false, false},
    {"fault", PROBE_BROKEN, -1, SIGSEGV, ENDED " by signal 11 (SIGSEGV)", true, false},
    {"hang", PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"hang-blocking-signals", PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"hang-ignoring-signals", PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"leave-child", PROBE_USABLE, 0, 0, "has 1 device.", false, false},
    {"leave-child-and-end", PROBE_BROKEN, 5, 0, ENDED " with exit status 5", false, false},
    {"leave-child-and-hang", PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"leave-many-children", PROBE_USABLE, 0, 0, "has 1 device.", false, false},
    {"print", PROBE_USABLE, 0, 0, "has 1 device.", false, false},
    {"print-everywhere", PROBE_BROKEN, 0, 0, "garbled the answer", false, false},
    {"recurse", PROBE_BROKEN, -1, SIGSEGV, ENDED " by signal 11 (SIGSEGV)", true, false},
    {"replace-all", PROBE_BROKEN, 79, 0, CLOSED, false, false},
    {"spin", PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"stop", PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"write-nowhere", PROBE_BROKEN, -1, SIGSEGV, ENDED " by signal 11 (SIGSEGV)", true, false},
    {NULL, PROBE_UNKNOWN, 0, 0, NULL, false, false},
};
