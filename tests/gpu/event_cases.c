/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: how they are made, what they know, where they may be recorded. Statements 19-22, 30-32.
 */
#include "begin.h"
#include "cases.h"
#include "check.h"

static const CUstream default_handles[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};

static void create_takes_every_mix_of_options(void)
{
    struct cushim_context *context = begin_context();
    unsigned good = 0, refused = 0;

    for (unsigned mix = 0; mix < 8; mix++) {
        const struct cushim_event_options options = {
            .size = sizeof options,
            .blocking_sync = mix & CU_EVENT_BLOCKING_SYNC,
            .disable_timing = mix & CU_EVENT_DISABLE_TIMING,
            .interprocess = mix & CU_EVENT_INTERPROCESS,
        };
        bool allowed = !options.interprocess || options.disable_timing;
        struct cushim_event *event = NULL;
        unsigned flags = 99;

        CODE(allowed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE,
             cushim_event_create(&event, context, &options));
        good += allowed;
        refused += !allowed;
        if (!allowed)
            continue;
        OK(cushim_event_flags(event, &flags));
        CHECK(flags == mix);
        CHECK(cushim_event_has_timing(event) == !options.disable_timing);
        CHECK(cushim_event_is_blocking_sync(event) == options.blocking_sync);
        CHECK(cushim_event_is_interprocess(event) == options.interprocess);
        OK(cushim_event_release(event));
    }
    CHECK(current_context() == NULL);
    detail("%u mixes created, %u refused", good, refused);
    OK(cushim_context_release(context));
}

static void create_refuses_wrong_arguments(void)
{
    const unsigned bad[] = {8, 9, 16, 0x80000000U};
    struct cushim_context *context = begin_context();
    struct cushim_event *event = NULL;
    CUevent raw = NULL;

    CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_create(NULL, context, NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_create(&event, NULL, NULL));
    make_current(context);
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_driver()->EventCreate(NULL, 0));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CODE(CUDA_ERROR_INVALID_VALUE, cushim_driver()->EventCreate(&raw, bad[i]));
    CHECK(event == NULL && raw == NULL);
}

static void null_and_closed_events_are_refused(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *closed = begin_event(context);
    struct cushim_event *const none[] = {NULL, closed};
    float ms = 5;

    OK(cushim_event_close(closed));
    OK(cushim_event_close(closed));
    CHECK(cushim_event_is_closed(closed));
    for (size_t i = 0; i < 2; i++) {
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_query(none[i]));
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_synchronize(none[i]));
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_wait_for(none[i], 0));
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_record(none[i], stream));
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_record_with_flags(none[i], stream, 0));
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_wait_event(stream, none[i], 0));
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_elapsed(none[i], none[i], &ms));
    }
    CHECK(ms == 5);
    OK(cushim_event_release(closed));

    /* The driver itself. */
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_driver()->EventQuery(NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_driver()->EventSynchronize(NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_driver()->EventDestroy_v2(NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_driver()->EventRecord(NULL, raw_stream(stream)));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_driver()->StreamWaitEvent(raw_stream(stream), NULL, 0));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cushim_driver()->EventRecord(NULL, NULL));
}

static void event_belongs_to_its_context_for_life(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_context *other = begin_other_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *event;
    CUdevice device = -1;

    make_current(other);
    event = begin_event(context);
    CHECK(cushim_event_context(event) == context);
    CHECK(current_context() == raw_context(other));
    OK(cushim_event_record(event, stream));
    OK(cushim_event_synchronize(event));
    OK(cushim_event_device(event, &device));
    CHECK(device == 0);

    /* The event keeps the context alive. */
    OK(cushim_stream_release(stream));
    OK(cushim_context_release(context));
    OK(cushim_event_query(event));
    OK(cushim_event_release(event));
}

static void create_recorded_records_on_any_stream(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *event = NULL;

    CODE(CUDA_ERROR_INVALID_CONTEXT,
         cushim_event_create_recorded(&event, cushim_stream_legacy(), NULL));
    CHECK(event == NULL);
    OK(cushim_event_create_recorded(&event, stream, NULL));
    CHECK(cushim_event_is_recorded(event));
    CHECK(cushim_event_context(event) == context);
    OK(cushim_event_synchronize(event));
    OK(cushim_event_release(event));

    make_current(context);
    OK(cushim_event_create_recorded(&event, cushim_stream_legacy(), NULL));
    OK(cushim_event_synchronize(event));
    OK(cushim_event_release(event));
    OK(cushim_event_create_recorded(&event, cushim_stream_per_thread(), NULL));
    OK(cushim_event_synchronize(event));
    OK(cushim_event_release(event));
    CHECK(current_context() == raw_context(context));
}

static void wrapped_event_is_not_destroyed(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_event *owner = begin_event(context);
    struct cushim_event *wrapped = NULL;
    unsigned flags = 99;

    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_wrap(&wrapped, NULL, NULL, NULL));
    OK(cushim_event_wrap(&wrapped, raw_event(owner), NULL, NULL));
    CHECK(cushim_event_equal(owner, wrapped));
    CHECK(cushim_event_context(wrapped) == NULL);
    CODE(CUDA_ERROR_NOT_SUPPORTED, cushim_event_flags(wrapped, &flags));
    CHECK(flags == 99);
    CHECK(cushim_event_retain(wrapped) == wrapped);
    OK(cushim_event_release(wrapped));
    OK(cushim_event_release(wrapped));
    OK(cushim_event_query(owner));
    OK(cushim_event_release(owner));
}

