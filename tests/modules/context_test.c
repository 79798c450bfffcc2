/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts: creating and releasing them, calls in a context, and scopes, which restore the thread's
 * current context in every case.
 */
#include "testkit.h"

static CUcontext handle_of(const struct cushim_context *context)
{
    CUcontext handle = NULL;

    OK(cushim_context_get_handle(context, &handle));
    return handle;
}

/* --- creating and releasing --- */

TEST(driver_without_the_newer_release_is_given_the_older_one)
{
    struct cushim_context *context;

    testkit_fault("cuDevicePrimaryCtxRelease_v2 => missing");
    OK(cushim_context_retain_primary(0, &context));
    testkit_forget();
    OK(cushim_context_release(context));
    assert_calls("cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxRelease");
}

TEST(create_leaves_the_current_context_as_it_was)
{
    const struct cushim_context_options options = {.size = sizeof options,
                                                   .flags = CU_CTX_SCHED_BLOCKING_SYNC};
    struct cushim_context *context;

    OK(cushim_context_create(1, &options, &context));
    assert_int_equal(testkit_argument("cuCtxCreate_v2", "flags"), CU_CTX_SCHED_BLOCKING_SYNC);
    assert_int_equal(testkit_argument("cuCtxCreate_v2", "dev"), 1);
    assert_calls("cuCtxCreate_v2 cuCtxPopCurrent_v2");
    assert_ptr_equal(testkit_current(), testkit.current);
    OK(cushim_context_release(context));
}

TEST(unknown_options_are_refused_unless_zero)
{
    struct {
        struct cushim_context_options known;
        unsigned newer[4];
    } options = {.known = {.size = sizeof options}};
    struct cushim_context *context;

    OK(cushim_context_create(0, &options.known, &context));
    OK(cushim_context_release(context));
    testkit_forget();
    options.newer[3] = 1;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_context_create(0, &options.known, &context));
    options.known.size = 0;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_context_create(0, &options.known, &context));
    assert_calls("");
    options.known.size = sizeof options.known.size; /* older, so its flags are not read */
    options.known.flags = 0x80000000u;
    OK(cushim_context_create(0, &options.known, &context));
    OK(cushim_context_release(context));
}

TEST(wrapped_context_is_never_destroyed)
{
    struct cushim_context *context, *current;

    OK(cushim_context_wrap(testkit.second, &context));
    OK(cushim_context_wrap_current(&current));
    assert_ptr_equal(handle_of(context), testkit.second);
    assert_ptr_equal(handle_of(current), testkit.current);
    OK(cushim_context_release(context));
    OK(cushim_context_release(current));
    assert_calls("cuCtxGetCurrent");
}

TEST(last_release_destroys_once)
{
    struct cushim_context *context = NULL;

    OK(cushim_context_create(0, NULL, &context));
    testkit_forget();
    assert_ptr_equal(cushim_context_retain(context), context);
    OK(cushim_context_release(context));
    assert_calls("");
    OK(cushim_context_release(context));
    assert_calls("cuCtxDestroy_v2");
}

TEST(reset_of_a_primary_context_leaves_what_is_released_quietly)
{
    struct cushim_context *context;
    struct cushim_event *event;

    testkit_stop_check();
    OK(cushim_context_retain_primary(0, &context));
    OK(cushim_event_create(context, NULL, &event));
    OK(cushim_driver()->DevicePrimaryCtxReset_v2(0));
    CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cushim_event_query(event));
    OK(cushim_event_release(event));
    OK(cushim_context_release(context));
    assert_int_equal(testkit.log_lines, 0);
}

/* --- calls in a context --- */

TEST(device_of_a_created_context_needs_no_driver_call)
{
    struct cushim_context *context;
    CUdevice device = -1;

    OK(cushim_context_create(1, NULL, &context));
    testkit_forget();
    OK(cushim_context_get_device(context, &device));
    assert_int_equal(device, 1);
    assert_calls("");
    OK(cushim_context_release(context));
}

TEST(device_of_a_wrapped_context_is_asked_for_in_it)
{
    CUdevice device = -1;

    OK(cushim_context_get_device(testkit.one, &device));
    assert_int_equal(device, 0);
    assert_calls(PUSHED_FIRST("cuCtxGetDevice"));
}

TEST(error_of_the_work_comes_before_one_of_putting_back)
{
    testkit_fault("cuCtxSynchronize => return(LAUNCH_FAILED)");
    testkit_fault("cuCtxPopCurrent_v2:phase=after => return(UNKNOWN)");
    CODE(CUDA_ERROR_LAUNCH_FAILED, cushim_context_synchronize(testkit.one));
    assert_int_equal(testkit.log_lines, 1);
    CONTAINS(testkit.log_last, "cuCtxPopCurrent_v2 failed: CUDA_ERROR_UNKNOWN (999)");
    CONTAINS(testkit.log_last, "failed with CUDA_ERROR_LAUNCH_FAILED (719)");
}

TEST(context_is_pushed_even_if_it_is_current)
{
    struct cushim_context_scope outer, inner;

    OK(cushim_context_push(testkit.one, &outer));
    OK(cushim_context_push(testkit.one, &inner));
    assert_calls("cuCtxPushCurrent_v2(first) cuCtxPushCurrent_v2(first)");
    OK(cushim_context_pop(&inner));
    assert_ptr_equal(testkit_current(), testkit.first);
    OK(cushim_context_pop(&outer));
}

TEST(scope_that_could_not_begin_is_over)
{
    struct cushim_context_scope scope;

    memset(&scope, 0x5a, sizeof scope);
    testkit_fault("cuCtxPushCurrent_v2:nth=1 => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_context_push(testkit.one, &scope));
    testkit_forget();
    OK(cushim_context_pop(&scope));
    memset(&scope, 0x5a, sizeof scope);
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_context_push(NULL, &scope));
    OK(cushim_context_pop(&scope));
    assert_calls("");
}

TEST(pop_that_fails_can_be_repeated)
{
    struct cushim_context_scope scope;

    OK(cushim_context_push(testkit.one, &scope));
    testkit_fault("cuCtxPopCurrent_v2:nth=1 => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_context_pop(&scope));
    OK(cushim_context_pop(&scope));
}

TEST(pop_that_cannot_put_another_context_back_logs_that)
{
    struct cushim_context_scope outer, inner;

    OK(cushim_context_push(testkit.one, &outer));
    OK(cushim_context_push(testkit.two, &inner));
    testkit_fault("cuCtxPushCurrent_v2:nth=1 => return(UNKNOWN)");
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_context_pop(&outer));
    CONTAINS(testkit.log_last, "cuCtxPushCurrent_v2 failed: CUDA_ERROR_UNKNOWN (999)");
    OK(cushim_context_pop(&outer));
}

TEST(context_is_made_current_in_the_place_of_another)
{
    OK(cushim_context_make_current(testkit.one));
    assert_ptr_equal(testkit_current(), testkit.first);
    OK(cushim_context_make_current(testkit.two));
    assert_ptr_equal(testkit_current(), testkit.second);
    OK(cushim_context_make_current(NULL));
    assert_null(testkit_current());
    assert_calls("cuCtxSetCurrent cuCtxSetCurrent cuCtxSetCurrent");
    testkit_enter(NULL);
}
