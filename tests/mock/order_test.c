/* SPDX-License-Identifier: Apache-2.0 */
/* In which order streams execute: default streams, events, destroyed streams, host functions. */
#include <pthread.h>

#include "tests/mock/world.h"

enum { MS = 1000000 };

static void default_stream_waits_for_blocking_streams(void **state)
{
    CUstream blocking, other = world_stream();
    CUevent event = world_event();

    (void)state;
    OK(driver->StreamCreate(&blocking, CU_STREAM_DEFAULT));
    world_spin(blocking, 10 * MS);
    world_spin(other, 100 * MS);
    OK(driver->EventRecord(event, CU_STREAM_LEGACY));
    OK(cushim_mock_advance(world, 9 * MS));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(event));
    OK(cushim_mock_advance(world, 2 * MS));
    OK(driver->EventQuery(event));
    OK(driver->StreamQuery(NULL));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(other));
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(blocking));
    OK(driver->StreamDestroy_v2(other));
}

static void blocking_stream_waits_for_the_default_stream(void **state)
{
    CUstream blocking, other = world_stream();

    (void)state;
    OK(driver->StreamCreate(&blocking, CU_STREAM_DEFAULT));
    world_spin(NULL, 10 * MS);
    world_spin(blocking, 1 * MS);
    world_spin(other, 1 * MS);
    OK(cushim_mock_advance(world, 5 * MS));
    OK(driver->StreamQuery(other));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(blocking));
    OK(cushim_mock_advance(world, 7 * MS));
    OK(driver->StreamQuery(blocking));
    OK(driver->StreamDestroy_v2(blocking));
    OK(driver->StreamDestroy_v2(other));
}

static void later_work_does_not_hold_up_the_default_stream(void **state)
{
    CUstream blocking;

    (void)state;
    OK(driver->StreamCreate(&blocking, CU_STREAM_DEFAULT));
    world_spin(NULL, 1 * MS);
    world_spin(blocking, 10 * MS);
    world_spin(NULL, 1 * MS);
    world_spin(blocking, 10 * MS);
    OK(cushim_mock_advance(world, 13 * MS)); /* 1, 10, 1 in turn */
    assert_int_equal(world_state().pending, 1);
    OK(cushim_mock_drain(world));
    OK(driver->StreamDestroy_v2(blocking));
}

static void waiter_keeps_the_record_of_the_time_of_the_call(void **state)
{
    CUstream recorder = world_stream(), waiter = world_stream();
    CUevent event = world_event();

    (void)state;
    world_spin(recorder, 1 * MS);
    OK(driver->EventRecord(event, recorder));
    OK(driver->StreamWaitEvent(waiter, event, 0));
    world_spin(recorder, 10 * MS);
    OK(driver->EventRecord(event, recorder));
    OK(cushim_mock_advance(world, 2 * MS));
    OK(driver->StreamQuery(waiter));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(event));
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(recorder));
    OK(driver->StreamDestroy_v2(waiter));
}

static void destroyed_stream_and_event_still_finish_their_work(void **state)
{
    CUstream recorder = world_stream(), waiter = world_stream();
    CUevent event = world_event();

    (void)state;
    world_spin(recorder, 1 * MS);
    OK(driver->EventRecord(event, recorder));
    OK(driver->StreamWaitEvent(waiter, event, 0));
    OK(driver->EventDestroy_v2(event));
    OK(driver->StreamDestroy_v2(recorder));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(waiter));
    OK(cushim_mock_advance(world, 2 * MS));
    OK(driver->StreamQuery(waiter));
    assert_int_equal(world_state().pending, 0);
    OK(driver->StreamDestroy_v2(waiter));
}

static void per_thread_stream_is_of_its_thread(void **state)
{
    unsigned long long legacy, per_thread, twin;

    (void)state;
    OK(driver->StreamGetId(CU_STREAM_LEGACY, &legacy));
    OK(driver->StreamGetId(CU_STREAM_PER_THREAD, &per_thread));
    OK(driver->StreamGetId_ptsz(NULL, &twin));
    assert_true(legacy != per_thread);
    assert_true(twin == per_thread);
    OK(driver->StreamGetId(NULL, &twin));
    assert_true(twin == legacy);
}

/* A host function that waits until the test lets it go. */
static struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool open;
    unsigned passed;
} gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0};

static void pass(void *data)
{
    (void)data;
    pthread_mutex_lock(&gate.lock);
    while (!gate.open)
        pthread_cond_wait(&gate.changed, &gate.lock);
    gate.passed++;
    pthread_mutex_unlock(&gate.lock);
}

static void set_gate(bool open)
{
    pthread_mutex_lock(&gate.lock);
    gate.open = open;
    pthread_cond_broadcast(&gate.changed);
    pthread_mutex_unlock(&gate.lock);
}

static void host_function_blocks_its_stream_and_no_other_work(void **state)
{
    CUstream blocked = world_stream(), free_one = world_stream();

    (void)state;
    set_gate(false);
    gate.passed = 0;
    world_spin(blocked, 1); /* loads the kernel, which would wait for all work */
    OK(driver->LaunchHostFunc(blocked, pass, NULL));
    world_spin(blocked, 1);
    world_spin(free_one, 10 * MS);
    OK(driver->StreamSynchronize(free_one));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(blocked));
    set_gate(true);
    OK(driver->StreamSynchronize(blocked));
    assert_int_equal(gate.passed, 1);
    OK(driver->StreamDestroy_v2(blocked));
    OK(driver->StreamDestroy_v2(free_one));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(default_stream_waits_for_blocking_streams, world_manual,
                                        world_done),
        cmocka_unit_test_setup_teardown(blocking_stream_waits_for_the_default_stream, world_manual,
                                        world_done),
        cmocka_unit_test_setup_teardown(later_work_does_not_hold_up_the_default_stream,
                                        world_manual, world_done),
        cmocka_unit_test_setup_teardown(waiter_keeps_the_record_of_the_time_of_the_call,
                                        world_manual, world_done),
        cmocka_unit_test_setup_teardown(destroyed_stream_and_event_still_finish_their_work,
                                        world_manual, world_done),
        cmocka_unit_test_setup_teardown(per_thread_stream_is_of_its_thread, world_manual,
                                        world_done),
        cmocka_unit_test_setup_teardown(host_function_blocks_its_stream_and_no_other_work,
                                        world_auto, world_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
