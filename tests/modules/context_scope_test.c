/* SPDX-License-Identifier: Apache-2.0 */
/* The current context of a thread: scopes restore it, whatever happens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cushim/context_scope.h>
#include <cushim/log.h>

#include "fake.h"
#include "src/objects.h"

static struct cushim_context *outer, *inner;
static CUcontext outer_handle, inner_handle;
static char logged[512];

static void keep(void *data, const char *message)
{
    (void)data;
    snprintf(logged, sizeof logged, "%s", message);
}

/* Two borrowed contexts, and a third one current. */
static int setup(void **state)
{
    logged[0] = '\0';
    cushim_log_set(keep, NULL);
    fake_setup(state);
    fake_enter(fake_foreign_context(0));
    outer_handle = fake_foreign_context(0);
    inner_handle = fake_foreign_context(1);
    assert_int_equal(cushim_context_wrap(&outer, outer_handle), CUDA_SUCCESS);
    assert_int_equal(cushim_context_wrap(&inner, inner_handle), CUDA_SUCCESS);
    return 0;
}

static int teardown(void **state)
{
    cushim_context_release(outer);
    cushim_context_release(inner);
    return fake_teardown(state);
}

static void scopes_nest(void **state)
{
    struct cushim_context_scope first, second;

    (void)state;
    assert_int_equal(cushim_context_push(outer, &first), CUDA_SUCCESS);
    assert_ptr_equal(fake_current(), outer_handle);
    assert_int_equal(cushim_context_push(inner, &second), CUDA_SUCCESS);
    assert_ptr_equal(fake_current(), inner_handle);
    assert_int_equal(cushim_context_pop(&second), CUDA_SUCCESS);
    assert_ptr_equal(fake_current(), outer_handle);
    assert_int_equal(cushim_context_pop(&first), CUDA_SUCCESS);
    assert_true(fake_stack_is_as_entered());
}

static void a_context_is_pushed_even_if_it_is_current(void **state)
{
    struct cushim_context_scope first, second;

    (void)state;
    assert_int_equal(cushim_context_push(outer, &first), CUDA_SUCCESS);
    assert_int_equal(cushim_context_push(outer, &second), CUDA_SUCCESS);
    assert_int_equal(fake_depth(), 3);
    assert_int_equal(cushim_context_pop(&second), CUDA_SUCCESS);
    assert_int_equal(cushim_context_pop(&first), CUDA_SUCCESS);
}

static void a_scope_is_over_after_its_pop(void **state)
{
    struct cushim_context_scope scope;

    (void)state;
    assert_int_equal(cushim_context_push(outer, &scope), CUDA_SUCCESS);
    assert_int_equal(cushim_context_pop(&scope), CUDA_SUCCESS);
    fake_forget();
    assert_int_equal(cushim_context_pop(&scope), CUDA_SUCCESS);
    assert_int_equal(fake_calls(NULL), 0);
}

