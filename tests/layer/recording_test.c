/* SPDX-License-Identifier: Apache-2.0 */
/* The recording: the text of calls, and what happens when the recording is full. */

#include "src/base/system.h"
#include "tests/layer/testkit.h"
#include "tests/support/gate.h"

static char text[1 << 16];

static const char *recorded(void)
{
    assert_true(cushim_recording_write_text(layer, text, sizeof text) < sizeof text);
    return text;
}

/* A call with every kind of argument, and calls that fail. */
static void program(void)
{
    CUevent start, end;
    CUstream stream;
    CUdeviceptr address;
    CUfunction function;
    CUmodule module;
    CUcontext current;
    float ms = 0;
    void *pinned;
    int count;

    OK(driver->DeviceGetCount(&count));
    OK(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(driver->EventCreate(&start, CU_EVENT_DEFAULT));
    OK(driver->EventCreate(&end, CU_EVENT_DEFAULT));
    OK(driver->MemAlloc_v2(&address, 1024));
    OK(driver->MemHostAlloc(&pinned, 64, 0));
    OK(driver->ModuleLoadData(&module, testkit_image));
    OK(driver->ModuleGetFunction(&function, module, "cushim_spin"));
    CODE(CUDA_ERROR_NOT_FOUND, driver->ModuleGetFunction(&function, module, "a \"b\"\n"));
    OK(driver->EventRecord(start, stream));
    OK(driver->MemsetD32Async(address + 256, 7, 8, stream));
    OK(driver->MemcpyDtoHAsync_v2((char *)pinned + 4, address, 16, stream));
    OK(driver->EventRecord(end, stream));
    OK(cushim_mock_drain(mock));
    OK(driver->StreamSynchronize(stream));
    OK(driver->EventElapsedTime_v2(&ms, start, end));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFree_v2(address + 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->EventCreate(NULL, 0));
    OK(driver->CtxGetCurrent(&current));
    OK(driver->StreamQuery(CU_STREAM_LEGACY));
    OK(driver->EventDestroy_v2(start));
    OK(driver->EventCreate(&start, CU_EVENT_DISABLE_TIMING));
    OK(driver->EventDestroy_v2(start));
    OK(driver->EventDestroy_v2(end));
    OK(driver->ModuleUnload(module));
    OK(driver->MemFreeHost(pinned));
    OK(driver->MemFree_v2(address));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFree_v2(address));
    OK(driver->StreamDestroy_v2(stream));
}

static void assert_golden(const char *got)
{
    static char want[1 << 16];
    FILE *file = fopen(GOLDEN, "rb");
    size_t size;

    assert_non_null(file);
    size = fread(want, 1, sizeof want - 1, file);
    assert_int_equal(fclose(file), 0);
    want[size] = '\0';
    assert_string_equal(got, want);
}

#define TEST(name) TEST_BETWEEN(name, testkit_setup, testkit_teardown)

TEST(text_of_a_program_is_the_one_in_the_tree)
{
    OK(cushim_check_stop(layer, NULL, 0)); /* some calls are wrong on purpose */
    cushim_recording_clear(layer);
    program();
    assert_golden(recorded());
}

/* The text must not depend on addresses or earlier calls. */
TEST(text_is_the_same_wherever_memory_lies)
{
    void *blocks[64];
    CUdeviceptr others[16];
    CUevent event;

    OK(cushim_check_stop(layer, NULL, 0)); /* some calls are wrong on purpose */
    for (unsigned i = 0; i < 64; i++)
        blocks[i] = malloc(1000 + 77 * i);
    cushim_recording_stop(layer);
    for (unsigned i = 0; i < 16; i++)
        OK(cushim_layer_wrapped(layer)->MemAlloc_v2(&others[i], 4096 + 512 * i));
    OK(cushim_layer_wrapped(layer)->EventCreate(&event, 0));
    OK(cushim_recording_start(layer, 0));
    program();
    assert_golden(recorded());
    OK(cushim_layer_wrapped(layer)->EventDestroy_v2(event));
    for (unsigned i = 0; i < 16; i++)
        OK(cushim_layer_wrapped(layer)->MemFree_v2(others[i]));
    for (unsigned i = 0; i < 64; i++)
        free(blocks[i]);
}

