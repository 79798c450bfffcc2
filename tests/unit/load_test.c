/* SPDX-License-Identifier: Apache-2.0 */
/* Loading and initialising: failures, and when a load is tried again. */
#define _GNU_SOURCE
#include <signal.h>

#include "fake.h"
#include "forked.h"
#include "loader/loader.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"

static struct fake_source source;
static struct fake_source broken = {.lacks = {"cuInit"}};

/* --- failures --- */

FORKED_TEST(only_an_explicit_load_retries_a_failed_one)
{
    environment_set("CUSHIM_LIBRARY", "none");
    assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    environment_set("CUSHIM_LIBRARY", FAKE_LIBRARY);
    assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    /*
     * A call through the lazy-load table does not retry either; a layer may still call that table.
     */
    assert_int_equal(cushim__lazy_table.EventQuery(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    assert_int_equal(fake_report().state, CUSHIM_STATE_DISABLED);
    assert_int_equal(cushim_driver_load(NULL), CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_LIBRARY_ANSWER);
    assert_int_equal(cushim__lazy_table.EventQuery(NULL), FAKE_LIBRARY_ANSWER);
    assert_int_equal(fake_report().state, CUSHIM_STATE_LOADED);
}

FORKED_TEST(each_explicit_load_retries_once_and_replaces_the_reason)
{
    environment_set("CUSHIM_LIBRARY", "none");
    assert_int_equal(cushim_driver_load(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    for (unsigned tries = 1; tries <= 3; tries++) {
        assert_int_equal(fake_load(&broken), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
        assert_int_equal(broken.lookups, tries * FAKE_LOOKUPS_OF_A_FAILURE);
        assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    }
    assert_int_equal(fake_report().state, CUSHIM_STATE_NOT_A_DRIVER);
}

/* --- a loaded driver stays --- */

FORKED_TEST(another_driver_is_refused_once_one_is_loaded)
{
    static struct fake_source other;

    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    environment_set("CUSHIM_LIBRARY", "none");
    assert_int_equal(cushim_driver_load(NULL), CUDA_SUCCESS);
    assert_int_equal(fake_load(&other), CUDA_ERROR_NOT_PERMITTED);
    assert_int_equal(fake_load_library(FAKE_LIBRARY), CUDA_ERROR_NOT_PERMITTED);
    assert_int_equal(fake_load_library(""), CUDA_ERROR_NOT_PERMITTED);
    assert_int_equal(source.lookups, FAKE_LOOKUPS_OF_A_LOAD);
    assert_int_equal(other.lookups, 0);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

FORKED_TEST(another_path_to_the_loaded_library_is_the_same_library)
{
    size_t size;
    unsigned char *bytes = folder_read(FAKE_LIBRARY, &size);
    char path[FOLDER_PATH_BYTES];

    snprintf(path, sizeof path, "%s", folder_write("libcuda", bytes, size));
    folder_link("other", path);
    free(bytes);
    assert_int_equal(fake_load_library(path), CUDA_SUCCESS);
    assert_int_equal(fake_load_library(folder_path("other")), CUDA_SUCCESS);
    assert_int_equal(fake_load_library(FAKE_LIBRARY), CUDA_ERROR_NOT_PERMITTED);
    assert_int_equal(fake_load_library(FAKE_ROOT "/nonexistent"), CUDA_ERROR_NOT_PERMITTED);
    assert_int_equal(fake_load_library("../../../../../../../../" FAKE_LIBRARY),
                     CUDA_ERROR_NOT_PERMITTED);
    assert_int_equal(fake_load(&source), CUDA_ERROR_NOT_PERMITTED);
}

FORKED_TEST(minimum_version_is_checked_by_each_load)
{
    assert_int_equal(fake_load_minimum(&source, FAKE_VERSION + 10), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_int_equal(fake_query(), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_int_equal(fake_report().state, CUSHIM_STATE_TOO_OLD);
    assert_int_equal(fake_load_minimum(&source, FAKE_VERSION), CUDA_SUCCESS);
    assert_int_equal(fake_load_minimum(&source, FAKE_VERSION + 10), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_int_equal(fake_query(), FAKE_ANSWER);
    assert_int_equal(fake_report().state, CUSHIM_STATE_LOADED);
}

/* --- options, which begin with their size --- */

static struct {
    struct cushim_load_options options;
    unsigned char tail[16];
} newer;

FORKED_TEST(invalid_options_are_refused)
{
    static const size_t no_sizes[] = {
        0, 1, sizeof(size_t) - 1, sizeof(size_t) + 1, SIZE_MAX, SIZE_MAX / 16 * 8};

    newer.options = fake_options(&source);
    for (size_t i = 0; i < COUNT(no_sizes); i++) {
        newer.options.size = no_sizes[i];
        assert_int_equal(cushim_driver_load(&newer.options), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(cushim_driver_init(&newer.options), CUDA_ERROR_INVALID_VALUE);
    }
    newer.options.size = sizeof newer;
    newer.tail[15] = 1;
    assert_int_equal(cushim_driver_load(&newer.options), CUDA_ERROR_INVALID_VALUE);
    newer.tail[15] = 0;
    newer.options.library = FAKE_LIBRARY; /* and also a resolver */
    assert_int_equal(cushim_driver_load(&newer.options), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(source.lookups, 0);
    newer.options.library = NULL;
    assert_int_equal(cushim_driver_load(&newer.options), CUDA_SUCCESS);
}

FORKED_TEST(options_of_an_older_caller_are_read_no_further_than_their_size)
{
    struct cushim_load_options older = fake_options(&source);

    older.size = offsetof(struct cushim_load_options, resolver);
    older.library = FAKE_LIBRARY;
    older.minimum_version = FAKE_VERSION + 10;
    assert_int_equal(cushim_driver_load(&older), CUDA_SUCCESS);
    older.size = sizeof older.size;
    older.library = FAKE_ROOT "/nonexistent/libcuda.so.1";
    assert_int_equal(cushim_driver_load(&older), CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_LIBRARY_ANSWER);
}

/* --- cushim_driver_init() --- */

FORKED_TEST(init_calls_cuInit_again_after_no_device_only_with_retry_init)
{
    struct cushim_load_options retry = {.size = sizeof retry, .retry_init = true};

    fake.init_code = CUDA_ERROR_NO_DEVICE;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    for (int i = 0; i < 3; i++)
        assert_int_equal(cushim_driver_init(NULL), CUDA_ERROR_NO_DEVICE);
    assert_int_equal(fake.init_calls, 1);
    assert_int_equal(cushim_driver_init(&retry), CUDA_ERROR_NO_DEVICE);
    assert_int_equal(fake.init_calls, 2);
    assert_int_equal(cushim_driver()->Init(0), CUDA_ERROR_NO_DEVICE);
    assert_int_equal(fake.init_calls, 3);
    assert_int_equal(fake_report().state, CUSHIM_STATE_NO_DEVICE);
    fake.init_code = CUDA_SUCCESS;
    assert_int_equal(cushim_driver_init(NULL), CUDA_ERROR_NO_DEVICE);
    assert_int_equal(cushim_driver_init(&retry), CUDA_SUCCESS);
    assert_int_equal(cushim_driver_init(NULL), CUDA_SUCCESS);
    assert_int_equal(fake.init_calls, 5);
    assert_int_equal(fake_report().state, CUSHIM_STATE_READY);
    fake.init_code = CUDA_ERROR_INVALID_VALUE; /* the same result as for other flags */
    assert_int_equal(cushim_driver()->Init(7), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(fake_report().state, CUSHIM_STATE_READY);
}

/* --- the loader's tables are read-only --- */

static size_t offset;

static int write_into_the_current_table(void)
{
    volatile unsigned char *byte = (unsigned char *)(uintptr_t)cushim_driver() + offset;

    signal(SIGSEGV, SIG_DFL);
    *byte = 0;
    return 0;
}

static void assert_current_table_is_read_only(void)
{
    for (offset = 0; offset < sizeof(struct cushim_table); offset += 1023)
        assert_int_equal(forked_answer(write_into_the_current_table), FORKED_DIED - SIGSEGV);
    assert_false(fake_report().table_writable);
}

FORKED_TEST(lazy_load_absent_and_drivers_table_are_read_only)
{
    assert_current_table_is_read_only();
    assert_int_equal(fake_load(&broken), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_current_table_is_read_only();
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_current_table_is_read_only();
}

int main(void)
{
    return run_all_tests(folder_create, folder_remove);
}
