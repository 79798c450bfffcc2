/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of calls, over a table of the test. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "fixture.h"
#include "src/base/system.h"
#include "src/layer/fault.h"
#include "src/layer/layer.h"

#define TEST(name) TEST_BETWEEN(name, layer_setup, layer_teardown)

/* The driver's own values: driver-semantics.md #15. */
TEST(failing_call_leaves_what_the_driver_would)
{
    const CUstream before = CU_STREAM_LEGACY;
    size_t free_bytes = 1, total = 1;
    CUstream stream = before;
    CUdeviceptr address = 1;
    CUgraph graph = (CUgraph)&graph;
    CUevent event = (CUevent)&event;

    fault_add(state, "cu* => return(OUT_OF_MEMORY)");
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cushim_driver()->StreamCreate(&stream, 0));
    assert_ptr_equal(stream, (CUstream)UINTPTR_MAX);
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cushim_driver()->MemAllocManaged(&address, 1, 1));
    assert_int_equal(address, 0);
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cushim_driver()->MemGetInfo_v2(&free_bytes, &total));
    assert_true(free_bytes == 0 && total == 0);
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cushim_driver()->StreamEndCapture_ptsz(NULL, &graph));
    assert_null(graph);
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cushim_driver()->EventCreate(&event, 0));
    assert_ptr_equal(event, &event);
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cushim_driver()->StreamCreate(NULL, 0));
    cushim_fault_clear(*state);
    stream = before;
    fault_add(state, "cuStreamCreate => return(INVALID_VALUE)\ncuMemAllocManaged => missing");
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_driver()->StreamCreate(&stream, 0));
    assert_ptr_equal(stream, before);
    address = 1;
    assert_int_equal(cushim_driver()->MemAllocManaged(&address, 1, 1), 36);
    assert_int_equal(address, 1);
}

TEST(pattern_meets_all_that_are_like_it_and_nothing_else_is_watched)
{
    fault_add(state, "cuMemAlloc* => return(OUT_OF_MEMORY)");
    CODE(CUDA_ERROR_OUT_OF_MEMORY, fault_allocate());
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cushim_driver()->MemAllocHost_v2(NULL, 1));
    OK(fault_query());
    assert_int_not_equal(cushim__subscribed[CUSHIM__SLOT(MemAllocPitch_v2)], 0);
    assert_int_equal(cushim__subscribed[CUSHIM__SLOT(MemFree_v2)], 0);
    assert_int_equal(cushim__subscribed[CUSHIM__SLOT(EventQuery)], 0);
}

TEST(plain_name_meets_each_abi_of_its_function_and_no_other)
{
    fault_let_all_succeed(*state);
    fault_add(state, "cuMemAlloc:nth=3 => return(OUT_OF_MEMORY)\n"
                     "cuStreamQuery => return(NOT_READY)");
    OK(fault_allocate());
    OK(cushim_driver()->MemAlloc(NULL, 1));
    OK(cushim_driver()->MemAllocHost_v2(NULL, 1));
    CODE(CUDA_ERROR_OUT_OF_MEMORY, fault_allocate());
    CODE(CUDA_ERROR_NOT_READY, cushim_driver()->StreamQuery(NULL));
    CODE(CUDA_ERROR_NOT_READY, cushim_driver()->StreamQuery_ptsz(NULL));
    assert_int_equal(cushim_fault_matched(*state, 0), 3);
}

TEST(plain_name_hides_each_abi_of_its_function)
{
    fault_let_all_succeed(*state);
    fault_add(state, "cuMemAlloc => missing");
    assert_int_equal(fault_allocate(), 36);
    assert_int_equal(cushim_driver()->MemAlloc(NULL, 1), 36);
    OK(cushim_driver()->MemAllocHost_v2(NULL, 1));
}

TEST(every_rule_counts_and_the_first_that_is_due_answers)
{
    fault_add(state, "cuEventQuery:nth=2 => return(UNKNOWN)\n"
                     "cuEvent*:nth=2 => return(NOT_READY)\n"
                     "*:after=2,times=1 => return(TIMEOUT)\n");
    OK(fault_query());
    CODE(CUDA_ERROR_UNKNOWN, fault_query());
    CODE(CUDA_ERROR_TIMEOUT, fault_query());
    OK(fault_query());
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(cushim_fault_matched(*state, i), 4);
    assert_int_equal(cushim_fault_fired(*state, 0), 1);
    assert_int_equal(cushim_fault_fired(*state, 1), 0);
    assert_int_equal(cushim_fault_fired(*state, 2), 1);
}

