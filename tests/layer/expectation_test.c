/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations: which calls they count, and what verify prints. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <cushim/testing/layer.h>

#include "tests/layer/testkit.h"

static CUevent first, second;
static CUstream stream;
static char said[4096]; /* printed by verify */

/*
 * The calls of a test begin with number 7: cushim_test_begin() makes three, and this function makes
 * three.
 */
static int setup(void **state)
{
    testkit_setup(state);
    OK(driver->EventCreate(&first, 0));
    OK(driver->EventCreate(&second, 0));
    OK(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return 0;
}

static int teardown(void **state)
{
    OK(cushim_layer_forbid_errors(layer, false));
    cushim_layer_clear_expectations(layer);
    OK(driver->EventDestroy_v2(first));
    OK(driver->EventDestroy_v2(second));
    OK(cushim_mock_drain(mock));
    OK(driver->StreamDestroy_v2(stream));
    return testkit_teardown(state);
}

/* Add an expectation that must be accepted: EXPECT(.function = "cuEventQuery"). */
static void expect(struct cushim_expectation what)
{
    char why[200] = "";

    what.size = sizeof what;
    if (cushim_layer_expect(layer, &what, why, sizeof why) != CUDA_SUCCESS)
        fail_msg("%s", why);
}

#define EXPECT(...) expect((struct cushim_expectation){__VA_ARGS__})

static void assert_verified(void)
{
    const CUresult code = cushim_layer_verify(layer, said, sizeof said);

    assert_string_equal(said, "");
    OK(code);
}

static void assert_said(const char *text)
{
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_layer_verify(layer, said, sizeof said));
    assert_string_equal(said, text);
}

static bool is_even(void *data, uint64_t value)
{
    ++*(unsigned *)data;
    return value % 2 == 0;
}

#define TEST(name) TEST_BETWEEN(name, setup, teardown)

TEST(expectation_without_counts_is_met_by_one_call)
{
    EXPECT(.function = "cuEventQuery");
    assert_said("expected exactly once: cuEventQuery(hEvent); it came 0 times\n");
    OK(driver->EventQuery(first));
    assert_verified();
    OK(driver->EventQuery(second));
    assert_said("expected exactly once: cuEventQuery(hEvent); it came 2 times\n"
                "  the first too many is call 8 of thread 1: cuEventQuery(hEvent=event#2) = "
                "CUDA_SUCCESS\n");
}

