/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callers with threads, children, signals and descriptors of their own: a probe fits in with all of
 * them. No descriptor is handed on, and a probe is made with few of them, and with none of the
 * standard streams.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/probe/probing.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"

enum { THREADS = 16, ROUNDS = 4 };

static int probes_of_threads;

/* --- threads --- */

static void *probe_often(void *wrong)
{
    static const struct {
        const char *driver;
        enum cushim_probe_verdict verdict;
    } turns[ROUNDS] = {{"one-device", CUSHIM_PROBE_USABLE},
                       {"stub", CUSHIM_PROBE_ABSENT},
                       {"misbehaving", CUSHIM_PROBE_BROKEN},
                       {"init-999", CUSHIM_PROBE_BROKEN}};

    for (int i = 0; i < ROUNDS; i++) {
        char path[1024];
        const struct cushim_probe_result probe =
            probing_probe(probing_driver(turns[i].driver, path, sizeof path), PROBING_LONG_NS);
        if (probe.verdict != turns[i].verdict || (i == 2 && probe.exit_status != 4))
            atomic_fetch_add((atomic_int *)wrong, 1);
    }
    return NULL;
}

static void threads_may_probe_at_once(void **state)
{
    pthread_t threads[THREADS];
    atomic_int wrong = 0;

    (void)state;
    probing_set_action("call-quick-exit", "init");
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, probe_often, &wrong), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    probing_set_action(NULL, NULL);
    probes_of_threads = THREADS * ROUNDS;
    assert_int_equal(wrong, 0);
}

static void *probe_cancelled(void *probe)
{
    /* It is to be cancelled at the next cancellation point. */
    pthread_cancel(pthread_self());
    *(struct cushim_probe_result *)probe = probing_probe_hung(CUSHIM_PROBE_STAGE_INIT);
    pthread_testcancel();
    return NULL;
}

static void cancelled_thread_finishes_its_probe(void **state)
{
    struct cushim_probe_result probe = {.size = sizeof probe};
    pthread_t thread;
    void *end = NULL;

    (void)state;
    probing_set_action("hang", "init");
    assert_int_equal(pthread_create(&thread, NULL, probe_cancelled, &probe), 0);
    assert_int_equal(pthread_join(thread, &end), 0);
    probing_set_action(NULL, NULL);
    assert_ptr_equal(end, PTHREAD_CANCELED);
    assert_int_equal(probe.verdict, CUSHIM_PROBE_HUNG);
}

/* --- children --- */

static void reap_all(int number)
{
    const int before = errno;

    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
    errno = before;
}

/* However the caller treats the ends of children, verdicts are the same. */
static void check_verdicts_with(void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_flags = flags}, former;
    struct cushim_probe_result usable, broken, hung;

    action.sa_handler = handler;
    assert_int_equal(sigaction(SIGCHLD, &action, &former), 0);
    usable = probing_probe(probing_path("one-device"), PROBING_LONG_NS);
    probing_set_action("fault", "init");
    broken = probing_probe(probing_path("misbehaving"), PROBING_LONG_NS);
    probing_set_action("leave-child-and-hang", "init");
    hung = probing_probe_hung(CUSHIM_PROBE_STAGE_INIT);
    probing_set_action(NULL, NULL);
    assert_int_equal(sigaction(SIGCHLD, &former, &action), 0);
    assert_true(action.sa_handler == handler);

    assert_int_equal(usable.verdict, CUSHIM_PROBE_USABLE);
    assert_int_equal(broken.verdict, CUSHIM_PROBE_BROKEN);
    assert_int_equal(broken.stage, CUSHIM_PROBE_STAGE_INIT);
    if (broken.exit_status == -1 && broken.signal == 0)
        assert_non_null(strstr(broken.reason, "something else in this process"));
    assert_int_equal(hung.verdict, CUSHIM_PROBE_HUNG);
    assert_int_equal(hung.left_process, 0);
}

static void caller_may_ignore_its_children(void **state)
{
    (void)state;
    check_verdicts_with(SIG_IGN, 0);
    check_verdicts_with(SIG_DFL, SA_NOCLDWAIT);
}

