/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event pools: what other threads may do between two steps of a call, done at that point on
 * purpose. This file compiles the pool itself, with a hook before each exchange.
 */
#include "testkit.h"

#include <stdatomic.h>

static void (*meanwhile)(void); /* called once, before the next exchange */

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
#include "src/objects/event_pool.c"

static struct cushim_event_pool *pool;
static struct cushim_event *taken[2];

static void make_pool(unsigned initial)
{
    const struct cushim_event_pool_options options = {.size = sizeof options, .initial = initial};

    OK(cushim_event_pool_create(testkit.one, NULL, &options, &pool));
}

static struct cushim_event *acquire(void)
{
    struct cushim_event *event = NULL;

    OK(cushim_event_pool_acquire(pool, &event));
    return event;
}

/* The third event becomes the spare one, so that the first one returns to the stack. */
static void take_three_and_give_the_first_back(void)
{
    struct cushim_event *third;

    taken[0] = acquire();
    taken[1] = acquire();
    third = acquire();
    OK(cushim_event_release(third));
    OK(cushim_event_release(taken[0]));
}

static void old_top_that_is_back_is_not_taken_for_the_same(void **state)
{
    struct cushim_event *event, *spare, *next;

    (void)state;
    make_pool(4);
    meanwhile = take_three_and_give_the_first_back;
    event = acquire();
    spare = acquire();
    next = acquire();
    assert_ptr_equal(event, taken[0]);
    assert_ptr_not_equal(next, taken[1]); /* the stack below the top has changed since */
    OK(cushim_event_release(event));
    OK(cushim_event_release(spare));
    OK(cushim_event_release(next));
    OK(cushim_event_release(taken[1]));
    OK(cushim_event_pool_release(pool));
}

static void release_pool(void)
{
    OK(cushim_event_pool_release(pool));
}

static void event_that_comes_back_as_the_pool_ends_is_destroyed(void **state)
{
    struct cushim_event *one, *two;

    (void)state;
    make_pool(0);
    one = acquire();
    two = acquire();
    meanwhile = release_pool;
    testkit_forget();
    OK(cushim_event_release(one));
    assert_calls("cuEventDestroy_v2");
    OK(cushim_event_query(two));
    OK(cushim_event_release(two));
}

static void event_that_comes_back_behind_a_spare_one_as_the_pool_ends_is_destroyed(void **state)
{
    struct cushim_event *one, *two, *spare;

    (void)state;
    make_pool(0);
    one = acquire();
    two = acquire();
    spare = acquire();
    OK(cushim_event_release(spare));
    meanwhile = release_pool;
    testkit_forget();
    OK(cushim_event_release(one));
    assert_calls("cuEventDestroy_v2 cuEventDestroy_v2");
    OK(cushim_event_query(two));
    OK(cushim_event_release(two));
}

static void give_one_back(void)
{
    OK(cushim_event_release(taken[0]));
}

static void two_events_that_come_back_at_once_are_both_kept(void **state)
{
    struct cushim_event *event;
    size_t total, free;

    (void)state;
    make_pool(0);
    taken[0] = acquire();
    event = acquire();
    meanwhile = give_one_back;
    OK(cushim_event_release(event));
    OK(cushim_event_pool_get_counts(pool, &total, &free));
    assert_int_equal(total, 2);
    assert_int_equal(free, 2);
    assert_ptr_not_equal(acquire(), acquire());
    OK(cushim_event_release(taken[0]));
    OK(cushim_event_release(event));
    OK(cushim_event_pool_release(pool));
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
    OK(cushim_event_release(taken[0]));
    OK(cushim_event_release(event));
    assert_ptr_equal(acquire(), taken[0]);
    assert_ptr_equal(acquire(), event);
    OK(cushim_event_query(event));
    OK(cushim_event_release(event));
    OK(cushim_event_release(taken[0]));
    OK(cushim_event_pool_release(pool));
}

static void node_is_used_again_after_a_failure(void **state)
{
    struct cushim_event *event = NULL;

    (void)state;
    make_pool(0);
    testkit_fault("cuEventCreate:times=3 => return(UNKNOWN)");
    for (int i = 0; i < 3; i++)
        CODE(CUDA_ERROR_UNKNOWN, cushim_event_pool_acquire(pool, &event));
    OK(cushim_event_release(acquire()));
    assert_int_equal(atomic_load(&pool->nodes), 1);
    OK(cushim_event_pool_release(pool));
}

static void pool_with_the_most_nodes_is_out_of_memory(void **state)
{
    struct cushim_event *event = NULL;

    (void)state;
    make_pool(0);
    atomic_store(&pool->nodes, MOST_NODES);
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cushim_event_pool_acquire(pool, &event));
    assert_null(event);
    OK(cushim_event_pool_release(pool));
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
    const struct CMUnitTest tests[] = {
        TEST(old_top_that_is_back_is_not_taken_for_the_same),
        TEST(event_that_comes_back_as_the_pool_ends_is_destroyed),
        TEST(event_that_comes_back_behind_a_spare_one_as_the_pool_ends_is_destroyed),
        TEST(two_events_that_come_back_at_once_are_both_kept),
        TEST(two_threads_that_grow_a_pool_share_one_chunk),
        TEST(node_is_used_again_after_a_failure),
        TEST(pool_with_the_most_nodes_is_out_of_memory),
        TEST(numbers_and_chunks_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
