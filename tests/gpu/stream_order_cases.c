/* SPDX-License-Identifier: Apache-2.0 */
/* The order between streams. Statements 54, 55, 81. */
#include <stdatomic.h>

#include "begin.h"
#include "cases.h"
#include "check.h"
#include "gate.h"

/* A mark that a stream leaves when it comes to it: its place among all marks, from 1 on. */
static atomic_uint marks;

static void CUDA_CB leave_mark(void *data)
{
    *(unsigned *)data = atomic_fetch_add(&marks, 1) + 1;
}

static void mark(struct cushim_stream *stream, unsigned *place)
{
    OK(cushim_stream_launch_host_function(stream, leave_mark, place));
}

static struct cushim_stream *begin_blocking(struct cushim_context *context)
{
    const struct cushim_stream_options options = {.size = sizeof options, .blocking = true};
    struct cushim_stream *stream = NULL;

    OK(cushim_stream_create(&stream, context, &options));
    return stream;
}

static void legacy_stream_and_blocking_streams_wait_for_each_other(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *blocking = begin_blocking(context), *free = begin_stream(context);
    struct cushim_event *held = begin_event(context), *passed = begin_event(context);
    struct gate first = GATE, second = GATE, third = GATE;

    make_current(context);
    gate_shut(&first, free);
    OK(cushim_stream_query(cushim_stream_legacy())); /* takes no notice of a non-blocking one */
    gate_open(&first);
    OK(cushim_stream_synchronize(free));

    gate_shut(&second, blocking);
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(cushim_stream_legacy()));
    OK(cushim_stream_query(cushim_stream_per_thread()));
    gate_open(&second);
    OK(cushim_stream_synchronize(cushim_stream_legacy()));
    OK(cushim_stream_query(blocking));

    gate_shut(&third, cushim_stream_legacy());
    OK(cushim_event_record(held, blocking));
    OK(cushim_event_record(passed, free));
    OK(cushim_event_synchronize(passed));
    CODE(CUDA_ERROR_NOT_READY, cushim_event_query(held));
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(blocking));
    gate_open(&third);
    OK(cushim_event_synchronize(held));
}

/* `waiter` waits for what `worker` had to do, by `order`. */
static void check_order(struct cushim_stream *worker, struct cushim_stream *waiter,
                        void (*order)(struct cushim_stream *worker, struct cushim_stream *waiter))
{
    unsigned work = 0, after = 0;
    struct gate gate = GATE;

    gate_shut(&gate, worker);
    mark(worker, &work);
    order(worker, waiter);
    mark(waiter, &after);
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(waiter));
    CODE(CUDA_ERROR_TIMEOUT, cushim_stream_wait_for(waiter, 1000000));
    gate_open(&gate);
    OK(cushim_stream_synchronize(waiter));
    CHECK(work > 0 && after > work);
}

static void by_event(struct cushim_stream *worker, struct cushim_stream *waiter)
{
    struct cushim_event *event = begin_untimed(cushim_stream_context(worker));

    OK(cushim_stream_record(worker, event));
    OK(cushim_stream_wait_event(waiter, event, 0));
    OK(cushim_event_release(event));
}

static void by_stream(struct cushim_stream *worker, struct cushim_stream *waiter)
{
    OK(cushim_stream_wait_stream(waiter, worker));
}

static void stream_waits_for_an_event(void)
{
    struct cushim_context *context = begin_context();

    check_order(begin_stream(context), begin_stream(context), by_event);
}

static void stream_waits_for_a_stream(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);

    check_order(begin_stream(context), stream, by_stream);
    OK(cushim_stream_wait_stream(stream, begin_stream(context))); /* an idle one */
    OK(cushim_stream_wait_stream(stream, stream));
    OK(cushim_stream_synchronize(stream));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_stream_wait_stream(stream, cushim_stream_legacy()));
    make_current(context);
    check_order(cushim_stream_per_thread(), stream, by_stream);
}

static void waits_work_across_contexts(void)
{
    struct cushim_context *one = begin_context(), *other = begin_other_context();

    check_order(begin_stream(one), begin_stream(other), by_event);
    check_order(begin_stream(other), begin_stream(one), by_event);
    check_order(begin_stream(one), begin_stream(other), by_stream);
    make_current(other);
    check_order(begin_stream(one), begin_stream(other), by_stream);
    CHECK(current_context() == raw_context(other));
    detail("wait for an event and for a stream of another context: 0, and the work waited");
}

static void two_devices_order_but_do_not_time(void)
{
    struct cushim_context *one = begin_context(), *other = NULL;
    struct cushim_stream *stream, *far_stream;
    struct cushim_event *event, *far_event;
    CUdevice device;
    int count = 0;
    float ms = -7;

    OK(cushim_device_count(&count));
    if (count < 2)
        skip("one device");
    OK(cushim_device_get(&device, 1));
    OK(cushim_context_retain_primary(&other, device));
    stream = begin_stream(one);
    far_stream = begin_stream(other);
    event = begin_event(one);
    far_event = begin_event(other);
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_record(event, far_stream));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_record(far_event, stream));
    check_order(stream, far_stream, by_event);
    check_order(far_stream, stream, by_stream);
    OK(cushim_event_record(event, stream));
    OK(cushim_event_record(far_event, far_stream));
    OK(cushim_event_synchronize(event));
    OK(cushim_event_synchronize(far_event));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_elapsed(event, far_event, &ms));
    CHECK(ms == -7);
}

const struct gpu_case stream_order_cases[] = {
    {"order_54_legacy_and_blocking_streams",
     legacy_stream_and_blocking_streams_wait_for_each_other},
    {"order_stream_waits_for_an_event", stream_waits_for_an_event},
    {"order_stream_waits_for_a_stream", stream_waits_for_a_stream},
    {"order_55_waits_work_across_contexts", waits_work_across_contexts},
    {"order_81_two_devices", two_devices_order_but_do_not_time},
    {NULL, NULL},
};
