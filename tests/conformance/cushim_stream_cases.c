/* SPDX-License-Identifier: Apache-2.0 */
/* cushim's module for streams on a driver, also during captures. */
#include <stdatomic.h>

#include "../support/event_info.h"
#include "cases.h"
#include "graph.h"

enum { PATIENCE_NS = 5000000 };

CUSHIM_CASE(stream_is_non_blocking_unless_asked)
{
    static const struct cushim_stream_options asked = {
        .size = sizeof asked, .sync_with_legacy = true, .priority = -1000};
    struct cushim_context *context = retain_primary();
    struct cushim_stream *stream = create_stream(context), *other = NULL;
    int least = 99, greatest = 99, priority = 99;
    unsigned flags = 99;

    OK(cu->StreamGetFlags(stream_handle(stream), &flags));
    EQUAL(CU_STREAM_NON_BLOCKING, flags);
    OK(cu->StreamGetPriority(stream_handle(stream), &priority));
    EQUAL(0, priority);
    CHECK(stream_context(stream) == context);
    OK(cushim_stream_create(context, &asked, &other));
    OK(cu->StreamGetFlags(stream_handle(other), &flags));
    EQUAL(CU_STREAM_DEFAULT, flags);
    OK(cushim_device_get_stream_priority_range(load_device(), &least, &greatest));
    OK(cu->StreamGetPriority(stream_handle(other), &priority));
    EQUAL(greatest, priority);
    CHECK(current_context() == NULL);
}

CUSHIM_CASE(stream_defaults_are_constants)
{
    struct cushim_stream *const streams[] = {cushim_stream_legacy(), cushim_stream_per_thread()};
    struct cushim_context *context = retain_primary();
    struct cushim_event *made = NULL;

    for (size_t i = 0; i < 2; i++) { /* no context is current */
        CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_stream_query(streams[i]));
        CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_stream_synchronize(streams[i]));
        CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_event_create_recorded(streams[i], NULL, &made));
    }
    CHECK(made == NULL);
    MUST(cushim_context_make_current(context));
    for (size_t i = 0; i < 2; i++) {
        CHECK(cushim_stream_retain(streams[i]) == streams[i]);
        OK(cushim_stream_release(streams[i]));
        OK(cushim_stream_release(streams[i]));
        OK(cushim_stream_close(streams[i]));
        OK(cushim_stream_query(streams[i]));
        OK(cushim_stream_synchronize(streams[i]));
    }
}

CUSHIM_CASE(stream_wrapped_is_not_destroyed)
{
    struct cushim_context *context = retain_primary(), *other = create_context();
    struct cushim_stream *owner = create_stream(context), *wrapped = NULL;
    CUdevice device = -5;

    OK(cushim_stream_wrap(stream_handle(owner), NULL, &wrapped));
    CHECK(stream_context(wrapped) == NULL);
    MUST(cushim_context_make_current(other));
    OK(cushim_stream_get_device(wrapped, &device)); /* the driver's own device */
    EQUAL(load_device(), device);
    device = -5;
    OK(cushim_stream_get_device(cushim_stream_per_thread(), &device));
    EQUAL(load_device(), device);
    CHECK(current_context() == context_handle(other));
    OK(cushim_stream_release(wrapped));
    OK(cushim_stream_query(owner));
    OK(cushim_stream_close(owner));
    OK(cushim_stream_close(owner));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_query(owner));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_synchronize(owner));
    OK(cushim_stream_release(owner));
}

CUSHIM_CASE(stream_synchronize_for_gives_up_and_succeeds)
{
    struct cushim_stream *stream = create_stream(retain_primary());
    struct gate gate = GATE;
    struct opener opener;
    uint64_t before;

    gate_shut(&gate, stream_handle(stream));
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(stream));
    CODE(CUDA_ERROR_TIMEOUT, cushim_stream_synchronize_for(stream, 0));
    before = now_ns();
    CODE(CUDA_ERROR_TIMEOUT, cushim_stream_synchronize_for(stream, PATIENCE_NS));
    CHECK(now_ns() - before >= PATIENCE_NS);
    opener_start(&opener, &gate, 10);
    OK(cushim_stream_synchronize_for(stream, UINT64_MAX));
    opener_join(&opener);
    OK(cushim_stream_synchronize(stream));
    OK(cushim_stream_synchronize_for(stream, 0));
}

