/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of events: events come back without the driver being called. */
#include <pthread.h>
#include <stdatomic.h>

#include "begin.h"
#include "cases.h"
#include "check.h"
#include "gate.h"

static struct cushim_table counting; /* the driver's table, with creation and destruction counted */
static const struct cushim_table *driver_table;
static atomic_uint created, destroyed;

static CUresult CUDAAPI count_create(CUevent *event, unsigned flags)
{
    atomic_fetch_add(&created, 1);
    return driver_table->EventCreate(event, flags);
}

static CUresult CUDAAPI count_destroy(CUevent event)
{
    atomic_fetch_add(&destroyed, 1);
    return driver_table->EventDestroy_v2(event);
}

/* From now on creations and destructions are counted. */
static void count_calls(void)
{
    driver_table = cushim_driver();
    counting = *driver_table;
    counting.EventCreate = count_create;
    counting.EventDestroy_v2 = count_destroy;
    OK(cushim_table_install(&counting, NULL));
}

static void released_events_come_back(void)
{
    enum { ROUNDS = 1000 };
    const struct cushim_event_pool_options options = {.size = sizeof options, .initial = 2};
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event_pool *pool = NULL;
    size_t total = 0, unused = 0;

    count_calls();
    OK(cushim_event_pool_create(&pool, context, NULL, &options));
    CHECK(atomic_load(&created) == 2);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct cushim_event *start = NULL, *end = NULL;
        float ms = -1;

        OK(cushim_event_pool_acquire(pool, &start));
        OK(cushim_event_pool_acquire(pool, &end));
        CHECK(!cushim_event_is_recorded(start));
        OK(cushim_event_record(start, stream));
        OK(cushim_event_record(end, stream));
        OK(cushim_event_synchronize(end));
        OK(cushim_event_elapsed(start, end, &ms));
        CHECK(ms >= 0);
        OK(cushim_event_release(start));
        OK(cushim_event_release(end));
    }
    CHECK(atomic_load(&created) == 2 && atomic_load(&destroyed) == 0);
    OK(cushim_event_pool_counts(pool, &total, &unused));
    CHECK(total == 2 && unused == 2);
    CHECK(cushim_event_pool_retain(pool) == pool);
    OK(cushim_event_pool_release(pool));
    CHECK(atomic_load(&destroyed) == 0);
    OK(cushim_event_pool_release(pool));
    CHECK(atomic_load(&destroyed) == 2);
    detail("%d pairs with %u creations", ROUNDS, atomic_load(&created));
}

static void outstanding_and_closed_events_leave_the_pool(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *kept = NULL, *closed = NULL;
    struct cushim_event_pool *pool = NULL;
    struct gate gate = GATE;
    size_t total = 9, unused = 9;

    count_calls();
    OK(cushim_event_pool_create(&pool, context, NULL, NULL));
    OK(cushim_event_pool_acquire(pool, &kept));
    OK(cushim_event_pool_acquire(pool, &closed));
    OK(cushim_event_close(closed));
    OK(cushim_event_release(closed));
    OK(cushim_event_pool_counts(pool, &total, &unused));
    CHECK(total == 1 && unused == 0);
    OK(cushim_event_pool_release(pool));

    gate_shut(&gate, stream);
    OK(cushim_event_record(kept, stream));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(kept));
    gate_open(&gate);
    OK(cushim_event_synchronize(kept));
    OK(cushim_event_release(kept));
    CHECK(atomic_load(&created) == 2 && atomic_load(&destroyed) == 2);
}

static struct cushim_event_pool *shared_pool;
static struct cushim_stream *shared_stream;

static void *use_pool(void *data)
{
    enum { ROUNDS = 500 };

    for (unsigned round = 0; round < ROUNDS; round++) {
        struct cushim_event *event = NULL;

        if (cushim_event_pool_acquire(shared_pool, &event) != CUDA_SUCCESS ||
            cushim_event_record(event, shared_stream) != CUDA_SUCCESS ||
            cushim_event_synchronize(event) != CUDA_SUCCESS ||
            cushim_event_release(event) != CUDA_SUCCESS)
            return data;
    }
    return NULL;
}

static void threads_share_a_pool(void)
{
    enum { THREADS = 8 };
    struct cushim_context *context = begin_context();
    pthread_t threads[THREADS];
    size_t total = 0, unused = 0;

    count_calls();
    shared_stream = begin_stream(context);
    OK(cushim_event_pool_create(&shared_pool, context, NULL, NULL));
    for (unsigned i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, use_pool, &shared_pool) == 0);
    for (unsigned i = 0; i < THREADS; i++) {
        void *trouble = NULL;

        pthread_join(threads[i], &trouble);
        CHECK(trouble == NULL);
    }
    OK(cushim_event_pool_counts(shared_pool, &total, &unused));
    CHECK(total <= THREADS && unused == total);
    CHECK(atomic_load(&created) == total);
    OK(cushim_event_pool_release(shared_pool));
    detail("%d threads, %zu events", THREADS, total);
}

const struct gpu_case event_pool_cases[] = {
    {"pool_released_events_come_back", released_events_come_back},
    {"pool_outstanding_and_closed_events_leave", outstanding_and_closed_events_leave_the_pool},
    {"pool_is_shared_by_threads", threads_share_a_pool},
    {NULL, NULL},
};
