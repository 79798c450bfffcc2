/* SPDX-License-Identifier: Apache-2.0 */
/* What each schedule makes of the same work, and how lanes and priorities order it. */
#include <stdio.h>

#include "tests/mock/world.h"

enum { MS = 1000000 };

#define WITH(name, settings)      \
    static int name(void **state) \
    {                             \
        (void)state;              \
        world_begin(settings);    \
        return 0;                 \
    }

WITH(eager, "mode = auto\nschedule = eager")
WITH(lazy, "mode = auto\nschedule = lazy")
WITH(lazy_manual, "mode = manual\nschedule = lazy")
WITH(one_kernel, "mode = manual\nkernels = 1")
WITH(two_kernels, "mode = manual\nkernels = 2")

static void eager_work_has_ended_when_its_call_returns(void **state)
{
    CUstream stream = world_stream();
    uint64_t before = world_state().now_ns;

    (void)state;
    world_spin(stream, 1000ULL * MS);
    assert_int_equal(world_state().pending, 0);
    assert_true(world_state().now_ns - before >= 1000ULL * MS);
    OK(driver->StreamDestroy_v2(stream));
}

static void lazy_work_starts_when_it_is_waited_for(void **state)
{
    CUstream waited = world_stream(), other = world_stream();

    (void)state;
    world_spin(waited, 1000);
    world_spin(other, 1000);
    OK(driver->StreamSynchronize(waited));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(other));
    OK(driver->StreamSynchronize(other));
    OK(driver->StreamDestroy_v2(waited));
    OK(driver->StreamDestroy_v2(other));
}

static void lazy_wait_reaches_through_events(void **state)
{
    CUstream first = world_stream(), second = world_stream(), third = world_stream();
    CUevent one = world_event(), two = world_event();
    uint64_t before = world_state().now_ns;

    (void)state;
    world_spin(first, 1000);
    OK(driver->EventRecord(one, first));
    world_spin(first, 50 * MS); /* behind the record: nobody waits for it */
    OK(driver->StreamWaitEvent(second, one, 0));
    OK(driver->EventRecord(two, second));
    OK(driver->StreamWaitEvent(third, two, 0));
    OK(driver->StreamSynchronize(third));
    OK(driver->EventQuery(one));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(first));
    assert_true(world_state().now_ns - before < MS);
    OK(driver->EventDestroy_v2(one));
    OK(driver->EventDestroy_v2(two));
    OK(driver->StreamDestroy_v2(first));
    OK(driver->StreamDestroy_v2(second));
    OK(driver->StreamDestroy_v2(third));
}

static void lazy_polling_ends(void **state)
{
    CUstream stream = world_stream();
    unsigned queries = 0;

    (void)state;
    world_spin(stream, 1000);
    while (driver->StreamQuery(stream) == CUDA_ERROR_NOT_READY)
        queries++;
    assert_in_range(queries, 5000, 8000); /* a millisecond of queries that cost 165 ns */
    OK(driver->StreamDestroy_v2(stream));
}

static void lazy_work_of_manual_mode_waits_for_its_time(void **state)
{
    CUstream stream = world_stream();

    (void)state;
    world_spin(stream, 1000);
    OK(cushim_mock_advance(world, MS));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    OK(cushim_mock_advance(world, 1000));
    OK(driver->StreamQuery(stream));
    OK(driver->StreamDestroy_v2(stream));
}

static void kernels_share_the_device_as_far_as_it_has_room(void **state)
{
    CUstream one = world_stream(), other = world_stream();

    (void)state;
    world_spin(one, 10 * MS);
    world_spin(other, 10 * MS);
    OK(cushim_mock_advance(world, 11 * MS));
    OK(driver->StreamQuery(one));
    OK(driver->StreamQuery(other));
    OK(driver->StreamDestroy_v2(one));
    OK(driver->StreamDestroy_v2(other));
}

static void kernels_wait_for_room(void **state)
{
    CUstream one = world_stream(), other = world_stream();

    (void)state;
    world_spin(one, 10 * MS);
    world_spin(other, 10 * MS);
    OK(cushim_mock_advance(world, 11 * MS));
    OK(driver->StreamQuery(one));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(other));
    OK(cushim_mock_advance(world, 10 * MS));
    OK(driver->StreamQuery(other));
    OK(driver->StreamDestroy_v2(one));
    OK(driver->StreamDestroy_v2(other));
}

static void room_goes_to_the_highest_priority(void **state)
{
    CUstream running = world_stream(), low = world_stream(), high;

    (void)state;
    OK(driver->StreamCreateWithPriority(&high, CU_STREAM_NON_BLOCKING, -5));
    world_spin(running, 10 * MS);
    world_spin(low, 10 * MS);
    world_spin(high, 10 * MS);
    OK(cushim_mock_advance(world, 21 * MS));
    OK(driver->StreamQuery(high));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(low));
    OK(cushim_mock_drain(world));
    OK(driver->StreamDestroy_v2(running));
    OK(driver->StreamDestroy_v2(low));
    OK(driver->StreamDestroy_v2(high));
}

/* Which of two streams with the same work ends first. */
static int first_of_two(unsigned seed)
{
    char settings[64];
    CUstream one, other;
    int first;

    snprintf(settings, sizeof settings, "mode = manual\nschedule = random\nseed = %u", seed);
    world_begin(settings);
    one = world_stream();
    other = world_stream();
    world_spin(one, 1000);
    world_spin(other, 1000);
    OK(cushim_mock_step(world));
    first = driver->StreamQuery(one) == CUDA_SUCCESS ? 1 : 2;
    OK(cushim_mock_drain(world));
    OK(driver->StreamDestroy_v2(one));
    OK(driver->StreamDestroy_v2(other));
    world_end();
    return first;
}

static void random_seeds_give_either_order(void **state)
{
    unsigned ones = 0;

    (void)state;
    for (unsigned seed = 1; seed <= 32; seed++)
        ones += first_of_two(seed) == 1;
    assert_in_range(ones, 4, 28);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(eager_work_has_ended_when_its_call_returns, eager,
                                        world_done),
        cmocka_unit_test_setup_teardown(lazy_work_starts_when_it_is_waited_for, lazy, world_done),
        cmocka_unit_test_setup_teardown(lazy_wait_reaches_through_events, lazy, world_done),
        cmocka_unit_test_setup_teardown(lazy_polling_ends, lazy, world_done),
        cmocka_unit_test_setup_teardown(lazy_work_of_manual_mode_waits_for_its_time, lazy_manual,
                                        world_done),
        cmocka_unit_test_setup_teardown(kernels_share_the_device_as_far_as_it_has_room, two_kernels,
                                        world_done),
        cmocka_unit_test_setup_teardown(kernels_wait_for_room, one_kernel, world_done),
        cmocka_unit_test_setup_teardown(room_goes_to_the_highest_priority, one_kernel, world_done),
        cmocka_unit_test(random_seeds_give_either_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
