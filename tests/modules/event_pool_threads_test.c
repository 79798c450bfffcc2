/* SPDX-License-Identifier: Apache-2.0 */
/* Event pools with many threads: no event has two owners, and none is lost. */
#define _POSIX_C_SOURCE 200809L /* pthread_barrier_t */

#include "testkit.h"

#include <pthread.h>
#include <stdatomic.h>

#include "../support/event_info.h"
#include "src/objects/objects.h"

enum { THREADS = 4, HELD = 24, TURNS = 20000, ENDS = 50 };

static struct cushim_event_pool *pool;
static atomic_uint faults;
static pthread_barrier_t barrier;

/* The link of an event that has an owner points to itself, which the pool's links never do. */
static struct cushim_event *take(void)
{
    struct cushim_event *event = NULL;

    if (cushim_event_pool_acquire(pool, &event) || event->next_free == event ||
        event_is_recorded(event) || event_is_closed(event))
        atomic_fetch_add(&faults, 1);
    event->next_free = event;
    return event;
}

static void return_event(struct cushim_event *event)
{
    const bool is_owned = event->next_free == event;

    event->next_free = NULL;
    if (!is_owned || cushim_event_release(event))
        atomic_fetch_add(&faults, 1);
}

/* A thread's own random sequence. */
static unsigned next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

static void *take_and_give_back(void *data)
{
    struct cushim_event *held[HELD] = {NULL};
    unsigned seed = *(unsigned *)data;

    for (unsigned turn = 0; turn < TURNS; turn++) {
        struct cushim_event **place = &held[next(&seed) % HELD];

        if (!*place) {
            *place = take();
            if (next(&seed) % 256 == 0 && cushim_event_record(*place, testkit.stream))
                atomic_fetch_add(&faults, 1);
            continue;
        }
        if (next(&seed) % 512 == 0)
            cushim_event_close(*place);
        return_event(*place);
        *place = NULL;
    }
    for (size_t i = 0; i < HELD; i++) {
        if (held[i])
            return_event(held[i]);
    }
    return NULL;
}

static void *give_back_as_the_pool_ends(void *data)
{
    struct cushim_event *held[HELD];

    for (size_t i = 0; i < HELD; i++)
        held[i] = take();
    pthread_barrier_wait(&barrier);
    for (size_t i = 0; i < HELD; i++)
        return_event(held[i]);
    return NULL;
}

static void start(pthread_t *threads, void *(*function)(void *))
{
    static unsigned seeds[THREADS];

    for (unsigned i = 0; i < THREADS; i++) {
        seeds[i] = i + 1;
        assert_int_equal(pthread_create(&threads[i], NULL, function, &seeds[i]), 0);
    }
}

static void join(const pthread_t *threads)
{
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(atomic_load(&faults), 0);
}

/* The number of driver objects. */
static size_t handles(void)
{
    struct cushim_mock_state now = {.size = sizeof now};

    OK(cushim_mock_get_state(testkit.mock, &now));
    return now.handles;
}

TEST(no_event_has_two_owners)
{
    pthread_t threads[THREADS];
    const size_t before = handles();
    size_t total = 0, free = 99;

    OK(cushim_event_pool_create(testkit.one, NULL, NULL, &pool));
    start(threads, take_and_give_back);
    join(threads);
    OK(cushim_event_pool_get_counts(pool, &total, &free));
    assert_true(total > 0);
    assert_int_equal(free, total);
    assert_int_equal(handles() - before, total);
    OK(cushim_event_pool_release(pool));
    assert_int_equal(handles(), before);
}

/* A memory checker also sees here that the pool's memory is freed, and freed last. */
TEST(no_event_is_lost_when_the_pool_ends_under_it)
{
    const size_t before = handles();
    pthread_t threads[THREADS];

    for (unsigned i = 0; i < ENDS; i++) {
        OK(cushim_event_pool_create(testkit.one, NULL, NULL, &pool));
        assert_int_equal(pthread_barrier_init(&barrier, NULL, THREADS + 1), 0);
        start(threads, give_back_as_the_pool_ends);
        pthread_barrier_wait(&barrier);
        OK(cushim_event_pool_release(pool));
        join(threads);
        pthread_barrier_destroy(&barrier);
        assert_int_equal(handles(), before);
    }
}
