/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings of a test may lose calls only if nobody has asked for the recording and nobody reads
 * it.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <cushim/driver.h>
#include <cushim/testing/layer.h>

#include "src/layer/handle_table.h"
#include "src/layer/layer.h"
#include "tests/layer/testkit.h"

static const struct cushim_test_options plain = {.size = sizeof plain};

static void poll(unsigned times)
{
    int count;

    OK(driver->Init(0));
    for (unsigned i = 0; i < times; i++)
        OK(driver->DeviceGetCount(&count));
}

#define TEST(name) TEST_BETWEEN(name, NULL, testkit_gone)

TEST(recording_that_nobody_asked_for_may_lose_calls)
{
    testkit_begin(&plain);
    poll(6000);
    OK(testkit_end());
    assert_string_equal(testkit_text, "");
}

TEST(recording_that_was_asked_for_may_not_lose_calls)
{
    testkit_begin(
        &(struct cushim_test_options){.size = sizeof(struct cushim_test_options), .capacity = 4});
    poll(10);
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    assert_string_equal(testkit_text,
                        "the recording has lost the first 7 calls: it has room for 4 (capacity), "
                        "and 11 came; set a larger .capacity of the test, or stop recording\n");
}

TEST(recording_that_is_read_may_not_have_lost_calls)
{
    struct cushim_recorded_call call = {.size = sizeof call};

    for (int reader = 0; reader < 3; reader++) {
        testkit_begin(&plain);
        OK(cushim_layer_verify(layer, NULL, 0));
        poll(6000);
        OK(cushim_layer_verify(layer, NULL, 0));
        if (reader == 0)
            cushim_recording_write_text(layer, NULL, 0);
        else if (reader == 1)
            OK(cushim_recording_get_call(layer, 0, &call));
        else
            cushim_recording_count(layer);
        CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
        CONTAINS(testkit_text, "the recording has lost the first 1905 calls: ");
    }
}

TEST(recording_that_was_read_before_it_lost_calls_may_lose_them)
{
    testkit_begin(&plain);
    poll(10);
    assert_int_equal(cushim_recording_count(layer), 11);
    poll(6000);
    OK(testkit_end());
}

/* Rare arguments in a recording, and calls that it must not confuse. */

static char text[1 << 12];

static void assert_recorded(const char *line)
{
    assert_true(cushim_recording_write_text(layer, text, sizeof text) < sizeof text);
    if (!strstr(text, line))
        fail_msg("\"%s\" is not in:\n%s", line, text);
}

TEST_BETWEEN(text_that_is_null_is_recorded_as_null, testkit_setup, testkit_teardown)
{
    CUfunction function;

    driver->ModuleGetFunction(&function, NULL, NULL);
    assert_recorded("cuModuleGetFunction(hfunc, hmod=NULL, name=NULL) = CUDA_ERROR_");
}

TEST_BETWEEN(struct_that_is_passed_by_value_is_recorded_without_its_bytes, testkit_setup,
             testkit_teardown)
{
    const CUipcEventHandle handle = {{0}};
    CUevent event;

    driver->IpcOpenEventHandle(&event, handle);
    assert_recorded("cuIpcOpenEventHandle(phEvent, handle={...}) = CUDA_ERROR_");
}

TEST_BETWEEN(number_with_a_point_is_recorded_with_as_few_digits_as_distinguish_it, testkit_setup,
             testkit_teardown)
{
    driver->TexRefSetMipmapLevelBias(NULL, 1.5f);
    driver->TexRefSetMipmapLevelBias(NULL, 0.1f);
    driver->TexRefSetMipmapLevelBias(NULL, -16777215.0f);
    assert_recorded("cuTexRefSetMipmapLevelBias(hTexRef=NULL, bias=1.5) = ");
    assert_recorded("cuTexRefSetMipmapLevelBias(hTexRef=NULL, bias=0.1) = ");
    assert_recorded("cuTexRefSetMipmapLevelBias(hTexRef=NULL, bias=-16777215) = ");
}

