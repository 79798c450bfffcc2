/* SPDX-License-Identifier: Apache-2.0 */
/* The start of a test besides its mock: a context, and what its settings ask for. */

#include <cushim/driver.h>
#include <cushim/testing/cmocka.h>
#include <cushim/testing/layer.h>

#include "tests/layer/testkit.h"

static struct cushim_test_options options;
static char message[300];

static int setup(void **state)
{
    options = (struct cushim_test_options){
        .size = sizeof options, .message = message, .message_size = sizeof message};
    message[0] = '\0';
    return 0;
}

#define TEST(name) TEST_BETWEEN(name, setup, testkit_gone)

/* The test has left nothing. */
TEST(context_is_current_and_not_recorded)
{
    CUcontext context = NULL;

    options.context = true;
    testkit_begin(&options);
    assert_int_equal(cushim_recording_count(layer), 0);
    OK(driver->CtxGetCurrent(&context));
    assert_non_null(context);
    OK(testkit_end());
    assert_string_equal(testkit_text, "");
}

TEST(what_is_forgotten_in_the_context_is_reported)
{
    CUcontext context;
    CUevent event;

    options.context = true;
    testkit_begin(&options);
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    OK(driver->EventCreate(&event, 0));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    CONTAINS(testkit_text, "CUSHIM-leak-event: event#1 is never destroyed\n");
    LACKS(testkit_text, "context#");
}

/* Calls 1 to 3 are made by cushim_test_begin(). */
TEST(reference_of_the_programs_own_is_reported)
{
    CUcontext context;

    options.context = true;
    testkit_begin(&options);
    OK(driver->DriverGetVersion(&(int){0}));
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    CONTAINS(testkit_text, "CUSHIM-leak-context: context#1 is never released\n  context#1 was "
                           "made by cuDevicePrimaryCtxRetain, call 5 of thread 1");
}

/* Assert that the options are refused with this code and exactly this message. */
static void assert_refused(CUresult code, const char *why)
{
    struct cushim_test *test = NULL;

    CODE(code, cushim_test_begin(&options, &test));
    assert_string_equal(message, why);
    assert_null(test);
}

TEST(without_a_device_there_is_no_context)
{
    options.context = true;
    options.settings = "devices = 0";
    assert_refused(CUDA_ERROR_NO_DEVICE,
                   "context: cuInit answers CUDA_ERROR_NO_DEVICE: there is no device to make a "
                   "context on; let the mock have one (devices = 1), or leave .context out");
}

TEST(on_a_stub_there_is_no_context)
{
    options.context = true;
    options.settings = "fault = cuInit => return(STUB_LIBRARY)";
    assert_refused(CUDA_ERROR_STUB_LIBRARY,
                   "context: cuInit answers CUDA_ERROR_STUB_LIBRARY: what is loaded is a stub, no "
                   "driver; let a driver be found before it, or leave .context out");
}

TEST(context_that_fails_is_reported_with_its_call)
{
    options.context = true;
    options.settings = "fault = cuDevicePrimaryCtxRetain => out_of_memory";
    assert_refused(CUDA_ERROR_OUT_OF_MEMORY,
                   "context: cuDevicePrimaryCtxRetain answers CUDA_ERROR_OUT_OF_MEMORY; make "
                   "cuInit succeed first, or do not set .context");
}

static const char exists[] = "a test, a mock or a layer exists in this process: end it first "
                             "(cushim_test_end), also when a test before this one failed";

TEST(second_test_is_refused_in_words)
{
    struct cushim_test *test = NULL;

    testkit_begin(&options);
    assert_refused(CUDA_ERROR_ALREADY_ACQUIRED, exists);
    CODE(CUDA_ERROR_ALREADY_ACQUIRED, cushim_test_begin(NULL, &test));
    options.on_driver = true;
    assert_refused(CUDA_ERROR_ALREADY_ACQUIRED, exists);
    OK(testkit_end());
}

TEST(layer_of_the_programs_own_is_not_taken_from_it)
{
    struct cushim_layer *own = NULL;

    OK(cushim_layer_create(NULL, &own));
    assert_refused(CUDA_ERROR_ALREADY_ACQUIRED, exists);
    assert_ptr_equal(cushim_layer_current(), own);
    assert_null(cushim_mock_current());
    cushim_layer_destroy(own);
}

TEST(settings_beside_a_driver_are_refused_in_words)
{
    static const char why[] = "on_driver: settings and file are a mock's, and there is none then; "
                              "leave them or .on_driver out";

    options.on_driver = true;
    options.settings = "devices = 2";
    assert_refused(CUDA_ERROR_INVALID_VALUE, why);
    options.settings = NULL;
    options.file = "mock.conf";
    assert_refused(CUDA_ERROR_INVALID_VALUE, why);
}