/* Host functions that record the order of their calls, counted from 1. */
static atomic_uint called;

static void CUDA_CB take_place(void *data)
{
    *(unsigned *)data = atomic_fetch_add(&called, 1) + 1;
}

/* `waiter` must wait for the work of `worker` after the call of `order`. */
static void check_order(struct cushim_stream *worker, struct cushim_stream *waiter,
                        void (*order)(struct cushim_stream *worker, struct cushim_stream *waiter))
{
    unsigned work = 0, after = 0;
    struct gate gate = GATE;

    gate_shut(&gate, stream_handle(worker));
    OK(cushim_stream_launch_host_function(worker, take_place, &work));
    order(worker, waiter);
    OK(cushim_stream_launch_host_function(waiter, take_place, &after));
    CODE(CUDA_ERROR_NOT_READY, cushim_stream_query(waiter));
    CODE(CUDA_ERROR_TIMEOUT, cushim_stream_synchronize_for(waiter, 1000000));
    gate_open(&gate);
    OK(cushim_stream_synchronize(waiter));
    CHECK(work > 0 && after > work);
}

static void by_event(struct cushim_stream *worker, struct cushim_stream *waiter)
{
    struct cushim_event *event = create_event(stream_context(worker));

    OK(cushim_event_record(event, worker));
    OK(cushim_stream_wait_event(waiter, event));
    OK(cushim_event_release(event));
}

static void by_stream(struct cushim_stream *worker, struct cushim_stream *waiter)
{
    OK(cushim_stream_wait_stream(waiter, worker));
}

CUSHIM_CASE(stream_waits_for_events_and_streams)
{
    struct cushim_context *context = retain_primary();
    struct cushim_stream *stream = create_stream(context);

    check_order(create_stream(context), stream, by_event);
    check_order(create_stream(context), stream, by_stream);
    OK(cushim_stream_wait_stream(stream, create_stream(context))); /* an idle stream */
    OK(cushim_stream_wait_stream(stream, stream));
    OK(cushim_stream_synchronize(stream));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_stream_wait_stream(stream, cushim_stream_legacy()));
    MUST(cushim_context_make_current(context));
    check_order(cushim_stream_per_thread(), stream, by_stream);
}

CUSHIM_CASE(stream_waits_across_contexts)
{
    struct cushim_context *one = retain_primary(), *other = create_context();

    check_order(create_stream(one), create_stream(other), by_event);
    check_order(create_stream(other), create_stream(one), by_event);
    check_order(create_stream(one), create_stream(other), by_stream);
    MUST(cushim_context_make_current(other));
    check_order(create_stream(one), create_stream(other), by_stream);
    CHECK(current_context() == context_handle(other));
}

TWO_DEVICES_CASE(cushim, stream_waits_across_devices, CUSHIM)
{
    struct cushim_context *one = retain_primary(), *other = NULL;
    struct cushim_stream *near, *far;
    CUdevice device;
    int count = 0;

    MUST(cu->DeviceGetCount(&count));
    if (count < 2)
        skip("one device");
    MUST(cu->DeviceGet(&device, 1));
    MUST(cushim_context_retain_primary(device, &other));
    near = create_stream(one);
    far = create_stream(other);
    check_order(near, far, by_event);
    check_order(far, near, by_stream);
}

/* Calls that need a context work with a default stream of a context. */
CUSHIM_CASE(stream_default_of_a_context_works_in_it)
{
    struct cushim_context *context = retain_primary();
    struct cushim_stream *bound = NULL;
    CUdevice device = -5;
    unsigned place = 0;

    OK(cushim_stream_wrap(NULL, context, &bound));
    OK(cushim_stream_query(bound));
    OK(cushim_stream_launch_host_function(bound, take_place, &place));
    OK(cushim_stream_synchronize(bound));
    EQUAL(1, place);
    OK(cushim_stream_get_device(bound, &device));
    EQUAL(load_device(), device);
    OK(cushim_stream_release(bound));
    CHECK(current_context() == NULL);
}

