/* SPDX-License-Identifier: Apache-2.0 */
/* cushim's modules for events and event pools on a driver. */
#include <pthread.h>
#include <stdatomic.h>

#include "../support/event_info.h"
#include "cases.h"

static const CUstream default_handles[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};

CUSHIM_CASE(event_options_become_flags)
{
    struct cushim_context *context = retain_primary();

    for (unsigned mix = 0; mix < 8; mix++) {
        const struct cushim_event_options options = {
            .size = sizeof options,
            .blocking_sync = mix & CU_EVENT_BLOCKING_SYNC,
            .disable_timing = mix & CU_EVENT_DISABLE_TIMING,
            .interprocess = mix & CU_EVENT_INTERPROCESS,
        };
        const bool allowed = !options.interprocess || options.disable_timing;
        struct cushim_event *event = NULL;
        unsigned flags = 99;

        CODE(allowed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE,
             cushim_event_create(context, &options, &event));
        CHECK(allowed == (event != NULL));
        if (!event)
            continue;
        OK(event_flags(event, &flags));
        EQUAL(mix, flags);
        OK(cushim_event_release(event));
    }
    CHECK(current_context() == NULL);
}

/* The handle of a closed event is NULL, which the driver itself refuses. */
CUSHIM_CASE(event_closed_is_refused)
{
    struct cushim_context *context = retain_primary();
    struct cushim_stream *stream = create_stream(context);
    struct cushim_event *closed = create_event(context);
    float ms = -7;

    OK(cushim_event_close(closed));
    OK(cushim_event_close(closed));
    CHECK(event_is_closed(closed));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_query(closed));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_synchronize(closed));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_synchronize_for(closed, 0));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_record(closed, stream));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_wait_event(stream, closed));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_get_elapsed(closed, closed, &ms));
    CHECK(ms == -7);
    OK(cushim_event_release(closed));
}

CUSHIM_CASE(event_keeps_its_context_alive)
{
    struct cushim_context *context = create_context(), *other = create_context();
    struct cushim_stream *stream = create_stream(context);
    struct cushim_event *event;
    CUdevice device = -1;

    MUST(cushim_context_make_current(other));
    event = create_event(context);
    CHECK(event_context(event) == context);
    CHECK(current_context() == context_handle(other));
    OK(cushim_event_record(event, stream));
    OK(cushim_event_synchronize(event));
    OK(cushim_context_get_device(event_context(event), &device));
    EQUAL(load_device(), device);
    OK(cushim_stream_release(stream));
    OK(cushim_context_release(context));
    OK(cushim_event_query(event));
    OK(cushim_event_release(event));
}

CUSHIM_CASE(event_create_recorded_records_on_any_stream)
{
    struct cushim_context *context = retain_primary();
    struct cushim_stream *const streams[] = {create_stream(context), cushim_stream_legacy(),
                                             cushim_stream_per_thread()};
    struct cushim_event *event = NULL;

    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_event_create_recorded(streams[1], NULL, &event));
    CHECK(event == NULL);
    for (size_t i = 0; i < 3; i++) { /* the first iteration has no current context */
        OK(cushim_event_create_recorded(streams[i], NULL, &event));
        CHECK(event_is_recorded(event));
        CHECK(context_handle(event_context(event)) == context_handle(context));
        OK(cushim_event_synchronize(event));
        OK(cushim_event_release(event));
        MUST(cushim_context_make_current(context));
    }
    CHECK(current_context() == context_handle(context));
}

CUSHIM_CASE(event_wrapped_is_not_destroyed)
{
    struct cushim_event *owner = create_event(retain_primary()), *wrapped = NULL;
    unsigned flags = 99;

    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_wrap(NULL, NULL, NULL, &wrapped));
    OK(cushim_event_wrap(event_handle(owner), NULL, NULL, &wrapped));
    CHECK(event_handle(owner) == event_handle(wrapped));
    CHECK(event_context(wrapped) == NULL);
    CODE(CUDA_ERROR_NOT_SUPPORTED, event_flags(wrapped, &flags));
    EQUAL(99, flags);
    CHECK(cushim_event_retain(wrapped) == wrapped);
    OK(cushim_event_release(wrapped));
    OK(cushim_event_release(wrapped));
    OK(cushim_event_query(owner));
    OK(cushim_event_release(owner));
}

/*
 * The driver looks up a default stream in the current context, so it refuses an event of another
 * one.
 */
CUSHIM_CASE(event_default_streams_are_those_of_its_context)
{
    struct cushim_context *context = retain_primary(), *other = create_context();
    struct cushim_event *event = create_event(context), *wrapped = NULL;

    MUST(cushim_event_wrap(event_handle(event), NULL, NULL, &wrapped));
    for (int round = 0; round < 2; round++) {
        const CUcontext current = round == 0 ? context_handle(other) : NULL;
        const CUresult refusal = current ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_CONTEXT;

        make_current(current);
        for (size_t i = 0; i < 3; i++)
            CODE(refusal, cu->EventRecord(event_handle(event), default_handles[i]));
        OK(cushim_event_record(event, cushim_stream_legacy()));
        OK(cushim_event_record(event, cushim_stream_per_thread()));
        OK(cushim_event_synchronize(event));
        /* cushim does not know the context of a wrapped event. */
        CODE(refusal, cushim_event_record(wrapped, cushim_stream_legacy()));
        CHECK(current_context() == current);
    }
}

