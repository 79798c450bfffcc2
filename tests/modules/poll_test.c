/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting with a deadline, on a clock that only sleeping advances; the linker replaces the clock.
 */
#include "src/base/system.h"
#include "src/objects/objects.h"
#include "tests/support/cmocka.h"

enum { MS = 1000 * 1000 };

static uint64_t now_ns, pauses[4096];
static unsigned pause_count, looks, looks_until_done;
static CUresult answer;

uint64_t __wrap_cushim__system_clock_ns(void);
void __wrap_cushim__system_sleep_ns(uint64_t duration);

uint64_t __wrap_cushim__system_clock_ns(void)
{
    return now_ns;
}

void __wrap_cushim__system_sleep_ns(uint64_t duration)
{
    assert_true(pause_count < sizeof pauses / sizeof pauses[0]);
    pauses[pause_count++] = duration;
    now_ns += duration;
}

/* An object that is complete at the given look; `looks_until_done` 0: never. */
static CUresult look(void *object)
{
    assert_ptr_equal(object, &looks);
    looks++;
    return looks_until_done && looks >= looks_until_done ? answer : CUDA_ERROR_NOT_READY;
}

static int start(void **state)
{
    now_ns = UINT64_MAX - 5; /* the clock may start anywhere and wrap around */
    pause_count = looks = looks_until_done = 0;
    answer = CUDA_SUCCESS;
    return 0;
}

TEST_BETWEEN(what_is_done_is_seen_at_the_first_look, start, NULL)
{
    looks_until_done = 1;
    assert_int_equal(cushim__poll(look, &looks, 5 * MS), CUDA_SUCCESS);
    assert_int_equal(looks, 1);
    assert_int_equal(pause_count, 0);
}

TEST_BETWEEN(an_error_ends_the_wait_unchanged, start, NULL)
{
    looks_until_done = 7;
    answer = CUDA_ERROR_ILLEGAL_ADDRESS;
    assert_int_equal(cushim__poll(look, &looks, UINT64_MAX), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(looks, 7);
}

TEST_BETWEEN(a_timeout_of_0_looks_once, start, NULL)
{
    assert_int_equal(cushim__poll(look, &looks, 0), CUDA_ERROR_TIMEOUT);
    assert_int_equal(looks, 1);
    assert_int_equal(pause_count, 0);
}

TEST_BETWEEN(the_last_look_is_at_the_deadline_and_none_after_it, start, NULL)
{
    static const uint64_t timeouts[] = {1, 999, 1000, 1001, 123456, 7 * MS + 1, 1000 * MS};

    for (size_t i = 0; i < sizeof timeouts / sizeof timeouts[0]; i++) {
        uint64_t begin;

        start(state);
        begin = now_ns;
        assert_int_equal(cushim__poll(look, &looks, timeouts[i]), CUDA_ERROR_TIMEOUT);
        assert_int_equal(now_ns - begin, timeouts[i]);
    }
}

TEST_BETWEEN(what_is_done_during_the_last_pause_is_success, start, NULL)
{
    unsigned all;

    assert_int_equal(cushim__poll(look, &looks, 3 * MS), CUDA_ERROR_TIMEOUT);
    all = looks;
    start(state);
    looks_until_done = all;
    assert_int_equal(cushim__poll(look, &looks, 3 * MS), CUDA_SUCCESS);
}

TEST_BETWEEN(pauses_begin_short_and_double_up_to_a_millisecond, start, NULL)
{
    looks_until_done = 30;
    assert_int_equal(cushim__poll(look, &looks, UINT64_MAX), CUDA_SUCCESS);
    assert_in_range(looks - pause_count, 2, 8); /* the looks before the first pause */
    assert_in_range(pauses[0], 500, 2000);
    for (unsigned i = 1; i < pause_count; i++)
        assert_int_equal(pauses[i], 2 * pauses[i - 1] < MS ? 2 * pauses[i - 1] : MS);
    assert_int_equal(pauses[pause_count - 1], MS);
}

TEST_BETWEEN(without_a_deadline_it_waits_on, start, NULL)
{
    looks_until_done = 4000;
    assert_int_equal(cushim__poll(look, &looks, UINT64_MAX), CUDA_SUCCESS);
    assert_int_equal(looks, 4000);
}