TEST(sticky_error_stays_but_for_what_works_after_a_fault)
{
    fault_let_all_succeed(*state);
    fault_add(state, "cuMemAlloc_v2:nth=2 => sticky(ECC_UNCORRECTABLE)");
    OK(fault_allocate());
    OK(fault_query());
    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, fault_allocate());
    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, fault_allocate());
    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, fault_query());
    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, cushim_driver()->CtxSynchronize());
    OK(cushim_driver()->CtxGetCurrent(NULL));
    OK(cushim_driver()->DeviceGetCount(NULL));
    OK(cushim_driver()->DevicePrimaryCtxRelease_v2(0));
    assert_int_equal(cushim_fault_fired(*state, 0), 1);
    cushim_fault_clear(*state);
    OK(fault_query());
}

TEST(sticky_error_after_a_call_lets_it_be_made)
{
    fault_add(state, "cuMemAlloc_v2:nth=1,phase=after => sticky(ECC_UNCORRECTABLE)");
    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, fault_allocate());
    assert_int_equal(fake_allocations, 1);
    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, fault_query());
}

TEST(lost_device_fails_functions_of_devices_too)
{
    int number = 0;

    fault_let_all_succeed(*state);
    fault_add(state, "cuEventQuery:nth=1 => lost");
    OK(cushim_driver()->DeviceGetAttribute(&number, 1, 0));
    CODE(CUDA_ERROR_UNKNOWN, fault_query());
    CODE(CUDA_ERROR_UNKNOWN, cushim_driver()->DeviceGetAttribute(&number, 1, 0));
    CODE(CUDA_ERROR_UNKNOWN, cushim_driver()->DeviceGetAttribute(&number, 1, 1));
    CODE(CUDA_ERROR_UNKNOWN, cushim_driver()->DevicePrimaryCtxRelease_v2(0));
    CODE(CUDA_ERROR_UNKNOWN, cushim_driver()->MemFree_v2(1));
    OK(cushim_driver()->DeviceGetCount(&number));
    cushim_fault_clear(*state);
    OK(cushim_driver()->DeviceGetAttribute(&number, 1, 0));
}

static int device_now;
static unsigned device_asked;

