/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that another process exchanges, or cuts and mends, while it is looked at and loaded.
 *
 *     exchange_test FOLDER_OF_THE_ZOO [ROUNDS]
 *
 * What takes its place are other drivers, and files that the dynamic linker itself refuses: from those
 * at which it crashes or waits nobody can be kept who looks first.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/cushim.h>

#include "loader/cache.h"
#include "loader/elf.h"
#include "tests/support/folder.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { ROUNDS = 1000, MOST_ROUNDS = 100 };

/* How a load ends. */
enum end { IS_NEWER, IS_OLDER, IS_REFUSED, IS_LOST, ENDS };

static const char *zoo;
static int rounds = ROUNDS;
static unsigned loads, looks, lost, crashed;

/* The files that take one another's place; the first ones are drivers. */
static char files[8][FOLDER_PATH_BYTES];
static size_t file_count;

static void add_file(const char *name, const void *bytes, size_t size)
{
    snprintf(files[file_count++], sizeof files[0], "%s", folder_write(name, bytes, size));
}

static unsigned char *read_driver(const char *name, size_t *size)
{
    char path[FOLDER_PATH_BYTES];

    snprintf(path, sizeof path, "%s/%s.so", zoo, name);
    return folder_read(path, size);
}

static int make_files(void **state)
{
    size_t newer_size, older_size;
    unsigned char *newer, *older;
    const uint16_t other_machine = EM_386;

    folder_create(state);
    newer = read_driver("complete", &newer_size);
    older = read_driver("cuda-12.2", &older_size);
    add_file("newer", newer, newer_size);
    add_file("older", older, older_size);
    add_file("empty", "", 0);
    add_file("text", "No library.\n", 12);
    add_file("header", newer, 40);
    memcpy(newer + offsetof(Elf64_Ehdr, e_machine), &other_machine, sizeof other_machine);
    add_file("other", newer, newer_size);
    free(newer);
    free(older);
    return 0;
}

/* --- the other process --- */

static void exchange_files(const char *target)
{
    const char *next = folder_path("next");

    for (size_t i = 0;; i = (i + 1) % file_count) {
        if (link(files[i], next) == 0)
            rename(next, target);
    }
}

static void exchange_links(const char *target)
{
    static const char *const others[] = {"/", "/dev/null", "/nonexistent/libcuda.so.1", "target"};
    const char *next = folder_path("next");

    for (size_t i = 0;; i = (i + 1) % (file_count + COUNT(others))) {
        if (symlink(i < file_count ? files[i] : others[i - file_count], next) == 0)
            rename(next, target);
    }
}

static void cut_and_mend(const char *target)
{
    size_t size;
    unsigned char *bytes = folder_read(files[0], &size);
    const int file = open(target, O_RDWR | O_CREAT | O_TRUNC, 0700);

    for (uint32_t seed = 1;; seed = seed * 1664525 + 1013904223) {
        if (ftruncate(file, (off_t)((seed >> 8) % size)) != 0 ||
            pwrite(file, bytes, size, 0) != (ssize_t)size)
            _exit(1);
    }
}

