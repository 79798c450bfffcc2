/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors of the caller: none is handed on, and a probe is made with few of them, and with none
 * of the standard streams.
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
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/probe/probing.h"

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
    const struct cushim_probe_options options = {.size = sizeof options, .command = path};
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
        .size = sizeof options, .library = probing_path("one-device"), .command = probing_command};
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

static atomic_uint closed_streams;

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
        usleep(1000); /* it may be in the middle */
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

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        PROBING_TEST(process_inherits_no_descriptor),
        PROBING_TEST(not_even_another_program_inherits_one),
        PROBING_TEST(caller_without_descriptors_gets_a_code),
        PROBING_TEST(caller_may_have_closed_its_streams),
    };
    const int refused = probing_begin(count, words);
    const int failed = refused ? refused : cmocka_run_group_tests(tests, NULL, NULL);

    probing_count("places where a descriptor was refused", places_without_descriptors);
    probing_count("sets of closed streams", streams_closed);
    probing_count("lost or crashed", failed);
    return failed;
}
