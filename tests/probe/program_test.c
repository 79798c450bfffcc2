/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that are named as the command and are another one: none is taken for the driver. And a
 * process that cannot be killed.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/probe/probing.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int programs_tried;

static void other_program_is_broken_at_the_start(void **state)
{
    static const struct {
        const char *command, *reason;
    } programs[] = {
        {"/bin/true", "has ended with exit status 0, before it came to the driver"},
        {"/bin/false", "has ended with exit status 1, before it came to the driver"},
        {"/bin/cat", "before it came to the driver"},
        {"/bin/echo", "has not answered as cushim's does"},
        {"/bin/ls", "before it came to the driver"},
        {"/usr/bin/yes", "has not answered as cushim's does"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(programs); i++) {
        const struct probe_options options = {.timeout_ns = PROBING_LONG_NS,
                                              .command = programs[i].command};
        struct probe_result probe = {0};

        assert_int_equal(probe_run(&options, &probe), CUDA_SUCCESS);
        programs_tried++;
        print_message("%s\n", probe.reason);
        assert_int_equal(probe.verdict, PROBE_BROKEN);
        assert_int_equal(probe.stage, PROBE_STAGE_START);
        assert_non_null(strstr(probe.reason, programs[i].command));
        assert_non_null(strstr(probe.reason, programs[i].reason));
        assert_non_null(strstr(probe.advice, "Name the command cushim"));
    }
}

/* Scripts, which take any words. */
static void program_that_hangs_or_lies_is_seen_through(void **state)
{
    static const struct {
        const char *script;
        enum probe_verdict verdict;
    } scripts[] = {
        {"sleep 600", PROBE_HUNG},
        {"sleep 600 & wait", PROBE_HUNG},
        {"trap '' TERM INT; while :; do sleep 1; done", PROBE_HUNG},
        {"printf '{\"cushim_probe\":2,\"loading\":true,'", PROBE_BROKEN},
        {"head -c 10000000 /dev/zero", PROBE_BROKEN},
        {"head -c 10000000 /dev/urandom", PROBE_BROKEN},
        {"kill -9 $$", PROBE_BROKEN},
        {"kill -STOP $$", PROBE_HUNG},
        {"exec \"$0.nothing\"", PROBE_BROKEN},
        {"exec 1>&-; sleep 600", PROBE_HUNG},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(scripts); i++) {
        struct probe_options options = {0};
        struct probe_result probe = {0};
        const char *path = probing_script(scripts[i].script);

        options.command = path;
        options.timeout_ns = scripts[i].verdict == PROBE_HUNG ? 200000000 : PROBING_LONG_NS;
        assert_int_equal(probe_run(&options, &probe), CUDA_SUCCESS);
        programs_tried++;
        print_message("%s: %s\n", scripts[i].script, probe.reason);
        assert_int_equal(probe.verdict, scripts[i].verdict);
        assert_int_equal(unlink(path), 0);
    }
}

static void timeout_that_was_given_is_reported(void **state)
{
    static const struct {
        uint64_t ns;
        const char *words;
    } times[] = {{1, " within 1 ns:"},
                 {999999, " within 999999 ns:"},
                 {300000, " within 300 us:"},
                 {50000000, " within 50 ms:"}};

    (void)state;
    for (size_t i = 0; i < COUNT(times); i++) {
        struct probe_options options = {.timeout_ns = times[i].ns};
        struct probe_result probe = {0};
        const char *path = probing_script("sleep 600");

        options.command = path;
        assert_int_equal(probe_run(&options, &probe), CUDA_SUCCESS);
        programs_tried++;
        assert_int_equal(probe.verdict, PROBE_HUNG);
        assert_non_null(strstr(probe.reason, times[i].words));
        assert_int_equal(unlink(path), 0);
    }
}

/* A process that cannot be killed, as one that a hung kernel keeps: kill() does nothing. */
int __wrap_kill(pid_t process, int number);
int __real_kill(pid_t process, int number);

static bool is_unkillable;
static int refused_kills;

int __wrap_kill(pid_t process, int number)
{
    if (!is_unkillable)
        return __real_kill(process, number);
    refused_kills++;
    return 0;
}

static void process_that_cannot_be_killed_is_reported_and_not_waited_for(void **state)
{
    struct probe_result probe;
    int status = 0;

    (void)state;
    probing_set_action("stop", "init");
    is_unkillable = true;
    probe = probing_probe_once(probing_path("misbehaving"), 100000000);
    is_unkillable = false;
    probing_set_action(NULL, NULL);
    assert_int_equal(probe.verdict, PROBE_HUNG);
    assert_true(probe.unreaped_pid > 0);
    assert_non_null(strstr(probe.reason, "the system cannot end the process"));
    assert_true(refused_kills > 0);
    __real_kill((pid_t)probe.unreaped_pid, SIGKILL);
    assert_int_equal(waitpid((pid_t)probe.unreaped_pid, &status, 0), probe.unreaped_pid);
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        PROBING_TEST(other_program_is_broken_at_the_start),
        PROBING_TEST(program_that_hangs_or_lies_is_seen_through),
        PROBING_TEST(timeout_that_was_given_is_reported),
        PROBING_TEST(process_that_cannot_be_killed_is_reported_and_not_waited_for),
    };
    const int refused = probing_begin(count, words);
    const int failed = refused ? refused : cmocka_run_group_tests(tests, NULL, NULL);

    probing_count("other programs in the place of the command", programs_tried);
    probing_count("their children ended with them", left_orphans);
    probing_count("lost or crashed", failed);
    return failed;
}
