/* SPDX-License-Identifier: Apache-2.0 */
/* Context objects: what is asked of them and done in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/context.h>
#include <cushim/event.h>
#include <cushim/event_info.h>

#include "context_world.h"
#include "fake.h"
#include "loader/codes.h"
#include "src/objects.h"

static void the_device_of_ones_own_context_needs_no_call(void **state)
{
    struct cushim_context *context = context_made(1);
    CUdevice device = -1;

    (void)state;
    assert_int_equal(cushim_context_device(context, &device), CUDA_SUCCESS);
    assert_int_equal(device, 1);
    assert_int_equal(fake_calls(NULL), 0);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
}

static void the_device_of_a_borrowed_context_is_asked_for_in_it(void **state)
{
    struct cushim_context *context;
    CUdevice device = -1;

    (void)state;
    fake_enter(fake_foreign_context(0));
    assert_int_equal(cushim_context_wrap(&context, fake_foreign_context(1)), CUDA_SUCCESS);
    assert_int_equal(cushim_context_device(context, &device), CUDA_SUCCESS);
    assert_int_equal(device, 1);
    assert_string_equal(fake_order(), "cuCtxPushCurrent_v2 cuCtxGetDevice cuCtxPopCurrent_v2");
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
}

static void contexts_have_numbers_of_their_own(void **state)
{
    struct cushim_context *one = context_made(0), *other = context_made(0);
    unsigned long long first = 0, second = 0;

    (void)state;
    assert_int_equal(cushim_context_id(one, &first), CUDA_SUCCESS);
    assert_int_equal(cushim_context_id(other, &second), CUDA_SUCCESS);
    assert_true(first != second);
    fake_lack("cuCtxGetId");
    assert_int_equal(cushim_context_id(one, &second), CUSHIM__REQUIRES_NEWER_DRIVER);
    assert_int_equal(cushim_context_release(one), CUDA_SUCCESS);
    assert_int_equal(cushim_context_release(other), CUDA_SUCCESS);
}

static void synchronizing_happens_in_the_context(void **state)
{
    struct cushim_context *context = context_made(1);

    (void)state;
    fake_enter(fake_foreign_context(0));
    fake_stream_hold(context_handle_of(context), NULL, FAKE_FOREVER);
    assert_int_equal(cushim_context_synchronize(context), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuCtxPushCurrent_v2 cuCtxSynchronize cuCtxPopCurrent_v2");
    assert_false(((struct fake_context *)context_handle_of(context))->defaults[0]->held);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
}

static void an_error_of_the_work_comes_before_one_of_putting_back(void **state)
{
    struct cushim_context *context = context_made(1);

    (void)state;
    fake_enter(fake_foreign_context(0));
    fake_fail_from(NULL, 2, CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(cushim_context_synchronize(context), CUDA_ERROR_LAUNCH_FAILED);
    fake_fail_no_more();
    assert_non_null(strstr(context_logged, "cuCtxPopCurrent_v2 failed"));
    assert_ptr_equal(fake_pop(), context_handle_of(context));
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
}

static void an_event_is_recorded_for_a_whole_context(void **state)
{
    struct cushim_context *context = context_made(0), *other = context_made(0);
    struct cushim_event *event;

    (void)state;
    assert_int_equal(cushim_event_create(&event, context, NULL), CUDA_SUCCESS);
    fake_forget();
    assert_int_equal(cushim_context_record_event(other, event), CUDA_ERROR_INVALID_HANDLE);
    assert_false(cushim_event_is_recorded(event));
    assert_int_equal(cushim_context_record_event(context, event), CUDA_SUCCESS);
    assert_true(cushim_event_is_recorded(event));
    assert_int_equal(cushim_context_wait_event(other, event), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuCtxRecordEvent cuCtxRecordEvent cuCtxWaitEvent");
    assert_int_equal(cushim_event_release(event), CUDA_SUCCESS);
    assert_int_equal(cushim_context_release(other), CUDA_SUCCESS);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
}

static void a_closed_event_never_reaches_the_driver(void **state)
{
    struct cushim_context *context = context_made(0);
    struct cushim_event *event;

    (void)state;
    assert_int_equal(cushim_event_create(&event, context, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_event_close(event), CUDA_SUCCESS);
    fake_forget();
    assert_int_equal(cushim_context_record_event(context, event), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cushim_context_wait_event(context, event), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(fake_calls(NULL), 0);
    assert_int_equal(cushim_event_release(event), CUDA_SUCCESS);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
}

static void access_to_a_peer_is_given_and_taken_in_the_context(void **state)
{
    struct cushim_context *context = context_made(0), *peer = context_made(1);

    (void)state;
    assert_int_equal(cushim_context_enable_peer_access(context, peer), CUDA_SUCCESS);
    assert_ptr_equal(((struct fake_context *)context_handle_of(context))->peers[0],
                     context_handle_of(peer));
    assert_int_equal(cushim_context_enable_peer_access(context, peer),
                     CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    assert_int_equal(cushim_context_disable_peer_access(peer, context),
                     CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    assert_int_equal(cushim_context_disable_peer_access(context, peer), CUDA_SUCCESS);
    assert_null(((struct fake_context *)context_handle_of(context))->peers[0]);
    assert_true(fake_stack_is_as_entered());
    assert_int_equal(cushim_context_release(peer), CUDA_SUCCESS);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
}

/* --- what they all have in common --- */

