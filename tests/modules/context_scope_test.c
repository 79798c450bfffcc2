/* SPDX-License-Identifier: Apache-2.0 */
/* The current context of a thread: scopes restore it, whatever happens. */
#include "testkit.h"

#include <string.h>

static void scopes_nest(void **state)
{
    struct cushim_context_scope outer, inner;

    (void)state;
    OK(cushim_context_push(kit.one, &outer));
    assert_ptr_equal(kit_current(), kit.first);
    OK(cushim_context_push(kit.two, &inner));
    assert_ptr_equal(kit_current(), kit.second);
    OK(cushim_context_pop(&inner));
    assert_ptr_equal(kit_current(), kit.first);
    OK(cushim_context_pop(&outer));
    assert_ptr_equal(kit_current(), kit.current);
}

static void context_is_pushed_even_if_it_is_current(void **state)
{
    struct cushim_context_scope outer, inner;

    (void)state;
    OK(cushim_context_push(kit.one, &outer));
    OK(cushim_context_push(kit.one, &inner));
    assert_calls("cuCtxPushCurrent_v2(first) cuCtxPushCurrent_v2(first)");
    OK(cushim_context_pop(&inner));
    assert_ptr_equal(kit_current(), kit.first);
    OK(cushim_context_pop(&outer));
}

static void scope_is_over_after_its_pop(void **state)
{
    struct cushim_context_scope scope;

    (void)state;
    OK(cushim_context_push(kit.one, &scope));
    OK(cushim_context_pop(&scope));
    kit_forget();
    OK(cushim_context_pop(&scope));
    assert_calls("");
}

static void scope_that_could_not_begin_is_over(void **state)
{
    struct cushim_context_scope scope;

    (void)state;
    memset(&scope, 0x5a, sizeof scope);
    kit_fault("cuCtxPushCurrent_v2:nth=1 => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_context_push(kit.one, &scope));
    kit_forget();
    OK(cushim_context_pop(&scope));
    memset(&scope, 0x5a, sizeof scope);
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_context_push(NULL, &scope));
    OK(cushim_context_pop(&scope));
    assert_calls("");
}

static void pop_out_of_order_changes_nothing_and_can_be_repeated(void **state)
{
    struct cushim_context_scope outer, inner;

    (void)state;
    OK(cushim_context_push(kit.one, &outer));
    OK(cushim_context_push(kit.two, &inner));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_context_pop(&outer));
    assert_ptr_equal(kit_current(), kit.second);
    OK(cushim_context_pop(&inner));
    OK(cushim_context_pop(&outer));
    assert_int_equal(kit.log_lines, 0);
}

static void pop_from_an_empty_stack_is_no_success(void **state)
{
    struct cushim_context_scope scope;

    (void)state;
    kit_enter(NULL);
    OK(cushim_context_push(kit.one, &scope));
    kit_enter(NULL);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_context_pop(&scope));
}

static void pop_that_fails_can_be_repeated(void **state)
{
    struct cushim_context_scope scope;

    (void)state;
    OK(cushim_context_push(kit.one, &scope));
    kit_fault("cuCtxPopCurrent_v2:nth=1 => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_context_pop(&scope));
    OK(cushim_context_pop(&scope));
}

static void pop_that_cannot_put_another_context_back_logs_that(void **state)
{
    struct cushim_context_scope outer, inner;

    (void)state;
    OK(cushim_context_push(kit.one, &outer));
    OK(cushim_context_push(kit.two, &inner));
    kit_fault("cuCtxPushCurrent_v2:nth=1 => return(UNKNOWN)");
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_context_pop(&outer));
    assert_non_null(strstr(kit.log_last, "cuCtxPushCurrent_v2 failed: CUDA_ERROR_UNKNOWN (999)"));
    OK(cushim_context_pop(&outer));
}

static void context_is_made_current_in_the_place_of_another(void **state)
{
    (void)state;
    OK(cushim_context_make_current(kit.one));
    assert_ptr_equal(kit_current(), kit.first);
    OK(cushim_context_make_current(kit.two));
    assert_ptr_equal(kit_current(), kit.second);
    OK(cushim_context_make_current(NULL));
    assert_null(kit_current());
    assert_calls("cuCtxSetCurrent cuCtxSetCurrent cuCtxSetCurrent");
    kit_enter(NULL);
}

static void missing_arguments_are_refused_before_any_driver_call(void **state)
{
    struct cushim_context_scope scope;

    (void)state;
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_context_push(NULL, &scope));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_context_push(kit.one, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_context_pop(NULL));
    assert_calls("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(scopes_nest),
        TEST(context_is_pushed_even_if_it_is_current),
        TEST(scope_is_over_after_its_pop),
        TEST(scope_that_could_not_begin_is_over),
        TEST(pop_out_of_order_changes_nothing_and_can_be_repeated),
        TEST(pop_from_an_empty_stack_is_no_success),
        TEST(pop_that_fails_can_be_repeated),
        TEST(pop_that_cannot_put_another_context_back_logs_that),
        TEST(context_is_made_current_in_the_place_of_another),
        TEST(missing_arguments_are_refused_before_any_driver_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
