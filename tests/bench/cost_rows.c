/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of `cost` and their ways: the modules through cushim's functions, the driver's own, and
 * the table. With COST_EVERYTHING also threads that call at once, an event that is queried through
 * a layer, and calls of a mock next to the driver.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "cost.h"

static CUresult make_by_module(void)
{
    struct cushim_event *event = NULL;
    CUresult code = cushim_event_create(cost_context, NULL, &event);

    return code != CUDA_SUCCESS ? code : cushim_event_release(event);
}

static CUresult make_by_pool(void)
{
    struct cushim_event *event = NULL;
    CUresult code = cushim_event_pool_acquire(cost_pool, &event);

    return code != CUDA_SUCCESS ? code : cushim_event_release(event);
}

static inline CUresult make_by_pointer(void)
{
    CUevent event = NULL;
    CUresult code = cost_raw.event_create(&event, 0);

    return code != CUDA_SUCCESS ? code : cost_raw.event_destroy(event);
}

static CUresult make_stream_by_module(void)
{
    struct cushim_stream *stream = NULL;
    CUresult code = cushim_stream_create(cost_context, NULL, &stream);

    return code != CUDA_SUCCESS ? code : cushim_stream_release(stream);
}

static inline CUresult make_stream_by_pointer(void)
{
    CUstream stream = NULL;
    CUresult code = cost_raw.stream_create(&stream, CU_STREAM_NON_BLOCKING, 0);

    return code != CUDA_SUCCESS ? code : cost_raw.stream_destroy(stream);
}

/* By hand, with another context current. */
static CUresult make_pushed(CUresult (*make)(void))
{
    CUcontext popped;
    CUresult code = cost_raw.context_push(cost_context_handle);

    if (code == CUDA_SUCCESS)
        code = make();
    return code == CUDA_SUCCESS ? cost_raw.context_pop(&popped) : code;
}

static void begin_other(void)
{
    if (!cost_other)
        cost_note(cushim_context_create(0, NULL, &cost_other));
    cost_note(cushim_context_make_current(cost_other));
}

static void end_other(void)
{
    cost_note(cushim_context_make_current(cost_context));
}

COST_TIMED(module_query, cushim_event_query(cost_end))
COST_TIMED(raw_query, cost_raw.event_query(cost_end_handle))
COST_TIMED(table_query, cushim_driver()->EventQuery(cost_end_handle))
COST_TIMED(module_record, cushim_event_record(cost_end, cost_stream))
COST_TIMED(raw_record, cost_raw.event_record(cost_end_handle, cost_stream_handle))
COST_TIMED(table_record, cushim_driver()->EventRecord(cost_end_handle, cost_stream_handle))
COST_TIMED(module_elapsed, cushim_event_get_elapsed(cost_start, cost_end, &cost_ms))
COST_TIMED(raw_elapsed, cost_raw.event_elapsed(&cost_ms, cost_start_handle, cost_end_handle))
COST_TIMED(table_elapsed,
           cushim_driver()->EventElapsedTime_v2(&cost_ms, cost_start_handle, cost_end_handle))
COST_TIMED(old_elapsed, cost_raw.event_elapsed_old(&cost_ms, cost_start_handle, cost_end_handle))
COST_TIMED(module_synchronize, cushim_event_synchronize(cost_end))
COST_TIMED(raw_synchronize, cost_raw.event_synchronize(cost_end_handle))
COST_TIMED(table_synchronize, cushim_driver()->EventSynchronize(cost_end_handle))
COST_TIMED(module_idle, cushim_stream_query(cost_stream))
COST_TIMED(raw_idle, cost_raw.stream_query(cost_stream_handle))
COST_TIMED(table_idle, cushim_driver()->StreamQuery(cost_stream_handle))
COST_TIMED(module_wait, cushim_stream_wait_event(cost_stream, cost_end))
COST_TIMED(raw_wait, cost_raw.stream_wait_event(cost_stream_handle, cost_end_handle, 0))
COST_TIMED(table_wait, cushim_driver()->StreamWaitEvent(cost_stream_handle, cost_end_handle, 0))
COST_TIMED(module_make, make_by_module())
COST_TIMED(pool_make, make_by_pool())
COST_TIMED(raw_make, make_by_pointer())
COST_TIMED(pushed_make, make_pushed(make_by_pointer))
COST_TIMED(module_make_stream, make_stream_by_module())
COST_TIMED(raw_make_stream, make_stream_by_pointer())
COST_TIMED(pushed_make_stream, make_pushed(make_stream_by_pointer))