static void a_scope_that_could_not_begin_is_over(void **state)
{
    struct cushim_context_scope scope;

    (void)state;
    memset(&scope, 0x5a, sizeof scope);
    fake_fail("cuCtxPushCurrent_v2", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_context_push(outer, &scope), CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_context_pop(&scope), CUDA_SUCCESS);
    memset(&scope, 0x5a, sizeof scope);
    assert_int_equal(cushim_context_push(NULL, &scope), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cushim_context_pop(&scope), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuCtxPushCurrent_v2");
}

static void a_pop_out_of_order_changes_nothing_and_can_be_repeated(void **state)
{
    struct cushim_context_scope first, second;

    (void)state;
    assert_int_equal(cushim_context_push(outer, &first), CUDA_SUCCESS);
    assert_int_equal(cushim_context_push(inner, &second), CUDA_SUCCESS);
    assert_int_equal(cushim_context_pop(&first), CUDA_ERROR_INVALID_CONTEXT);
    assert_ptr_equal(fake_current(), inner_handle);
    assert_int_equal(fake_depth(), 3);
    assert_int_equal(cushim_context_pop(&second), CUDA_SUCCESS);
    assert_int_equal(cushim_context_pop(&first), CUDA_SUCCESS);
    assert_string_equal(logged, "");
}

static void a_pop_from_an_empty_stack_is_no_success(void **state)
{
    struct cushim_context_scope scope;

    (void)state;
    fake_enter(NULL);
    assert_int_equal(cushim_context_push(outer, &scope), CUDA_SUCCESS);
    fake_pop();
    assert_int_equal(cushim_context_pop(&scope), CUDA_ERROR_INVALID_CONTEXT);
}

static void a_pop_that_fails_can_be_repeated(void **state)
{
    struct cushim_context_scope scope;

    (void)state;
    assert_int_equal(cushim_context_push(outer, &scope), CUDA_SUCCESS);
    fake_fail("cuCtxPopCurrent_v2", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_context_pop(&scope), CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_context_pop(&scope), CUDA_SUCCESS);
}

static void what_was_taken_off_and_cannot_be_put_back_is_logged(void **state)
{
    struct cushim_context_scope first, second;

    (void)state;
    assert_int_equal(cushim_context_push(outer, &first), CUDA_SUCCESS);
    assert_int_equal(cushim_context_push(inner, &second), CUDA_SUCCESS);
    fake_fail("cuCtxPushCurrent_v2", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_context_pop(&first), CUDA_ERROR_INVALID_CONTEXT);
    assert_non_null(strstr(logged, "cuCtxPushCurrent_v2 failed: CUDA_ERROR_UNKNOWN (999)"));
    assert_int_equal(cushim_context_pop(&first), CUDA_SUCCESS);
}

static void a_context_is_made_current_and_taken_off(void **state)
{
    const CUcontext before = fake_pop();

    (void)state;
    assert_int_equal(cushim_context_make_current(outer), CUDA_SUCCESS);
    assert_ptr_equal(fake_current(), outer_handle);
    assert_int_equal(cushim_context_make_current(inner), CUDA_SUCCESS);
    assert_ptr_equal(fake_current(), inner_handle);
    assert_int_equal(fake_depth(), 1);
    assert_int_equal(cushim_context_make_current(NULL), CUDA_SUCCESS);
    assert_null(fake_current());
    assert_string_equal(fake_order(), "cuCtxSetCurrent cuCtxSetCurrent cuCtxSetCurrent");
    fake_enter(before);
}

static void null_is_refused_before_any_call(void **state)
{
    struct cushim_context_scope scope;

    (void)state;
    assert_int_equal(cushim_context_push(NULL, &scope), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cushim_context_push(outer, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cushim_context_pop(NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(fake_calls(NULL), 0);
}

static void an_object_without_a_context_acts_in_the_current_one(void **state)
{
    struct cushim_context_scope scope;

    (void)state;
    assert_int_equal(cushim__context_enter(NULL, &scope), CUDA_SUCCESS);
    assert_int_equal(cushim__context_leave(&scope, CUDA_ERROR_UNKNOWN), CUDA_ERROR_UNKNOWN);
    assert_int_equal(fake_calls(NULL), 0);
}

static CUresult enter_and_leave(void *data)
{
    struct cushim_context_scope scope;
    CUresult code = cushim_context_push(data, &scope);

    return code ? code : cushim_context_pop(&scope);
}

static CUresult make_current(void *data)
{
    (void)data;
    return cushim_context_make_current(outer);
}

static void each_failing_call_is_reported_unchanged(void **state)
{
    const CUcontext before = fake_pop();

    (void)state;
    fake_enter(outer_handle);
    assert_int_equal(fake_sweep(enter_and_leave, inner, NULL), 2);
    assert_int_equal(fake_sweep(make_current, NULL, NULL), 1);
    fake_pop();
    fake_enter(before);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(scopes_nest),
        TEST(a_context_is_pushed_even_if_it_is_current),
        TEST(a_scope_is_over_after_its_pop),
        TEST(a_scope_that_could_not_begin_is_over),
        TEST(a_pop_out_of_order_changes_nothing_and_can_be_repeated),
        TEST(a_pop_from_an_empty_stack_is_no_success),
        TEST(a_pop_that_fails_can_be_repeated),
        TEST(what_was_taken_off_and_cannot_be_put_back_is_logged),
        TEST(a_context_is_made_current_and_taken_off),
        TEST(null_is_refused_before_any_call),
        TEST(an_object_without_a_context_acts_in_the_current_one),
        TEST(each_failing_call_is_reported_unchanged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
