/* SPDX-License-Identifier: Apache-2.0 */
/* Events over time: unrecorded, pending, done, recorded again, destroyed. Statements 23-29, 33. */
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "gate.h"

enum { WORK_MS = 40 };

static void unrecorded_event_is_done(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *event = begin_event(context);

    CHECK(!cushim_event_is_recorded(event));
    OK(cushim_event_query(event));
    OK(cushim_event_synchronize(event));
    OK(cushim_event_wait_for(event, 0));
    OK(cushim_stream_wait_event(stream, event, 0));
    OK(cushim_stream_synchronize(stream));
}

static void gated_event_is_pending_and_then_done(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *event = begin_event(context);
    struct gate gate = GATE;

    gate_shut(&gate, stream);
    OK(cushim_event_record(event, stream));
    CHECK(cushim_event_is_recorded(event));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(event));
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(stream));
    gate_open(&gate);
    OK(cushim_event_synchronize(event));
    OK(cushim_event_query(event));
    detail("600, then 0");
}

static void newest_record_counts(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *busy = begin_stream(context), *idle = begin_stream(context);
    struct cushim_event *event = begin_event(context);
    struct gate gate = GATE;

    gate_shut(&gate, busy);
    OK(cushim_event_record(event, busy));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(event));
    OK(cushim_event_record(event, idle));
    OK(cushim_stream_synchronize(idle));
    OK(cushim_event_query(event));
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(busy));
    gate_open(&gate);
    OK(cushim_stream_synchronize(busy));
}

static void waiter_keeps_the_record_that_it_found(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *busy = begin_stream(context), *idle = begin_stream(context);
    struct cushim_stream *waiter = begin_stream(context);
    struct cushim_event *event = begin_event(context), *after = begin_event(context);
    struct gate gate = GATE;

    gate_shut(&gate, busy);
    OK(cushim_event_record(event, busy));
    OK(cushim_stream_wait_event(waiter, event, 0));
    OK(cushim_event_record(after, waiter));
    OK(cushim_event_record(event, idle));
    OK(cushim_event_synchronize(event));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(after));
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(waiter));
    gate_open(&gate);
    OK(cushim_event_synchronize(after));
}

static void later_work_changes_nothing(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *event = begin_event(context);
    struct gate gate = GATE;

    OK(cushim_event_record(event, stream));
    gate_shut(&gate, stream);
    OK(cushim_event_query(event));
    OK(cushim_event_synchronize(event));
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(stream));
    gate_open(&gate);
    OK(cushim_stream_synchronize(stream));
}

static void destroyed_event_still_holds_its_waiters(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *busy = begin_stream(context), *waiter = begin_stream(context);
    struct cushim_event *event = begin_event(context), *after = begin_event(context);
    struct gate gate = GATE;
    uint64_t before, took;

    gate_shut(&gate, busy);
    OK(cushim_event_record(event, busy));
    OK(cushim_stream_wait_event(waiter, event, 0));
    OK(cushim_event_record(after, waiter));
    before = now_ns();
    OK(cushim_event_release(event));
    took = now_ns() - before;
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(after));
    gate_open(&gate);
    OK(cushim_event_synchronize(after));
    OK(cushim_stream_query(busy));
    detail("release of a pending event took %.1f us", (double)took / 1e3);
}

static void released_stream_finishes_its_work(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *event = begin_event(context);
    struct gate gate = GATE;
    uint64_t before, took;

    gate_shut(&gate, stream);
    OK(cushim_event_record(event, stream));
    before = now_ns();
    OK(cushim_stream_release(stream));
    took = now_ns() - before;
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(event));
    gate_open(&gate);
    OK(cushim_event_synchronize(event));
    OK(cushim_event_query(event));
    detail("release of a busy stream took %.1f us", (double)took / 1e3);
}

/* The share of a wait of WORK_MS that the waiting thread has spent on the processor. */
static double busy_share(struct cushim_context *context, bool blocking_sync)
{
    const struct cushim_event_options options = {
        .size = sizeof options,
        .blocking_sync = blocking_sync,
    };
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *event = NULL;
    struct gate gate = GATE;
    struct opener opener;
    uint64_t wall, busy;

    OK(cushim_event_create(&event, context, &options));
    gate_shut(&gate, stream);
    OK(cushim_event_record(event, stream));
    opener_start(&opener, &gate, WORK_MS);
    wall = now_ns();
    busy = thread_ns();
    OK(cushim_event_synchronize(event));
    busy = thread_ns() - busy;
    wall = now_ns() - wall;
    opener_join(&opener);
    OK(cushim_event_query(event));
    OK(cushim_event_release(event));
    OK(cushim_stream_release(stream));
    return (double)busy / (double)wall;
}

static void blocking_sync_lets_the_thread_sleep(void)
{
    const struct cushim_context_options options = {
        .size = sizeof options,
        .flags = CU_CTX_SCHED_BLOCKING_SYNC,
    };
    struct cushim_context *context = begin_context(), *blocking = NULL;
    double spinning = busy_share(context, false), sleeping = busy_share(context, true);

    OK(cushim_context_create(&blocking, begin_device(), &options));
    detail("processor share while waiting: %.0f %% without, %.0f %% with blocking_sync, %.0f %% "
           "without in a context with the flag",
           100 * spinning, 100 * sleeping, 100 * busy_share(blocking, false));
    CHECK(sleeping < 0.5);
}

static void wait_for_gives_up_and_succeeds(void)
{
    enum { PATIENCE_NS = 5000000 };
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *event = begin_event(context);
    struct gate gate = GATE;
    struct opener opener;
    uint64_t before, took, busy;

    gate_shut(&gate, stream);
    OK(cushim_event_record(event, stream));
    CODE(CUDA_ERROR_TIMEOUT, cushim_event_wait_for(event, 0));
    before = now_ns();
    CODE(CUDA_ERROR_TIMEOUT, cushim_event_wait_for(event, PATIENCE_NS));
    took = now_ns() - before;
    CHECK(took >= PATIENCE_NS);
    detail("gave up after %.2f ms of 5", (double)took / 1e6);
    opener_start(&opener, &gate, WORK_MS);
    busy = thread_ns();
    OK(cushim_event_wait_for(event, UINT64_MAX));
    busy = thread_ns() - busy;
    opener_join(&opener);
    OK(cushim_event_query(event));
    OK(cushim_event_wait_for(event, 0));
    detail("then waited %d ms with %.2f ms of processor", WORK_MS, (double)busy / 1e6);
}

const struct gpu_case event_state_cases[] = {
    {"event_23_unrecorded_is_done", unrecorded_event_is_done},
    {"event_24_gated_is_pending_and_then_done", gated_event_is_pending_and_then_done},
    {"event_25_newest_record_counts", newest_record_counts},
    {"event_26_waiter_keeps_the_record_that_it_found", waiter_keeps_the_record_that_it_found},
    {"event_27_later_work_changes_nothing", later_work_changes_nothing},
    {"event_28_destroyed_still_holds_its_waiters", destroyed_event_still_holds_its_waiters},
    {"event_29_outlives_its_stream", released_stream_finishes_its_work},
    {"event_33_blocking_sync_lets_the_thread_sleep", blocking_sync_lets_the_thread_sleep},
    {"event_wait_for_gives_up_and_succeeds", wait_for_gives_up_and_succeeds},
    {NULL, NULL},
};
