/* SPDX-License-Identifier: Apache-2.0 */
/* What a test begins with besides a mock: a context, and what its settings ask for. */
#include <string.h>

#include <cushim/driver.h>

#include "tests/layer/kit.h"

static struct cushim_test_options options;
static char message[300];

static int setup(void **state)
{
    (void)state;
    options = (struct cushim_test_options){
        .size = sizeof options, .message = message, .message_size = sizeof message};
    message[0] = '\0';
    return 0;
}

/* Nothing is left of a test. */
static void context_is_current_and_not_recorded(void **state)
{
    CUcontext context = NULL;

    (void)state;
    options.context = true;
    kit_begin(&options);
    assert_int_equal(cushim_recording_count(layer), 0);
    OK(driver->CtxGetCurrent(&context));
    assert_non_null(context);
    OK(kit_end());
    assert_string_equal(kit_text, "");
}

static void what_is_forgotten_in_the_context_is_told(void **state)
{
    CUcontext context;
    CUevent event;

    (void)state;
    options.context = true;
    kit_begin(&options);
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    OK(driver->EventCreate(&event, 0));
    OK(driver->DevicePrimaryCtxRelease_v2(0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, kit_end());
    assert_non_null(
        strstr(kit_text, "1 event not given back:\n  event#1, by cuEventCreate, call "));
    assert_null(strstr(kit_text, "context"));
}

/* The test's own are calls 1 to 3. */
static void reference_of_the_programs_own_is_told(void **state)
{
    CUcontext context;

    (void)state;
    options.context = true;
    kit_begin(&options);
    OK(driver->DriverGetVersion(&(int){0}));
    OK(driver->DevicePrimaryCtxRetain(&context, 0));
    CODE(CUDA_ERROR_ILLEGAL_STATE, kit_end());
    assert_non_null(strstr(kit_text, "1 context not given back:\n  context#1, primary context of "
                                     "device 0, by cuDevicePrimaryCtxRetain, call 5 of thread 1"));
}

/* It is refused with this code, and nothing else is told than this. */
static void assert_refused(CUresult code, const char *why)
{
    struct cushim_test *test = NULL;

    CODE(code, cushim_test_begin(&options, &test));
    assert_string_equal(message, why);
    assert_null(test);
}

static void without_a_device_there_is_no_context(void **state)
{
    (void)state;
    options.context = true;
    options.settings = "devices = 0";
    assert_refused(CUDA_ERROR_NO_DEVICE,
                   "context: cuInit answers CUDA_ERROR_NO_DEVICE: there is no device to make a "
                   "context on; let the mock have one (devices = 1), or leave .context out");
}

static void on_a_stub_there_is_no_context(void **state)
{
    (void)state;
    options.context = true;
    options.settings = "fault = cuInit => return(STUB_LIBRARY)";
    assert_refused(CUDA_ERROR_STUB_LIBRARY,
                   "context: cuInit answers CUDA_ERROR_STUB_LIBRARY: what is loaded is a stub, no "
                   "driver; let a driver be found before it, or leave .context out");
}

static void context_that_fails_is_told_with_its_call(void **state)
{
    (void)state;
    options.context = true;
    options.settings = "fault = cuDevicePrimaryCtxRetain => out_of_memory";
    assert_refused(CUDA_ERROR_OUT_OF_MEMORY,
                   "context: cuDevicePrimaryCtxRetain answers CUDA_ERROR_OUT_OF_MEMORY; mend what "
                   "cushim_driver() answers, or leave .context out");
}

static const char exists[] = "a test, a mock or a layer exists in this process: end it first "
                             "(cushim_test_end), also when a test before this one failed";

static void second_test_is_refused_in_words(void **state)
{
    struct cushim_test *test = NULL;

    (void)state;
    kit_begin(&options);
    assert_refused(CUDA_ERROR_ALREADY_ACQUIRED, exists);
    CODE(CUDA_ERROR_ALREADY_ACQUIRED, cushim_test_begin(NULL, &test));
    options.on_driver = true;
    assert_refused(CUDA_ERROR_ALREADY_ACQUIRED, exists);
    OK(kit_end());
}

static void layer_of_the_programs_own_is_not_taken_from_it(void **state)
{
    struct cushim_layer *own = NULL;

    (void)state;
    OK(cushim_layer_create(NULL, &own));
    assert_refused(CUDA_ERROR_ALREADY_ACQUIRED, exists);
    assert_ptr_equal(cushim_layer_current(), own);
    assert_null(cushim_mock_current());
    cushim_layer_destroy(own);
}

static void settings_beside_a_driver_are_refused_in_words(void **state)
{
    static const char why[] = "on_driver: settings and file are a mock's, and there is none then; "
                              "leave them or .on_driver out";

    (void)state;
    options.on_driver = true;
    options.settings = "devices = 2";
    assert_refused(CUDA_ERROR_INVALID_VALUE, why);
    options.settings = NULL;
    options.file = "mock.conf";
    assert_refused(CUDA_ERROR_INVALID_VALUE, why);
}

static void size_that_was_forgotten_is_told(void **state)
{
    static const char why[] = "options: .size is not sizeof(struct cushim_test_options): set it";
    struct {
        struct cushim_test_options known;
        size_t more;
    } newer = {.known = options, .more = 1};

    (void)state;
    options.size = 0;
    assert_refused(CUDA_ERROR_INVALID_VALUE, why);
    message[0] = '\0';
    newer.known.size = sizeof newer;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_test_begin(&newer.known, &kit));
    assert_string_equal(message, why);
    /* Where nobody can tell what the rest is, nothing is written. */
    message[0] = '\0';
    options.size = sizeof options + 1;
    assert_refused(CUDA_ERROR_INVALID_VALUE, "");
    options.message = NULL;
    options.size = 0;
    assert_refused(CUDA_ERROR_INVALID_VALUE, "");
}

