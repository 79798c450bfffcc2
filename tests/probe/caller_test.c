/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the command may inherit from whoever starts it: ignored children, blocked signals, open
 * descriptors. None of it reaches the process of a probe, and none changes the verdict. A probe is
 * made with few descriptors, and with none of the standard streams.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/probe/probing.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"

/* --- children --- */

/* However the caller treats the ends of children, verdicts are the same. */
static void check_verdicts_with(void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_flags = flags}, former;
    struct probe_result usable, broken, hung;

    action.sa_handler = handler;
    assert_int_equal(sigaction(SIGCHLD, &action, &former), 0);
    usable = probing_probe(probing_path("one-device"), PROBING_LONG_NS);
    probing_set_action("fault", "init");
    broken = probing_probe(probing_path("misbehaving"), PROBING_LONG_NS);
    probing_set_action("leave-child-and-hang", "init");
    hung = probing_probe_hung(PROBE_STAGE_INIT);
    probing_set_action(NULL, NULL);
    assert_int_equal(sigaction(SIGCHLD, &former, &action), 0);
    assert_true(action.sa_handler == handler);

    assert_int_equal(usable.verdict, PROBE_USABLE);
    assert_int_equal(broken.verdict, PROBE_BROKEN);
    assert_int_equal(broken.stage, PROBE_STAGE_INIT);
    if (broken.exit_status == -1 && broken.signal == 0)
        assert_non_null(strstr(broken.reason, "something else in this process"));
    assert_int_equal(hung.verdict, PROBE_HUNG);
    assert_int_equal(hung.unreaped_pid, 0);
}

static void caller_may_ignore_its_children(void **state)
{
    (void)state;
    check_verdicts_with(SIG_IGN, 0);
    check_verdicts_with(SIG_DFL, SA_NOCLDWAIT);
}

/* --- signals --- */

/* The actions `expect-...` end their process if it is not so. */
static void process_gets_default_signals_whatever_the_caller_has(void **state)
{
    static const int numbers[] = {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGQUIT};
    struct probe_result probe;
    sigset_t all, former, after;

    (void)state;
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

static int places_without_descriptors, streams_closed;

static void process_inherits_no_descriptor(void **state)
{
    int kept[20];
    struct probe_result probe;

    (void)state;
    for (size_t i = 0; i < 20; i++)
        kept[i] = open("/dev/null", O_RDONLY); /* not close-on-exec */
    probing_set_action("expect-no-descriptors", "open");
    probe = probing_probe(probing_path("misbehaving"), PROBING_LONG_NS);
    probing_set_action(NULL, NULL);
    for (size_t i = 0; i < 20; i++)
        close(kept[i]);
    assert_int_equal(probe.verdict, PROBE_USABLE);
}

/* Elsewhere the command itself closes what it finds open, and another program does not. */
static void not_even_another_program_inherits_one(void **state)
{
    const char *path = probing_script("for n in 4 5 6 7 8 9; do\n"
                                      "    [ ! -e /proc/self/fd/$n ] || exit 44\n"
                                      "done\n"
                                      "exit 45\n");
    const struct probe_options options = {.timeout_ns = PROBING_LONG_NS, .command = path};
    struct probe_result probe = {0};
    int kept[20];

    (void)state;
    for (size_t i = 0; i < 20; i++)
        kept[i] = open("/dev/null", O_RDONLY);
    assert_int_equal(probe_run(&options, &probe), CUDA_SUCCESS);
    for (size_t i = 0; i < 20; i++)
        close(kept[i]);
    assert_int_equal(unlink(path), 0);
#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 34)
    assert_int_equal(probe.exit_status, 45);
    return;
#endif
#endif
    assert_int_equal(probe.exit_status, 44);
}

/* With none free, then one, and so on until it works. */
static void caller_without_descriptors_gets_a_code(void **state)
{
    const struct probe_options options = {
        .timeout_ns = PROBING_LONG_NS,
        .library = probing_path("one-device"),
        .command = probing_command,
    };
    struct probe_result probe = {0};
    struct rlimit former, few;
    int kept[FEW_DESCRIPTORS], count = 0;
    CUresult code = CUDA_ERROR_UNKNOWN;

    (void)state;
    getrlimit(RLIMIT_NOFILE, &former);
    few = (struct rlimit){FEW_DESCRIPTORS, former.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    while (count < FEW_DESCRIPTORS && (kept[count] = open("/dev/null", O_RDONLY)) >= 0)
        count++;
    while (count > 0) {
        code = probe_run(&options, &probe);
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
    /* For a pipe, and for that of musl's posix_spawn(). */
    assert_in_range(places_without_descriptors, 2, 4);
}

/* Each of the eight sets of standard streams that may be closed. */
static void caller_may_have_closed_its_streams(void **state)
{
    (void)state;
    fflush(NULL);
    for (unsigned set = 0; set < 8; set++) {
        struct probe_result probe, ended;
        bool stayed_closed = true;
        int kept[3];

        for (int stream = 0; stream < 3; stream++)
            kept[stream] = fcntl(stream, F_DUPFD_CLOEXEC, 10);
        for (int stream = 0; stream < 3; stream++) {
            if (set & 1u << stream)
                close(stream);
        }
        probe = probing_probe(probing_path("one-device"), PROBING_LONG_NS);
        probing_set_action("expect-no-descriptors", "init");
        ended = probing_probe(probing_path("misbehaving"), PROBING_LONG_NS);
        probing_set_action(NULL, NULL);
        for (int stream = 0; stream < 3; stream++)
            stayed_closed &= !(set & 1u << stream) || fcntl(stream, F_GETFD) == -1;
        for (int stream = 0; stream < 3; stream++) {
            dup2(kept[stream], stream);
            close(kept[stream]);
        }
        streams_closed++;
        assert_true(stayed_closed);
        assert_int_equal(probe.verdict, PROBE_USABLE);
        assert_int_equal(ended.verdict, PROBE_USABLE);
    }
}

/* --- the caller's end --- */

static void probe_ends_with_its_caller(void **state)
{
    const char *file = folder_path("processes");
    pid_t caller, ended, hung = 0;
    int status = 0;
    FILE *opened;

    (void)state;
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
    /* Both come to this process: the caller's child as an orphan. */
    for (int i = 0; i < 2; i++) {
        ended = waitpid(-1, &status, 0);
        assert_true(ended == caller || ended == hung);
        assert_true(WIFSIGNALED(status));
    }
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        PROBING_TEST(caller_may_ignore_its_children),
        PROBING_TEST(process_gets_default_signals_whatever_the_caller_has),
        PROBING_TEST(process_inherits_no_descriptor),
        PROBING_TEST(not_even_another_program_inherits_one),
        PROBING_TEST(caller_without_descriptors_gets_a_code),
        PROBING_TEST(caller_may_have_closed_its_streams),
        PROBING_TEST(probe_ends_with_its_caller),
    };
    const int refused = probing_begin(count, words);
    const int failed = refused ? refused : cmocka_run_group_tests(tests, NULL, NULL);

    probing_count("places where a descriptor was refused", places_without_descriptors);
    probing_count("sets of closed streams", streams_closed);
    probing_count("children of drivers ended with them", left_orphans);
    probing_count("lost or crashed", failed);
    return failed;
}