/* In mode auto, time passes by itself, and the text shows it. */
static void auto_program(void)
{
    CUevent start, end;
    CUstream stream;
    CUdeviceptr address;
    float ms;
    char bytes[64];

    OK(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(driver->EventCreate(&start, CU_EVENT_DEFAULT));
    OK(driver->EventCreate(&end, CU_EVENT_DEFAULT));
    OK(driver->MemAllocAsync(&address, 64, stream));
    OK(driver->EventRecord(start, stream));
    OK(driver->MemsetD8Async(address, 1, 64, stream));
    OK(driver->MemcpyDtoHAsync_v2(bytes, address, 64, stream));
    OK(driver->EventRecord(end, stream));
    driver->EventQuery(end);
    OK(driver->EventSynchronize(end));
    OK(driver->EventElapsedTime_v2(&ms, start, end));
    OK(driver->MemFreeAsync(address, stream));
    OK(driver->StreamSynchronize(stream));
    OK(driver->EventDestroy_v2(end));
    OK(driver->EventDestroy_v2(start));
    OK(driver->StreamDestroy_v2(stream));
}

TEST(text_is_the_same_in_every_run_on_every_schedule)
{
    static const char *const settings[] = {
        "mode = auto\nschedule = fifo", "mode = auto\nschedule = lazy",
        "mode = auto\nschedule = eager", "mode = auto\nschedule = random\nseed = 7"};
    static char before[sizeof text];

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        for (unsigned run = 0; run < 3; run++) {
            void *block = malloc(1000 << run);

            testkit_again(settings[i]);
            cushim_recording_clear(layer);
            auto_program();
            if (run > 0)
                assert_string_equal(recorded(), before);
            CONTAINS(recorded(), "cuMemAllocAsync(dptr -> memory#1, bytesize=64, "
                                 "hStream=stream#1) = CUDA_SUCCESS\n");
            strcpy(before, recorded());
            free(block);
        }
    }
}

TEST(call_is_read_with_its_arguments)
{
    struct cushim_recorded_call read;
    CUevent event;

    cushim_recording_clear(layer);
    OK(driver->EventCreate(&event, CU_EVENT_DISABLE_TIMING));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->EventCreate(NULL, 1));
    OK(driver->EventDestroy_v2(event));
    assert_int_equal(cushim_recording_count(layer), 3);
    read = testkit_call(0);
    assert_int_equal(read.number, 1);
    assert_string_equal(read.name, "cuEventCreate");
    assert_int_equal(read.code, CUDA_SUCCESS);
    assert_true(read.has_returned);
    assert_false(read.is_injected);
    assert_int_equal(read.thread, 1);
    assert_int_equal(read.argument_count, 2);
    assert_string_equal(read.arguments[0].name, "phEvent");
    assert_string_equal(read.arguments[0].type, "CUevent");
    assert_int_equal(read.arguments[0].kind, CUSHIM_ARGUMENT_HANDLE_OUT);
    assert_true(read.arguments[0].is_written);
    assert_ptr_equal((void *)(uintptr_t)read.arguments[0].value, &event);
    assert_ptr_equal((void *)(uintptr_t)read.arguments[0].written, event);
    assert_string_equal(read.arguments[0].tag, "event#1");
    assert_string_equal(read.arguments[1].type, "unsigned int");
    assert_int_equal(read.arguments[1].kind, CUSHIM_ARGUMENT_UNSIGNED);
    assert_int_equal(read.arguments[1].value, CU_EVENT_DISABLE_TIMING);
    assert_string_equal(read.arguments[1].tag, "");
    read = testkit_call(1);
    assert_int_equal(read.code, CUDA_ERROR_INVALID_VALUE);
    assert_false(read.arguments[0].is_written);
    assert_string_equal(testkit_call(2).arguments[0].tag, "event#1");
}

TEST(reading_what_is_not_there_is_refused)
{
    struct cushim_recorded_call read = {.size = sizeof read, .number = 77};

    cushim_recording_clear(layer);
    CODE(CUDA_ERROR_NOT_FOUND, cushim_recording_get_call(layer, 0, &read));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_recording_get_call(layer, 0, NULL));
    read.size--;
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_recording_get_call(layer, 0, &read));
    assert_int_equal(read.number, 77);
}

TEST(what_is_not_recorded_is_not_there)
{
    int count;

    cushim_recording_clear(layer);
    CODE(CUDA_ERROR_ALREADY_ACQUIRED, cushim_recording_start(layer, 0));
    OK(driver->DeviceGetCount(&count));
    cushim_recording_stop(layer);
    OK(driver->DeviceGetCount(&count));
    assert_int_equal(cushim_recording_count(layer), 1);
    OK(cushim_recording_start(layer, 0));
    assert_int_equal(cushim_recording_count(layer), 0);
    OK(driver->DeviceGetCount(&count));
    assert_int_equal(testkit_call(0).number, 1);
}

