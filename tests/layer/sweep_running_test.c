/* SPDX-License-Identifier: Apache-2.0 */
/* Which run is under way, and why there is none. */
#include <stdio.h>
#include <string.h>

#include <cushim/cmocka.h>

#include "sweep_world.h"

static char told[4000], first[400];

static void tell(void *data, const char *run)
{
    const size_t used = strlen(told);

    (void)data;
    assert_ptr_equal(run, cushim_sweep_running());
    snprintf(told + used, sizeof told - used, "%s\n", run);
}

static void each_run_is_told_before_its_call_fails(void **state)
{
    (void)state;
    told[0] = '\0';
    sweep_options.functions = "cuMemAlloc_v2";
    sweep_options.settings = "schedule = lazy";
    sweep_options.on_failure = tell;
    assert_int_equal(sweep_once(NO_BUG), CUDA_SUCCESS);
    assert_string_equal(
        told,
        "call 1 of the body (cuMemAlloc_v2) answered CUDA_ERROR_OUT_OF_MEMORY, once; mock: "
        "schedule = lazy; this run alone: first = last = 1, kinds = CUSHIM_SWEEP_ONCE\n"
        "call 1 of the body (cuMemAlloc_v2) answered CUDA_ERROR_OUT_OF_MEMORY, as did all from "
        "then on; mock: schedule = lazy; this run alone: first = last = 1, kinds = "
        "CUSHIM_SWEEP_FROM_THEN_ON\n");
}

static int note_run(void *data)
{
    (void)data;
    snprintf(first, sizeof first, "%s", cushim_sweep_running());
    return cushim_driver()->Init(0) != cushim_sweep_injected(NULL);
}

static void run_is_known_from_where_it_begins_to_where_it_ends(void **state)
{
    (void)state;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    assert_null(cushim_sweep_running());
    assert_int_equal(cushim_sweep(&sweep_options, note_run, NULL, NULL), CUDA_SUCCESS);
    assert_string_equal(first, "before call 2 of the body; this run alone: first = last = 2, "
                               "kinds = CUSHIM_SWEEP_ONCE");
    assert_null(cushim_sweep_running());
}

/* To a sweep in a body the run around it is one that has not ended, as one left by longjmp() is. */
static int sweep_again(void *data)
{
    enum bug bug = NO_BUG;
    const CUresult code = cushim_driver()->Init(0);

    if (code != CUDA_SUCCESS)
        *(CUresult *)data = cushim_sweep(&sweep_options, sweep_body, &bug, NULL);
    return code != cushim_sweep_injected(NULL);
}

static void run_that_has_not_ended_is_why_there_is_no_other(void **state)
{
    const struct cushim_sweep_options once = {.size = sizeof once, .kinds = CUSHIM_SWEEP_ONCE};
    CUresult inner = CUDA_SUCCESS;

    (void)state;
    assert_int_equal(cushim_sweep(&once, sweep_again, &inner, NULL), CUDA_SUCCESS);
    assert_int_equal(inner, CUDA_ERROR_ALREADY_ACQUIRED);
    assert_string_equal(
        sweep_why, "a run of a sweep has not ended: a body must not sweep, nor be left by "
                   "longjmp(), as an assertion of cmocka leaves it and a crash that cmocka "
                   "catches; that run: call 1 of the body (cuInit) answered CUDA_ERROR_UNKNOWN, "
                   "once; this run alone: first = last = 1, kinds = CUSHIM_SWEEP_ONCE\n");
}

static void mock_or_layer_is_why_there_is_no_run(void **state)
{
    struct cushim_mock *mock = NULL;

    (void)state;
    assert_int_equal(cushim_mock_create(NULL, &mock), CUDA_SUCCESS);
    assert_int_equal(sweep_once(NO_BUG), CUDA_ERROR_ALREADY_ACQUIRED);
    assert_string_equal(sweep_why,
                        "there is a mock in this process: a sweep makes its own for each run, and "
                        "a test that has begun must have ended before\n");
    assert_int_equal(cushim_mock_destroy(mock), CUDA_SUCCESS);
}

static void what_is_not_understood_is_said(void **state)
{
    enum bug bug = NO_BUG;

    (void)state;
    assert_int_equal(cushim_sweep(&sweep_options, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(sweep_why, "body is NULL\n");
    sweep_result.size = 1;
    assert_int_equal(cushim_sweep(&sweep_options, sweep_body, &bug, &sweep_result),
                     CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(sweep_why, "result has a size that is too small: set it to sizeof(struct "
                                   "cushim_sweep_result)\n");
    sweep_options.size++;
    assert_int_equal(sweep_once(NO_BUG), CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(sweep_why, "options has a size that is none of struct "
                                   "cushim_sweep_options, or fields that this library does not "
                                   "know\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SWEEP_TEST(each_run_is_told_before_its_call_fails),
        SWEEP_TEST(run_is_known_from_where_it_begins_to_where_it_ends),
        SWEEP_TEST(run_that_has_not_ended_is_why_there_is_no_other),
        SWEEP_TEST(mock_or_layer_is_why_there_is_no_run),
        SWEEP_TEST(what_is_not_understood_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
