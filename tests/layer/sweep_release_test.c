/* SPDX-License-Identifier: Apache-2.0 */
/* What gives something back, in a sweep: it fails if that is asked for, and not otherwise. */
#include "sweep_world.h"

enum { RELEASES = 4 }; /* of SWEEP_CALLS */

static void releases_are_not_failed_unasked(void **state)
{
    (void)state;
    sweep_options.fail_releases = false;
    if (sweep_once(IGNORES_RELEASES) != CUDA_SUCCESS)
        fail_msg("%s", sweep_why);
    assert_int_equal(sweep_result.calls, SWEEP_CALLS - RELEASES);
    assert_int_equal(sweep_result.swept, 2 * (SWEEP_CALLS - RELEASES));
}

static void releases_are_failed_on_request(void **state)
{
    (void)state;
    sweep_options.fail_releases = true;
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    assert_int_equal(sweep_once(IGNORES_RELEASES), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(sweep_result.calls, SWEEP_CALLS);
    assert_int_equal(sweep_result.failures, RELEASES);
}

static void release_that_is_named_is_failed(void **state)
{
    (void)state;
    sweep_options.fail_releases = false;
    sweep_options.functions = "cuEventDestroy_v2";
    sweep_options.kinds = CUSHIM_SWEEP_ONCE;
    sweep_assert_found(IGNORES_RELEASES,
                       "call 1 of the body (cuEventDestroy_v2) answered CUDA_ERROR_UNKNOWN, once: "
                       "the body answered 1; this run alone: first = last = 1, kinds = "
                       "CUSHIM_SWEEP_ONCE\n");
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

/* Makes current what is so already, and later puts it back without a look at the answer. */
static int go_and_come_back(void *data)
{
    CUcontext context = NULL;
    CUresult code;

    (void)data;
    cushim_driver()->CtxGetCurrent(&context);
    code = cushim_driver()->CtxSetCurrent(context);
    if (code == CUDA_SUCCESS) {
        code = cushim_driver()->CtxSetCurrent(NULL);
        cushim_driver()->CtxSetCurrent(context);
    }
    return code != cushim_sweep_injected(NULL);
}

static void context_that_is_put_back_is_given_back(void **state)
{
    (void)state;
    sweep_options.functions = "cuCtxSet*";
    sweep_options.setup = make_current;
    sweep_options.teardown = end_current;
    sweep_options.fail_releases = false;
    if (cushim_sweep(&sweep_options, go_and_come_back, NULL, &sweep_result) != CUDA_SUCCESS)
        fail_msg("%s", sweep_why);
    assert_int_equal(sweep_result.calls, 2);
    sweep_options.fail_releases = true;
    assert_int_equal(cushim_sweep(&sweep_options, go_and_come_back, NULL, &sweep_result),
                     CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(sweep_result.calls, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SWEEP_TEST(releases_are_not_failed_unasked),
        SWEEP_TEST(releases_are_failed_on_request),
        SWEEP_TEST(release_that_is_named_is_failed),
        SWEEP_TEST(context_that_is_put_back_is_given_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
