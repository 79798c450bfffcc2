/* SPDX-License-Identifier: Apache-2.0 */
/* What a sweep tells of runs: the same once, and what is another thing by itself. */
#include <stdio.h>
#include <string.h>

#include "sweep_world.h"

static char expected[100];

static unsigned count_of(const char *text)
{
    unsigned count = 0;

    for (const char *at = sweep_why; (at = strstr(at, text)); at++)
        count++;
    return count;
}

static void same_leak_in_many_runs_has_one_line(void **state)
{
    static const char *const variants[] = {"schedule = eager", "schedule = lazy", NULL};

    (void)state;
    sweep_options.variants = variants;
    assert_int_equal(sweep_once(LEAKS_IF_FAILED), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(count_of("call 6 of the body"), 1);
    assert_int_equal(count_of("\n"), 1);
    assert_true(sweep_result.failures > 6);
    snprintf(expected, sizeof expected, "kinds = CUSHIM_SWEEP_ONCE; and in %u other runs\n",
             (unsigned)sweep_result.failures - 1);
    assert_non_null(strstr(sweep_why, expected));
}

/* One call less if the first fails, and an event that is left if one has failed. */
static int leak_by_this_call_or_that(void *data)
{
    int count;
    CUevent event;
    volatile CUresult code = cushim_driver()->DeviceGetCount(&count); /* one place for the event */

    (void)data;
    if (code == CUDA_SUCCESS)
        code = cushim_driver()->DeviceGetCount(&count);
    if (cushim_driver()->EventCreate(&event, 0) == CUDA_SUCCESS && code == CUDA_SUCCESS)
        cushim_driver()->EventDestroy_v2(event);
    return 0;
}

static int make_current(void *data)
{
    CUcontext context;

    (void)data;
    return cushim_driver()->Init(0) || cushim_driver()->DevicePrimaryCtxRetain(&context, 0) ||
           cushim_driver()->CtxSetCurrent(context);
}

static void end_current(void *data)
{
    (void)data;
    cushim_driver()->CtxSetCurrent(NULL);
    cushim_driver()->DevicePrimaryCtxRelease_v2(0);
}

static void number_of_the_call_is_not_the_place(void **state)
{
    (void)state;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_options.setup = make_current;
    sweep_options.teardown = end_current;
    assert_int_equal(cushim_sweep(&sweep_options, leak_by_this_call_or_that, NULL, &sweep_result),
                     CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(sweep_result.failures, 2);
    assert_int_equal(count_of("\n"), 1);
    assert_non_null(strstr(sweep_why, "call 1 of the body (cuDeviceGetCount)"));
}

static void one_more_run_is_told_as_one(void **state)
{
    (void)state;
    sweep_options.functions = "cuMemset*";
    assert_int_equal(sweep_once(LEAKS_THE_EVENT), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(sweep_result.failures, 2);
    assert_int_equal(count_of("\n"), 1);
    assert_non_null(strstr(sweep_why, "CUSHIM_SWEEP_ONCE; and in 1 other run\n"));
}

static void what_the_body_says_is_told_for_each_call(void **state)
{
    (void)state;
    assert_int_equal(sweep_once(ALWAYS_WRONG_IF_FAILED), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(sweep_result.failures, 2 * SWEEP_CALLS);
    assert_int_equal(count_of("\n"), SWEEP_CALLS);
    assert_int_equal(count_of("; and in 1 other run\n"), SWEEP_CALLS);
}

/* However small it is, nothing is written behind it. */
static void message_of_any_size_is_filled_and_no_more(void **state)
{
    (void)state;
    sweep_options.functions = "cuMem*";
    for (size_t size = 1; size < 1000; size += 13) {
        memset(sweep_why, '#', sizeof sweep_why);
        sweep_options.message_size = size;
        assert_int_equal(sweep_once(ALWAYS_WRONG_IF_FAILED), CUDA_ERROR_ILLEGAL_STATE);
        assert_true(strlen(sweep_why) < size);
        assert_int_equal(sweep_why[size], '#');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SWEEP_TEST(same_leak_in_many_runs_has_one_line),
        SWEEP_TEST(number_of_the_call_is_not_the_place),
        SWEEP_TEST(one_more_run_is_told_as_one),
        SWEEP_TEST(what_the_body_says_is_told_for_each_call),
        SWEEP_TEST(message_of_any_size_is_filled_and_no_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