static void a_missing_object_or_output_is_refused_before_any_call(void **state)
{
    struct cushim_context *context = context_made(0);
    struct cushim_event *event = (struct cushim_event *)&context; /* never looked at */
    unsigned long long id;
    CUdevice device;

    (void)state;
#define REFUSED(call, code) assert_int_equal(call, code)
    REFUSED(cushim_context_device(NULL, &device), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_device(context, NULL), CUDA_ERROR_INVALID_VALUE);
    REFUSED(cushim_context_id(NULL, &id), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_id(context, NULL), CUDA_ERROR_INVALID_VALUE);
    REFUSED(cushim_context_synchronize(NULL), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_record_event(NULL, event), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_record_event(context, NULL), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_wait_event(NULL, event), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_wait_event(context, NULL), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_enable_peer_access(NULL, context), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_enable_peer_access(context, NULL), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_disable_peer_access(NULL, context), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_disable_peer_access(context, NULL), CUDA_ERROR_INVALID_HANDLE);
#undef REFUSED
    assert_int_equal(fake_calls(NULL), 0);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
}

/* The first failure of two. */
static CUresult first(CUresult one, CUresult other)
{
    return one ? one : other;
}

/* All that can be done with two contexts on two devices, and an event of the first one. */
static CUresult with_created_contexts(void *data)
{
    struct cushim_context *context = NULL, *peer = NULL;
    struct cushim_event *event = NULL;
    unsigned long long id = 0; /* no context has this one */
    CUresult code = cushim_context_create(&context, 0, NULL);

    (void)data;
    if (!code)
        code = cushim_context_create(&peer, 1, NULL);
    if (!code)
        code = cushim_event_create(&event, context, NULL);
    if (!code)
        code = cushim_context_id(context, &id);
    assert_int_equal(code != CUDA_SUCCESS, id == 0);
    if (!code)
        code = cushim_context_synchronize(context);
    if (!code)
        code = cushim_context_record_event(context, event);
    if (!code)
        code = cushim_context_wait_event(peer, event);
    if (!code)
        code = cushim_context_enable_peer_access(context, peer);
    if (!code)
        code = cushim_context_disable_peer_access(context, peer);
    code = first(code, cushim_event_release(event));
    code = first(code, cushim_context_release(peer));
    return first(code, cushim_context_release(context));
}

static CUresult with_the_current_context(void *data)
{
    struct cushim_context *context = NULL;
    CUdevice device = -1;
    CUresult code = cushim_context_wrap_current(&context);

    (void)data;
    assert_int_equal(code != CUDA_SUCCESS, context == NULL);
    if (!code)
        code = cushim_context_device(context, &device);
    assert_int_equal(code != CUDA_SUCCESS, device == -1);
    return first(code, cushim_context_release(context));
}

static void each_failing_call_is_reported_unchanged_and_leaves_nothing(void **state)
{
    (void)state;
    fake_enter(fake_foreign_context(0));
    assert_in_range(fake_sweep(with_created_contexts, NULL, NULL), 20, 30);
    assert_int_equal(fake_sweep(with_the_current_context, NULL, NULL), 4);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, context_setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_device_of_ones_own_context_needs_no_call),
        TEST(the_device_of_a_borrowed_context_is_asked_for_in_it),
        TEST(contexts_have_numbers_of_their_own),
        TEST(synchronizing_happens_in_the_context),
        TEST(an_error_of_the_work_comes_before_one_of_putting_back),
        TEST(an_event_is_recorded_for_a_whole_context),
        TEST(a_closed_event_never_reaches_the_driver),
        TEST(access_to_a_peer_is_given_and_taken_in_the_context),
        TEST(a_missing_object_or_output_is_refused_before_any_call),
        TEST(each_failing_call_is_reported_unchanged_and_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
