/* SPDX-License-Identifier: Apache-2.0 */
/* Loading: what is taken from where, what a failure means, and when it is tried again. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake.h"
#include "forked.h"
#include "loader/codes.h"
#include "loader/loader.h"
#include "loader/tables.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct fake_source source;
static struct fake_source broken = {.lacks = {"cuInit"}};

static CUresult load_minimum(int version)
{
    const struct cushim_load_options options = {
        .size = sizeof options,
        .minimum_version = version,
        .resolver = fake_resolve,
        .resolver_data = &source,
    };
    return cushim_load(&options);
}

static enum cushim_state state_now(void)
{
    struct cushim_report report = {.size = sizeof report};
    assert_int_equal(cushim_report_get(&report), CUDA_SUCCESS);
    return report.state;
}

static void load_takes_the_symbols_from_the_resolver(void **state)
{
    (void)state;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(source.lookups, FAKE_LOOKUPS_OF_A_LOAD);
    assert_true(cushim_driver()->Init ==
                (CUresult(CUDAAPI *)(unsigned int))fake_resolve("cuInit", &source));
    assert_int_equal(fake_query(), FAKE_ANSWER);
    assert_int_equal(fake.init_calls, 0);
}

static void load_takes_the_symbols_from_the_named_library(void **state)
{
    (void)state;
    environment_set("CUSHIM_LIBRARY", "none");
    assert_int_equal(fake_load_library(FAKE_LIBRARY), CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_LIBRARY_ANSWER);
}

static void first_call_loads_what_the_environment_names(void **state)
{
    (void)state;
    environment_set("CUSHIM_LIBRARY", FAKE_LIBRARY);
    assert_int_equal(fake_query(), FAKE_LIBRARY_ANSWER);
    assert_int_equal(cushim_load(NULL), CUDA_SUCCESS);
    assert_int_equal(fake_library_calls(), FAKE_LIBRARY_CALLS_OF_A_LOAD);
}

static void call_through_the_table_does_not_retry_a_failed_load(void **state)
{
    (void)state;
    environment_set("CUSHIM_LIBRARY", "none");
    assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    environment_set("CUSHIM_LIBRARY", FAKE_LIBRARY);
    assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    /* Nor does a call through the boot table, which a layer may still hold. */
    assert_int_equal(cushim__boot_table.EventQuery(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    assert_int_equal(state_now(), CUSHIM_STATE_DISABLED);
}

static void explicit_load_retries_after_a_failure(void **state)
{
    (void)state;
    environment_set("CUSHIM_LIBRARY", "none");
    assert_int_equal(cushim_load(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    environment_set("CUSHIM_LIBRARY", FAKE_LIBRARY);
    assert_int_equal(cushim_load(NULL), CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_LIBRARY_ANSWER);
    assert_int_equal(cushim__boot_table.EventQuery(NULL), FAKE_LIBRARY_ANSWER);
    assert_int_equal(state_now(), CUSHIM_STATE_LOADED);
}

static void each_explicit_load_tries_once_more(void **state)
{
    (void)state;
    for (unsigned tries = 1; tries <= 3; tries++) {
        assert_int_equal(fake_load(&broken), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
        assert_int_equal(broken.lookups, tries * FAKE_LOOKUPS_OF_A_FAILURE);
        assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    }
}

static void later_failure_replaces_the_reason_of_an_earlier_one(void **state)
{
    (void)state;
    environment_set("CUSHIM_LIBRARY", "none");
    assert_int_equal(cushim_load(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    assert_int_equal(fake_load(&broken), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(fake_query(), CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(state_now(), CUSHIM_STATE_NOT_A_DRIVER);
}

static void loaded_driver_is_for_good(void **state)
{
    (void)state;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    environment_set("CUSHIM_LIBRARY", "none");
    assert_int_equal(cushim_load(NULL), CUDA_SUCCESS);
    assert_int_equal(source.lookups, FAKE_LOOKUPS_OF_A_LOAD);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

static void another_source_is_refused_once_a_driver_is_loaded(void **state)
{
    static struct fake_source other;

    (void)state;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(fake_load(&other), CUDA_ERROR_NOT_PERMITTED);
    assert_int_equal(other.lookups, 0);
    assert_int_equal(fake_load_library(FAKE_LIBRARY), CUDA_ERROR_NOT_PERMITTED);
    assert_int_equal(fake_load_library(FAKE_ROOT "/nonexistent/libcuda.so.1"),
                     CUDA_ERROR_NOT_PERMITTED);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

static void another_library_is_refused_once_one_is_loaded(void **state)
{
    (void)state;
    assert_int_equal(fake_load_library(FAKE_LIBRARY), CUDA_SUCCESS);
    assert_int_equal(fake_load_library(FAKE_ROOT "/nonexistent/libcuda.so.1"),
                     CUDA_ERROR_NOT_PERMITTED);
    assert_int_equal(fake_load(&source), CUDA_ERROR_NOT_PERMITTED);
    assert_int_equal(fake_query(), FAKE_LIBRARY_ANSWER);
}

static void other_path_to_the_loaded_library_is_the_same_library(void **state)
{
    size_t size;
    unsigned char *bytes = folder_read(FAKE_LIBRARY, &size);
    char path[FOLDER_PATH_BYTES];

    (void)state;
    snprintf(path, sizeof path, "%s", folder_write("libcuda", bytes, size));
    folder_link("other", path);
    assert_int_equal(fake_load_library(path), CUDA_SUCCESS);
    assert_int_equal(fake_load_library(folder_path("other")), CUDA_SUCCESS);
    free(bytes);
}

static void driver_below_the_minimum_is_not_loaded(void **state)
{
    (void)state;
    assert_int_equal(load_minimum(FAKE_LIBRARY_VERSION + 10), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_int_equal(fake_query(), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_int_equal(state_now(), CUSHIM_STATE_TOO_OLD);
    assert_int_equal(load_minimum(FAKE_LIBRARY_VERSION), CUDA_SUCCESS);
    assert_int_equal(fake_query(), FAKE_ANSWER);
}

static void minimum_stated_after_the_load_is_judged_and_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(load_minimum(FAKE_LIBRARY_VERSION), CUDA_SUCCESS);
    assert_int_equal(load_minimum(FAKE_LIBRARY_VERSION + 10), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_int_equal(fake_query(), FAKE_ANSWER);
    assert_int_equal(state_now(), CUSHIM_STATE_LOADED);
}

static void failing_cuDriverGetVersion_is_the_answer_of_every_call(void **state)
{
    static const struct {
        CUresult code;
        enum cushim_state state;
    } cases[] = {
        {CUDA_ERROR_STUB_LIBRARY, CUSHIM_STATE_STUB},
        {CUDA_ERROR_UNKNOWN, CUSHIM_STATE_DRIVER_ERROR},
        {CUDA_ERROR_OPERATING_SYSTEM, CUSHIM_STATE_DRIVER_ERROR},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        fake.version_code = cases[i].code;
        assert_int_equal(fake_load(&source), cases[i].code);
        assert_int_equal(fake_query(), cases[i].code);
        assert_int_equal(state_now(), cases[i].state);
    }
}

static void named_library_must_be_an_absolute_path(void **state)
{
    static const char *const paths[] = {"", "libcuda.so.1", "./libcuda.so.1", "none"};

    (void)state;
    for (size_t i = 0; i < COUNT(paths); i++) {
        struct cushim_report report = {.size = sizeof report};
        assert_int_equal(fake_load_library(paths[i]), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        assert_int_equal(cushim_report_get(&report), CUDA_SUCCESS);
        assert_int_equal(report.candidate_count, 1);
        assert_int_equal(report.candidates[0].outcome, CUSHIM_OUTCOME_REFUSED);
        assert_int_equal(report.candidates[0].origin, CUSHIM_ORIGIN_OPTION);
    }
}

static void init_loads_and_initialises(void **state)
{
    const struct cushim_load_options options = {
        .size = sizeof options,
        .resolver = fake_resolve,
        .resolver_data = &source,
    };
    struct cushim_report report = {.size = sizeof report};

    (void)state;
    assert_int_equal(cushim_init(&options), CUDA_SUCCESS);
    assert_int_equal(fake.init_calls, 1);
    assert_int_equal(cushim_report_get(&report), CUDA_SUCCESS);
    assert_int_equal(report.state, CUSHIM_STATE_READY);
    assert_int_equal(report.init_process, getpid());
}

static void init_answers_what_cuInit_answers(void **state)
{
    static const CUresult codes[] = {CUDA_ERROR_NO_DEVICE, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
                                     CUDA_ERROR_UNKNOWN, CUDA_SUCCESS};

    (void)state;
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    for (size_t i = 0; i < COUNT(codes); i++) {
        struct cushim_report report = {.size = sizeof report};
        fake.init_code = codes[i];
        assert_int_equal(cushim_init(NULL), codes[i]);
        assert_int_equal(cushim_report_get(&report), CUDA_SUCCESS);
        assert_int_equal(report.code, codes[i]);
    }
}

static void init_without_a_driver_answers_the_reason_and_calls_nothing(void **state)
{
    struct cushim_report report = {.size = sizeof report};

    (void)state;
    environment_set("CUSHIM_LIBRARY", "none");
    assert_int_equal(cushim_init(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    assert_int_equal(cushim_report_get(&report), CUDA_SUCCESS);
    assert_int_equal(report.init_process, 0);
    assert_int_equal(fake_load(&source), CUDA_SUCCESS);
    assert_int_equal(state_now(), CUSHIM_STATE_LOADED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        forked_test(load_takes_the_symbols_from_the_resolver),
        forked_test(load_takes_the_symbols_from_the_named_library),
        forked_test(first_call_loads_what_the_environment_names),
        forked_test(call_through_the_table_does_not_retry_a_failed_load),
        forked_test(explicit_load_retries_after_a_failure),
        forked_test(each_explicit_load_tries_once_more),
        forked_test(later_failure_replaces_the_reason_of_an_earlier_one),
        forked_test(loaded_driver_is_for_good),
        forked_test(another_source_is_refused_once_a_driver_is_loaded),
        forked_test(another_library_is_refused_once_one_is_loaded),
        forked_test(other_path_to_the_loaded_library_is_the_same_library),
        forked_test(driver_below_the_minimum_is_not_loaded),
        forked_test(minimum_stated_after_the_load_is_judged_and_changes_nothing),
        forked_test(failing_cuDriverGetVersion_is_the_answer_of_every_call),
        forked_test(named_library_must_be_an_absolute_path),
        forked_test(init_loads_and_initialises),
        forked_test(init_answers_what_cuInit_answers),
        forked_test(init_without_a_driver_answers_the_reason_and_calls_nothing),
    };

    return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
