/* SPDX-License-Identifier: Apache-2.0 */
/* Context objects: how they come and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/context.h>
#include <cushim/event.h>

#include "context_world.h"
#include "fake.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void the_primary_context_is_referenced_and_given_back(void **state)
{
    struct cushim_context *one, *other;

    (void)state;
    assert_int_equal(cushim_context_retain_primary(&one, 1), CUDA_SUCCESS);
    assert_int_equal(cushim_context_retain_primary(&other, 1), CUDA_SUCCESS);
    assert_ptr_equal(context_handle_of(one), context_handle_of(other));
    assert_int_equal(fake_primary_references(1), 2);
    assert_null(fake_current());
    assert_int_equal(cushim_context_release(one), CUDA_SUCCESS);
    assert_int_equal(fake_primary_references(1), 1);
    assert_int_equal(cushim_context_release(other), CUDA_SUCCESS);
    assert_int_equal(fake_calls("cuDevicePrimaryCtxRelease_v2"), 2);
}

static void an_older_driver_gets_the_primary_context_back_its_own_way(void **state)
{
    struct cushim_context *context;

    (void)state;
    fake_lack("cuDevicePrimaryCtxRelease_v2");
    assert_int_equal(cushim_context_retain_primary(&context, 0), CUDA_SUCCESS);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuDevicePrimaryCtxRetain cuDevicePrimaryCtxRelease");
}

static void creating_leaves_the_current_context_as_it_was(void **state)
{
    const struct cushim_context_options options = {.size = sizeof options,
                                                   .flags = CU_CTX_SCHED_BLOCKING_SYNC};
    struct cushim_context *context;

    (void)state;
    fake_enter(fake_foreign_context(0));
    assert_int_equal(cushim_context_create(&context, 1, &options), CUDA_SUCCESS);
    assert_true(fake_stack_is_as_entered());
    assert_ptr_not_equal(context_handle_of(context), fake_current());
    assert_int_equal(((struct fake_context *)context_handle_of(context))->flags,
                     CU_CTX_SCHED_BLOCKING_SYNC);
    assert_string_equal(fake_order(), "cuCtxCreate_v2 cuCtxPopCurrent_v2");
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
    assert_true(fake_stack_is_as_entered());
}

static void a_context_that_cannot_be_left_is_destroyed(void **state)
{
    struct cushim_context *context = NULL;

    (void)state;
    fake_enter(fake_foreign_context(0));
    fake_fail("cuCtxPopCurrent_v2", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_context_create(&context, 0, NULL), CUDA_ERROR_UNKNOWN);
    assert_null(context);
    assert_int_equal(fake_calls("cuCtxDestroy_v2"), 1);
}

static void options_of_other_sizes_are_understood(void **state)
{
    struct {
        struct cushim_context_options known;
        unsigned newer[4];
    } options = {.known = {.size = sizeof options}};
    struct cushim_context *context;

    (void)state;
    assert_int_equal(cushim_context_create(&context, 0, &options.known), CUDA_SUCCESS);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
    options.newer[3] = 1;
    fake_forget();
    assert_int_equal(cushim_context_create(&context, 0, &options.known), CUDA_ERROR_INVALID_VALUE);
    options.known.size = 0;
    assert_int_equal(cushim_context_create(&context, 0, &options.known), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(fake_calls(NULL), 0);
    options.known.size = sizeof options.known.size; /* has no flags: they are not read */
    options.known.flags = 0x80000000u;
    assert_int_equal(cushim_context_create(&context, 0, &options.known), CUDA_SUCCESS);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
}

