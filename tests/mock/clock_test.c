/* SPDX-License-Identifier: Apache-2.0 */
/* What moves the clock in each mode, and that nothing else does. */
#include <string.h>

#include "tests/mock/world.h"

static int begin_threaded(void **state)
{
    (void)state;
    world_begin("mode = threaded");
    return 0;
}

static void manual_calls_take_no_time(void **state)
{
    CUevent event = world_event();

    (void)state;
    for (int i = 0; i < 1000; i++)
        OK(driver->EventQuery(event));
    assert_int_equal(world_state().now_ns, 0);
    OK(driver->EventDestroy_v2(event));
}

static void manual_work_ends_when_its_time_has_passed(void **state)
{
    CUstream stream = world_stream();
    CUevent event = world_event();

    (void)state;
    world_spin(stream, 1000000);
    OK(driver->EventRecord(event, stream));
    OK(cushim_mock_advance(world, 999999));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(event));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    OK(cushim_mock_advance(world, 100000));
    OK(driver->EventQuery(event));
    OK(driver->StreamQuery(stream));
    assert_int_equal(world_state().now_ns, 1099999);
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(stream));
}

static void manual_step_executes_one_operation(void **state)
{
    CUstream stream = world_stream();

    (void)state;
    CODE(CUDA_ERROR_NOT_FOUND, cushim_mock_step(world));
    world_spin(stream, 10);
    world_spin(stream, 10);
    assert_int_equal(world_state().pending, 2);
    OK(cushim_mock_step(world));
    assert_int_equal(world_state().pending, 1);
    OK(cushim_mock_step(world));
    assert_int_equal(world_state().executed, 2);
    CODE(CUDA_ERROR_NOT_FOUND, cushim_mock_step(world));
    OK(driver->StreamDestroy_v2(stream));
}

static void manual_call_that_would_block_is_a_violation(void **state)
{
    CUstream stream;

    (void)state;
    world_begin("mode = manual");
    stream = world_stream();
    world_spin(stream, 1000);
    CODE(CUDA_ERROR_TIMEOUT, driver->StreamSynchronize(stream));
    assert_int_equal(world_state().violations, 1);
    assert_non_null(strstr(cushim_mock_violation(world, 0), "cuStreamSynchronize"));
    assert_null(cushim_mock_violation(world, 1));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_mock_destroy(world));
}

static void auto_polling_ends(void **state)
{
    CUstream stream = world_stream();
    unsigned queries = 0;

    (void)state;
    world_spin(stream, 1000000);
    while (driver->StreamQuery(stream) == CUDA_ERROR_NOT_READY)
        queries++;
    /* A query costs 165 ns: statement 80. */
    assert_in_range(queries, 1000000 / 165 - 10, 1000000 / 165 + 40);
    OK(driver->StreamDestroy_v2(stream));
}

static void auto_blocking_call_drives_the_clock(void **state)
{
    CUstream stream = world_stream();
    uint64_t before;

    (void)state;
    world_spin(stream, 5000000000);
    before = world_state().now_ns;
    OK(driver->StreamSynchronize(stream));
    assert_in_range(world_state().now_ns - before, 4999000000, 5001000000);
    OK(driver->StreamDestroy_v2(stream));
}

static void elapsed_time_is_that_of_the_work(void **state)
{
    CUstream stream = world_stream();
    CUevent start = world_event(), stop = world_event();
    float ms = -1;

    (void)state;
    OK(driver->EventRecord(start, stream));
    world_spin(stream, 2000000);
    OK(driver->EventRecord(stop, stream));
    OK(driver->EventSynchronize(stop));
    OK(driver->EventElapsedTime_v2(&ms, start, stop));
    assert_in_range((uint64_t)(ms * 1e6F), 2000000, 2010000);
    OK(driver->EventDestroy_v2(start));
    OK(driver->EventDestroy_v2(stop));
    OK(driver->StreamDestroy_v2(stream));
}

static void threaded_work_ends_though_nobody_calls(void **state)
{
    CUstream stream = world_stream();
    struct cushim_mock_state now;

    (void)state;
    world_spin(stream, 1000000000);
    do {
        now = world_state();
    } while (now.pending > 0);
    assert_true(now.now_ns >= 1000000000);
    OK(driver->StreamDestroy_v2(stream));
}

static void CUDA_CB move_clock(void *data)
{
    CUresult *codes = data;

    codes[0] = cushim_mock_advance(world, 1);
    codes[1] = cushim_mock_step(world);
    codes[2] = cushim_mock_drain(world);
}

/* It would wait for itself. */
static void host_function_cannot_move_the_clock(void **state)
{
    CUresult codes[3] = {CUDA_SUCCESS};
    CUstream stream = world_stream();

    (void)state;
    OK(driver->LaunchHostFunc(stream, move_clock, codes));
    OK(cushim_mock_drain(world));
    OK(driver->StreamQuery(stream));
    for (unsigned i = 0; i < 3; i++)
        CODE(CUDA_ERROR_NOT_PERMITTED, codes[i]);
    OK(driver->StreamDestroy_v2(stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(manual_calls_take_no_time, world_manual, world_done),
        cmocka_unit_test_setup_teardown(manual_work_ends_when_its_time_has_passed, world_manual,
                                        world_done),
        cmocka_unit_test_setup_teardown(manual_step_executes_one_operation, world_manual,
                                        world_done),
        cmocka_unit_test(manual_call_that_would_block_is_a_violation),
        cmocka_unit_test_setup_teardown(host_function_cannot_move_the_clock, world_manual,
                                        world_done),
        cmocka_unit_test_setup_teardown(auto_polling_ends, world_auto, world_done),
        cmocka_unit_test_setup_teardown(auto_blocking_call_drives_the_clock, world_auto,
                                        world_done),
        cmocka_unit_test_setup_teardown(elapsed_time_is_that_of_the_work, world_auto, world_done),
        cmocka_unit_test_setup_teardown(elapsed_time_is_that_of_the_work, begin_threaded,
                                        world_done),
        cmocka_unit_test_setup_teardown(threaded_work_ends_though_nobody_calls, begin_threaded,
                                        world_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