TEST_BETWEEN(code_without_a_name_is_recorded_as_its_number, testkit_setup, testkit_teardown)
{
    OK(cushim_fault_add_rules(layer, "cuStreamQuery => return(9876)", NULL, 0));
    CODE((CUresult)9876, driver->StreamQuery(NULL));
    assert_recorded("cuStreamQuery(hStream=NULL) = 9876 (by a fault)");
}

/*
 * While one call is inside the driver, another thread clears the recording and makes a call, which
 * gets the same number. Here the driver's function does both.
 */
static CUresult CUDAAPI query_after_a_clear(CUstream stream)
{
    CUcontext context;

    cushim_recording_clear(layer);
    OK(driver->CtxGetCurrent(&context));
    return CUDA_ERROR_NOT_READY;
}

TEST_BETWEEN(call_that_was_forgotten_does_not_end_another_one, testkit_setup, testkit_teardown)
{
    struct cushim_recorded_call call = {.size = sizeof call};

    cushim_recording_clear(layer);
    cushim_layer_next(layer)->StreamQuery = query_after_a_clear;
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(NULL));
    assert_int_equal(cushim_recording_count(layer), 1);
    OK(cushim_recording_get_call(layer, 0, &call));
    assert_string_equal(call.name, "cuCtxGetCurrent");
    assert_int_equal(call.code, CUDA_SUCCESS);
    assert_true(call.has_returned);
}

/* A kernel's function holds the mock's lock, so recording its calls would deadlock. */
static unsigned answers;

static void query_in_a_kernel(const struct cushim_mock_launch *launch, void *data)
{
    *(CUresult *)data = driver->EventQuery(NULL);
    answers++;
}

TEST_BETWEEN(call_within_a_kernel_is_not_recorded, testkit_setup, testkit_teardown)
{
    CUresult answer = CUDA_SUCCESS;
    const struct cushim_mock_kernel kernel = {
        .size = sizeof kernel, .name = "cushim_test", .run = query_in_a_kernel, .data = &answer};
    static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                ".visible .entry cushim_test() { ret; }\n";
    CUfunction function;
    CUmodule module;

    OK(cushim_mock_register_kernel(mock, &kernel));
    OK(driver->ModuleLoadData(&module, image));
    OK(driver->ModuleGetFunction(&function, module, "cushim_test"));
    OK(driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cushim_mock_drain(mock));
    assert_int_equal(answers, 1);
    assert_int_not_equal(answer, CUDA_SUCCESS);
    assert_recorded("cuLaunchKernel(");
    LACKS(text, "cuEventQuery");
}

/* --- without a test --- */

TEST_ALONE(recording_that_was_stopped_records_no_more)
{
    struct cushim_layer *alone;
    struct cushim_mock *driver_alone;

    OK(cushim_mock_create(NULL, &driver_alone));
    OK(cushim_layer_create(
        &(struct cushim_layer_options){.size = sizeof(struct cushim_layer_options),
                                       .table = cushim_mock_table(driver_alone)},
        &alone));
    OK(cushim_recording_start(alone, 8));
    OK(cushim_layer_table(alone)->Init(0));
    cushim_recording_stop(alone);
    OK(cushim_layer_table(alone)->Init(0));
    assert_int_equal(cushim_recording_count(alone), 1);
    assert_int_equal(cushim__subscribed[CUSHIM__SLOT(Init)], 0);
    OK(cushim_recording_start(alone, 8));
    OK(cushim_layer_table(alone)->Init(0));
    assert_int_equal(cushim_recording_count(alone), 1);
    cushim_layer_destroy(alone);
    OK(cushim_mock_destroy(driver_alone));
}

/*
 * A test with faults: they take effect, injected errors do not fail the test, and a fault that
 * never fired is reported.
 */

static void begin_with(const char *faults)
{
    testkit_begin(&(struct cushim_test_options){.size = sizeof(struct cushim_test_options),
                                                .settings = "mode = manual",
                                                .faults = faults,
                                                .forbid_errors = true});
}