static void caller_may_wait_for_all_children_in_a_handler(void **state)
{
    (void)state;
    check_verdicts_with(reap_all, 0);
    check_verdicts_with(reap_all, SA_RESTART | SA_NOCLDSTOP);
}

static atomic_bool is_over;

static void *wait_for_all(void *nothing)
{
    while (!atomic_load(&is_over)) {
        if (waitpid(-1, NULL, 0) < 0)
            usleep(100);
    }
    return nothing;
}

static void caller_may_wait_for_all_children_in_a_thread(void **state)
{
    pthread_t thread;

    (void)state;
    atomic_store(&is_over, false);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_all, NULL), 0);
    check_verdicts_with(SIG_DFL, 0);
    atomic_store(&is_over, true);
    pthread_join(thread, NULL);
}

static void other_children_are_not_waited_for(void **state)
{
    const pid_t child = fork();
    int status = 0;

    (void)state;
    if (child == 0)
        _exit(7);
    assert_true(child > 0);
    assert_int_equal(probing_probe(probing_path("one-device"), PROBING_LONG_NS).verdict,
                     CUSHIM_PROBE_USABLE);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 7);
}

/* --- signals --- */

static volatile sig_atomic_t alarms;

static void count_alarm(int number)
{
    (void)number;
    alarms++;
}

static void signals_during_a_probe_do_no_harm(void **state)
{
    const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_flags = 0}, former;

    (void)state;
    action.sa_handler = count_alarm;
    sigaction(SIGALRM, &action, &former);
    alarms = 0;
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 5; i++)
        assert_int_equal(probing_probe(probing_path("one-device"), PROBING_LONG_NS).verdict,
                         CUSHIM_PROBE_USABLE);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &former, NULL);
    assert_true(alarms > 0);
}

/* The actions `expect-...` end their process if it is not so. */
static void process_gets_default_signals_whatever_the_caller_has(void **state)
{
    static const int numbers[] = {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGQUIT};
    struct cushim_probe_result probe;
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
    assert_int_equal(probe.verdict, CUSHIM_PROBE_USABLE);
}

/* --- descriptors --- */

enum { FEW_DESCRIPTORS = 64 };

static int places_without_descriptors, streams_closed;

static void process_inherits_no_descriptor(void **state)
{
    int kept[20];
    struct cushim_probe_result probe;

    (void)state;
    for (size_t i = 0; i < 20; i++)
        kept[i] = open("/dev/null", O_RDONLY); /* not close-on-exec */
    probing_set_action("expect-no-descriptors", "open");
    probe = probing_probe(probing_path("misbehaving"), PROBING_LONG_NS);
    probing_set_action(NULL, NULL);
    for (size_t i = 0; i < 20; i++)
        close(kept[i]);
    assert_int_equal(probe.verdict, CUSHIM_PROBE_USABLE);
}

/* Elsewhere the command itself closes what it finds open, and another program does not. */
static void not_even_another_program_inherits_one(void **state)
{
    const char *path = probing_script("for n in 4 5 6 7 8 9; do\n"
                                      "    [ ! -e /proc/self/fd/$n ] || exit 44\n"
                                      "done\n"
                                      "exit 45\n");
    const struct cushim_probe_options options = {
        .size = sizeof options, .timeout_ns = PROBING_LONG_NS, .command = path};
    struct cushim_probe_result probe = {.size = sizeof probe};
    int kept[20];

    (void)state;
    for (size_t i = 0; i < 20; i++)
        kept[i] = open("/dev/null", O_RDONLY);
    assert_int_equal(cushim_probe(&options, &probe), CUDA_SUCCESS);
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
    const struct cushim_probe_options options = {
        .size = sizeof options,
        .timeout_ns = PROBING_LONG_NS,
        .library = probing_path("one-device"),
        .command = probing_command,
    };
    struct cushim_probe_result probe = {.size = sizeof probe};
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
        code = cushim_probe(&options, &probe);
        if (code == CUDA_SUCCESS)
            break;
        places_without_descriptors++;
        if (code != CUDA_ERROR_OPERATING_SYSTEM || probe.verdict != CUSHIM_PROBE_UNKNOWN ||
            !strstr(probe.reason, strerror(EMFILE)))
            break;
        close(kept[--count]);
    }
    while (count > 0)
        close(kept[--count]);
    setrlimit(RLIMIT_NOFILE, &former);
    assert_int_equal(code, CUDA_SUCCESS);
    assert_int_equal(probe.verdict, CUSHIM_PROBE_USABLE);
    /* For a pipe, and for that of musl's posix_spawn(). */
    assert_in_range(places_without_descriptors, 2, 4);
}

