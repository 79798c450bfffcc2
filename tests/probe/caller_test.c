/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the command may inherit from its caller: ignored child signals, blocked signals, open
 * descriptors. The process of a probe inherits none of it, and the verdict does not change. Also a
 * process that cannot be killed.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/probe/probing.h"
#include "tests/support/cmocka.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"

/* --- children --- */

/* The caller may ignore SIGCHLD, which the command inherits. */
PROBING_TEST(ignored_children_change_nothing)
{
    struct probe_result usable, ended, hung;

    signal(SIGCHLD, SIG_IGN);
    usable = probing_probe(probing_path("one-device"), PROBING_LONG_NS);
    signal(SIGCHLD, SIG_IGN);
    probing_set_action("call-exit", "init");
    ended = probing_probe(probing_path("misbehaving"), PROBING_LONG_NS);
    signal(SIGCHLD, SIG_IGN);
    probing_set_action("leave-child-and-hang", "init");
    hung = probing_probe_hung(PROBE_STAGE_INIT);
    probing_set_action(NULL, NULL);
    signal(SIGCHLD, SIG_DFL);

    assert_int_equal(usable.verdict, PROBE_USABLE);
    assert_int_equal(ended.verdict, PROBE_BROKEN);
    assert_int_equal(ended.exit_status, 3);
    assert_int_equal(hung.verdict, PROBE_HUNG);
    assert_int_equal(hung.unreaped_pid, 0);
}

/* --- signals --- */

/* The actions `expect-...` end their process if the expectation is not met. */
PROBING_TEST(process_gets_default_signals_whatever_the_caller_has)
{
    static const int numbers[] = {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGQUIT};
    struct probe_result probe;
    sigset_t all, former, after;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        signal(numbers[i], SIG_IGN);
    probing_set_action("expect-default-signals", "init");
    probe = probing_probe(probing_path("misbehaving"), PROBING_LONG_NS);
    probing_set_action(NULL, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        assert_true(signal(numbers[i], SIG_DFL) == SIG_IGN);
    pthread_sigmask(SIG_SETMASK, &former, &after);
    assert_int_equal(sigismember(&after, SIGUSR2), 1);
    assert_int_equal(probe.verdict, PROBE_USABLE);
}

/* --- descriptors --- */

enum { FEW_DESCRIPTORS = 64 };

static int places_without_descriptors;

PROBING_TEST(process_inherits_no_descriptor)
{
    int kept[20];
    struct probe_result probe;

    for (size_t i = 0; i < 20; i++)
        kept[i] = open("/dev/null", O_RDONLY); /* without close-on-exec */
    probing_set_action("expect-no-descriptors", "open");
    probe = probing_probe(probing_path("misbehaving"), PROBING_LONG_NS);
    probing_set_action(NULL, NULL);
    for (size_t i = 0; i < 20; i++)
        close(kept[i]);
    assert_int_equal(probe.verdict, PROBE_USABLE);
}

/* With no free descriptor, then one, and so on, until the probe works. */
PROBING_TEST(caller_without_descriptors_gets_a_code)
{
    struct probe_result probe = {0};
    struct rlimit former, few;
    int kept[FEW_DESCRIPTORS], count = 0;
    CUresult code = CUDA_ERROR_UNKNOWN;

    getrlimit(RLIMIT_NOFILE, &former);
    few = (struct rlimit){FEW_DESCRIPTORS, former.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    while (count < FEW_DESCRIPTORS && (kept[count] = open("/dev/null", O_RDONLY)) >= 0)
        count++;
    while (count > 0) {
        code = probe_run(probing_command, probing_path("one-device"), PROBING_LONG_NS, &probe);
        if (code == CUDA_SUCCESS)
            break;
        places_without_descriptors++;
        if (code != CUDA_ERROR_OPERATING_SYSTEM || probe.verdict != PROBE_UNKNOWN ||
            !strstr(probe.reason, strerror(EMFILE)))
            break;
        close(kept[--count]);
    }
    while (count > 0)
        close(kept[--count]);
    setrlimit(RLIMIT_NOFILE, &former);
    assert_int_equal(code, CUDA_SUCCESS);
    assert_int_equal(probe.verdict, PROBE_USABLE);
    /* Descriptors for a pipe, and for the pipe in musl's posix_spawn(). */
    assert_in_range(places_without_descriptors, 2, 4);
}

/* --- a process that cannot be killed --- */

/* Imitates a process that a hung kernel keeps: kill() has no effect. */
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

PROBING_TEST(process_that_cannot_be_killed_is_reported_and_not_waited_for)
{
    struct probe_result probe;
    int status = 0;

    probing_set_action("stop", "init");
    is_unkillable = true;
    probe = probing_probe_once(probing_path("misbehaving"), 100000000);
    is_unkillable = false;
    probing_set_action(NULL, NULL);
    assert_int_equal(probe.verdict, PROBE_HUNG);
    assert_true(probe.unreaped_pid > 0);
    CONTAINS(probe.reason, "the system cannot end the process");
    assert_true(refused_kills > 0);
    __real_kill((pid_t)probe.unreaped_pid, SIGKILL);
    assert_int_equal(waitpid((pid_t)probe.unreaped_pid, &status, 0), probe.unreaped_pid);
}

PROBING_TEST(probe_ends_with_its_caller)
{
    const char *file = folder_path("processes");
    pid_t caller, ended, hung = 0;
    int status = 0;
    FILE *opened;

    environment_set("FAKE_DRIVER_PID_FILE", file);
    probing_set_action("hang-ignoring-signals", "init");
    caller = fork();
    if (caller == 0) {
        probing_probe(probing_path("misbehaving"), 10 * PROBING_LONG_NS);
        _exit(0);
    }
    probing_set_action(NULL, NULL);
    environment_set("FAKE_DRIVER_PID_FILE", NULL);
    assert_true(caller > 0);
    for (int waited_ms = 0; hung == 0 && waited_ms < 120000; waited_ms++) {
        opened = fopen(file, "r");
        if (opened && fscanf(opened, "%d\n", &hung) != 1)
            hung = 0;
        if (opened)
            fclose(opened);
        usleep(1000);
    }
    assert_true(hung > 0);
    kill(caller, SIGKILL);
    /* This process reaps both; the caller's child has become an orphan. */
    for (int i = 0; i < 2; i++) {
        ended = waitpid(-1, &status, 0);
        assert_true(ended == caller || ended == hung);
        assert_true(WIFSIGNALED(status));
    }
}

int main(int count, char **words)
{
    const int refused = probing_begin(count, words);
    const int failed = refused ? refused : run_all_tests(NULL, NULL);

    probing_count("places where a descriptor was refused", places_without_descriptors);
    probing_count("children of drivers ended with them", left_orphans);
    probing_count("lost or crashed", failed);
    return failed;
}