TEST(counts_are_held_at_both_ends)
{
    EXPECT(.function = "cuEventQuery", .minimum = 1, .maximum = 2);
    EXPECT(.function = "cuStreamQuery", .maximum = 1);
    EXPECT(.function = "cuCtxGetCurrent", .minimum = 2, .maximum = CUSHIM_EXPECTATION_ANY_NUMBER);
    EXPECT(.function = "cuStreamGetFlags", .maximum = CUSHIM_EXPECTATION_ANY_NUMBER);
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

TEST(calls_that_come_near_are_reported_with_what_differs)
{
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

TEST(every_matcher_matches_what_it_says)
{
    CUdeviceptr address;
    CUfunction function;
    CUmodule module;
    unsigned asked = 0;
    int value;

    OK(driver->ModuleLoadData(&module, testkit_image));
    OK(driver->MemAlloc_v2(&address, 1024));
    OK(cushim_recording_set_tag(layer, (void *)(uintptr_t)address, "input"));
    EXPECT(.function = "cuModuleGetFunction",
           .arguments = {[2] = cushim_match_text("cushim_spin")});
    EXPECT(.function = "cuModuleGetFunction", .arguments = {[2] = cushim_match_text("cushim_spi")},
           .match_code = true, .code = CUDA_ERROR_NOT_FOUND);
    EXPECT(.function = "cuMemsetD32Async", .arguments = {cushim_match_tag("input+16"),
                                                         cushim_match_range(5, 7),
                                                         cushim_match_predicate(is_even, &asked),
                                                         {.kind = CUSHIM_MATCH_NULL}});
    EXPECT(.function = "cuDeviceGetAttribute",
           .arguments = {{.kind = CUSHIM_MATCH_NOT_NULL},
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
    CONTAINS((cushim_layer_verify(layer, said, sizeof said), said),
             "expected exactly once: cuMemsetD32Async(dstDevice=input+16, ui=5 to 7, "
             "N=what its predicate says, hStream=NULL); it came 2 times\n");
    cushim_layer_clear_expectations(layer);
    OK(cushim_mock_drain(mock));
}

TEST(range_of_a_signed_parameter_is_signed)
{
    CUstream other;

    EXPECT(.function = "cuStreamCreateWithPriority",
           .arguments = {[2] = cushim_match_range((uint64_t)-5, 0)});
    OK(driver->StreamCreateWithPriority(&other, 0, -1));
    OK(driver->StreamDestroy_v2(other));
    assert_verified();
}

TEST(written_handle_is_matched_by_tag)
{
    CUevent event;

    EXPECT(.function = "cuEventCreate", .arguments = {cushim_match_tag("event#3")});
    OK(driver->EventCreate(&event, 0));
    OK(driver->EventDestroy_v2(event));
    assert_verified();
}

TEST(code_that_differs_is_reported)
{
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

TEST(call_counts_for_the_first_that_is_not_full)
{
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

TEST(order_is_kept_by_those_that_are_in_order)
{
    EXPECT(.function = "cuEventRecord", .in_order = true);
    EXPECT(.function = "cuStreamGetFlags", .maximum = 5);
    EXPECT(.function = "cuStreamQuery", .in_order = true, .maximum = CUSHIM_EXPECTATION_ANY_NUMBER);
    EXPECT(.function = "cuEventQuery", .in_order = true);
    OK(driver->EventRecord(first, stream));
    OK(cushim_mock_drain(mock));
    OK(driver->StreamQuery(stream));
    OK(driver->StreamGetFlags(stream, &(unsigned){0}));
    OK(driver->EventQuery(first));
    assert_verified();
}

TEST(call_that_comes_too_early_or_too_late_is_reported)
{
    EXPECT(.function = "cuEventRecord", .arguments = {cushim_match_handle(first)},
           .in_order = true);
    EXPECT(.function = "cuEventQuery", .in_order = true);
    OK(driver->EventQuery(second));
    OK(driver->EventRecord(first, stream));
    assert_said("out of order: cuEventQuery(hEvent) came before cuEventRecord(hEvent=event#1, "
                "hStream)\n"
                "  it is call 7 of thread 1: cuEventQuery(hEvent=event#2) = CUDA_SUCCESS\n");
    cushim_layer_clear_expectations(layer);
    EXPECT(.function = "cuStreamQuery", .in_order = true, .maximum = 3);
    EXPECT(.function = "cuEventQuery", .in_order = true);
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(first));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    assert_said("out of order: cuStreamQuery(hStream) came after cuEventQuery(hEvent)\n"
                "  it is call 10 of thread 1: cuStreamQuery(hStream=stream#1) = "
                "CUDA_ERROR_NOT_READY\n");
}

TEST(forbidden_function_is_reported_unless_it_is_expected)
{
    char why[200];

    EXPECT(.function = "cuEventQuery", .maximum = 1);
    OK(cushim_layer_forbid(layer, "cuEvent*", why, sizeof why));
    OK(driver->EventQuery(first));
    OK(driver->StreamQuery(stream));
    assert_verified();
    OK(driver->EventSynchronize(first));
    OK(driver->EventSynchronize(first));
    assert_said("forbidden: cuEvent*; it came 2 times\n"
                "  the first is call 9 of thread 1: cuEventSynchronize(hEvent=event#1) = "
                "CUDA_SUCCESS\n");
}

TEST(errors_that_no_scope_expects_are_reported)
{
    CODE(CUDA_ERROR_INVALID_VALUE, driver->EventCreate(NULL, 0));
    OK(cushim_layer_forbid_errors(layer, true));
    OK(driver->EventRecord(first, stream));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(first));
    CODE(CUDA_ERROR_NOT_FOUND, driver->GetProcAddress("cuNothing", &(void *){0}, 12000, 0));
    OK(cushim_layer_expect_errors_begin(layer, CUDA_ERROR_INVALID_VALUE));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->EventCreate(NULL, 0));
    OK(cushim_layer_expect_errors_end(layer));
    assert_verified();
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamCreate(NULL, 0));
    assert_said("error that nothing expects: call 12 of thread 1: cuStreamCreate(phStream=NULL, "
                "Flags=0) = CUDA_ERROR_INVALID_VALUE\n");
    for (unsigned i = 0; i < 5; i++)
        CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamCreate(NULL, 0));
    cushim_layer_verify(layer, said, sizeof said);
    CONTAINS(said, "and 2 more errors\n");
}

TEST(scope_without_its_error_is_reported)
{
    OK(cushim_layer_expect_errors_begin(layer, CUDA_SUCCESS));
    OK(cushim_layer_expect_errors_begin(layer, CUDA_ERROR_NOT_FOUND));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamCreate(NULL, 0));
    assert_said("a scope that expects CUDA_ERROR_NOT_FOUND has not ended\n");
    OK(cushim_layer_expect_errors_end(layer));
    OK(cushim_layer_expect_errors_end(layer));
    assert_said("expected CUDA_ERROR_NOT_FOUND of a call in a scope; none came\n");
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_expect_errors_end(layer));
    cushim_layer_clear_expectations(layer);
    OK(cushim_layer_expect_errors_begin(layer, CUDA_SUCCESS));
    OK(cushim_layer_expect_errors_end(layer));
    assert_said("expected an error of a call in a scope; none came\n");
    cushim_layer_clear_expectations(layer);
    assert_verified();
    for (unsigned i = 0; i < 16; i++)
        OK(cushim_layer_expect_errors_begin(layer, CUDA_SUCCESS));
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cushim_layer_expect_errors_begin(layer, CUDA_SUCCESS));
}