static void cut_and_mend_a_cache(const char *target)
{
    static unsigned char bytes[300000];
    const int file = open(target, O_RDWR | O_CREAT | O_TRUNC, 0700);

    memcpy(bytes, "glibc-ld.so.cache1.1", 20);
    bytes[21] = 40; /* some 10000 entries, of which no text is the name */
    for (;;) {
        if (pwrite(file, bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes ||
            ftruncate(file, 0) != 0)
            _exit(1);
    }
}

static pid_t start(void (*work)(const char *target), const char *target)
{
    const pid_t other = fork();

    assert_true(other >= 0);
    if (other == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        work(target);
    }
    return other;
}

static void end(pid_t other)
{
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
}

/* --- */

/* In a process of its own. What the report says must hold of the driver that answers. */
static enum end load(const char *target)
{
    const struct cushim_load_options options = {.size = sizeof options, .library = target};
    struct cushim_report report = {.size = sizeof report};
    const CUresult code = cushim_load(&options);
    int version = 0;

    cushim_report_get(&report);
    if (code == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED)
        return report.code == code && report.advice[0] ? IS_REFUSED : IS_LOST;
    if (code != CUDA_SUCCESS || report.state != CUSHIM_STATE_LOADED ||
        cushim_driver()->DriverGetVersion(&version) != CUDA_SUCCESS ||
        version != report.driver_version)
        return IS_LOST;
    return version == 13000 ? IS_NEWER : version == 12020 ? IS_OLDER : IS_LOST;
}

static enum end load_in_a_child(const char *target)
{
    const pid_t child = fork();
    int status = 0;

    assert_true(child >= 0);
    if (child == 0) {
        alarm(30);
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        _exit((int)load(target));
    }
    waitpid(child, &status, 0);
    loads++;
    crashed += !WIFEXITED(status);
    return WIFEXITED(status) && WEXITSTATUS(status) < ENDS ? (enum end)WEXITSTATUS(status)
                                                           : IS_LOST;
}

/* Until each end but one was met: then the file was exchanged. */
static void load_while(void (*work)(const char *target))
{
    unsigned ends[ENDS] = {0};
    char target[FOLDER_PATH_BYTES];
    pid_t other;

    snprintf(target, sizeof target, "%s", folder_path("target"));
    other = start(work, target);
    for (int round = 0;
         round < rounds || ((!ends[IS_NEWER] || !ends[IS_OLDER] || !ends[IS_REFUSED]) &&
                            round < MOST_ROUNDS * rounds);
         round++)
        ends[load_in_a_child(target)]++;
    end(other);
    unlink(target);
    unlink(folder_path("next"));
    lost += ends[IS_LOST];
    assert_int_equal(ends[IS_LOST], 0);
    assert_true(ends[IS_NEWER] && ends[IS_OLDER] && ends[IS_REFUSED]);
}

static void file_that_is_exchanged_is_the_one_or_the_other(void **state)
{
    (void)state;
    load_while(exchange_files);
}

static void link_that_is_exchanged_leads_to_the_one_or_the_other(void **state)
{
    (void)state;
    load_while(exchange_links);
}

static bool may_be_told_of_a_cut_file(enum cushim_outcome outcome)
{
    return outcome == CUSHIM_OUTCOME_TRUNCATED || outcome == CUSHIM_OUTCOME_DAMAGED ||
           outcome == CUSHIM_OUTCOME_NOT_A_LIBRARY || outcome == CUSHIM_OUTCOME_WRONG_ARCHITECTURE;
}

/* In this process: a signal would end the test. The dynamic linker is not asked. */
static void file_that_is_cut_while_it_is_looked_at_is_refused_or_sound(void **state)
{
    const int wanted = 20 * rounds;
    char target[FOLDER_PATH_BYTES];
    unsigned sound = 0;
    pid_t other;

    (void)state;
    snprintf(target, sizeof target, "%s", folder_write("target", "", 0));
    other = start(cut_and_mend, target);
    for (int round = 0;
         round < wanted || ((sound == 0 || sound == looks) && round < MOST_ROUNDS * wanted);
         round++, looks++) {
        struct cushim_candidate candidate = {.code = CUDA_SUCCESS};

        snprintf(candidate.path, sizeof candidate.path, "%s", target);
        if (cushim__elf_check(&candidate)) {
            sound++;
        } else if (!may_be_told_of_a_cut_file(candidate.outcome) || !candidate.message[0]) {
            print_message("outcome %d: %s\n", (int)candidate.outcome, candidate.message);
            lost++;
        }
    }
    end(other);
    assert_int_equal(lost, 0);
    assert_true(sound > 0 && sound < looks);
}

static void cache_that_is_cut_while_it_is_looked_at_is_unknown_or_whole(void **state)
{
    const int wanted = 20 * rounds;
    char target[FOLDER_PATH_BYTES];
    unsigned whole = 0, tries = 0;
    pid_t other;

    (void)state;
    snprintf(target, sizeof target, "%s", folder_write("target", "", 0));
    other = start(cut_and_mend_a_cache, target);
    for (int round = 0;
         round < wanted || ((whole == 0 || whole == tries) && round < MOST_ROUNDS * wanted);
         round++, tries++) {
        const enum cushim__cached cached = cushim__cache_look(target, "libcuda.so.1", NULL, NULL);

        whole += cached == CUSHIM__CACHED_NONE;
        lost += cached != CUSHIM__CACHED_NONE && cached != CUSHIM__CACHED_UNKNOWN;
    }
    end(other);
    looks += tries;
    assert_int_equal(lost, 0);
    assert_true(whole > 0 && whole < tries);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_that_is_exchanged_is_the_one_or_the_other),
        cmocka_unit_test(link_that_is_exchanged_leads_to_the_one_or_the_other),
        cmocka_unit_test(file_that_is_cut_while_it_is_looked_at_is_refused_or_sound),
        cmocka_unit_test(cache_that_is_cut_while_it_is_looked_at_is_unknown_or_whole),
    };
    int failed;

    if (argc < 2)
        return EXIT_FAILURE;
    zoo = argv[1];
    rounds = argc > 2 ? atoi(argv[2]) : ROUNDS;
    failed = cmocka_run_group_tests(tests, make_files, folder_remove);
    fprintf(stderr, "exchanged files: %u loads, %u looks, %u lost, %u crashed\n", loads, looks,
            lost, crashed);
    return failed;
}
