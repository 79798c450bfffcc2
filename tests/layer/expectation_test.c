/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations: what they count, and what verify tells of them. */
#include <string.h>

#include "tests/layer/expectation_world.h"

static bool is_even(void *data, uint64_t value)
{
    ++*(unsigned *)data;
    return value % 2 == 0;
}

static void expectation_without_counts_is_met_by_one_call(void **state)
{
    (void)state;
    EXPECT(.function = "cuEventQuery");
    assert_said("expected exactly once: cuEventQuery(hEvent); it came 0 times\n");
    OK(driver->EventQuery(first));
    assert_verified();
    OK(driver->EventQuery(second));
    assert_said("expected exactly once: cuEventQuery(hEvent); it came 2 times\n"
                "  the first too many is call 8 of thread 1: cuEventQuery(hEvent=event#2) = "
                "CUDA_SUCCESS\n");
}

static void counts_are_held_at_both_ends(void **state)
{
    (void)state;
    EXPECT(.function = "cuEventQuery", .minimum = 1, .maximum = 2);
    EXPECT(.function = "cuStreamQuery", .maximum = 1);
    EXPECT(.function = "cuCtxGetCurrent", .minimum = 2, .maximum = CUSHIM_ANY_NUMBER);
    EXPECT(.function = "cuStreamGetFlags", .maximum = CUSHIM_ANY_NUMBER);
    assert_said("expected at least once and at most 2 times: cuEventQuery(hEvent); it came 0 "
                "times\n"
                "expected at least 2 times: cuCtxGetCurrent(pctx); it came 0 times\n");
    OK(driver->CtxGetCurrent(&(CUcontext){0}));
    for (unsigned i = 0; i < 3; i++)
        OK(driver->EventQuery(first));
    OK(driver->StreamQuery(stream));
    OK(driver->StreamQuery(stream));
    assert_said("expected at least once and at most 2 times: cuEventQuery(hEvent); it came 3 "
                "times\n"
                "  the first too many is call 10 of thread 1: cuEventQuery(hEvent=event#1) = "
                "CUDA_SUCCESS\n"
                "expected at most once: cuStreamQuery(hStream); it came 2 times\n"
                "  the first too many is call 12 of thread 1: cuStreamQuery(hStream=stream#1) = "
                "CUDA_SUCCESS\n"
                "expected at least 2 times: cuCtxGetCurrent(pctx); it came once\n");
}

static void calls_that_come_near_are_told_with_what_differs(void **state)
{
    (void)state;
    EXPECT(.function = "cuEventRecord",
           .arguments = {cushim_match_handle(first), cushim_match_tag("stream#1")});
    OK(driver->EventRecord(second, NULL));
    OK(driver->EventRecord(second, stream));
    OK(driver->EventRecord(first, NULL));
    OK(driver->EventRecord(second, NULL));
    assert_said("expected exactly once: cuEventRecord(hEvent=event#1, hStream=stream#1); it came "
                "0 times\n"
                "  near is call 8 of thread 1: cuEventRecord(hEvent=event#2, hStream=stream#1) = "
                "CUDA_SUCCESS, differs in hEvent\n"
                "  near is call 9 of thread 1: cuEventRecord(hEvent=event#1, hStream=NULL) = "
                "CUDA_SUCCESS, differs in hStream\n"
                "  near is call 7 of thread 1: cuEventRecord(hEvent=event#2, hStream=NULL) = "
                "CUDA_SUCCESS, differs in hEvent\n");
    OK(cushim_mock_drain(mock));
}