#define WAYS(call)                                                                \
    {.name = "module", .run = module_##call}, {.name = "raw", .run = raw_##call}, \
    {                                                                             \
        .name = "table", .run = table_##call                                      \
    }

const struct cost_row cost_modules[] = {
    {.name = "event-query", .ways = {WAYS(query)}},
    {.name = "event-record", .ways = {WAYS(record)}, .queues = true},
    {.name = "event-synchronize", .ways = {WAYS(synchronize)}},
    {.name = "event-elapsed", .ways = {WAYS(elapsed), {.name = "old", .run = old_elapsed}}},
    {.name = "stream-wait", .ways = {WAYS(wait)}, .queues = true},
    {.name = "stream-query", .ways = {WAYS(idle)}},
    {.name = "event-pair",
     .ways = {{.name = "pool", .run = pool_make},
              {.name = "raw", .run = raw_make},
              {.name = "module", .run = module_make}}},
    {.name = "stream-pair",
     .ways = {{.name = "module", .run = module_make_stream},
              {.name = "raw", .run = raw_make_stream}}},
    {.name = "event-pair-other",
     .ways = {{"module", module_make, begin_other, end_other},
              {"raw", pushed_make, begin_other, end_other}}},
    {.name = "stream-pair-other",
     .ways = {{"module", module_make_stream, begin_other, end_other},
              {"raw", pushed_make_stream, begin_other, end_other}}},
    {.name = NULL},
};

#ifdef COST_EVERYTHING
#include <cushim/testing/layer.h>
#include <cushim/testing/mock.h>
#include <cushim/testing/recording.h>

/*
 * Threads that call at once, through the table and through a plain pointer. The time of a call is
 * the average over the threads.
 */
enum { MOST_THREADS = 64 };

struct caller {
    pthread_t thread;
    pthread_barrier_t *barrier;
    CUresult (*calls)(unsigned count);
    unsigned count;
    double ns;
    CUresult code;
};

static CUresult by_table(unsigned count)
{
    unsigned codes = 0;

    for (unsigned i = 0; i < count; i++)
        codes |= (unsigned)cushim_driver()->EventQuery(cost_end_handle);
    return (CUresult)codes;
}

static CUresult by_pointer(unsigned count)
{
    unsigned codes = 0;

    for (unsigned i = 0; i < count; i++)
        codes |= (unsigned)cost_raw.event_query(cost_end_handle);
    return (CUresult)codes;
}

static void *call(void *data)
{
    struct caller *caller = data;
    double start;

    caller->code = cushim_driver()->CtxSetCurrent(cost_context_handle);
    pthread_barrier_wait(caller->barrier);
    start = cost_now_ns();
    if (caller->code == CUDA_SUCCESS)
        caller->code = caller->calls(caller->count);
    caller->ns = cost_now_ns() - start;
    return NULL;
}

static double call_at_once(CUresult (*calls)(unsigned count), unsigned count)
{
    struct caller callers[MOST_THREADS];
    double sum = 0;
    pthread_barrier_t barrier;

    pthread_barrier_init(&barrier, NULL, cost_thread_count);
    for (unsigned i = 0; i < cost_thread_count; i++) {
        callers[i] = (struct caller){.barrier = &barrier, .calls = calls, .count = count};
        if (pthread_create(&callers[i].thread, NULL, call, &callers[i]) != 0)
            abort(); /* the other threads would wait at the barrier for ever */
    }
    for (unsigned i = 0; i < cost_thread_count; i++) {
        pthread_join(callers[i].thread, NULL);
        cost_note(callers[i].code);
        sum += callers[i].ns;
    }
    pthread_barrier_destroy(&barrier);
    return sum / (double)cost_thread_count / (double)count;
}

static double by_table_at_once(unsigned count)
{
    return call_at_once(by_table, count);
}

static double raw_at_once(unsigned count)
{
    return call_at_once(by_pointer, count);
}

#define THREADS_ROW(number)                                                                        \
    {                                                                                              \
        .name = "threads-" #number,                                                                \
        .ways = {{.name = "table", .run = by_table_at_once}, {.name = "raw", .run = raw_at_once}}, \
        .threads = number                                                                          \
    }

const struct cost_row cost_threads[] = {
    THREADS_ROW(1),  THREADS_ROW(2),  THREADS_ROW(4),  THREADS_ROW(8),
    THREADS_ROW(16), THREADS_ROW(32), THREADS_ROW(64), {.name = NULL},
};

/* A query of an event through an installed layer, with different subscribers. */
static struct cushim_layer *layer;

static void begin_idle(void)
{
    cost_note(cushim_layer_create(NULL, &layer));
    cost_note(cushim_layer_install(layer));
}

static void begin_recording(void)
{
    begin_idle();
    cost_note(cushim_recording_start(layer, 0));
}

static void begin_rules(void)
{
    begin_idle();
    cost_note(cushim_fault_add_rules(
        layer, "cuMemAlloc*:p=0.5 => out_of_memory\ncuGraph* => missing\n", NULL, 0));
}

/* The rule matches the function, but fires only at a later call. */
static void begin_fault(void)
{
    begin_idle();
    cost_note(cushim_fault_add_rules(
        layer, "cuEventQuery:nth=18446744073709551615 => return(UNKNOWN)", NULL, 0));
}

static void end_layer(void)
{
    cushim_layer_destroy(layer);
}

COST_TIMED(layer_query, cushim_driver()->EventQuery(cost_end_handle))

const struct cost_row cost_layer[] = {
    {.name = "layer",
     .ways = {{"none", layer_query, NULL, NULL},
              {"idle", layer_query, begin_idle, end_layer},
              {"rules", layer_query, begin_rules, end_layer},
              {"recording", layer_query, begin_recording, end_layer},
              {"fault", layer_query, begin_fault, end_layer}}},
    {.name = NULL},
};

/* Calls of the mock, the same as the driver's on similar objects. */
static struct cushim_mock *mock;
static const struct cushim_table *mock_table;
static CUcontext mock_context;
static CUstream mock_stream;
static CUevent mock_start, mock_end;

static void begin_mock(void)
{
    const struct cushim_mock_options options = {.size = sizeof options, .settings = "mode = auto"};

    cost_note(cushim_mock_create(&options, &mock));
    mock_table = cushim_mock_table(mock);
    cost_note(mock_table->Init(0));
    cost_note(mock_table->DevicePrimaryCtxRetain(&mock_context, 0));
    cost_note(mock_table->CtxSetCurrent(mock_context));
    cost_note(mock_table->StreamCreate(&mock_stream, CU_STREAM_NON_BLOCKING));
    cost_note(mock_table->EventCreate(&mock_start, CU_EVENT_DEFAULT));
    cost_note(mock_table->EventCreate(&mock_end, CU_EVENT_DEFAULT));
    cost_note(mock_table->EventRecord(mock_start, mock_stream));
    cost_note(mock_table->EventRecord(mock_end, mock_stream));
    cost_note(mock_table->StreamSynchronize(mock_stream));
}

static void end_mock(void)
{
    cost_note(mock_table->EventDestroy_v2(mock_start));
    cost_note(mock_table->EventDestroy_v2(mock_end));
    cost_note(mock_table->StreamDestroy_v2(mock_stream));
    cost_note(mock_table->DevicePrimaryCtxRelease_v2(0));
    cost_note(cushim_mock_destroy(mock));
}

static CUresult make_on_mock(void)
{
    CUevent event = NULL;
    CUresult code = mock_table->EventCreate(&event, 0);

    return code != CUDA_SUCCESS ? code : mock_table->EventDestroy_v2(event);
}

COST_TIMED(mock_query, mock_table->EventQuery(mock_end))
COST_TIMED(mock_record, mock_table->EventRecord(mock_end, mock_stream))
COST_TIMED(mock_synchronize, mock_table->EventSynchronize(mock_start))
COST_TIMED(mock_elapsed, mock_table->EventElapsedTime_v2(&cost_ms, mock_start, mock_end))
COST_TIMED(mock_wait, mock_table->StreamWaitEvent(mock_stream, mock_start, 0))
COST_TIMED(mock_idle, mock_table->StreamQuery(mock_stream))
COST_TIMED(mock_make, make_on_mock())

#define ON_MOCK(call)                                \
    {                                                \
        {"mock", mock_##call, begin_mock, end_mock}, \
        {                                            \
            .name = "raw", .run = raw_##call         \
        }                                            \
    }

const struct cost_row cost_mock[] = {
    {.name = "mock-event-query", .ways = ON_MOCK(query)},
    {.name = "mock-event-record", .ways = ON_MOCK(record), .queues = true},
    {.name = "mock-event-synchronize", .ways = ON_MOCK(synchronize)},
    {.name = "mock-event-elapsed", .ways = ON_MOCK(elapsed)},
    {.name = "mock-stream-wait", .ways = ON_MOCK(wait), .queues = true},
    {.name = "mock-stream-query", .ways = ON_MOCK(idle)},
    {.name = "mock-event-pair", .ways = ON_MOCK(make)},
    {.name = NULL},
};
#endif