TEST(answer_of_a_fault_is_reported_and_is_no_error)
{
    CUevent event;

    begin_with("cuEventCreate:nth=1 => return(OUT_OF_MEMORY)\n"
               "cuEventDestroy_v2:nth=1 => return(INVALID_HANDLE)\n"
               "cuEventCreate:nth=1,phase=after => return(OUT_OF_MEMORY)");
    testkit_enter();
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->EventCreate(&event, 0));
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->EventCreate(&event, 0));
    OK(driver->EventCreate(&event, 0));
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->EventDestroy_v2(event));
    assert_int_equal(testkit_count().handles, 1); /* the context */
    cushim_recording_write_text(layer, text, sizeof text);
    CONTAINS(text, "4  t1  0 ns  cuEventCreate(phEvent, Flags=0) = "
                   "CUDA_ERROR_OUT_OF_MEMORY (by a fault)\n"
                   "5  t1  0 ns  cuEventCreate(phEvent, Flags=0) = "
                   "CUDA_ERROR_OUT_OF_MEMORY (by a fault)\n"
                   "6  t1  0 ns  cuEventCreate(phEvent -> event#1, Flags=0) = "
                   "CUDA_SUCCESS\n"
                   "7  t1  0 ns  cuEventDestroy_v2(hEvent=event#1) = "
                   "CUDA_ERROR_INVALID_HANDLE (by a fault)\n");
    testkit_leave();
    if (testkit_end() != CUDA_SUCCESS)
        fail_msg("%s", testkit_text);
}

TEST(object_whose_destroying_failed_keeps_its_tag)
{
    char tag[CUSHIM_RECORDING_TAG_SIZE];
    CUevent event;

    begin_with("cuEventDestroy_v2:nth=1 => return(UNKNOWN)");
    testkit_enter();
    OK(driver->EventCreate(&event, 0));
    CODE(CUDA_ERROR_UNKNOWN, driver->EventDestroy_v2(event));
    assert_int_equal(testkit_count().handles, 1);
    OK(cushim_recording_get_tag(layer, event, tag, sizeof tag));
    assert_string_equal(tag, "event#1");
    OK(driver->EventDestroy_v2(event));
    CODE(CUDA_ERROR_NOT_FOUND, cushim_recording_get_tag(layer, event, tag, sizeof tag));
    testkit_leave();
    OK(testkit_end());
}

TEST(fault_that_never_came_is_reported)
{
    begin_with("cuEventCreate:nth=7 => return(OUT_OF_MEMORY)");
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    assert_string_equal(testkit_text,
                        "cuEventCreate:nth=7 => return(OUT_OF_MEMORY): never matched\n");
}

TEST(fault_of_another_abi_is_reported_which_came)
{
    CUdeviceptr memory;

    begin_with("cuMemAlloc:nth=4 => return(OUT_OF_MEMORY)\n"
               "cuMemFree_v2:nth=3 => return(UNKNOWN)");
    testkit_enter();
    for (unsigned i = 0; i < 3; i++)
        OK(driver->MemAlloc_v2(&memory, 16));
    assert_string_equal(cushim_fault_unused(layer, 0),
                        "cuMemAlloc:nth=4 => return(OUT_OF_MEMORY): matched 3 times, never fired");
    assert_string_equal(cushim_fault_unused(layer, 1),
                        "cuMemFree_v2:nth=3 => return(UNKNOWN): never matched");
    driver->MemFree(0);
    assert_string_equal(cushim_fault_unused(layer, 1),
                        "cuMemFree_v2:nth=3 => return(UNKNOWN): never matched; cuMemFree, another "
                        "ABI of it, came once");
    cushim_fault_clear(layer);
    testkit_end();
}

TEST(faults_that_are_refused_are_reported_with_their_line_and_leave_nothing)
{
    char message[200];
    struct cushim_test *test = NULL;
    const struct cushim_test_options options = {.size = sizeof options,
                                                .faults = "cuMemAlloc_v2 => return(OUT_OF_MEMROY)",
                                                .message = message,
                                                .message_size = sizeof message};

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_test_begin(&options, &test));
    assert_string_equal(
        message,
        "faults:1:25: there is no error \"OUT_OF_MEMROY\"; did you mean \"OUT_OF_MEMORY\"?");
    assert_null(test);
    testkit_gone(state);
}
