/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pools of events: what other threads may do between two steps of a call, done there on purpose.
 * Compiles the pool itself, with a gap before each exchange in which a test may act.
 */
#include "event_world.h"

#include <stdatomic.h>

static void (*meanwhile)(void); /* once, before the next exchange */

static void gap(void)
{
    void (*const act)(void) = meanwhile;

    meanwhile = NULL;
    if (act)
        act();
}

#undef atomic_compare_exchange_weak
#undef atomic_compare_exchange_strong
#define atomic_compare_exchange_weak(object, expected, desired)                                    \
    (gap(), atomic_compare_exchange_weak_explicit(object, expected, desired, memory_order_seq_cst, \
                                                  memory_order_seq_cst))
#define atomic_compare_exchange_strong(object, expected, desired)              \
    (gap(), atomic_compare_exchange_strong_explicit(object, expected, desired, \
                                                    memory_order_seq_cst, memory_order_seq_cst))
#include "src/event_pool.c"

static struct cushim_event_pool *pool;
static struct cushim_event *taken[2];

static void make_pool(unsigned initial)
{
    const struct cushim_event_pool_options options = {.size = sizeof options, .initial = initial};

    assert_int_equal(cushim_event_pool_create(&pool, world.context, NULL, &options), CUDA_SUCCESS);
}

static struct cushim_event *acquire(void)
{
    struct cushim_event *event = NULL;

    assert_int_equal(cushim_event_pool_acquire(pool, &event), CUDA_SUCCESS);
    return event;
}

/* The third one becomes the spare event, so that the first comes back to the stack. */
static void take_three_and_give_the_first_back(void)
{
    struct cushim_event *third;

    taken[0] = acquire();
    taken[1] = acquire();
    third = acquire();
    event_drop(third);
    event_drop(taken[0]);
}

static void an_old_top_that_is_back_is_not_taken_for_the_same(void **state)
{
    struct cushim_event *event, *spare, *next;

    (void)state;
    make_pool(4);
    meanwhile = take_three_and_give_the_first_back;
    event = acquire();
    spare = acquire();
    next = acquire();
    assert_ptr_equal(event, taken[0]);
    assert_ptr_not_equal(next, taken[1]); /* what was below the top then is not now */
    event_drop(event);
    event_drop(spare);
    event_drop(next);
    event_drop(taken[1]);
    cushim_event_pool_release(pool);
}

static void release_pool(void)
{
    assert_int_equal(cushim_event_pool_release(pool), CUDA_SUCCESS);
}

static void an_event_that_comes_back_as_the_pool_ends_is_destroyed(void **state)
{
    struct cushim_event *one, *two;

    (void)state;
    make_pool(0);
    one = acquire();
    two = acquire();
    meanwhile = release_pool;
    event_drop(one);
    assert_int_equal(fake_live(FAKE_EVENT), 1);
    assert_int_equal(cushim_event_query(two), CUDA_SUCCESS);
    event_drop(two);
}

static void one_that_comes_back_behind_a_spare_event_then_is_too(void **state)
{
    struct cushim_event *one, *two, *spare;

    (void)state;
    make_pool(0);
    one = acquire();
    two = acquire();
    spare = acquire();
    event_drop(spare);
    meanwhile = release_pool;
    event_drop(one);
    assert_int_equal(fake_live(FAKE_EVENT), 1);
    assert_int_equal(cushim_event_query(two), CUDA_SUCCESS);
    event_drop(two);
}

static void give_one_back(void)
{
    event_drop(taken[0]);
}

static void of_two_that_come_back_at_once_both_are_kept(void **state)
{
    struct cushim_event *event;
    size_t total, free;

    (void)state;
    make_pool(0);
    taken[0] = acquire();
    event = acquire();
    meanwhile = give_one_back;
    event_drop(event);
    assert_int_equal(cushim_event_pool_counts(pool, &total, &free), CUDA_SUCCESS);
    assert_int_equal(total, 2);
    assert_int_equal(free, 2);
    assert_ptr_not_equal(acquire(), acquire());
    event_drop(taken[0]);
    event_drop(event);
    cushim_event_pool_release(pool);
}

static void take_one(void)
{
    taken[0] = acquire();
}

static void two_threads_that_grow_a_pool_share_one_chunk(void **state)
{
    struct cushim_event *event;

    (void)state;
    make_pool(0);
    meanwhile = take_one;
    event = acquire();
    assert_ptr_not_equal(event, taken[0]);
    event_drop(taken[0]);
    event_drop(event);
    assert_ptr_equal(acquire(), taken[0]);
    assert_ptr_equal(acquire(), event);
    assert_int_equal(cushim_event_query(event), CUDA_SUCCESS);
    event_drop(event);
    event_drop(taken[0]);
    cushim_event_pool_release(pool);
}

static void a_place_is_used_again_after_a_failure(void **state)
{
    struct cushim_event *event = NULL;

    (void)state;
    make_pool(0);
    for (int i = 0; i < 3; i++) {
        fake_fail("cuEventCreate", 1, CUDA_ERROR_UNKNOWN);
        assert_int_equal(cushim_event_pool_acquire(pool, &event), CUDA_ERROR_UNKNOWN);
    }
    event_drop(acquire());
    assert_int_equal(atomic_load(&pool->nodes), 1);
    cushim_event_pool_release(pool);
}

static void a_pool_that_has_all_it_can_name_is_out_of_memory(void **state)
{
    struct cushim_event *event = NULL;

    (void)state;
    make_pool(0);
    atomic_store(&pool->nodes, MOST_NODES);
    assert_int_equal(cushim_event_pool_acquire(pool, &event), CUDA_ERROR_OUT_OF_MEMORY);
    assert_null(event);
    cushim_event_pool_release(pool);
}

static void numbers_and_chunks_agree(void **state)
{
    unsigned first = 0;

    (void)state;
    for (unsigned chunk = 0; chunk < CHUNKS; chunk++) {
        const unsigned nodes = (unsigned)FIRST_CHUNK << chunk;

        assert_int_equal(chunk_of(first), chunk);
        assert_int_equal(chunk_of(first + nodes - 1), chunk);
        first += nodes;
    }
    assert_int_equal(first, MOST_NODES);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, event_world_setup, event_world_teardown)
    const struct CMUnitTest tests[] = {
        TEST(an_old_top_that_is_back_is_not_taken_for_the_same),
        TEST(an_event_that_comes_back_as_the_pool_ends_is_destroyed),
        TEST(one_that_comes_back_behind_a_spare_event_then_is_too),
        TEST(of_two_that_come_back_at_once_both_are_kept),
        TEST(two_threads_that_grow_a_pool_share_one_chunk),
        TEST(a_place_is_used_again_after_a_failure),
        TEST(a_pool_that_has_all_it_can_name_is_out_of_memory),
        TEST(numbers_and_chunks_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