static void record_across_contexts_is_refused(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_context *other = begin_other_context();
    struct cushim_context *const contexts[] = {context, other, NULL};
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_stream *other_stream = begin_stream(other);
    struct cushim_event *event = begin_event(context);
    struct cushim_event *other_event = begin_event(other);

    for (size_t i = 0; i < 3; i++) {
        make_current(contexts[i]);
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_record(event, other_stream));
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_record(other_event, stream));
        CODE(CUDA_ERROR_INVALID_HANDLE, cushim_stream_record(other_stream, event));
    }
    CHECK(!cushim_event_is_recorded(event) && !cushim_event_is_recorded(other_event));
}

/* The driver refuses to record on its default streams while no context is current. */
static void check_records_without_a_context(struct cushim_event *event)
{
    for (size_t i = 0; i < 3; i++)
        CODE(CUDA_ERROR_INVALID_CONTEXT,
             cushim_driver()->EventRecord(raw_event(event), default_handles[i]));
}

static void default_streams_of_the_events_context_are_meant(void)
{
    struct cushim_context *context = begin_context(), *other;
    struct cushim_event *event = begin_event(context), *foreign = NULL;

    /* The driver refuses in another context, and without any. */
    check_records_without_a_context(event);
    make_current(context);
    OK(cushim_event_record(event, cushim_stream_legacy()));
    make_current(NULL);
    check_records_without_a_context(event);
    other = begin_other_context();
    check_records_without_a_context(event);
    make_current(other);
    for (size_t i = 0; i < 3; i++)
        CODE(CUDA_ERROR_INVALID_HANDLE,
             cushim_driver()->EventRecord(raw_event(event), default_handles[i]));

    /* The module acts in the event's context. */
    OK(cushim_event_record(event, cushim_stream_legacy()));
    OK(cushim_event_record(event, cushim_stream_per_thread()));
    OK(cushim_event_synchronize(event));
    CHECK(current_context() == raw_context(other));
    make_current(NULL);
    OK(cushim_event_record(event, cushim_stream_legacy()));
    OK(cushim_event_record(event, cushim_stream_per_thread()));
    CHECK(current_context() == NULL);
    make_current(other);

    /* Of an event without a context nobody knows: as the driver. */
    OK(cushim_event_wrap(&foreign, raw_event(event), NULL, NULL));
    CODE(CUDA_ERROR_INVALID_HANDLE, cushim_event_record(foreign, cushim_stream_legacy()));
}

static void calls_do_not_depend_on_the_current_context(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_context *other = begin_other_context();
    struct cushim_context *const contexts[] = {other, NULL};
    struct cushim_stream *stream = begin_stream(context);

    for (size_t i = 0; i < 2; i++) {
        struct cushim_event *start = begin_event(context), *end = begin_event(context);
        float ms = -1;

        make_current(contexts[i]);
        OK(cushim_event_record(start, stream));
        OK(cushim_stream_wait_event(stream, start, 0));
        OK(cushim_event_record(end, stream));
        OK(cushim_event_synchronize(end));
        OK(cushim_event_query(start));
        OK(cushim_stream_query(stream));
        OK(cushim_stream_synchronize(stream));
        OK(cushim_event_elapsed(start, end, &ms));
        CHECK(ms >= 0);
        OK(cushim_event_release(start));
        OK(cushim_event_release(end));
        CHECK(current_context() == (contexts[i] ? raw_context(contexts[i]) : NULL));
    }
}

static void record_flags_are_checked(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *event = begin_event(context);

    OK(cushim_event_record_with_flags(event, stream, 0));
    CODE(CUDA_ERROR_ILLEGAL_STATE,
         cushim_event_record_with_flags(event, stream, CU_EVENT_RECORD_EXTERNAL));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_event_record_with_flags(event, stream, 2));
    CODE(CUDA_ERROR_ILLEGAL_STATE, cushim_stream_wait_event(stream, event, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cushim_stream_wait_event(stream, event, 2));
}

static void flags_outside_a_capture_through_the_table(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *event = begin_event(context);

    CODE(CUDA_ERROR_ILLEGAL_STATE,
         cushim_driver()->EventRecordWithFlags(raw_event(event), raw_stream(stream), 1));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cushim_driver()->EventRecordWithFlags(raw_event(event), raw_stream(stream), 2));
    CODE(CUDA_ERROR_ILLEGAL_STATE,
         cushim_driver()->StreamWaitEvent(raw_stream(stream), raw_event(event), 1));
}

const struct gpu_case event_cases[] = {
    {"event_19_create_takes_every_mix_of_options", create_takes_every_mix_of_options},
    {"event_19_create_refuses_wrong_arguments", create_refuses_wrong_arguments},
    {"event_20_null_and_closed_are_refused", null_and_closed_events_are_refused},
    {"event_21_belongs_to_its_context_for_life", event_belongs_to_its_context_for_life},
    {"event_create_recorded_records_on_any_stream", create_recorded_records_on_any_stream},
    {"event_wrapped_is_not_destroyed", wrapped_event_is_not_destroyed},
    {"event_30_record_across_contexts_is_refused", record_across_contexts_is_refused},
    {"event_31_default_streams_are_of_its_context",
     default_streams_of_the_events_context_are_meant},
    {"event_32_needs_no_current_context", calls_do_not_depend_on_the_current_context},
    {"event_55_56_flags_are_checked", record_flags_are_checked},
    {"event_55_56_flags_of_the_driver", flags_outside_a_capture_through_the_table},
    {NULL, NULL},
};
