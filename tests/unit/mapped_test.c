/* SPDX-License-Identifier: Apache-2.0 */
/* What the process has mapped: by name, by address, and what the program says of itself. */
#include "fake.h"
#include "forked.h"

#include <elf.h>

#include "loader/mapped.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"
#include "tests/support/library.h"

#define DRIVER "libcuda.so.1"

/* The name inside FAKE_LIBRARY. */
#define INNER_NAME "libfake-driver.so"

/* The path by which it is opened has the name of a driver. */
static void *open_as_driver(void)
{
    void *library = library_open(folder_path(DRIVER));

    assert_non_null(library);
    return library;
}

static int make_link(void **state)
{
    const int failed = folder_create(state);

    if (!failed)
        folder_link(DRIVER, FAKE_LIBRARY);
    return failed;
}

static void nothing_is_found_that_is_not_mapped(void **state)
{
    char path[FOLDER_PATH_BYTES] = "as it was";

    (void)state;
    assert_false(cushim__mapped_find(DRIVER, path, sizeof path));
    assert_false(cushim__mapped_find(INNER_NAME, path, sizeof path));
    assert_false(cushim__mapped_find("", path, sizeof path));
    assert_false(cushim__mapped_holding(1, path, sizeof path));
    assert_string_equal(path, "as it was");
}

static void library_is_found_by_the_name_of_its_file(void **state)
{
    char path[FOLDER_PATH_BYTES];

    (void)state;
    open_as_driver();
    assert_true(cushim__mapped_find(DRIVER, path, sizeof path));
    assert_string_equal(path, folder_path(DRIVER));
    assert_false(cushim__mapped_find("cuda.so.1", path, sizeof path));
    assert_false(cushim__mapped_find("libcuda.so", path, sizeof path));
}

static void library_is_found_by_its_inner_name(void **state)
{
    char path[FOLDER_PATH_BYTES];

    (void)state;
    open_as_driver();
    assert_true(cushim__mapped_find(INNER_NAME, path, sizeof path));
    assert_string_equal(path, folder_path(DRIVER));
    assert_false(cushim__mapped_find("libfake-driver.s", path, sizeof path));
}

static void library_is_found_by_an_address_in_it(void **state)
{
    char path[FOLDER_PATH_BYTES];
    void *function;

    (void)state;
    function = library_symbol(open_as_driver(), "cuEventQuery");
    assert_true(cushim__mapped_holding((uintptr_t)function, path, sizeof path));
    assert_string_equal(path, folder_path(DRIVER));
}

static void program_has_the_entries_that_the_linker_needs(void **state)
{
    uintptr_t value = 0;

    (void)state;
    assert_true(cushim__mapped_program_entry(DT_SYMTAB, &value));
    assert_true(value != 0);
    assert_false(cushim__mapped_program_entry(DT_AUDIT, &value));
}

static void load_takes_a_library_that_is_mapped_as_a_driver(void **state)
{
    struct cushim_report report;

    (void)state;
    environment_set("CUSHIM_LIBRARY", NULL);
    open_as_driver();
    assert_int_equal(cushim_load(NULL), CUDA_SUCCESS);
    report = fake_report();
    assert_int_equal(report.candidate_count, 1);
    assert_int_equal(report.candidates[0].origin, CUSHIM_ORIGIN_MAPPED);
    assert_string_equal(report.library, folder_path(DRIVER));
    assert_int_equal(fake_query(), FAKE_LIBRARY_ANSWER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(nothing_is_found_that_is_not_mapped),
        forked_test(library_is_found_by_the_name_of_its_file),
        forked_test(library_is_found_by_its_inner_name),
        forked_test(library_is_found_by_an_address_in_it),
        forked_test(program_has_the_entries_that_the_linker_needs),
        forked_test(load_takes_a_library_that_is_mapped_as_a_driver),
    };

    return cmocka_run_group_tests(tests, make_link, folder_remove);
}