/* Neither cushim's functions nor the driver's need one. */
CUSHIM_CASE(stream_created_needs_no_current_context)
{
    struct cushim_context *context = retain_primary();
    struct cushim_stream *stream = create_stream(context);
    const CUstream handle = stream_handle(stream), copy = stream_handle(create_stream(context));
    CUstreamAttrValue value = {.syncPolicy = CU_SYNC_POLICY_BLOCKING_SYNC};
    unsigned long long id = 0, other_id = 0;
    CUcontext found = NULL;
    CUdevice device = -5;
    struct latch word;

    make_current(context_handle(context));
    word = begin_latch();
    make_current(NULL);
    OK(cu->StreamWriteValue32_v2(handle, word.device, 77, CU_STREAM_WRITE_VALUE_DEFAULT));
    OK(cu->StreamWaitValue32_v2(handle, word.device, 77, CU_STREAM_WAIT_VALUE_EQ));
    OK(cu->StreamWriteValue64_v2(handle, word.device, (cuuint64_t)3 << 32, 0));
    OK(cu->StreamWaitValue64_v2(handle, word.device, (cuuint64_t)3 << 32, 0));
    OK(cushim_stream_synchronize(stream));
    CHECK(*word.host == (cuuint64_t)3 << 32);
    OK(cu->StreamSetAttribute(handle, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    OK(cu->StreamCopyAttributes(copy, handle));
    value.syncPolicy = CU_SYNC_POLICY_SPIN;
    OK(cu->StreamGetAttribute(copy, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    EQUAL(CU_SYNC_POLICY_BLOCKING_SYNC, value.syncPolicy);
    OK(cu->StreamGetId(handle, &id));
    OK(cu->StreamGetId(copy, &other_id));
    CHECK(id != other_id);
    OK(cu->StreamGetCtx(handle, &found));
    CHECK(found == context_handle(context));
    OK(cushim_stream_get_device(stream, &device));
    EQUAL(load_device(), device);
    CHECK(current_context() == NULL);
}

/* Any query of a captured stream invalidates the capture; a release is no query. */
CUSHIM_CASE(stream_synchronize_for_invalidates_a_capture)
{
    struct cushim_stream *stream = create_stream(retain_primary());

    capture_begin(stream_handle(stream), GLOBAL);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cushim_stream_synchronize_for(stream, 0));
    capture_invalidated(stream_handle(stream));
    OK(cushim_stream_query(stream));
    capture_begin(stream_handle(stream), GLOBAL);
    OK(cushim_stream_release(stream));
}

/* The creation temporarily changes the current context, which does not affect a capture. */
CUSHIM_CASE(stream_capture_allows_objects_to_be_created)
{
    static const struct cushim_event_options sharing = {
        .size = sizeof sharing, .disable_timing = true, .interprocess = true};
    struct cushim_context *context = retain_primary();
    struct cushim_stream *stream = create_stream(context), *other = create_stream(context);
    struct cushim_event *outside = create_event(context), *inside = create_event(context);
    struct cushim_event *shared = NULL;
    CUipcEventHandle handle;

    MUST(cushim_event_create(context, &sharing, &shared));
    for (int i = 0; i < CAPTURE_MODES; i++) {
        capture_begin(stream_handle(stream), capture_modes[i]);
        OK(cushim_event_release(create_event(context)));
        OK(cushim_stream_release(create_stream(context)));
        OK(cushim_event_export(shared, &handle));
        OK(cushim_event_record(outside, other));
        OK(cu->EventRecordWithFlags(event_handle(inside), stream_handle(stream),
                                    CU_EVENT_RECORD_EXTERNAL));
        OK(cu->StreamWaitEvent(stream_handle(stream), event_handle(outside),
                               CU_EVENT_WAIT_EXTERNAL));
        capture_end(stream_handle(stream));
    }
    CODE(CUDA_ERROR_ILLEGAL_STATE,
         cu->EventRecordWithFlags(event_handle(inside), stream_handle(stream),
                                  CU_EVENT_RECORD_EXTERNAL));
}

CUSHIM_CASE(stream_wait_stream_forks_and_joins_a_capture)
{
    struct cushim_context *context = retain_primary();
    struct cushim_stream *origin = create_stream(context), *fork = create_stream(context);

    capture_begin(stream_handle(origin), GLOBAL);
    OK(cushim_stream_wait_stream(fork, origin));
    capture_active(stream_handle(fork));
    OK(cushim_stream_launch_host_function(fork, do_nothing, NULL));
    OK(cushim_stream_wait_stream(origin, fork));
    capture_end(stream_handle(origin));
    EQUAL(CU_STREAM_CAPTURE_STATUS_NONE, capture_status(stream_handle(fork)));
}
