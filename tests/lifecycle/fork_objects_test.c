/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that a parent has created: a child can only release them. The driver of these tests
 * returns success from a query of an inherited event (driver semantics, statement 9).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>

#include <cushim/cushim.h>
#include <cushim/testing/mock.h>

#include "tests/unit/forked.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct cushim_context *context, *primary;
static struct cushim_stream *stream;
static struct cushim_event *event;
static struct cushim_event_pool *pool;
static struct cushim_event *pooled;

/* Create objects on a mock that is loaded as the driver. */
static void begin(void)
{
    const struct cushim_mock_options options = {.size = sizeof options};
    struct cushim_load_options load = {.size = sizeof load, .resolver = cushim_mock_symbol};
    struct cushim_mock *mock = NULL;

    assert_int_equal(cushim_mock_create(&options, &mock), CUDA_SUCCESS);
    load.resolver_data = mock;
    assert_int_equal(cushim_driver_init(&load), CUDA_SUCCESS);
    assert_int_equal(cushim_context_create(0, NULL, &context), CUDA_SUCCESS);
    assert_int_equal(cushim_context_retain_primary(0, &primary), CUDA_SUCCESS);
    assert_int_equal(cushim_stream_create(context, NULL, &stream), CUDA_SUCCESS);
    assert_int_equal(cushim_event_create_recorded(stream, NULL, &event), CUDA_SUCCESS);
    assert_int_equal(cushim_event_pool_create(context, NULL, NULL, &pool), CUDA_SUCCESS);
    assert_int_equal(cushim_event_pool_acquire(pool, &pooled), CUDA_SUCCESS);
}

/* Release all objects. Returns how many releases fail. */
static int release_all(void)
{
    const CUresult codes[] = {
        cushim_event_release(event),     cushim_event_release(pooled),
        cushim_event_pool_release(pool), cushim_stream_release(stream),
        cushim_context_release(primary), cushim_context_release(context),
    };
    int wrong = 0;

    for (size_t i = 0; i < COUNT(codes); i++)
        wrong += codes[i] != CUDA_SUCCESS;
    return wrong;
}

/* The parent's objects still work, and are released. */
static void end(void)
{
    assert_int_equal(cushim_event_record(pooled, stream), CUDA_SUCCESS);
    assert_int_equal(cushim_context_synchronize(context), CUDA_SUCCESS);
    assert_int_equal(cushim_event_query(event), CUDA_SUCCESS);
    assert_int_equal(release_all(), 0);
}

/* In a child: calls on objects return 3, and releases succeed. Returns how many do not. */
static int use_all(void)
{
    struct cushim_context_scope scope;
    struct cushim_event *made = NULL;
    char name[64];
    const CUresult codes[] = {
        cushim_event_query(event),
        cushim_event_synchronize(event),
        cushim_event_record(pooled, stream),
        cushim_event_create(context, NULL, &made),
        cushim_stream_query(stream),
        cushim_stream_synchronize(stream),
        cushim_context_synchronize(context),
        cushim_context_push(context, &scope),
        cushim_driver()->DeviceGetName(name, sizeof name, 0),
        cushim_driver_init(NULL),
    };
    int wrong = made != NULL;

    for (size_t i = 0; i < COUNT(codes); i++)
        wrong += codes[i] != CUDA_ERROR_NOT_INITIALIZED;
    return wrong + release_all();
}

static volatile int wrong_answers;

static void *fork_and_use_all(void *unused)
{
    wrong_answers += forked_answer(use_all);
    return unused;
}

static void CUDA_CB fork_in_a_host_function(void *unused)
{
    fork_and_use_all(unused);
}

static void fork_in_a_handler(int number)
{
    fork_and_use_all(NULL);
}

FORKED_TEST(child_can_only_release_objects_wherever_it_is_forked)
{
    pthread_t thread;

    begin();
    fork_and_use_all(NULL);
    assert_int_equal(pthread_create(&thread, NULL, fork_and_use_all, NULL), 0);
    pthread_join(thread, NULL);
    signal(SIGUSR1, fork_in_a_handler);
    raise(SIGUSR1);
    assert_int_equal(cushim_stream_launch_host_function(stream, fork_in_a_host_function, NULL),
                     CUDA_SUCCESS);
    assert_int_equal(cushim_stream_synchronize(stream), CUDA_SUCCESS);
    assert_int_equal(wrong_answers, 0);
    end();
}
