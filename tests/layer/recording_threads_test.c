/* SPDX-License-Identifier: Apache-2.0 */
/* The recording of calls that are under way, and of threads that call at once. */
#include <string.h>

#include "tests/layer/kit.h"
#include "tests/support/gate.h"

static struct gate gate = GATE;

static void *synchronise(void *stream)
{
    return (void *)(uintptr_t)driver->StreamSynchronize(stream);
}

static void call_under_way_has_not_returned(void **state)
{
    struct cushim__runner runner;
    char text[1000];
    CUstream stream;

    (void)state;
    kit_again("mode = threaded");
    gate_prepare(&gate);
    OK(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(driver->LaunchHostFunc(stream, gate_stand, &gate));
    gate_await(&gate);
    cushim_recording_clear(layer);
    assert_true(cushim__runner_start(&runner, synchronise, stream));
    while (cushim_recording_count(layer) == 0)
        cushim__yield();
    assert_false(kit_call(0).has_returned);
    cushim_recording_text(layer, text, sizeof text);
    assert_non_null(strstr(text, "cuStreamSynchronize(hStream=stream#1) has not returned\n"));
    gate_open(&gate);
    cushim__runner_join(&runner);
    assert_true(kit_call(0).has_returned);
    assert_int_equal(kit_call(0).thread, 2);
    OK(driver->StreamDestroy_v2(stream));
}

enum { THREADS = 8, ROUNDS = 500 };

static void *work(void *data)
{
    (void)data;
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

static void eight_threads_record_at_once(void **state)
{
    struct cushim__runner runners[THREADS];
    unsigned created = 0, of_thread[THREADS + 2] = {0};
    CUcontext context;

    (void)state;
    cushim_recording_stop(layer);
    OK(cushim_recording_start(layer, THREADS * (3 * ROUNDS + 2) + 4));
    OK(driver->CtxGetCurrent(&context));
    for (unsigned i = 0; i < THREADS; i++)
        assert_true(cushim__runner_start(&runners[i], with_context, context));
    for (unsigned i = 0; i < THREADS; i++)
        cushim__runner_join(&runners[i]);
    assert_int_equal(cushim_recording_lost(layer), 0);
    assert_int_equal(cushim_recording_count(layer), THREADS * (3 * ROUNDS + 2) + 1);
    for (size_t i = 0; i < cushim_recording_count(layer); i++) {
        const struct cushim_recorded_call read = kit_call(i);

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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)
    const struct CMUnitTest tests[] = {
        TEST(call_under_way_has_not_returned),
        TEST(eight_threads_record_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