TEST(size_that_was_forgotten_is_reported)
{
    static const char why[] = "options: .size is not sizeof(struct cushim_test_options): set it";
    struct {
        struct cushim_test_options known;
        size_t more;
    } newer = {.known = options, .more = 1};

    options.size = 0;
    assert_refused(CUDA_ERROR_INVALID_VALUE, why);
    message[0] = '\0';
    newer.known.size = sizeof newer;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_test_begin(&newer.known, &testkit));
    assert_string_equal(message, why);
    /* If the size is wrong, the other members are not read, and no message is written. */
    message[0] = '\0';
    options.size = sizeof options + 1;
    assert_refused(CUDA_ERROR_INVALID_VALUE, "");
    options.message = NULL;
    options.size = 0;
    assert_refused(CUDA_ERROR_INVALID_VALUE, "");
}

TEST(message_of_a_test_that_begins_is_empty)
{
    memset(message, 'x', 8);
    options.on_driver = true;
    OK(cushim_test_begin(&options, &testkit));
    assert_string_equal(message, "");
    OK(testkit_end());
}

TEST(settings_that_cannot_be_meant_are_reported_with_their_line)
{
    struct cushim_test *test = NULL;

    options.settings = "mode = fast";
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_test_begin(&options, &test));
    CONTAINS(message, "settings:1:");
    assert_null(test);
}

TEST(test_that_goes_nowhere_is_refused)
{
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_test_begin(NULL, NULL));
}

TEST(file_that_cannot_be_read_is_reported)
{
    struct cushim_test *test = NULL;

    options.file = "no/such/file";
    CODE(CUDA_ERROR_FILE_NOT_FOUND, cushim_test_begin(&options, &test));
    CONTAINS(message, "no/such/file");
}

TEST(context_of_a_test_on_a_driver_gives_way_to_the_former)
{
    struct cushim_mock *below = NULL;
    CUcontext former = NULL, context = NULL;

    OK(cushim_mock_create(&(struct cushim_mock_options){.size = sizeof(struct cushim_mock_options),
                                                        .settings = "devices = 2"},
                          &below));
    OK(cushim_mock_install(below));
    OK(cushim_driver()->Init(0));
    OK(cushim_driver()->DevicePrimaryCtxRetain(&former, 1));
    OK(cushim_driver()->CtxSetCurrent(former));
    options.context = options.on_driver = true;
    testkit_begin(&options);
    OK(driver->CtxGetCurrent(&context));
    assert_ptr_not_equal(context, former);
    OK(testkit_end());
    OK(cushim_driver()->CtxGetCurrent(&context));
    assert_ptr_equal(context, former);
    OK(cushim_mock_destroy(below));
}

TEST(layer_that_the_settings_ask_for_is_the_tests)
{
    CUdeviceptr memory = 0;

    options.context = true;
    options.settings = "fault = cuMemAlloc_v2:nth=1 => out_of_memory";
    testkit_begin(&options);
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->MemAlloc_v2(&memory, 16));
    assert_int_equal(cushim_recording_count(layer), 1);
    OK(driver->MemAlloc_v2(&memory, 16));
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    CONTAINS(testkit_text, "CUSHIM-leak-memory: memory#1, 16 bytes, is never freed\n");
}

TEST(missing_wait_is_reported)
{
    CUdeviceptr memory = 0;
    CUstream streams[2];

    options.context = true;
    options.settings = "races = report";
    testkit_begin(&options);
    OK(driver->MemAlloc_v2(&memory, 16));
    for (int i = 0; i < 2; i++) {
        OK(driver->StreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
        OK(driver->MemsetD8Async(memory, 1, 16, streams[i]));
    }
    OK(driver->CtxSynchronize());
    for (int i = 0; i < 2; i++)
        OK(driver->StreamDestroy_v2(streams[i]));
    OK(driver->MemFree_v2(memory));
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    assert_ptr_equal(strstr(testkit_text, "cushim: error: CUSHIM-race: set (stream#2, "),
                     testkit_text);
}

/* A test group in the form that users write. */

static const struct cushim_test_options two_devices = {.size = sizeof two_devices,
                                                       .settings = "devices = 2"};

TEST_BETWEEN(test_has_a_mock_and_a_layer, cushim_cmocka_begin, cushim_cmocka_end)
{
    int count;

    assert_ptr_equal(cushim_test_mock(*state), cushim_mock_current());
    assert_ptr_equal(cushim_test_layer(*state), cushim_layer_current());
    assert_int_equal(cushim_driver()->Init(0), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->DeviceGetCount(&count), CUDA_SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(cushim_recording_count(cushim_test_layer(*state)), 2);
}

TEST_FROM(options_are_the_initial_state, cushim_cmocka_begin, cushim_cmocka_end,
          (void *)(uintptr_t)&two_devices)
{
    int count;

    assert_int_equal(cushim_driver()->Init(0), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->DeviceGetCount(&count), CUDA_SUCCESS);
    assert_int_equal(count, 2);
}

TEST_BETWEEN(expectations_are_verified_in_the_test, cushim_cmocka_begin, cushim_cmocka_end)
{
    struct cushim_layer *own = cushim_test_layer(*state);
    const struct cushim_expectation once = {.size = sizeof once, .function = "cuInit"};

    assert_int_equal(cushim_layer_expect(own, &once, NULL, 0), CUDA_SUCCESS);
    assert_int_equal(cushim_driver()->Init(0), CUDA_SUCCESS);
    cushim_assert_verified(own);
}

/* Ended tests and layers: functions refuse a pointer to one, and have no effect. */

static char text[200];

TEST(test_ends_once)
{
    struct cushim_test *ended;

    testkit_begin(&options);
    ended = testkit;
    OK(cushim_test_end(ended, text, sizeof text));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_test_end(ended, text, sizeof text));
    assert_string_equal(text, "this is not the running test\n");
    assert_null(cushim_test_mock(ended));
    assert_null(cushim_test_layer(ended));
}

TEST(test_that_ended_leaves_the_one_that_runs_alone)
{
    char other[64] = "not a test";

    testkit_begin(&options);
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_test_end((struct cushim_test *)other, text, sizeof text));
    assert_ptr_equal(cushim_layer_current(), layer);
    assert_ptr_equal(cushim_mock_current(), mock);
    OK(testkit_end());
}

