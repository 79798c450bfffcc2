/* SPDX-License-Identifier: Apache-2.0 */
/* Event pools. */
#include "../support/event_info.h"
#include "testkit.h"

static struct cushim_event_pool *make_pool(const struct cushim_event_options *kind,
                                           unsigned initial)
{
    const struct cushim_event_pool_options options = {.size = sizeof options, .initial = initial};
    struct cushim_event_pool *pool = NULL;

    OK(cushim_event_pool_create(testkit.one, kind, &options, &pool));
    return pool;
}

static struct cushim_event *acquire(struct cushim_event_pool *pool)
{
    struct cushim_event *event = NULL;

    OK(cushim_event_pool_acquire(pool, &event));
    return event;
}

static void assert_counts(struct cushim_event_pool *pool, size_t total, size_t free)
{
    size_t counted_total = 99, counted_free = 99;

    OK(cushim_event_pool_get_counts(pool, &counted_total, &counted_free));
    assert_int_equal(counted_total, total);
    assert_int_equal(counted_free, free);
}

TEST(initial_events_are_created_at_once)
{
    struct cushim_event_pool *pool = make_pool(&testkit_untimed, 3);
    struct cushim_event *events[3];
    unsigned flags = 99;

    assert_int_equal(testkit_argument("cuEventCreate", "Flags"), CU_EVENT_DISABLE_TIMING);
    assert_counts(pool, 3, 3);
    testkit_forget();
    for (size_t i = 0; i < COUNT(events); i++) {
        events[i] = acquire(pool);
        OK(event_flags(events[i], &flags));
        assert_int_equal(flags, CU_EVENT_DISABLE_TIMING);
    }
    assert_counts(pool, 3, 0);
    assert_calls("");
    for (size_t i = 0; i < COUNT(events); i++)
        OK(cushim_event_release(events[i]));
    assert_counts(pool, 3, 3);
    OK(cushim_event_pool_release(pool));
    assert_calls("cuEventDestroy_v2 cuEventDestroy_v2 cuEventDestroy_v2");
}

TEST(unknown_options_are_refused_before_any_driver_call)
{
    const struct cushim_event_pool_options nothing = {.size = 0};
    const struct cushim_event_options strange = {.size = 1};
    struct cushim_event_pool *pool = NULL;

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_pool_create(testkit.one, &strange, NULL, &pool));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_pool_create(testkit.one, NULL, &nothing, &pool));
    assert_null(pool);
    assert_calls("");
}

TEST(last_release_of_an_empty_pool_makes_no_driver_call)
{
    struct cushim_event_pool *pool = make_pool(NULL, 0);

    testkit_forget();
    OK(cushim_event_pool_get_counts(pool, NULL, NULL));
    assert_ptr_equal(cushim_event_pool_retain(pool), pool);
    OK(cushim_event_pool_release(pool));
    assert_counts(pool, 0, 0);
    OK(cushim_event_pool_release(pool));
    assert_calls("");
}

TEST(only_the_last_release_brings_an_event_back)
{
    struct cushim_event_pool *pool = make_pool(NULL, 0);
    struct cushim_event *event = acquire(pool), *other;

    cushim_event_retain(event);
    OK(cushim_event_release(event));
    assert_counts(pool, 1, 0);
    other = acquire(pool);
    assert_ptr_not_equal(testkit_event_handle(event), testkit_event_handle(other));
    OK(cushim_event_release(event));
    OK(cushim_event_release(other));
    assert_counts(pool, 2, 2);
    OK(cushim_event_pool_release(pool));
}

TEST(events_outlive_their_pool)
{
    struct cushim_event_pool *pool;
    struct cushim_event *one, *two;
    struct cushim_context *context;

    OK(cushim_context_create(0, NULL, &context));
    OK(cushim_event_pool_create(context, NULL, NULL, &pool));
    one = acquire(pool);
    two = acquire(pool);
    OK(cushim_event_release(acquire(pool)));
    OK(cushim_context_release(context));
    testkit_forget();
    OK(cushim_event_pool_release(pool));
    assert_calls("cuEventDestroy_v2");
    OK(cushim_event_query(one));
    OK(cushim_event_record(two, cushim_stream_legacy()));
    testkit_forget();
    OK(cushim_event_release(one));
    assert_calls("cuEventDestroy_v2");
    OK(cushim_event_close(two));
    OK(cushim_event_release(two));
    assert_calls("cuEventDestroy_v2 cuCtxDestroy_v2");
}

TEST(pool_grows_over_chunks_and_hands_no_event_out_twice)
{
    static struct cushim_event *events[500];
    struct cushim_event_pool *pool = make_pool(NULL, 0);

    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < COUNT(events); i++) {
            events[i] = acquire(pool);
            assert_false(event_is_recorded(events[i])); /* because it has another owner */
            OK(cushim_event_record(events[i], testkit.stream));
        }
        assert_counts(pool, COUNT(events), 0);
        for (size_t i = 0; i < COUNT(events); i++) {
            assert_true(event_is_recorded(events[i]));
            OK(cushim_event_release(events[i]));
        }
        assert_counts(pool, COUNT(events), COUNT(events));
    }
    OK(cushim_event_pool_release(pool));
}

TEST(failing_create_leaves_the_pool_unchanged)
{
    struct cushim_event_pool *pool = make_pool(NULL, 0);
    struct cushim_event *event = NULL;

    testkit_fault("cuEventCreate:nth=1 => return(UNKNOWN)");
    CODE(CUDA_ERROR_UNKNOWN, cushim_event_pool_acquire(pool, &event));
    assert_null(event);
    assert_counts(pool, 0, 0);
    OK(cushim_event_release(acquire(pool)));
    assert_counts(pool, 1, 1);
    OK(cushim_event_pool_release(pool));
}