/*
 * A layer alone watches the expected functions, and those that create and destroy objects, because
 * tags need them.
 */
TEST_ALONE(expectations_need_no_recording)
{
    struct cushim_mock *own;
    CUcontext context;
    CUevent events[2];

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

/*
 * The texts of expectations: each kind of matcher, signed numbers, odd codes, calls that are too
 * long to print.
 */

TEST(matchers_are_reported_as_they_were_written)
{
    EXPECT(.function = "cuModuleGetFunction",
           .arguments = {{.kind = CUSHIM_MATCH_NOT_NULL}, [2] = cushim_match_text("one\ntwo")});
    EXPECT(.function = "cuDeviceGetName",
           .arguments = {
               [1] = cushim_match_range((uint64_t)-2, 7), [2] = cushim_match_equal((uint64_t)-1)});
    assert_said("expected exactly once: cuModuleGetFunction(hfunc=not NULL, hmod, "
                "name=\"one?two\"); it came 0 times\n"
                "expected exactly once: cuDeviceGetName(name, len=-2 to 7, dev=-1); it came 0 "
                "times\n");
}

TEST(code_without_a_name_is_reported_by_its_number)
{
    EXPECT(.function = "cuEventQuery", .match_code = true, .code = (CUresult)12345);
    assert_said("expected exactly once: cuEventQuery(hEvent) = 12345; it came 0 times\n");
}

TEST(of_calls_that_come_too_early_the_first_is_reported)
{
    EXPECT(.function = "cuEventQuery", .in_order = true);
    EXPECT(.function = "cuStreamQuery", .minimum = 2, .in_order = true);
    OK(driver->StreamQuery(stream));
    OK(driver->StreamQuery(CU_STREAM_LEGACY));
    OK(driver->EventQuery(first));
    assert_said("out of order: cuStreamQuery(hStream) came before cuEventQuery(hEvent)\n"
                "  it is call 7 of thread 1: cuStreamQuery(hStream=stream#1) = CUDA_SUCCESS\n");
}

TEST(call_too_long_to_be_reported_whole_ends_in_dots)
{
    const unsigned most = 4294967295u;
    const char *printed, *end;

    OK(cushim_recording_set_tag(layer, stream, "stream-of-thirty-one-characters"));
    OK(cushim_layer_forbid(layer, "cuLaunchKernel", NULL, 0));
    OK(cushim_fault_add_rules(layer, "* => return(LAUNCH_INCOMPATIBLE_TEXTURING)", NULL, 0));
    driver->LaunchKernel(NULL, most, most, most, most, most, most, most, stream, NULL, NULL);
    cushim_fault_clear(layer);
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_layer_verify(layer, said, sizeof said));
    printed = strstr(said, "call 7 of thread 1: cuLaunchKernel(f=NULL, gridDimX=4294967295, ");
    assert_non_null(printed);
    end = strchr(printed, '\n');
    assert_non_null(end);
    assert_int_equal(end - printed, 319);
    assert_memory_equal(end - 3, "...", 3);
}