static void every_matcher_matches_what_it_says(void **state)
{
    CUdeviceptr address;
    CUfunction function;
    CUmodule module;
    unsigned asked = 0;
    int value;

    (void)state;
    OK(driver->ModuleLoadData(&module, kit_image));
    OK(driver->MemAlloc_v2(&address, 1024));
    OK(cushim_tag_name(layer, (void *)(uintptr_t)address, "input"));
    EXPECT(.function = "cuModuleGetFunction",
           .arguments = {[2] = cushim_match_text("cushim_spin")});
    EXPECT(.function = "cuModuleGetFunction", .arguments = {[2] = cushim_match_text("cushim_spi")},
           .match_code = true, .code = CUDA_ERROR_NOT_FOUND);
    EXPECT(.function = "cuMemsetD32Async",
           .arguments = {cushim_match_tag("input+16"), cushim_match_range(5, 7),
                         cushim_match_predicate(is_even, &asked), cushim_match_null()});
    EXPECT(.function = "cuDeviceGetAttribute",
           .arguments = {cushim_match_not_null(),
                         cushim_match_equal(CU_DEVICE_ATTRIBUTE_WARP_SIZE)});
    CODE(CUDA_ERROR_NOT_FOUND, driver->ModuleGetFunction(&function, module, "cushim_spi"));
    OK(driver->ModuleGetFunction(&function, module, "cushim_spin"));
    OK(driver->MemsetD32Async(address + 16, 7, 4, NULL));
    OK(driver->DeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    assert_verified();
    assert_true(asked > 0);
    OK(driver->MemsetD32Async(address + 16, 8, 4, NULL));
    OK(driver->MemsetD32Async(address + 16, 4, 4, NULL));
    OK(driver->MemsetD32Async(address + 16, 5, 3, NULL));
    OK(driver->MemsetD32Async(address + 20, 5, 4, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceGetAttribute(NULL, 10, 0));
    assert_verified();
    OK(driver->MemsetD32Async(address + 16, 5, 2, NULL));
    assert_non_null(strstr((cushim_layer_verify(layer, said, sizeof said), said),
                           "expected exactly once: cuMemsetD32Async(dstDevice=input+16, ui=5 to 7, "
                           "N=what its predicate says, hStream=NULL); it came 2 times\n"));
    cushim_expectations_clear(layer);
    OK(cushim_mock_drain(mock));
    OK(driver->MemFree_v2(address));
    OK(driver->ModuleUnload(module));
}

static void range_of_a_signed_parameter_is_signed(void **state)
{
    CUstream other;

    (void)state;
    EXPECT(.function = "cuStreamCreateWithPriority",
           .arguments = {[2] = cushim_match_range((uint64_t)-5, 0)});
    OK(driver->StreamCreateWithPriority(&other, 0, -1));
    OK(driver->StreamDestroy_v2(other));
    assert_verified();
}

static void written_handle_is_matched_by_tag(void **state)
{
    CUevent event;

    (void)state;
    EXPECT(.function = "cuEventCreate", .arguments = {cushim_match_tag("event#3")});
    OK(driver->EventCreate(&event, 0));
    OK(driver->EventDestroy_v2(event));
    assert_verified();
}

static void code_that_differs_is_told(void **state)
{
    (void)state;
    EXPECT(.function = "cuEventQuery", .match_code = true, .code = CUDA_ERROR_NOT_READY);
    OK(driver->EventQuery(first));
    assert_said("expected exactly once: cuEventQuery(hEvent) = CUDA_ERROR_NOT_READY; it came 0 "
                "times\n"
                "  near is call 7 of thread 1: cuEventQuery(hEvent=event#1) = CUDA_SUCCESS, "
                "differs in what it answered\n");
    OK(driver->EventRecord(first, stream));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(first));
    assert_verified();
}

static void call_counts_for_the_first_that_is_not_full(void **state)
{
    (void)state;
    EXPECT(.function = "cuEventQuery", .arguments = {cushim_match_handle(first)});
    EXPECT(.function = "cuEvent*", .maximum = 1);
    OK(driver->EventQuery(first));
    OK(driver->EventQuery(first));
    assert_verified();
    OK(driver->EventQuery(first));
    assert_said("expected at most once: cuEvent*; it came 2 times\n"
                "  the first too many is call 9 of thread 1: cuEventQuery(hEvent=event#1) = "
                "CUDA_SUCCESS\n");
}

static void order_is_kept_by_those_that_are_in_order(void **state)
{
    (void)state;
    EXPECT(.function = "cuEventRecord", .in_order = true);
    EXPECT(.function = "cuStreamGetFlags", .maximum = 5);
    EXPECT(.function = "cuStreamQuery", .in_order = true, .maximum = CUSHIM_ANY_NUMBER);
    EXPECT(.function = "cuEventQuery", .in_order = true);
    OK(driver->EventRecord(first, stream));
    OK(cushim_mock_drain(mock));
    OK(driver->StreamQuery(stream));
    OK(driver->StreamGetFlags(stream, &(unsigned){0}));
    OK(driver->EventQuery(first));
    assert_verified();
}

static void call_that_comes_too_early_or_too_late_is_told(void **state)
{
    (void)state;
    EXPECT(.function = "cuEventRecord", .arguments = {cushim_match_handle(first)},
           .in_order = true);
    EXPECT(.function = "cuEventQuery", .in_order = true);
    OK(driver->EventQuery(second));
    OK(driver->EventRecord(first, stream));
    assert_said("out of order: cuEventQuery(hEvent) came before cuEventRecord(hEvent=event#1, "
                "hStream)\n"
                "  it is call 7 of thread 1: cuEventQuery(hEvent=event#2) = CUDA_SUCCESS\n");
    cushim_expectations_clear(layer);
    EXPECT(.function = "cuStreamQuery", .in_order = true, .maximum = 3);
    EXPECT(.function = "cuEventQuery", .in_order = true);
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(first));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    assert_said("out of order: cuStreamQuery(hStream) came after cuEventQuery(hEvent)\n"
                "  it is call 10 of thread 1: cuStreamQuery(hStream=stream#1) = "
                "CUDA_ERROR_NOT_READY\n");
}