CUSHIM_CASE(event_synchronize_for_gives_up_and_succeeds)
{
    enum { PATIENCE_NS = 5000000, WORK_MS = 40 };
    struct cushim_context *context = retain_primary();
    struct cushim_stream *stream = create_stream(context);
    struct cushim_event *event = create_event(context);
    struct gate gate = GATE;
    struct opener opener;
    uint64_t before;

    OK(cushim_event_synchronize_for(event, 0)); /* not recorded, so complete */
    CHECK(!event_is_recorded(event));
    gate_shut(&gate, stream_handle(stream));
    OK(cushim_event_record(event, stream));
    CHECK(event_is_recorded(event));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(event));
    CODE(CUDA_ERROR_TIMEOUT, cushim_event_synchronize_for(event, 0));
    before = now_ns();
    CODE(CUDA_ERROR_TIMEOUT, cushim_event_synchronize_for(event, PATIENCE_NS));
    CHECK(now_ns() - before >= PATIENCE_NS);
    opener_start(&opener, &gate, WORK_MS);
    before = thread_ns();
    OK(cushim_event_synchronize_for(event, UINT64_MAX));
    detail("waited %d ms with %.2f ms of processor", WORK_MS, (double)(thread_ns() - before) / 1e6);
    opener_join(&opener);
    OK(cushim_event_query(event));
    OK(cushim_event_synchronize_for(event, 0));
}

/* cushim's table, with functions that count creations and destructions. */
static struct cushim_table counting;
static const struct cushim_table *uncounted;
static atomic_uint created, destroyed;

static CUresult CUDAAPI count_create(CUevent *event, unsigned flags)
{
    atomic_fetch_add(&created, 1);
    return uncounted->EventCreate(event, flags);
}

static CUresult CUDAAPI count_destroy(CUevent event)
{
    atomic_fetch_add(&destroyed, 1);
    return uncounted->EventDestroy_v2(event);
}

static struct cushim_context *begin_counting(void)
{
    struct cushim_context *context = retain_primary();

    uncounted = cushim_driver();
    counting = *uncounted;
    counting.EventCreate = count_create;
    counting.EventDestroy_v2 = count_destroy;
    MUST(cushim_table_install(&counting, NULL));
    return context;
}

static void check_counts(struct cushim_event_pool *pool, size_t want_total, size_t want_unused)
{
    size_t total = 99, unused = 99;

    OK(cushim_event_pool_get_counts(pool, &total, &unused));
    EQUAL(want_total, total);
    EQUAL(want_unused, unused);
}

CUSHIM_CASE(event_pool_released_events_come_back)
{
    enum { ROUNDS = 1000 };
    const struct cushim_event_pool_options options = {.size = sizeof options, .initial = 2};
    struct cushim_context *context = begin_counting();
    struct cushim_stream *stream = create_stream(context);
    struct cushim_event_pool *pool = NULL;
    unsigned failures = 0;

    OK(cushim_event_pool_create(context, NULL, &options, &pool));
    EQUAL(2, atomic_load(&created));
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct cushim_event *start = NULL, *end = NULL;
        float ms = -1;

        failures += cushim_event_pool_acquire(pool, &start) != CUDA_SUCCESS;
        failures += cushim_event_pool_acquire(pool, &end) != CUDA_SUCCESS;
        failures += event_is_recorded(start);
        failures += cushim_event_record(start, stream) != CUDA_SUCCESS;
        failures += cushim_event_record(end, stream) != CUDA_SUCCESS;
        failures += cushim_event_synchronize(end) != CUDA_SUCCESS;
        failures += cushim_event_get_elapsed(start, end, &ms) != CUDA_SUCCESS || ms < 0;
        failures += cushim_event_release(start) != CUDA_SUCCESS;
        failures += cushim_event_release(end) != CUDA_SUCCESS;
    }
    EQUAL(0, failures);
    EQUAL(2, atomic_load(&created));
    EQUAL(0, atomic_load(&destroyed));
    check_counts(pool, 2, 2);
    CHECK(cushim_event_pool_retain(pool) == pool);
    OK(cushim_event_pool_release(pool));
    EQUAL(0, atomic_load(&destroyed));
    OK(cushim_event_pool_release(pool));
    EQUAL(2, atomic_load(&destroyed));
}

CUSHIM_CASE(event_pool_outstanding_and_closed_events_leave)
{
    struct cushim_context *context = begin_counting();
    struct cushim_stream *stream = create_stream(context);
    struct cushim_event *kept = NULL, *closed = NULL;
    struct cushim_event_pool *pool = NULL;
    struct gate gate = GATE;

    OK(cushim_event_pool_create(context, NULL, NULL, &pool));
    OK(cushim_event_pool_acquire(pool, &kept));
    OK(cushim_event_pool_acquire(pool, &closed));
    OK(cushim_event_close(closed));
    OK(cushim_event_release(closed));
    check_counts(pool, 1, 0);
    OK(cushim_event_pool_release(pool));
    gate_shut(&gate, stream_handle(stream));
    OK(cushim_event_record(kept, stream));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(kept));
    gate_open(&gate);
    OK(cushim_event_synchronize(kept));
    OK(cushim_event_release(kept));
    EQUAL(2, atomic_load(&created));
    EQUAL(2, atomic_load(&destroyed));
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

CUSHIM_CASE(event_pool_is_shared_by_threads)
{
    enum { THREADS = 8 };
    struct cushim_context *context = begin_counting();
    pthread_t threads[THREADS];

    shared_stream = create_stream(context);
    OK(cushim_event_pool_create(context, NULL, NULL, &shared_pool));
    for (unsigned i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, use_pool, &shared_pool) != 0)
            fail("a thread cannot be created");
    }
    for (unsigned i = 0; i < THREADS; i++) {
        void *trouble = NULL;

        pthread_join(threads[i], &trouble);
        CHECK(trouble == NULL);
    }
    CHECK(atomic_load(&created) <= THREADS);
    check_counts(shared_pool, atomic_load(&created), atomic_load(&created));
    OK(cushim_event_pool_release(shared_pool));
}