static CUresult CUDAAPI current_device(CUdevice *device)
{
    device_asked++;
    *device = device_now;
    return device_now < 0 ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

TEST(device_that_is_lost_is_the_one_of_the_rule)
{
    int number = 0;

    fault_let_all_succeed(*state);
    cushim_layer_next(*state)->CtxGetDevice = current_device;
    device_now = 1;
    fault_add(state, "cuEventQuery@dev1 => lost(ILLEGAL_STATE)");
    CODE(CUDA_ERROR_ILLEGAL_STATE, fault_query());
    OK(cushim_driver()->DeviceGetAttribute(&number, 1, 0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_driver()->DeviceGetAttribute(&number, 1, 1));
}

TEST(rule_of_a_device_asks_for_the_current_one)
{
    cushim_layer_next(*state)->CtxGetDevice = current_device;
    fault_add(state, "cuEventQuery@dev1 => return(UNKNOWN)");
    device_asked = 0;
    device_now = 0;
    OK(fault_query());
    device_now = -1;
    OK(fault_query());
    device_now = 1;
    CODE(CUDA_ERROR_UNKNOWN, fault_query());
    OK(fault_allocate());
    assert_int_equal(cushim_fault_matched(*state, 0), 1);
    assert_true(device_asked > 2);
}

TEST(function_of_devices_is_met_by_its_argument)
{
    int yes = 0;

    fault_let_all_succeed(*state);
    cushim_layer_next(*state)->CtxGetDevice = current_device;
    device_now = 1;
    fault_add(state, "cuDevice*@dev1 => return(NO_DEVICE)");
    OK(cushim_driver()->DeviceGetAttribute(&yes, 1, 0));
    CODE(CUDA_ERROR_NO_DEVICE, cushim_driver()->DeviceGetAttribute(&yes, 1, 1));
    CODE(CUDA_ERROR_NO_DEVICE, cushim_driver()->DeviceCanAccessPeer(&yes, 0, 1));
    OK(cushim_driver()->DeviceCanAccessPeer(&yes, 0, 2));
}

TEST(delayed_call_takes_so_much_longer)
{
    uint64_t before, after;

    fault_add(state, "cuEventQuery:nth=1 => delay(20 ms)\ncuEventQuery => delay(1 ms)\n");
    before = cushim__system_clock_ns();
    OK(fault_query());
    after = cushim__system_clock_ns();
    assert_int_equal(fake_queries, 1);
    assert_true(after - before >= 21000000);
    assert_int_equal(cushim_fault_fired(*state, 0), 1);
    assert_int_equal(cushim_fault_fired(*state, 1), 1);
}

TEST(fault_comes_before_a_function_of_ones_own)
{
    fault_let_all_succeed(*state);
    fault_add(state, "cuMemAlloc_v2:nth=1 => out_of_memory");
    CODE(CUDA_ERROR_OUT_OF_MEMORY, fault_allocate());
    OK(fault_allocate());
    assert_int_equal(fake_allocations, 0);
}

/* Symbols that rules hide, and older drivers. */

TEST(missing_symbol_answers_36_and_is_not_found)
{
    void *found = NULL;

    fault_add(state, "cuEvent* => missing");
    assert_int_equal(fault_query(), 36);
    assert_int_equal(fake_queries, 0);
    CODE(CUDA_ERROR_NOT_FOUND, cushim_driver()->GetProcAddress("cuEventQuery", &found, 12000, 0));
    assert_null(found);
    assert_int_equal(cushim_fault_fired(*state, 0), 2);
    cushim_fault_clear(*state);
    OK(cushim_driver()->GetProcAddress("cuEventQuery", &found, 12000, 0));
    assert_non_null(found);
}

/* A driver that has all ABIs of cuMemAlloc. */
static CUresult CUDAAPI find_allocate(const char *symbol, void **function, int version,
                                      cuuint64_t flags,
                                      cushim_CUdriverProcAddressQueryResult *status)
{
    assert_string_equal(symbol, "cuMemAlloc");
    if (version >= 3020)
        memcpy(function, &fake_table.MemAlloc_v2, sizeof *function);
    else
        memcpy(function, &fake_table.MemAlloc, sizeof *function);
    if (status)
        *status = (cushim_CUdriverProcAddressQueryResult)0;
    return CUDA_SUCCESS;
}

TEST(version_before_one_that_is_missing_is_found)
{
    cushim_CUdriverProcAddressQueryResult status = (cushim_CUdriverProcAddressQueryResult)9;
    void *found = NULL, *expected;

    cushim_layer_next(*state)->GetProcAddress_v2 = find_allocate;
    fault_add(state, "cuMemAlloc_v2 => missing");
    memcpy(&expected, &cushim_layer_table(*state)->MemAlloc, sizeof expected);
    OK(cushim_driver()->GetProcAddress_v2("cuMemAlloc", &found, 12000, 0, &status));
    assert_ptr_equal(found, expected);
    assert_int_equal(status, 0);
    assert_int_equal(cushim_fault_fired(*state, 0), 1);
}

static CUresult CUDAAPI other_allocate(CUdeviceptr *address, size_t bytes)
{
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI find_other(const char *symbol, void **function, int version,
                                   cuuint64_t flags)
{
    CUresult(CUDAAPI * found)(CUdeviceptr *, size_t) = other_allocate;

    if (version < 3020)
        return CUDA_ERROR_NOT_FOUND;
    memcpy(function, &found, sizeof *function);
    return CUDA_SUCCESS;
}

TEST(function_that_is_not_of_the_table_is_hidden_by_its_version)
{
    void *found = NULL;

    cushim_layer_next(*state)->GetProcAddress = find_other;
    fault_add(state, "cuMemAlloc_v2 => missing");
    CODE(CUDA_ERROR_NOT_FOUND, cushim_driver()->GetProcAddress("cuMemAlloc", &found, 12000, 0));
    assert_null(found);
    OK(cushim_driver()->GetProcAddress("cuMemFree", &found, 12000, 0));
    assert_non_null(found);
}

static CUresult CUDAAPI version_of_13(int *version)
{
    *version = 13000;
    return CUDA_SUCCESS;
}

TEST(older_driver_lacks_what_came_later_and_says_so)
{
    int version = 0;

    fault_let_all_succeed(*state);
    cushim_layer_next(*state)->DriverGetVersion = version_of_13;
    fault_add(state, "* => older(12.7)");
    OK(cushim_driver()->DriverGetVersion(&version));
    assert_int_equal(version, 12070);
    assert_int_equal(cushim_driver()->EventElapsedTime_v2(NULL, NULL, NULL), 36); /* of CUDA 12.8 */
    OK(cushim_driver()->EventElapsedTime(NULL, NULL, NULL));
    assert_int_equal(cushim__subscribed[CUSHIM__SLOT(EventElapsedTime)], 0);
    assert_int_equal(cushim_fault_matched(*state, 0), 2);
    assert_int_equal(cushim_fault_fired(*state, 0), 2);
}

TEST(version_that_the_site_does_not_meet_stays)
{
    int version = 0;

    cushim_layer_next(*state)->DriverGetVersion = version_of_13;
    fault_add(state, "cuEvent* => older(12.7)");
    OK(cushim_driver()->DriverGetVersion(&version));
    assert_int_equal(version, 13000);
    assert_int_equal(cushim_driver()->EventElapsedTime_v2(NULL, NULL, NULL), 36);
}

/*
 * Special cases of rules: lookups without a name, symbols that are hidden in every version, a
 * second device that is lost, and rules as structs that are refused.
 */

enum { ASKED_FOR_NOTHING = CUDA_ERROR_INVALID_VALUE };

static CUresult CUDAAPI refuse_what_has_no_name(const char *symbol, void **function, int version,
                                                cuuint64_t flags,
                                                cushim_CUdriverProcAddressQueryResult *status)
{
    if (!symbol || !function)
        return (CUresult)ASKED_FOR_NOTHING;
    memcpy(function, &fake_table.EventQuery, sizeof *function);
    if (status)
        *status = (cushim_CUdriverProcAddressQueryResult)0;
    return CUDA_SUCCESS;
}

TEST(lookup_without_a_name_or_a_result_gets_the_drivers_answer)
{
    void *found = &found;

    cushim_layer_next(*state)->GetProcAddress_v2 = refuse_what_has_no_name;
    fault_add(state, "cuEvent* => missing");
    assert_int_equal(cushim_driver()->GetProcAddress_v2(NULL, &found, 12000, 0, NULL),
                     ASKED_FOR_NOTHING);
    assert_int_equal(cushim_driver()->GetProcAddress_v2("cuEventQuery", NULL, 12000, 0, NULL),
                     ASKED_FOR_NOTHING);
    assert_ptr_equal(found, &found);
    assert_int_equal(cushim_fault_matched(*state, 0), 0);
}

/* Like a driver: the call succeeds, and the status says that the symbol was not found. */
TEST(symbol_hidden_in_all_versions_is_not_found_by_its_status)
{
    cushim_CUdriverProcAddressQueryResult status = (cushim_CUdriverProcAddressQueryResult)9;
    void *found = &found;

    cushim_layer_next(*state)->GetProcAddress_v2 = refuse_what_has_no_name;
    fault_add(state, "cuEvent* => missing");
    OK(cushim_driver()->GetProcAddress_v2("cuEventQuery", &found, 12000, 0, &status));
    assert_null(found);
    assert_int_equal(status, 1);
    found = &found;
    OK(cushim_driver()->GetProcAddress_v2("cuEventQuery", &found, 12000, 0, NULL));
    assert_null(found);
}

TEST(device_that_is_lost_stays_the_one_that_was_lost_first)
{
    char name[8];

    fault_let_all_succeed(*state);
    fault_add(state, "cuDeviceGetName@dev0:nth=1 => lost(ECC_UNCORRECTABLE)\n"
                     "cuDeviceGetName@dev1:nth=1 => lost(UNKNOWN)\n");
    CODE(CUDA_ERROR_ECC_UNCORRECTABLE, cushim_driver()->DeviceGetName(name, sizeof name, 0));
    CODE(CUDA_ERROR_UNKNOWN, cushim_driver()->DeviceGetName(name, sizeof name, 1));
    for (unsigned i = 0; i < 2; i++) {
        CODE(CUDA_ERROR_ECC_UNCORRECTABLE, cushim_driver()->DeviceGetName(name, sizeof name, 0));
        OK(cushim_driver()->DeviceGetName(name, sizeof name, 1));
    }
}
