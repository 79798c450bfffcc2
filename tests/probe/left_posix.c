/* SPDX-License-Identifier: Apache-2.0 */
/* Orphans come to this process, so that none can be left without its being seen. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/probe/probing.h"
#include "tests/support/descriptor.h"

enum { PATIENCE_MS = 20000 };

int left_orphans;

static int descriptors;

int left_begin(void **state)
{
    (void)state;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    descriptors = descriptor_count();
    return 0;
}

int left_check(void **state)
{
    int status = 0, waited_ms = 0;
    pid_t ended;

    (void)state;
    /* What was killed may take its time to end; what was not is still there after that. */
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
