/* SPDX-License-Identifier: Apache-2.0 */
/* When work starts and ends under each schedule, and how many kernels execute at once. */

#include "tests/mock/fixture.h"

enum { MS = 1000000 };

#define WITH(name, settings)      \
    static int name(void **state) \
    {                             \
        (void)state;              \
        fixture_begin(settings);  \
        return 0;                 \
    }

WITH(eager, "mode = auto\nschedule = eager")
WITH(lazy, "mode = auto\nschedule = lazy")
WITH(lazy_manual, "mode = manual\nschedule = lazy")
WITH(one_kernel, "mode = manual\nconcurrent_kernels = 1")
WITH(two_kernels, "mode = manual\nconcurrent_kernels = 2")

#define TEST(name) TEST_BETWEEN(name, fixture_manual, fixture_done)

TEST_BETWEEN(eager_work_has_ended_when_its_call_returns, eager, fixture_done)
{
    CUstream stream = fixture_stream();
    uint64_t before = fixture_state().now_ns;

    fixture_spin(stream, 1000ULL * MS);
    assert_int_equal(fixture_state().pending, 0);
    assert_true(fixture_state().now_ns - before >= 1000ULL * MS);
}

TEST_BETWEEN(lazy_work_starts_when_it_is_waited_for, lazy, fixture_done)
{
    CUstream waited = fixture_stream(), other = fixture_stream();

    fixture_spin(waited, 1000);
    fixture_spin(other, 1000);
    OK(driver->StreamSynchronize(waited));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(other));
    OK(driver->StreamSynchronize(other));
}

TEST_BETWEEN(lazy_wait_reaches_through_events, lazy, fixture_done)
{
    CUstream first = fixture_stream(), second = fixture_stream(), third = fixture_stream();
    CUevent one = fixture_event(), two = fixture_event();
    uint64_t before = fixture_state().now_ns;

    fixture_spin(first, 1000);
    OK(driver->EventRecord(one, first));
    fixture_spin(first, 50 * MS); /* behind the record: nothing waits for it */
    OK(driver->StreamWaitEvent(second, one, 0));
    OK(driver->EventRecord(two, second));
    OK(driver->StreamWaitEvent(third, two, 0));
    OK(driver->StreamSynchronize(third));
    OK(driver->EventQuery(one));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(first));
    assert_true(fixture_state().now_ns - before < MS);
}

TEST_BETWEEN(lazy_polling_ends, lazy, fixture_done)
{
    CUstream stream = fixture_stream();
    unsigned queries = 0;

    fixture_spin(stream, 1000);
    while (driver->StreamQuery(stream) == CUDA_ERROR_NOT_READY)
        queries++;
    assert_in_range(queries, 5000, 8000); /* a millisecond of queries that cost 165 ns each */
}

TEST_BETWEEN(lazy_work_of_manual_mode_waits_for_its_time, lazy_manual, fixture_done)
{
    CUstream stream = fixture_stream();

    fixture_spin(stream, 1000);
    OK(cushim_mock_advance(fixture_mock, MS));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    OK(cushim_mock_advance(fixture_mock, 1000));
    OK(driver->StreamQuery(stream));
}

/* Two kernels of 10 ms: when the first has ended, the second has ended too, or ends 10 ms later. */
static void run_two_kernels(CUresult second)
{
    CUstream one = fixture_stream(), other = fixture_stream();

    fixture_spin(one, 10 * MS);
    fixture_spin(other, 10 * MS);
    OK(cushim_mock_advance(fixture_mock, 11 * MS));
    OK(driver->StreamQuery(one));
    CODE(second, driver->StreamQuery(other));
    OK(cushim_mock_advance(fixture_mock, 10 * MS));
    OK(driver->StreamQuery(other));
}

TEST_BETWEEN(kernels_share_the_device_as_far_as_it_has_room, two_kernels, fixture_done)
{
    run_two_kernels(CUDA_SUCCESS);
}

TEST_BETWEEN(kernels_wait_for_room, one_kernel, fixture_done)
{
    run_two_kernels(CUDA_ERROR_NOT_READY);
}

TEST_BETWEEN(room_goes_to_the_highest_priority, one_kernel, fixture_done)
{
    CUstream running = fixture_stream(), low = fixture_stream(), high;

    OK(driver->StreamCreateWithPriority(&high, CU_STREAM_NON_BLOCKING, -5));
    fixture_spin(running, 10 * MS);
    fixture_spin(low, 10 * MS);
    fixture_spin(high, 10 * MS);
    OK(cushim_mock_advance(fixture_mock, 21 * MS));
    OK(driver->StreamQuery(high));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(low));
}

/* Returns which of two streams with the same work ends first. */
static int first_of_two(unsigned seed)
{
    char settings[64];
    CUstream one, other;
    int first;

    snprintf(settings, sizeof settings, "mode = manual\nschedule = random\nseed = %u", seed);
    fixture_begin(settings);
    one = fixture_stream();
    other = fixture_stream();
    fixture_spin(one, 1000);
    fixture_spin(other, 1000);
    OK(cushim_mock_step(fixture_mock));
    first = driver->StreamQuery(one) == CUDA_SUCCESS ? 1 : 2;
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->StreamDestroy_v2(one));
    OK(driver->StreamDestroy_v2(other));
    fixture_end();
    return first;
}

TEST_ALONE(random_seeds_give_either_order)
{
    unsigned ones = 0;

    for (unsigned seed = 1; seed <= 32; seed++)
        ones += first_of_two(seed) == 1;
    assert_in_range(ones, 4, 28);
}

TEST(later_work_does_not_hold_up_the_default_stream)
{
    CUstream blocking;

    OK(driver->StreamCreate(&blocking, CU_STREAM_DEFAULT));
    fixture_spin(NULL, 1 * MS);
    fixture_spin(blocking, 10 * MS);
    fixture_spin(NULL, 1 * MS);
    fixture_spin(blocking, 10 * MS);
    OK(cushim_mock_advance(fixture_mock, 13 * MS)); /* delays of 1, 10 and 1 in turn */
    assert_int_equal(fixture_state().pending, 1);
}

TEST(null_stream_of_a_twin_is_that_of_the_thread)
{
    unsigned long long per_thread, twin;

    OK(driver->StreamGetId(CU_STREAM_PER_THREAD, &per_thread));
    OK(driver->StreamGetId_ptsz(NULL, &twin));
    assert_true(twin == per_thread);
}
