/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA's own drivers: each loads by every route and tells the truth of itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loader/codes.h"
#include "loader/system.h"
#include "tests/drivers/real.h"
#include "tests/support/child.h"

static struct cushim_report report_now(void)
{
    struct cushim_report report = {.size = sizeof report};

    check_int(cushim_report_get(&report), CUDA_SUCCESS);
    return report;
}

static void check_loaded(const struct generation *generation, enum route route)
{
    const struct cushim_report report = report_now();

    check_int(report.state, CUSHIM_STATE_LOADED);
    check_int(report.code, CUDA_SUCCESS);
    check_int(report.driver_version, generation->version);
    check_text(report.advice, "");
    check(cushim__path_is_same_file(report.library, real_library(generation)));
    check_int(report.candidate_count, 1);
    check_int(report.candidates[0].origin, route_origin(route));
    check_int(report.candidates[0].outcome, CUSHIM_OUTCOME_LOADED);
    check_int(report.candidates[0].version, generation->version);
    /* Loaded is not initialised. */
    check_int(cushim_driver()->CtxSynchronize(), CUDA_ERROR_NOT_INITIALIZED);
}

/* Nobody promises what an old driver answers where there is a GPU. */
static void check_refuses_init(const struct generation *generation, CUresult code)
{
    const struct cushim_report report = report_now();

    check_int(report.code, code);
    if (!real_without_gpu())
        return;
    check_int(code, generation->init);
    check_int(report.init_process, 0);
    if (generation->init == CUDA_ERROR_NO_DEVICE) {
        check_int(report.state, CUSHIM_STATE_NO_DEVICE);
        check_contains(report.reason, "but cuInit returned 100 CUDA_ERROR_NO_DEVICE");
        check_contains(report.advice, "nvidia-smi");
    } else {
        check_int(report.state, CUSHIM_STATE_INIT_FAILED);
        check_contains(report.reason, "but cuInit returned 999 CUDA_ERROR_UNKNOWN");
        check_text(report.advice, cushim_error_advice(CUDA_ERROR_UNKNOWN));
    }
}

static void load_and_initialise(const struct generation *generation, enum route route)
{
    struct cushim_load_options options;

    route_prepare(route, real_library(generation), &options);
    check_int(report_now().state, CUSHIM_STATE_UNTRIED);
    check_int(cushim_load(&options), CUDA_SUCCESS);
    check_loaded(generation, route);
    check_refuses_init(generation, cushim_init(&options));
}

static void load_below_the_minimum(const struct generation *generation, enum route route)
{
    struct cushim_load_options options;

    route_prepare(route, real_library(generation), &options);
    options.minimum_version = generation->version + 10;
    check_int(cushim_load(&options), CUSHIM__REQUIRES_NEWER_DRIVER);
    check_int(report_now().state, CUSHIM_STATE_TOO_OLD);
    check_int(cushim_driver()->EventQuery(NULL), CUSHIM__REQUIRES_NEWER_DRIVER);
    options.minimum_version = generation->version;
    check_int(cushim_load(&options), CUDA_SUCCESS);
    check_loaded(generation, route);
}

static void load_without_help(const struct generation *generation, enum route route)
{
    struct cushim_load_options options;
    struct cushim_report report;

    route_prepare(route, real_library(generation), &options);
    check_int(cushim_load(&options), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    report = report_now();
    check_int(report.state, CUSHIM_STATE_NOT_LOADABLE);
    check_int(report.candidate_count, 1);
    check_int(report.candidates[0].outcome, CUSHIM_OUTCOME_LACKS_LIBRARY);
    check_contains(report.candidates[0].message, generation->needs);
    check_contains(report.reason, generation->needs);
    check_contains(report.advice, "Install the library that the message names");
    check_int(cushim_driver()->EventQuery(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
}

enum { LOAD_AND_INITIALISE, LOAD_BELOW_THE_MINIMUM, LOAD_WITHOUT_HELP };

static const real_visit visits[] = {
    [LOAD_AND_INITIALISE] = load_and_initialise,
    [LOAD_BELOW_THE_MINIMUM] = load_below_the_minimum,
    [LOAD_WITHOUT_HELP] = load_without_help,
};

static void every_generation_loads_by_option_and_refuses_init_without_a_gpu(void **state)
{
    (void)state;
    assert_int_equal(real_each(LOAD_AND_INITIALISE, ROUTE_OPTION), 0);
}

static void every_generation_loads_by_environment(void **state)
{
    (void)state;
    assert_int_equal(real_each(LOAD_AND_INITIALISE, ROUTE_ENVIRONMENT), 0);
}

static void every_generation_loads_by_search(void **state)
{
    (void)state;
    assert_int_equal(real_each(LOAD_AND_INITIALISE, ROUTE_SEARCH), 0);
}

static void every_generation_loads_if_mapped_before(void **state)
{
    (void)state;
    assert_int_equal(real_each(LOAD_AND_INITIALISE, ROUTE_MAPPED), 0);
}

static void every_generation_loads_by_resolver(void **state)
{
    (void)state;
    assert_int_equal(real_each(LOAD_AND_INITIALISE, ROUTE_RESOLVER), 0);
}

static void every_generation_is_too_old_for_the_next_version(void **state)
{
    (void)state;
    assert_int_equal(real_each(LOAD_BELOW_THE_MINIMUM, ROUTE_OPTION), 0);
}

static void the_report_names_the_library_that_a_generation_needs(void **state)
{
    (void)state;
    assert_int_equal(real_each_without_help(LOAD_WITHOUT_HELP), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_generation_loads_by_option_and_refuses_init_without_a_gpu),
        cmocka_unit_test(every_generation_loads_by_environment),
        cmocka_unit_test(every_generation_loads_by_search),
        cmocka_unit_test(every_generation_loads_if_mapped_before),
        cmocka_unit_test(every_generation_loads_by_resolver),
        cmocka_unit_test(every_generation_is_too_old_for_the_next_version),
        cmocka_unit_test(the_report_names_the_library_that_a_generation_needs),
    };
    const int status = real_begin(argc, argv, visits);

    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
