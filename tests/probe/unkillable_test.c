/* SPDX-License-Identifier: Apache-2.0 */
/* A process that cannot be killed, as one that a hung kernel keeps: here kill() does nothing. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/probe/probing.h"

int __wrap_kill(pid_t process, int number);
int __real_kill(pid_t process, int number);

static int refused_kills;

int __wrap_kill(pid_t process, int number)
{
    (void)process;
    (void)number;
    refused_kills++;
    return 0;
}

static void process_that_cannot_be_killed_is_reported_and_not_waited_for(void **state)
{
    struct cushim_probe_result probe;
    int status = 0;

    (void)state;
    probing_set_action("stop", "init");
    probe = probing_probe_hung(CUSHIM_PROBE_STAGE_START);
    probing_set_action(NULL, NULL);
    assert_int_equal(probe.verdict, CUSHIM_PROBE_HUNG);
    assert_true(probe.left_process > 0);
    assert_non_null(strstr(probe.reason, "the system cannot end the process"));
    assert_true(refused_kills > 0);
    __real_kill((pid_t)probe.left_process, SIGKILL);
    assert_int_equal(waitpid((pid_t)probe.left_process, &status, 0), probe.left_process);
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            process_that_cannot_be_killed_is_reported_and_not_waited_for, left_begin, left_check),
    };
    const int refused = probing_begin(count, words);

    return refused ? refused : cmocka_run_group_tests(tests, NULL, NULL);
}