TEST(mock_that_is_destroyed_within_a_test_is_reported)
{
    testkit_begin(&options);
    OK(cushim_mock_destroy(mock));
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    assert_string_equal(testkit_text, "the mock of the test was destroyed before the test's end\n");
    assert_null(cushim_layer_current());
}

TEST(layer_that_is_destroyed_within_a_test_is_reported)
{
    const struct cushim_test_options with_context = {.size = sizeof with_context, .context = true};

    testkit_begin(&with_context);
    cushim_layer_destroy(layer);
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    assert_string_equal(testkit_text,
                        "the layer of the test was destroyed before the test's end\n");
    assert_null(cushim_mock_current());
}

/* Functions that return a code, and functions that return nothing. */
static void assert_refused_by_all(struct cushim_layer *ended)
{
    const struct cushim_expectation once = {.size = sizeof once, .function = "cuInit"};
    struct cushim_recorded_call call = {.size = sizeof call};

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_expect(ended, &once, text, sizeof text));
    assert_string_equal(text, "there is no such layer: it has ended, or none was given");
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_forbid(ended, "cuInit", text, sizeof text));
    assert_string_equal(text, "there is no such layer: it has ended, or none was given");
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_verify(ended, text, sizeof text));
    assert_string_equal(text, "there is no such layer: it has ended, or none was given\n");
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_forbid_errors(ended, true));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_expect_errors_begin(ended, CUDA_SUCCESS));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_expect_errors_end(ended));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_recording_start(ended, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_recording_get_call(ended, 0, &call));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_recording_set_tag(ended, &call, "name"));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_recording_get_tag(ended, &call, text, sizeof text));
    strcpy(text, "of before");
    CODE(CUDA_ERROR_INVALID_VALUE,
         cushim_fault_add_rules(ended, "cuInit => return(UNKNOWN)", text, sizeof text));
    assert_string_equal(text, "there is no such layer: it has ended, or none was given");
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_layer_install(ended));
    assert_int_equal(cushim_recording_write_text(ended, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(cushim_recording_count(ended), 0);
    assert_int_equal(cushim_recording_lost(ended), 0);
    assert_null(cushim_fault_unused(ended, 0));
    assert_int_equal(cushim_fault_matched(ended, 0), 0);
    assert_int_equal(cushim_fault_fired(ended, 0), 0);
    cushim_fault_resume(ended);
    cushim_fault_clear(ended);
    assert_null(cushim_layer_table(ended));
    assert_null(cushim_layer_wrapped(ended));
    assert_null(cushim_layer_next(ended));
    cushim_layer_clear_expectations(ended);
    cushim_recording_clear(ended);
    cushim_recording_stop(ended);
    cushim_layer_destroy(ended);
}

TEST(layer_that_ended_is_refused)
{
    struct cushim_layer *ended;

    testkit_begin(&options);
    ended = layer;
    OK(testkit_end());
    assert_refused_by_all(ended);
    assert_refused_by_all(NULL);
}

TEST(layer_that_ended_leaves_the_current_one_alone)
{
    char other[4096] = "not a layer";

    testkit_begin(&options);
    OK(cushim_layer_forbid(layer, "cuInit", NULL, 0));
    OK(cushim_fault_add_rules(layer, "cuInit:nth=7 => return(UNKNOWN)", NULL, 0));
    OK(driver->DriverGetVersion(&(int){0}));
    assert_refused_by_all((struct cushim_layer *)other);
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_fault_add_rules(layer, NULL, text, sizeof text));
    assert_string_equal(text, "faults: the text is NULL");
    assert_string_equal(cushim_fault_unused(layer, 0),
                        "cuInit:nth=7 => return(UNKNOWN): never matched");
    cushim_fault_clear(layer);
    assert_ptr_equal(cushim_layer_current(), layer);
    assert_int_equal(cushim_recording_count(layer), 1);
    OK(driver->Init(0));
    assert_int_equal(cushim_recording_count(layer), 2);
    CODE(CUDA_ERROR_ILLEGAL_STATE, testkit_end());
    CONTAINS(testkit_text, "forbidden: cuInit; it came once\n");
}