TEST(full_recording_keeps_the_last_calls_and_says_so)
{
    char verdict[200];
    CUevent event;

    cushim_recording_stop(layer);
    OK(cushim_recording_start(layer, 3));
    OK(driver->EventCreate(&event, 0));
    OK(driver->EventQuery(event));
    OK(driver->EventSynchronize(event));
    assert_int_equal(cushim_recording_lost(layer), 0);
    OK(cushim_layer_verify(layer, verdict, sizeof verdict));
    assert_string_equal(verdict, "");
    OK(driver->EventDestroy_v2(event));
    assert_int_equal(cushim_recording_count(layer), 3);
    assert_int_equal(cushim_recording_lost(layer), 1);
    assert_string_equal(recorded(), "1 earlier call is lost: there is room for 3\n"
                                    "2  t1  0 ns  cuEventQuery(hEvent=event#1) = CUDA_SUCCESS\n"
                                    "3  t1  0 ns  cuEventSynchronize(hEvent=event#1) = "
                                    "CUDA_SUCCESS\n"
                                    "4  t1  0 ns  cuEventDestroy_v2(hEvent=event#1) = "
                                    "CUDA_SUCCESS\n");
    assert_int_equal(testkit_call(0).number, 2);
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_layer_verify(layer, verdict, sizeof verdict));
    assert_string_equal(verdict, "the recording has lost the first 1 call: it has room for 3 "
                                 "(capacity), and 4 came; set a larger .capacity of the test, or "
                                 "stop recording\n");
    cushim_recording_clear(layer);
    OK(cushim_layer_verify(layer, verdict, sizeof verdict));
}

TEST(text_is_cut_to_its_buffer)
{
    char small[10] = "untouched";
    size_t length = strlen(recorded());

    assert_true(length > sizeof small);
    assert_int_equal(cushim_recording_write_text(layer, NULL, 0), length);
    assert_int_equal(cushim_recording_write_text(layer, small, sizeof small), length);
    assert_int_equal(strlen(small), sizeof small - 1);
    assert_memory_equal(small, text, sizeof small - 1);
}

/* The recording of calls in progress, and of threads that call at once. */

static struct gate gate = GATE;

static void *synchronise(void *stream)
{
    return (void *)(uintptr_t)driver->StreamSynchronize(stream);
}

TEST(call_under_way_has_not_returned)
{
    struct cushim__thread runner;
    CUstream stream;

    testkit_again("mode = threaded");
    gate_prepare(&gate);
    OK(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(driver->LaunchHostFunc(stream, gate_stand, &gate));
    gate_await(&gate);
    cushim_recording_clear(layer);
    assert_true(cushim__thread_start(&runner, synchronise, stream));
    while (cushim_recording_count(layer) == 0)
        cushim__system_yield(0);
    assert_false(testkit_call(0).has_returned);
    cushim_recording_write_text(layer, text, sizeof text);
    CONTAINS(text, "cuStreamSynchronize(hStream=stream#1) has not returned\n");
    gate_open(&gate);
    cushim__thread_join(&runner);
    assert_true(testkit_call(0).has_returned);
    assert_int_equal(testkit_call(0).thread, 2);
    OK(driver->StreamDestroy_v2(stream));
}

enum { THREADS = 8, ROUNDS = 500 };

static void *work(void *data)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        CUevent event;

        if (driver->EventCreate(&event, 0) != CUDA_SUCCESS ||
            driver->EventQuery(event) != CUDA_SUCCESS ||
            driver->EventDestroy_v2(event) != CUDA_SUCCESS)
            return &gate;
    }
    return NULL;
}

static void *with_context(void *context)
{
    CUcontext popped;

    if (driver->CtxPushCurrent_v2(context) != CUDA_SUCCESS || work(NULL) ||
        driver->CtxPopCurrent_v2(&popped) != CUDA_SUCCESS)
        return &gate;
    return NULL;
}

TEST(eight_threads_record_at_once)
{
    struct cushim__thread runners[THREADS];
    unsigned created = 0, of_thread[THREADS + 2] = {0};
    CUcontext context;

    cushim_recording_stop(layer);
    OK(cushim_recording_start(layer, THREADS * (3 * ROUNDS + 2) + 4));
    OK(driver->CtxGetCurrent(&context));
    for (unsigned i = 0; i < THREADS; i++)
        assert_true(cushim__thread_start(&runners[i], with_context, context));
    for (unsigned i = 0; i < THREADS; i++)
        cushim__thread_join(&runners[i]);
    assert_int_equal(cushim_recording_lost(layer), 0);
    assert_int_equal(cushim_recording_count(layer), THREADS * (3 * ROUNDS + 2) + 1);
    for (size_t i = 0; i < cushim_recording_count(layer); i++) {
        const struct cushim_recorded_call read = testkit_call(i);

        assert_true(read.has_returned);
        assert_int_equal(read.code, CUDA_SUCCESS);
        assert_in_range(read.thread, 1, THREADS + 1);
        of_thread[read.thread]++;
        created += strcmp(read.name, "cuEventCreate") == 0;
    }
    assert_int_equal(created, THREADS * ROUNDS);
    for (unsigned i = 2; i <= THREADS + 1; i++)
        assert_int_equal(of_thread[i], 3 * ROUNDS + 2);
}