static void forbidden_function_is_told_unless_it_is_expected(void **state)
{
    char why[200];

    (void)state;
    EXPECT(.function = "cuEventQuery", .maximum = 1);
    OK(cushim_forbid(layer, "cuEvent*", why, sizeof why));
    OK(driver->EventQuery(first));
    OK(driver->StreamQuery(stream));
    assert_verified();
    OK(driver->EventSynchronize(first));
    OK(driver->EventSynchronize(first));
    assert_said("forbidden: cuEvent*; it came 2 times\n"
                "  the first is call 9 of thread 1: cuEventSynchronize(hEvent=event#1) = "
                "CUDA_SUCCESS\n");
    cushim_expectations_clear(layer);
}

static void errors_that_no_scope_expects_are_told(void **state)
{
    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->EventCreate(NULL, 0));
    OK(cushim_errors_forbid(layer, true));
    OK(driver->EventRecord(first, stream));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(first));
    CODE(CUDA_ERROR_NOT_FOUND, driver->GetProcAddress("cuNothing", &(void *){0}, 12000, 0));
    OK(cushim_expect_errors_begin(layer, CUDA_ERROR_INVALID_VALUE));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->EventCreate(NULL, 0));
    OK(cushim_expect_errors_end(layer));
    assert_verified();
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamCreate(NULL, 0));
    assert_said("error that nothing expects: call 12 of thread 1: cuStreamCreate(phStream=NULL, "
                "Flags=0) = CUDA_ERROR_INVALID_VALUE\n");
    for (unsigned i = 0; i < 5; i++)
        CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamCreate(NULL, 0));
    cushim_layer_verify(layer, said, sizeof said);
    assert_non_null(strstr(said, "and 2 more errors\n"));
}

static void scope_without_its_error_is_told(void **state)
{
    (void)state;
    OK(cushim_expect_errors_begin(layer, CUDA_SUCCESS));
    OK(cushim_expect_errors_begin(layer, CUDA_ERROR_NOT_FOUND));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamCreate(NULL, 0));
    assert_said("a scope that expects CUDA_ERROR_NOT_FOUND has not ended\n");
    OK(cushim_expect_errors_end(layer));
    OK(cushim_expect_errors_end(layer));
    assert_said("expected CUDA_ERROR_NOT_FOUND of a call in a scope; none came\n");
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_expect_errors_end(layer));
    cushim_expectations_clear(layer);
    OK(cushim_expect_errors_begin(layer, CUDA_SUCCESS));
    OK(cushim_expect_errors_end(layer));
    assert_said("expected an error of a call in a scope; none came\n");
    cushim_expectations_clear(layer);
    assert_verified();
    for (unsigned i = 0; i < 16; i++)
        OK(cushim_expect_errors_begin(layer, CUDA_SUCCESS));
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cushim_expect_errors_begin(layer, CUDA_SUCCESS));
}

/* A layer alone watches what is expected, and what begins and ends, as the tags need that. */
static void expectations_need_no_recording(void **state)
{
    struct cushim_mock *own;
    CUcontext context;
    CUevent events[2];

    (void)state;
    OK(cushim_mock_create(NULL, &own));
    OK(cushim_layer_create(
        &(struct cushim_layer_options){.size = sizeof(struct cushim_layer_options),
                                       .table = cushim_mock_table(own)},
        &layer));
    driver = cushim_layer_table(layer);
    EXPECT(.function = "cuEventQuery", .arguments = {cushim_match_tag("event#2")});
    OK(driver->Init(0));
    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->EventCreate(&events[0], 0));
    OK(driver->EventCreate(&events[1], 0));
    OK(driver->EventQuery(events[1]));
    assert_verified();
    OK(driver->CtxDestroy_v2(context));
    cushim_layer_destroy(layer);
    OK(cushim_mock_destroy(own));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, expectation_setup, expectation_teardown)
    const struct CMUnitTest tests[] = {
        TEST(expectation_without_counts_is_met_by_one_call),
        TEST(counts_are_held_at_both_ends),
        TEST(calls_that_come_near_are_told_with_what_differs),
        TEST(every_matcher_matches_what_it_says),
        TEST(range_of_a_signed_parameter_is_signed),
        TEST(written_handle_is_matched_by_tag),
        TEST(code_that_differs_is_told),
        TEST(call_counts_for_the_first_that_is_not_full),
        TEST(order_is_kept_by_those_that_are_in_order),
        TEST(call_that_comes_too_early_or_too_late_is_told),
        TEST(forbidden_function_is_told_unless_it_is_expected),
        TEST(errors_that_no_scope_expects_are_told),
        TEST(scope_without_its_error_is_told),
        cmocka_unit_test(expectations_need_no_recording),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