static atomic_uint closed_streams, rounds_of_printing;

/* A caller whose other threads print, although nobody listens. */
static void *print_into_closed_streams(void *nothing)
{
    unsigned set;

    while ((set = atomic_load(&closed_streams)) != UINT32_MAX) {
        for (int stream = 0; stream < 3; stream++) {
            /* By the bare call: a sanitizer takes a number that is used twice for a race. */
            if (set & 1u << stream && syscall(SYS_write, stream, "words", 5) > 0)
                continue;
        }
        atomic_fetch_add(&rounds_of_printing, 1);
    }
    return nothing;
}

/* Each of the eight sets of standard streams that may be closed. */
static void caller_may_have_closed_its_streams(void **state)
{
    pthread_t printer;

    (void)state;
    fflush(NULL);
    atomic_store(&closed_streams, 0);
    assert_int_equal(pthread_create(&printer, NULL, print_into_closed_streams, NULL), 0);
    for (unsigned set = 0; set < 8; set++) {
        struct cushim_probe_result probe, ended;
        bool stayed_closed = true;
        unsigned round;
        int kept[3];

        for (int stream = 0; stream < 3; stream++)
            kept[stream] = fcntl(stream, F_DUPFD_CLOEXEC, 10);
        for (int stream = 0; stream < 3; stream++) {
            if (set & 1u << stream)
                close(stream);
        }
        atomic_store(&closed_streams, set);
        probe = probing_probe(probing_path("one-device"), PROBING_LONG_NS);
        probing_set_action("expect-no-descriptors", "init");
        ended = probing_probe(probing_path("misbehaving"), PROBING_LONG_NS);
        probing_set_action(NULL, NULL);
        for (int stream = 0; stream < 3; stream++)
            stayed_closed &= !(set & 1u << stream) || fcntl(stream, F_GETFD) == -1;
        atomic_store(&closed_streams, 0);
        /* It may be in the middle of a round, and is through with that after the next but one. */
        round = atomic_load(&rounds_of_printing);
        while (atomic_load(&rounds_of_printing) - round < 2)
            sched_yield();
        for (int stream = 0; stream < 3; stream++) {
            dup2(kept[stream], stream);
            close(kept[stream]);
        }
        streams_closed++;
        assert_true(stayed_closed);
        assert_int_equal(probe.verdict, CUSHIM_PROBE_USABLE);
        assert_int_equal(ended.verdict, CUSHIM_PROBE_USABLE);
    }
    atomic_store(&closed_streams, UINT32_MAX);
    pthread_join(printer, NULL);
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
        PROBING_TEST(threads_may_probe_at_once),
        PROBING_TEST(cancelled_thread_finishes_its_probe),
        PROBING_TEST(caller_may_ignore_its_children),
        PROBING_TEST(caller_may_wait_for_all_children_in_a_handler),
        PROBING_TEST(caller_may_wait_for_all_children_in_a_thread),
        PROBING_TEST(other_children_are_not_waited_for),
        PROBING_TEST(signals_during_a_probe_do_no_harm),
        PROBING_TEST(process_gets_default_signals_whatever_the_caller_has),
        PROBING_TEST(process_inherits_no_descriptor),
        PROBING_TEST(not_even_another_program_inherits_one),
        PROBING_TEST(caller_without_descriptors_gets_a_code),
        PROBING_TEST(caller_may_have_closed_its_streams),
        PROBING_TEST(probe_ends_with_its_caller),
    };
    const int refused = probing_begin(count, words);
    const int failed = refused ? refused : cmocka_run_group_tests(tests, NULL, NULL);

    probing_count("probes of 16 threads at once", probes_of_threads);
    probing_count("places where a descriptor was refused", places_without_descriptors);
    probing_count("sets of closed streams", streams_closed);
    probing_count("children of drivers ended with them", left_orphans);
    probing_count("lost or crashed", failed);
    return failed;
}
