/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of calls, over a table of the test's own. */
#include "fault_world.h"
#include "src/layer/watch.h"
#include "src/mock/system.h"

static void call_answers_the_code_and_is_not_made(void **state)
{
    fault_add(state, "cuMemAlloc_v2:nth=2 => return(OUT_OF_MEMORY)");
    assert_int_equal(fault_allocate(), CUDA_SUCCESS);
    assert_int_equal(fault_allocate(), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(fake_allocations, 1);
    assert_int_equal(fault_allocate(), CUDA_SUCCESS);
    assert_int_equal(fake_allocations, 2);
    assert_int_equal(cushim_fault_matched(*state, 0), 3);
    assert_int_equal(cushim_fault_fired(*state, 0), 1);
}

static void call_after_which_a_fault_comes_is_made(void **state)
{
    fault_add(state, "cuMemAlloc_v2:phase=after,nth=1 => return(OUT_OF_MEMORY)");
    assert_int_equal(fault_allocate(), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(fake_allocations, 1);
    assert_int_equal(fault_allocate(), CUDA_SUCCESS);
}

static void not_ready_is_an_answer_as_others(void **state)
{
    fault_add(state, "cuEventQuery:times=2 => return(NOT_READY)");
    assert_int_equal(fault_query(), CUDA_ERROR_NOT_READY);
    assert_int_equal(fault_query(), CUDA_ERROR_NOT_READY);
    assert_int_equal(fault_query(), CUDA_SUCCESS);
    assert_int_equal(fake_queries, 1);
}

static void pattern_meets_all_that_are_like_it_and_nothing_else_is_watched(void **state)
{
    fault_add(state, "cuMemAlloc* => return(OUT_OF_MEMORY)");
    assert_int_equal(fault_allocate(), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cushim_driver()->MemAllocHost_v2(NULL, 1), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(fault_query(), CUDA_SUCCESS);
    assert_int_not_equal(cushim__watched[CUSHIM__SLOT(MemAllocPitch_v2)], 0);
    assert_int_equal(cushim__watched[CUSHIM__SLOT(MemFree_v2)], 0);
    assert_int_equal(cushim__watched[CUSHIM__SLOT(EventQuery)], 0);
}

static void nth_of_all_calls_is_one_call(void **state)
{
    fault_add(state, "*:nth=3 => return(UNKNOWN)");
    assert_int_equal(fault_query(), CUDA_SUCCESS);
    assert_int_equal(fault_allocate(), CUDA_SUCCESS);
    assert_int_equal(fault_query(), CUDA_ERROR_UNKNOWN);
    assert_int_equal(fault_query(), CUDA_SUCCESS);
    assert_int_equal(cushim_fault_matched(*state, 0), 4);
}

static void every_rule_counts_and_the_first_that_is_due_answers(void **state)
{
    fault_add(state, "cuEventQuery:nth=2 => return(UNKNOWN)\n"
                     "cuEvent*:nth=2 => return(NOT_READY)\n"
                     "*:after=2,times=1 => return(TIMEOUT)\n");
    assert_int_equal(fault_query(), CUDA_SUCCESS);
    assert_int_equal(fault_query(), CUDA_ERROR_UNKNOWN);
    assert_int_equal(fault_query(), CUDA_ERROR_TIMEOUT);
    assert_int_equal(fault_query(), CUDA_SUCCESS);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(cushim_fault_matched(*state, i), 4);
    assert_int_equal(cushim_fault_fired(*state, 0), 1);
    assert_int_equal(cushim_fault_fired(*state, 1), 0);
    assert_int_equal(cushim_fault_fired(*state, 2), 1);
}

static void sticky_error_stays_but_for_what_works_after_a_fault(void **state)
{
    fault_let_all_succeed(*state);
    fault_add(state, "cuMemAlloc_v2:nth=2 => sticky(ECC_UNCORRECTABLE)");
    assert_int_equal(fault_allocate(), CUDA_SUCCESS);
    assert_int_equal(fault_query(), CUDA_SUCCESS);
    assert_int_equal(fault_allocate(), CUDA_ERROR_ECC_UNCORRECTABLE);
    assert_int_equal(fault_allocate(), CUDA_ERROR_ECC_UNCORRECTABLE);
    assert_int_equal(fault_query(), CUDA_ERROR_ECC_UNCORRECTABLE);
    assert_int_equal(cushim_driver()->CtxSynchronize(), CUDA_ERROR_ECC_UNCORRECTABLE);
    assert_int_equal(cushim_driver()->CtxGetCurrent(NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->DeviceGetCount(NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->DevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    assert_int_equal(cushim_fault_fired(*state, 0), 1);
    cushim_fault_clear(*state);
    assert_int_equal(fault_query(), CUDA_SUCCESS);
}

static void sticky_error_after_a_call_lets_it_be_made(void **state)
{
    fault_add(state, "cuMemAlloc_v2:nth=1,phase=after => sticky(ECC_UNCORRECTABLE)");
    assert_int_equal(fault_allocate(), CUDA_ERROR_ECC_UNCORRECTABLE);
    assert_int_equal(fake_allocations, 1);
    assert_int_equal(fault_query(), CUDA_ERROR_ECC_UNCORRECTABLE);
}

static void lost_device_fails_functions_of_devices_too(void **state)
{
    int number = 0;

    fault_let_all_succeed(*state);
    fault_add(state, "cuEventQuery:nth=1 => lost");
    assert_int_equal(cushim_driver()->DeviceGetAttribute(&number, 1, 0), CUDA_SUCCESS);
    assert_int_equal(fault_query(), CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_driver()->DeviceGetAttribute(&number, 1, 0), CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_driver()->DeviceGetAttribute(&number, 1, 1), CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_driver()->DevicePrimaryCtxRelease_v2(0), CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_driver()->MemFree_v2(1), CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_driver()->DeviceGetCount(&number), CUDA_SUCCESS);
    cushim_fault_clear(*state);
    assert_int_equal(cushim_driver()->DeviceGetAttribute(&number, 1, 0), CUDA_SUCCESS);
}

static int device_now;
static unsigned device_asked;

static CUresult CUDAAPI current_device(CUdevice *device)
{
    device_asked++;
    *device = device_now;
    return device_now < 0 ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

static void device_that_is_lost_is_the_one_of_the_rule(void **state)
{
    int number = 0;

    fault_let_all_succeed(*state);
    cushim_layer_next(*state)->CtxGetDevice = current_device;
    device_now = 1;
    fault_add(state, "cuEventQuery@dev1 => lost(ILLEGAL_STATE)");
    assert_int_equal(fault_query(), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(cushim_driver()->DeviceGetAttribute(&number, 1, 0), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->DeviceGetAttribute(&number, 1, 1), CUDA_ERROR_ILLEGAL_STATE);
}

static void rule_of_a_device_asks_for_the_current_one(void **state)
{
    cushim_layer_next(*state)->CtxGetDevice = current_device;
    fault_add(state, "cuEventQuery@dev1 => return(UNKNOWN)");
    device_asked = 0;
    device_now = 0;
    assert_int_equal(fault_query(), CUDA_SUCCESS);
    device_now = -1;
    assert_int_equal(fault_query(), CUDA_SUCCESS);
    device_now = 1;
    assert_int_equal(fault_query(), CUDA_ERROR_UNKNOWN);
    assert_int_equal(fault_allocate(), CUDA_SUCCESS);
    assert_int_equal(cushim_fault_matched(*state, 0), 1);
    assert_true(device_asked > 2);
}

static void function_of_devices_is_met_by_its_argument(void **state)
{
    int yes = 0;

    fault_let_all_succeed(*state);
    cushim_layer_next(*state)->CtxGetDevice = current_device;
    device_now = 1;
    fault_add(state, "cuDevice*@dev1 => return(NO_DEVICE)");
    assert_int_equal(cushim_driver()->DeviceGetAttribute(&yes, 1, 0), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->DeviceGetAttribute(&yes, 1, 1), CUDA_ERROR_NO_DEVICE);
    assert_int_equal(cushim_driver()->DeviceCanAccessPeer(&yes, 0, 1), CUDA_ERROR_NO_DEVICE);
    assert_int_equal(cushim_driver()->DeviceCanAccessPeer(&yes, 0, 2), CUDA_SUCCESS);
}

static void delayed_call_takes_so_much_longer(void **state)
{
    uint64_t before, after;

    fault_add(state, "cuEventQuery:nth=1 => delay(20 ms)\ncuEventQuery => delay(1 ms)\n");
    before = cushim__host_ns();
    assert_int_equal(fault_query(), CUDA_SUCCESS);
    after = cushim__host_ns();
    assert_int_equal(fake_queries, 1);
    assert_true(after - before >= 21000000);
    assert_int_equal(cushim_fault_fired(*state, 0), 1);
    assert_int_equal(cushim_fault_fired(*state, 1), 1);
}

static void fault_comes_before_a_function_of_ones_own(void **state)
{
    fault_let_all_succeed(*state);
    fault_add(state, "cuMemAlloc_v2:nth=1 => out_of_memory");
    assert_int_equal(fault_allocate(), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(fault_allocate(), CUDA_SUCCESS);
    assert_int_equal(fake_allocations, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, layer_setup, layer_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(call_answers_the_code_and_is_not_made),
        TEST(call_after_which_a_fault_comes_is_made),
        TEST(not_ready_is_an_answer_as_others),
        TEST(pattern_meets_all_that_are_like_it_and_nothing_else_is_watched),
        TEST(nth_of_all_calls_is_one_call),
        TEST(every_rule_counts_and_the_first_that_is_due_answers),
        TEST(sticky_error_stays_but_for_what_works_after_a_fault),
        TEST(sticky_error_after_a_call_lets_it_be_made),
        TEST(lost_device_fails_functions_of_devices_too),
        TEST(device_that_is_lost_is_the_one_of_the_rule),
        TEST(rule_of_a_device_asks_for_the_current_one),
        TEST(function_of_devices_is_met_by_its_argument),
        TEST(delayed_call_takes_so_much_longer),
        TEST(fault_comes_before_a_function_of_ones_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
