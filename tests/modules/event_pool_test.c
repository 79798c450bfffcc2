/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of events. */
#include "event_world.h"

static struct cushim_event_pool *make_pool(const struct cushim_event_options *kind,
                                           unsigned initial)
{
    struct cushim_event_pool_options options = {.size = sizeof options, .initial = initial};
    struct cushim_event_pool *pool = NULL;

    assert_int_equal(cushim_event_pool_create(&pool, world.context, kind, &options), CUDA_SUCCESS);
    return pool;
}

static struct cushim_event *acquire(struct cushim_event_pool *pool)
{
    struct cushim_event *event = NULL;

    assert_int_equal(cushim_event_pool_acquire(pool, &event), CUDA_SUCCESS);
    return event;
}

static void assert_counts(struct cushim_event_pool *pool, size_t total, size_t free)
{
    size_t counted_total = 99, counted_free = 99;

    assert_int_equal(cushim_event_pool_counts(pool, &counted_total, &counted_free), CUDA_SUCCESS);
    assert_int_equal(counted_total, total);
    assert_int_equal(counted_free, free);
}

static void an_event_comes_back_without_driver_calls(void **state)
{
    struct cushim_event_pool *pool = make_pool(NULL, 0);
    struct cushim_event *event;
    CUevent handle;

    (void)state;
    assert_int_equal(fake_calls(NULL), 0);
    event = acquire(pool);
    assert_string_equal(fake_order(), "cuCtxPushCurrent_v2 cuEventCreate cuCtxPopCurrent_v2");
    assert_ptr_equal(cushim_event_context(event), world.context);
    assert_counts(pool, 1, 0);
    event_record(event);
    handle = (CUevent)event_fake(event);
    fake_forget();
    event_drop(event);
    assert_counts(pool, 1, 1);
    event = acquire(pool);
    assert_int_equal(fake_calls(NULL), 0);
    assert_ptr_equal(event_fake(event), handle);
    assert_false(cushim_event_is_recorded(event));
    assert_true(cushim_event_has_timing(event));
    event_drop(event);
    assert_int_equal(cushim_event_pool_release(pool), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuEventDestroy_v2");
}

static void the_first_events_are_created_at_once(void **state)
{
    struct cushim_event_pool *pool = make_pool(&untimed, 3);
    struct cushim_event *events[3];

    (void)state;
    assert_int_equal(fake_calls("cuEventCreate"), 3);
    assert_counts(pool, 3, 3);
    fake_forget();
    for (size_t i = 0; i < COUNT(events); i++) {
        events[i] = acquire(pool);
        assert_int_equal(event_fake(events[i])->flags, CU_EVENT_DISABLE_TIMING);
        assert_false(cushim_event_has_timing(events[i]));
    }
    assert_counts(pool, 3, 0);
    assert_int_equal(fake_calls(NULL), 0);
    for (size_t i = 0; i < COUNT(events); i++)
        event_drop(events[i]);
    assert_counts(pool, 3, 3);
    cushim_event_pool_release(pool);
}

static void arguments_are_checked_before_any_driver_call(void **state)
{
    struct cushim_event_pool_options nothing = {.size = 0};
    struct cushim_event_options strange = {.size = 1};
    struct cushim_event_pool *pool = NULL;
    struct cushim_event *event = NULL;

    (void)state;
    assert_int_equal(cushim_event_pool_create(NULL, world.context, NULL, NULL), 1);
    assert_int_equal(cushim_event_pool_create(&pool, NULL, NULL, NULL), 400);
    assert_int_equal(cushim_event_pool_create(&pool, world.context, &strange, NULL), 1);
    assert_int_equal(cushim_event_pool_create(&pool, world.context, NULL, &nothing), 1);
    assert_null(pool);
    assert_int_equal(cushim_event_pool_acquire(NULL, &event), 400);
    assert_int_equal(cushim_event_pool_counts(NULL, NULL, NULL), 400);
    assert_null(cushim_event_pool_retain(NULL));
    assert_int_equal(cushim_event_pool_release(NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_event_pool_create(&pool, world.context, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_event_pool_acquire(pool, NULL), 1);
    assert_int_equal(cushim_event_pool_counts(pool, NULL, NULL), CUDA_SUCCESS);
    assert_ptr_equal(cushim_event_pool_retain(pool), pool);
    cushim_event_pool_release(pool);
    assert_counts(pool, 0, 0);
    cushim_event_pool_release(pool);
    assert_int_equal(fake_calls(NULL), 0);
}

static void only_the_last_release_brings_an_event_back(void **state)
{
    struct cushim_event_pool *pool = make_pool(NULL, 0);
    struct cushim_event *event = acquire(pool), *other;

    (void)state;
    cushim_event_retain(event);
    event_drop(event);
    assert_counts(pool, 1, 0);
    other = acquire(pool);
    assert_false(cushim_event_equal(event, other));
    event_drop(event);
    event_drop(other);
    assert_counts(pool, 2, 2);
    cushim_event_pool_release(pool);
}

static void a_closed_event_leaves_the_pool(void **state)
{
    struct cushim_event_pool *pool = make_pool(NULL, 1);
    struct cushim_event *event = acquire(pool), *next;

    (void)state;
    fake_forget();
    assert_int_equal(cushim_event_close(event), CUDA_SUCCESS);
    event_drop(event);
    assert_string_equal(fake_order(), "cuEventDestroy_v2");
    assert_counts(pool, 0, 0);
    next = acquire(pool);
    assert_int_equal(cushim_event_query(next), CUDA_SUCCESS);
    assert_ptr_equal(next, event); /* the memory is used again, the driver's event is another */
    event_drop(next);
    assert_counts(pool, 1, 1);
    cushim_event_pool_release(pool);
}

static void events_outlive_the_pool(void **state)
{
    struct cushim_event_pool *pool;
    struct cushim_event *one, *two;
    struct cushim_context *context;

    (void)state;
    assert_int_equal(cushim_context_create(&context, 0, NULL), CUDA_SUCCESS);
    assert_int_equal(cushim_event_pool_create(&pool, context, NULL, NULL), CUDA_SUCCESS);
    one = acquire(pool);
    two = acquire(pool);
    event_drop(acquire(pool));
    cushim_context_release(context);
    fake_forget();
    assert_int_equal(cushim_event_pool_release(pool), CUDA_SUCCESS);
    assert_string_equal(fake_order(), "cuEventDestroy_v2");
    assert_int_equal(cushim_event_query(one), CUDA_SUCCESS);
    assert_int_equal(cushim_event_record(two, cushim_stream_legacy()), CUDA_SUCCESS);
    fake_forget();
    event_drop(one);
    assert_string_equal(fake_order(), "cuEventDestroy_v2");
    cushim_event_close(two);
    event_drop(two);
    assert_string_equal(fake_order(), "cuEventDestroy_v2 cuEventDestroy_v2 cuCtxDestroy_v2");
}

static void a_pool_grows_over_chunks(void **state)
{
    static struct cushim_event *events[500];
    struct cushim_event_pool *pool = make_pool(NULL, 0);

    (void)state;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < COUNT(events); i++) {
            events[i] = acquire(pool);
            assert_false(event_fake(events[i])->recorded);
            event_record(events[i]);
            assert_false(i && events[i] == events[i - 1]);
        }
        assert_counts(pool, COUNT(events), 0);
        for (size_t i = 0; i < COUNT(events); i++) {
            event_fake(events[i])->recorded = false; /* seen twice if one was handed out twice */
            event_drop(events[i]);
        }
    }
    assert_int_equal(fake_calls("cuEventCreate"), COUNT(events));
    cushim_event_pool_release(pool);
}

static void without_memory_a_pool_stays_as_it_is(void **state)
{
    struct cushim_event_pool *pool = NULL;
    struct cushim_event *event = NULL;

    (void)state;
    event_lack_memory(1);
    assert_int_equal(cushim_event_pool_create(&pool, world.context, NULL, NULL), 2);
    assert_null(pool);
    event_lack_memory(0);
    pool = make_pool(NULL, 0);
    event_lack_memory(1);
    assert_int_equal(cushim_event_pool_acquire(pool, &event), CUDA_ERROR_OUT_OF_MEMORY);
    assert_null(event);
    assert_int_equal(fake_calls(NULL), 0);
    event_lack_memory(0);
    event_drop(acquire(pool));
    assert_counts(pool, 1, 1);
    cushim_event_pool_release(pool);
}

static void a_driver_that_refuses_leaves_the_pool_as_it_is(void **state)
{
    const struct cushim_event_options never = {.size = sizeof never, .interprocess = true};
    struct cushim_event_pool_options two = {.size = sizeof two, .initial = 2};
    struct cushim_event_pool *pool = NULL;
    struct cushim_event *event = NULL;

    (void)state;
    assert_int_equal(cushim_event_pool_create(&pool, world.context, &never, &two), 1);
    fake_fail("cuEventCreate", 2, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_event_pool_create(&pool, world.context, NULL, &two), 999);
    assert_null(pool);
    assert_int_equal(fake_live(FAKE_EVENT), 0);
    pool = make_pool(NULL, 0);
    fake_fail("cuEventCreate", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_event_pool_acquire(pool, &event), CUDA_ERROR_UNKNOWN);
    assert_null(event);
    assert_counts(pool, 0, 0);
    event_drop(acquire(pool));
    fake_fail("cuEventDestroy_v2", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cushim_event_pool_release(pool), CUDA_ERROR_UNKNOWN);
    assert_int_equal(event_log_lines, 1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, event_world_setup, event_world_teardown)
    const struct CMUnitTest tests[] = {
        TEST(an_event_comes_back_without_driver_calls),
        TEST(the_first_events_are_created_at_once),
        TEST(arguments_are_checked_before_any_driver_call),
        TEST(only_the_last_release_brings_an_event_back),
        TEST(a_closed_event_leaves_the_pool),
        TEST(events_outlive_the_pool),
        TEST(a_pool_grows_over_chunks),
        TEST(without_memory_a_pool_stays_as_it_is),
        TEST(a_driver_that_refuses_leaves_the_pool_as_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