/* Expectations of one ABI of a function when another ABI is called. */

static void allocate(unsigned times)
{
    CUdeviceptr memory;

    for (unsigned i = 0; i < times; i++) {
        OK(driver->MemAlloc_v2(&memory, 16));
        OK(driver->MemFree_v2(memory));
    }
}

TEST(expectation_of_a_plain_name_takes_what_cuda_h_means_by_it)
{
    CUstream own;
    CUgraph graph;

    EXPECT(.function = "cuMemAlloc", .arguments = {{0}, cushim_match_equal(16)}, .minimum = 3);
    EXPECT(.function = "cuStreamQuery", .minimum = 2);
    /* Only one of the ABIs of this function has two parameters. */
    EXPECT(.function = "cuStreamBeginCapture", .arguments = {{0}, cushim_match_equal(1)});
    allocate(3);
    OK(driver->StreamQuery(NULL));
    OK(driver->StreamQuery_ptsz(NULL));
    OK(driver->StreamCreate(&own, CU_STREAM_NON_BLOCKING));
    OK(driver->StreamBeginCapture_v2(own, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    OK(driver->StreamEndCapture(own, &graph));
    OK(driver->GraphDestroy(graph));
    OK(driver->StreamDestroy_v2(own));
    assert_verified();
    cushim_layer_clear_expectations(layer);
    EXPECT(.function = "cuMemAlloc");
    driver->MemAllocHost_v2(NULL, 16);
    assert_said("expected exactly once: cuMemAlloc(dptr, bytesize); it came 0 times\n");
}

TEST(expectation_of_another_abi_is_reported_which_came)
{
    EXPECT(.function = "cuEventElapsedTime_v2");
    assert_said("expected exactly once: cuEventElapsedTime_v2(pMilliseconds, hStart, hEnd); it "
                "came 0 times\n");
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventElapsedTime(NULL, NULL, NULL));
    assert_said("expected exactly once: cuEventElapsedTime_v2(pMilliseconds, hStart, hEnd); it "
                "came 0 times\n"
                "  cuEventElapsedTime, another ABI of it, came once\n");
}

TEST(expectation_that_came_says_nothing_of_other_abis)
{
    OK(cushim_check_stop(layer, NULL, 0)); /* some calls are wrong on purpose */
    EXPECT(.function = "cuMemAlloc_v2");
    driver->MemAlloc(NULL, 16);
    allocate(2);
    cushim_layer_clear_expectations(layer);
    EXPECT(.function = "cuMemAlloc*");
    driver->MemAllocPitch(NULL, NULL, 1, 1, 4);
    assert_verified();
}

TEST(call_that_is_expected_is_none_of_what_is_forbidden)
{
    OK(cushim_layer_forbid(layer, "cuMemAlloc", NULL, 0));
    EXPECT(.function = "cuMemAlloc_v2");
    allocate(1);
    assert_verified();
}

TEST(plain_name_forbids_each_abi_and_another_name_one)
{
    CUdeviceptr memory;

    OK(cushim_check_stop(layer, NULL, 0)); /* some calls are wrong on purpose */
    OK(cushim_layer_forbid(layer, "cuMemAlloc", NULL, 0));
    assert_verified();
    OK(driver->MemAlloc_v2(&memory, 16));
    assert_said("forbidden: cuMemAlloc; it came once\n"
                "  the first is call 7 of thread 1: cuMemAlloc_v2(dptr -> memory#1, bytesize=16) = "
                "CUDA_SUCCESS\n");
    OK(driver->MemFree_v2(memory));
    cushim_layer_clear_expectations(layer);
    OK(cushim_layer_forbid(layer, "cuMemAlloc_v2", NULL, 0));
    driver->MemAlloc(NULL, 16);
    assert_verified();
}

/* Expectations that are refused, and failing verdicts. */

TEST(expectation_that_makes_no_sense_is_refused)
{
    static const struct {
        struct cushim_expectation what;
        const char *message;
    } cases[] = {
        {{.function = "cuEventRecrod"},
         "the driver has no function cuEventRecrod; did you mean cuEventRecord?"},
        {{.function = "frobnicate"}, "the driver has no function frobnicate"},
        {{.function = "cuFrob*"}, "no function fits cuFrob*"},
        {{.function = NULL}, "no function is named"},
        {{.function = "cuEventQuery", .arguments = {[1] = {.kind = CUSHIM_MATCH_NULL}}},
         "cuEventQuery has 1 parameter, and there are 2 matchers"},
        {{.function = "cuEvent*", .arguments = {[9] = {.kind = CUSHIM_MATCH_NULL}}},
         "no function that fits cuEvent* has 10 parameters"},
        {{.function = "cuEventQuery", .minimum = 3, .maximum = 2},
         "cuEventQuery: the minimum 3 is above the maximum 2"},
        {{.function = "cuEventQuery", .arguments = {{.kind = CUSHIM_MATCH_TAG}}},
         "cuEventQuery: the matcher of hEvent has no text"},
        {{.function = "cuEventQuery", .arguments = {{.kind = CUSHIM_MATCH_PREDICATE}}},
         "cuEventQuery: the matcher of hEvent has no predicate"},
        {{.function = "cuEventQuery", .arguments = {{.kind = (enum cushim_match_kind)77}}},
         "cuEventQuery: the matcher of hEvent has an unknown kind"},
        {{.function = "cuEventQuery", .arguments = {{.kind = CUSHIM_MATCH_TEXT, .text = "a"}}},
         "cuEventQuery: the matcher of hEvent wants a text, which this is not"},
        {{.function = "cuEventQuery", .arguments = {{.kind = CUSHIM_MATCH_TAG, .text = ""}}},
         "cuEventQuery: the matcher of hEvent has an empty tag"},
        {{.function = "cuMemAlloc_v2",
          .arguments = {[1] = {.kind = CUSHIM_MATCH_RANGE, .value = 2, .last = 1}}},
         "cuMemAlloc_v2: the matcher of bytesize has a range that ends before it begins"},
        {{.function = "cuDeviceGet",
          .arguments = {[1] = {.kind = CUSHIM_MATCH_RANGE, .value = 1, .last = (uint64_t)-1}}},
         "cuDeviceGet: the matcher of ordinal has a range that ends before it begins"},
        {{.function = "cuDeviceGet*",
          .arguments = {[1] = {.kind = CUSHIM_MATCH_RANGE, .value = 2, .last = 1}}},
         "cuDeviceGet*: a matcher has a range that ends before it begins"},
        {{.function = "cuDeviceGet",
          .arguments = {[1] = {.kind = CUSHIM_MATCH_TAG, .text = "event#1"}}},
         "cuDeviceGet: the matcher of ordinal wants a tag, which this has not"},
    };
    char why[200];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cushim_expectation what = cases[i].what;

        what.size = sizeof what;
        CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_expect(layer, &what, why, sizeof why));
        assert_string_equal(why, cases[i].message);
    }
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_forbid(layer, "cuEventQeury", why, sizeof why));
    assert_string_equal(why, "the driver has no function cuEventQeury; did you mean cuEventQuery?");
    assert_verified();
}

TEST(what_is_missing_is_refused)
{
    const struct cushim_expectation what = {.size = 3, .function = "cuInit"};

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_expect(layer, &what, NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_expect(layer, NULL, NULL, 0));
}

TEST(verdict_that_does_not_fit_says_so)
{
    char small[20];

    EXPECT(.function = "cuEventQuery");
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_layer_verify(layer, small, sizeof small));
    assert_string_equal(small, "expected exactl...\n");
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_layer_verify(layer, NULL, 0));
}