static void a_borrowed_context_is_never_destroyed(void **state)
{
    const CUcontext foreign = fake_foreign_context(1);
    struct cushim_context *context, *current;

    (void)state;
    fake_enter(foreign);
    assert_int_equal(cushim_context_wrap(&context, foreign), CUDA_SUCCESS);
    assert_int_equal(cushim_context_wrap_current(&current), CUDA_SUCCESS);
    assert_ptr_equal(context_handle_of(context), foreign);
    assert_ptr_equal(context_handle_of(current), foreign);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
    assert_int_equal(cushim_context_release(current), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuCtxGetCurrent");
}

static void there_is_nothing_to_borrow_where_no_context_is(void **state)
{
    struct cushim_context *context = NULL;

    (void)state;
    assert_int_equal(cushim_context_wrap_current(&context), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cushim_context_wrap(&context, NULL), CUDA_ERROR_INVALID_CONTEXT);
    assert_null(context);
}

static void the_last_reference_destroys_and_only_once(void **state)
{
    struct cushim_context *context = context_made(0);

    (void)state;
    assert_ptr_equal(cushim_context_retain(context), context);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
    assert_int_equal(fake_calls(NULL), 0);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuCtxDestroy_v2");
}

static void a_child_keeps_its_context_alive(void **state)
{
    struct cushim_context *context = context_made(0);
    struct cushim_event *event;

    (void)state;
    assert_int_equal(cushim_event_create(&event, context, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
    assert_int_equal(fake_live(FAKE_CONTEXT), 1);
    fake_forget();
    assert_int_equal(cushim_event_release(event), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuEventDestroy_v2 cuCtxDestroy_v2");
}

static void a_context_that_is_gone_was_released(void **state)
{
    static const CUresult codes[] = {CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_DEINITIALIZED,
                                     CUDA_ERROR_CONTEXT_IS_DESTROYED};

    (void)state;
    for (size_t i = 0; i < COUNT(codes); i++) {
        struct cushim_context *context = context_made(0);

        fake_fail("cuCtxDestroy_v2", 1, codes[i]);
        assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
        assert_int_equal(cushim_context_retain_primary(&context, 0), CUDA_SUCCESS);
        fake_fail("cuDevicePrimaryCtxRelease_v2", 1, codes[i]);
        assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
    }
    assert_string_equal(context_logged, "");
}

static void a_failed_destroy_is_returned_and_logged(void **state)
{
    struct cushim_context *context = context_made(0);

    (void)state;
    fake_fail("cuCtxDestroy_v2", 1, CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cushim_context_release(context), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_non_null(strstr(context_logged, "cuCtxDestroy_v2 failed: CUDA_ERROR_ILLEGAL_ADDRESS"));
}

/* --- what they all have in common --- */

static void a_missing_object_or_output_is_refused_before_any_call(void **state)
{
    struct cushim_context *context = context_made(0);
    CUcontext handle;

    (void)state;
#define REFUSED(call, code) assert_int_equal(call, code)
    REFUSED(cushim_context_retain_primary(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    REFUSED(cushim_context_create(NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    REFUSED(cushim_context_wrap(NULL, context_handle_of(context)), CUDA_ERROR_INVALID_VALUE);
    REFUSED(cushim_context_wrap_current(NULL), CUDA_ERROR_INVALID_VALUE);
    REFUSED(cushim_context_handle(NULL, &handle), CUDA_ERROR_INVALID_HANDLE);
    REFUSED(cushim_context_handle(context, NULL), CUDA_ERROR_INVALID_VALUE);
    REFUSED(cushim_context_release(NULL), CUDA_SUCCESS);
#undef REFUSED
    assert_null(cushim_context_retain(NULL));
    assert_int_equal(fake_calls(NULL), 0);
    assert_int_equal(cushim_context_release(context), CUDA_SUCCESS);
}

/* The first failure of two. */
static CUresult first(CUresult one, CUresult other)
{
    return one ? one : other;
}

static CUresult with_a_primary_context(void *data)
{
    struct cushim_context *context = NULL;
    const CUresult code = cushim_context_retain_primary(&context, 0);

    (void)data;
    assert_int_equal(code != CUDA_SUCCESS, context == NULL);
    return first(code, cushim_context_release(context));
}

static CUresult with_a_created_context(void *data)
{
    struct cushim_context *context = NULL;
    const CUresult code = cushim_context_create(&context, 0, NULL);

    (void)data;
    assert_int_equal(code != CUDA_SUCCESS, context == NULL);
    return first(code, cushim_context_release(context));
}

static CUresult with_the_current_context(void *data)
{
    struct cushim_context *context = NULL;
    const CUresult code = cushim_context_wrap_current(&context);

    (void)data;
    assert_int_equal(code != CUDA_SUCCESS, context == NULL);
    return first(code, cushim_context_release(context));
}

static void each_failing_call_is_reported_unchanged_and_leaves_nothing(void **state)
{
    (void)state;
    fake_enter(fake_foreign_context(0));
    assert_int_equal(fake_sweep(with_a_primary_context, NULL, NULL), 2);
    assert_int_equal(fake_sweep(with_a_created_context, NULL, NULL), 3);
    assert_int_equal(fake_sweep(with_the_current_context, NULL, NULL), 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, context_setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_primary_context_is_referenced_and_given_back),
        TEST(an_older_driver_gets_the_primary_context_back_its_own_way),
        TEST(creating_leaves_the_current_context_as_it_was),
        TEST(a_context_that_cannot_be_left_is_destroyed),
        TEST(options_of_other_sizes_are_understood),
        TEST(a_borrowed_context_is_never_destroyed),
        TEST(there_is_nothing_to_borrow_where_no_context_is),
        TEST(the_last_reference_destroys_and_only_once),
        TEST(a_child_keeps_its_context_alive),
        TEST(a_context_that_is_gone_was_released),
        TEST(a_failed_destroy_is_returned_and_logged),
        TEST(a_missing_object_or_output_is_refused_before_any_call),
        TEST(each_failing_call_is_reported_unchanged_and_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
