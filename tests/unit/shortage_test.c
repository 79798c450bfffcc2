/* SPDX-License-Identifier: Apache-2.0 */
/* What a process has run out of, where a library cannot be opened, and what then is advised. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fake.h"
#include "forked.h"
#include "loader/shortage.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void numbers_tell_the_shortage(void **state)
{
    (void)state;
    assert_int_equal(cushim__shortage_of(EMFILE), CUSHIM_OUTCOME_NO_DESCRIPTOR);
    assert_int_equal(cushim__shortage_of(ENFILE), CUSHIM_OUTCOME_NO_DESCRIPTOR);
    assert_int_equal(cushim__shortage_of(ENOMEM), CUSHIM_OUTCOME_NO_MEMORY);
    assert_int_equal(cushim__shortage_of(EPERM), CUSHIM_OUTCOME_NOT_LOADABLE);
    assert_int_equal(cushim__shortage_of(0), CUSHIM_OUTCOME_NOT_LOADABLE);
}

static void words_of_the_linker_tell_the_shortage(void **state)
{
    static const struct {
        const char *message;
        enum cushim_outcome outcome;
    } cases[] = {
        {"libcuda.so.1: cannot open shared object file: Too many open files",
         CUSHIM_OUTCOME_NO_DESCRIPTOR},
        {"libm.so.6: cannot open shared object file: Too many open files in system",
         CUSHIM_OUTCOME_NO_DESCRIPTOR},
        {"Error loading shared library /a/libcuda.so.1: No file descriptors available",
         CUSHIM_OUTCOME_NO_DESCRIPTOR},
        {"/a/libcuda.so.1: cannot map zero-fill pages: Cannot allocate memory",
         CUSHIM_OUTCOME_NO_MEMORY},
        {"Error loading shared library /a/libcuda.so.1: Out of memory", CUSHIM_OUTCOME_NO_MEMORY},
        {"/a/libcuda.so.1: file too short", CUSHIM_OUTCOME_NOT_LOADABLE},
        {"", CUSHIM_OUTCOME_NOT_LOADABLE},
        /* A file's name is not the linker's words. */
        {"/Out of memory/Too many open files/libcuda.so.1: invalid ELF header",
         CUSHIM_OUTCOME_NOT_LOADABLE},
        {"/no/such/file: failed to map segment from shared object", CUSHIM_OUTCOME_NOT_LOADABLE},
        {": failed to map segment from shared object", CUSHIM_OUTCOME_NOT_LOADABLE},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (cushim__shortage_told(cases[i].message) != cases[i].outcome)
            fail_msg("%s", cases[i].message);
    }
}

/* A limit of nothing. Returns the one before, for afterwards. */
static struct rlimit take_away(int what)
{
    struct rlimit before;

    assert_int_equal(getrlimit(what, &before), 0);
    assert_int_equal(setrlimit(what, &(struct rlimit){0, before.rlim_max}), 0);
    return before;
}

/* An emulator of user programs does not keep the limit. */
static bool has_room(void)
{
    const size_t bytes = 1 << 20;
    void *room = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (room != MAP_FAILED)
        munmap(room, bytes);
    return room != MAP_FAILED;
}

/* The words are those for a file system without execution, too: then there is room. */
static void file_that_was_not_mapped_lacks_room_where_there_is_none(void **state)
{
    static const char message[] = FAKE_LIBRARY ": failed to map segment from shared object";

    enum cushim_outcome without;
    struct rlimit before;
    bool is_kept;

    (void)state;
    assert_int_equal(cushim__shortage_told(message), CUSHIM_OUTCOME_NOT_LOADABLE);
    before = take_away(RLIMIT_AS);
    is_kept = !has_room();
    without = cushim__shortage_told(message);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    if (!is_kept) {
        print_message("nothing here keeps the limit of address space\n");
        skip();
    }
    assert_int_equal(without, CUSHIM_OUTCOME_NO_MEMORY);
}

static void load_without_descriptors_says_what_to_do(void **state)
{
    struct cushim_report report;
    struct rlimit before;

    (void)state;
    before = take_away(RLIMIT_NOFILE);
    assert_int_equal(fake_load_library(FAKE_LIBRARY), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    report = fake_report();
    assert_int_equal(report.state, CUSHIM_STATE_NOT_LOADABLE);
    assert_int_equal(report.candidates[0].outcome, CUSHIM_OUTCOME_NO_DESCRIPTOR);
    assert_string_equal(report.candidates[0].message, strerror(EMFILE));
    assert_non_null(strstr(report.advice, "ulimit -n"));

    /* It is taken: the load that has more succeeds. */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(fake_load_library(FAKE_LIBRARY), CUDA_SUCCESS);
    report = fake_report();
    assert_string_equal(report.advice, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_tell_the_shortage),
        cmocka_unit_test(words_of_the_linker_tell_the_shortage),
        forked_test(file_that_was_not_mapped_lacks_room_where_there_is_none),
        forked_test(load_without_descriptors_says_what_to_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