static void message_of_a_test_that_begins_is_empty(void **state)
{
    (void)state;
    memset(message, 'x', 8);
    options.on_driver = true;
    OK(cushim_test_begin(&options, &kit));
    assert_string_equal(message, "");
    OK(kit_end());
}

static void settings_that_cannot_be_meant_are_told_with_their_place(void **state)
{
    struct cushim_test *test = NULL;

    (void)state;
    options.settings = "mode = fast";
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_test_begin(&options, &test));
    assert_non_null(strstr(message, "settings:1:"));
    assert_null(test);
}

static void test_that_goes_nowhere_is_refused(void **state)
{
    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_test_begin(NULL, NULL));
}

static void file_that_cannot_be_read_is_told(void **state)
{
    struct cushim_test *test = NULL;

    (void)state;
    options.file = "no/such/file";
    CODE(CUDA_ERROR_FILE_NOT_FOUND, cushim_test_begin(&options, &test));
    assert_non_null(strstr(message, "no/such/file"));
}

static void context_of_a_test_on_a_driver_gives_way_to_the_former(void **state)
{
    struct cushim_mock *below = NULL;
    CUcontext former = NULL, context = NULL;

    (void)state;
    OK(cushim_mock_create(&(struct cushim_mock_options){.size = sizeof(struct cushim_mock_options),
                                                        .settings = "devices = 2"},
                          &below));
    OK(cushim_mock_install(below));
    OK(cushim_driver()->Init(0));
    OK(cushim_driver()->DevicePrimaryCtxRetain(&former, 1));
    OK(cushim_driver()->CtxSetCurrent(former));
    options.context = options.on_driver = true;
    kit_begin(&options);
    OK(driver->CtxGetCurrent(&context));
    assert_ptr_not_equal(context, former);
    OK(kit_end());
    OK(cushim_driver()->CtxGetCurrent(&context));
    assert_ptr_equal(context, former);
    OK(cushim_mock_destroy(below));
}

static void layer_that_the_settings_ask_for_is_the_tests(void **state)
{
    CUdeviceptr memory = 0;

    (void)state;
    options.context = true;
    options.settings = "fault = cuMemAlloc_v2:nth=1 => out_of_memory";
    kit_begin(&options);
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->MemAlloc_v2(&memory, 16));
    assert_int_equal(cushim_recording_count(layer), 1);
    OK(driver->MemAlloc_v2(&memory, 16));
    CODE(CUDA_ERROR_ILLEGAL_STATE, kit_end());
    assert_non_null(strstr(kit_text, "1 allocation not given back, 16 bytes:\n"));
}

static void missing_wait_is_told(void **state)
{
    CUdeviceptr memory = 0;
    CUstream streams[2];

    (void)state;
    options.context = true;
    options.settings = "races = report";
    kit_begin(&options);
    OK(driver->MemAlloc_v2(&memory, 16));
    for (int i = 0; i < 2; i++) {
        OK(driver->StreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
        OK(driver->MemsetD8Async(memory, 1, 16, streams[i]));
    }
    OK(driver->CtxSynchronize());
    for (int i = 0; i < 2; i++)
        OK(driver->StreamDestroy_v2(streams[i]));
    OK(driver->MemFree_v2(memory));
    CODE(CUDA_ERROR_ILLEGAL_STATE, kit_end());
    assert_ptr_equal(strstr(kit_text, "1 missing wait:\n  set (operation "), kit_text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, kit_gone)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(context_is_current_and_not_recorded),
        TEST(what_is_forgotten_in_the_context_is_told),
        TEST(reference_of_the_programs_own_is_told),
        TEST(without_a_device_there_is_no_context),
        TEST(on_a_stub_there_is_no_context),
        TEST(context_that_fails_is_told_with_its_call),
        TEST(second_test_is_refused_in_words),
        TEST(layer_of_the_programs_own_is_not_taken_from_it),
        TEST(settings_beside_a_driver_are_refused_in_words),
        TEST(size_that_was_forgotten_is_told),
        TEST(message_of_a_test_that_begins_is_empty),
        TEST(settings_that_cannot_be_meant_are_told_with_their_place),
        TEST(test_that_goes_nowhere_is_refused),
        TEST(file_that_cannot_be_read_is_told),
        TEST(context_of_a_test_on_a_driver_gives_way_to_the_former),
        TEST(layer_that_the_settings_ask_for_is_the_tests),
        TEST(missing_wait_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
