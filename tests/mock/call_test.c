/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for every call, whatever its function: lock, cost, refusals, trace. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <string.h>

#include "call_world.h"
#include "loader/codes.h"
#include "loader/symbols.h"

static void trace(void *data, const struct cushim_mock_trace *entry)
{
    (void)data;
    (void)entry;
}

static void call_succeeds_and_is_counted(void **state)
{
    (void)state;
    assert_int_equal(call(SLOT(EventCreate)), CUDA_SUCCESS);
    assert_int_equal(call(SLOT(StreamCreate)), CUDA_SUCCESS);
    assert_int_equal(call_mock.calls, 2);
}

static void call_holds_the_lock_until_it_leaves(void **state)
{
    (void)state;
    assert_int_equal(cushim__call_enter(SLOT(EventCreate)), CUDA_SUCCESS);
    assert_false(call_is_over());
    assert_int_equal(cushim__call_leave(SLOT(EventCreate), CUDA_ERROR_UNKNOWN), CUDA_ERROR_UNKNOWN);
    assert_true(call_is_over());
}

static void without_a_mock_every_call_answers_that_there_is_none(void **state)
{
    (void)state;
    cushim__world = NULL;
    assert_int_equal(call(SLOT(Init)), CUDA_ERROR_DEINITIALIZED);
    assert_int_equal(call(SLOT(EventQuery)), CUDA_ERROR_DEINITIALIZED);
    assert_int_equal(cushim__call_refuse(SLOT(EventQuery)), CUDA_ERROR_DEINITIALIZED);
}

static void stub_answers_34_to_everything(void **state)
{
    (void)state;
    call_mock.settings.personality = CUSHIM__STUB;
    call_mock.initialised = false;
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++)
        assert_int_equal(call(slot), CUDA_ERROR_STUB_LIBRARY);
}

static void fault_that_comes_while_the_call_takes_its_time_is_its_answer(void **state)
{
    (void)state;
    call_fault_while_passing = CUDA_ERROR_LAUNCH_FAILED;
    assert_int_equal(call(SLOT(EventQuery)), CUDA_ERROR_LAUNCH_FAILED);
}

static void symbol_that_came_later_answers_36(void **state)
{
    (void)state;
    call_mock.settings.driver_version = 12070;
    assert_int_equal(call(SLOT(EventElapsedTime)), CUDA_SUCCESS);
    assert_int_equal(call(SLOT(EventElapsedTime_v2)), CUSHIM__REQUIRES_NEWER_DRIVER);
    call_mock.settings.driver_version = 12080;
    assert_int_equal(call(SLOT(EventElapsedTime_v2)), CUDA_SUCCESS);
}

static void call_costs_what_is_set_for_it_or_for_all(void **state)
{
    (void)state;
    call(SLOT(EventQuery));
    assert_int_equal(call_passed_ns, 100);
    call_ns[SLOT(EventQuery)] = 7;
    call(SLOT(EventQuery));
    call(SLOT(EventCreate));
    assert_int_equal(call_passed_ns, 207);
    call_ns[SLOT(EventQuery)] = 0;
    call(SLOT(EventQuery));
    assert_int_equal(call_passed_ns, 207);
}

static void call_that_is_refused_early_and_one_in_a_host_function_cost_nothing(void **state)
{
    (void)state;
    cushim__in_host_function = true;
    call(SLOT(EventQuery));
    cushim__in_host_function = false;
    call_mock.initialised = false;
    call(SLOT(EventCreate));
    assert_int_equal(call_passed_ns, 0);
}

static void refusal_is_logged_once_per_function_and_mock(void **state)
{
    (void)state;
    assert_int_equal(cushim__call_refuse(SLOT(GraphCreate)), CUDA_ERROR_NOT_SUPPORTED);
    assert_non_null(strstr(call_line, "cuGraphCreate "));
    assert_int_equal(cushim__call_refuse(SLOT(GraphCreate)), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(call_lines, 1);
    assert_int_equal(cushim__call_refuse(SLOT(GraphDestroy)), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(call_lines, 2);
    call_mock.serial++;
    assert_int_equal(cushim__call_refuse(SLOT(GraphCreate)), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(call_lines, 3);
}

static void call_superseded(unsigned slot, unsigned newer)
{
    assert_int_equal(cushim__call_enter(slot), CUDA_SUCCESS);
    cushim__call_superseded(slot, newer);
    cushim__call_leave(slot, CUDA_SUCCESS);
}

static void superseded_abi_is_logged_once_per_function_and_mock(void **state)
{
    (void)state;
    call_superseded(SLOT(MemFree), SLOT(MemFree_v2));
    assert_string_equal(call_line,
                        "cuMemFree is the ABI of CUDA 2.0, replaced by cuMemFree_v2 in CUDA 3.2");
    call_superseded(SLOT(MemFree), SLOT(MemFree_v2));
    assert_int_equal(call_lines, 1);
    call_superseded(SLOT(MemAlloc), SLOT(MemAlloc_v2));
    assert_int_equal(call_lines, 2);
    call_mock.serial++;
    call_superseded(SLOT(MemFree), SLOT(MemFree_v2));
    assert_int_equal(call_lines, 3);
}

static void abi_is_not_superseded_in_a_driver_that_lacks_the_newer_one(void **state)
{
    (void)state;
    call_mock.settings.driver_version = 10020;
    call_superseded(SLOT(DevicePrimaryCtxReset), SLOT(DevicePrimaryCtxReset_v2));
    assert_int_equal(call_lines, 0);
    call_mock.settings.driver_version = 11000;
    call_superseded(SLOT(DevicePrimaryCtxReset), SLOT(DevicePrimaryCtxReset_v2));
    assert_int_equal(call_lines, 1);
}

static void refused_function_answers_first_what_every_function_does(void **state)
{
    (void)state;
    call_mock.initialised = false;
    assert_int_equal(cushim__call_refuse(SLOT(GraphCreate)), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(call_lines, 0);
}

static void trace_is_told_of_every_call_and_its_answer(void **state)
{
    (void)state;
    call(SLOT(EventQuery));
    assert_string_equal(call_traced, "");
    call_mock.trace = trace;
    call(SLOT(EventQuery));
    assert_string_equal(call_traced, "call cuEventQuery 0 0 0");
    cushim__call_refuse(SLOT(GraphCreate));
    assert_string_equal(call_traced, "call cuGraphCreate 0 0 801");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, call_begin, call_end)
    const struct CMUnitTest tests[] = {
        TEST(call_succeeds_and_is_counted),
        TEST(call_holds_the_lock_until_it_leaves),
        TEST(without_a_mock_every_call_answers_that_there_is_none),
        TEST(stub_answers_34_to_everything),
        TEST(fault_that_comes_while_the_call_takes_its_time_is_its_answer),
        TEST(symbol_that_came_later_answers_36),
        TEST(call_costs_what_is_set_for_it_or_for_all),
        TEST(call_that_is_refused_early_and_one_in_a_host_function_cost_nothing),
        TEST(refusal_is_logged_once_per_function_and_mock),
        TEST(superseded_abi_is_logged_once_per_function_and_mock),
        TEST(abi_is_not_superseded_in_a_driver_that_lacks_the_newer_one),
        TEST(refused_function_answers_first_what_every_function_does),
        TEST(trace_is_told_of_every_call_and_its_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
