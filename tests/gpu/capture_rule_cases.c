/* SPDX-License-Identifier: Apache-2.0 */
/* What a capture allows, and what spoils it. Statements 18, 58, 63-69. */
#include <string.h>

#include "begin.h"
#include "capture.h"
#include "cases.h"
#include "check.h"

static struct cushim_event *begin_done(struct cushim_context *context)
{
    struct cushim_event *event = NULL;

    OK(cushim_event_create_recorded(&event, begin_stream(context), NULL));
    OK(cushim_event_synchronize(event));
    return event;
}

static void captured_event_must_not_be_queried(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *event = begin_event(context), *done = begin_done(context);

    for (unsigned i = 0; i < CAPTURE_MODES; i++) {
        float ms = -7;

        OK(cushim_stream_begin_capture(stream, capture_modes[i]));
        OK(cushim_event_record(event, stream));
        CODE(CUDA_ERROR_CAPTURED_EVENT, cushim_event_elapsed(done, event, &ms));
        CODE(CUDA_ERROR_CAPTURED_EVENT, cushim_event_elapsed(event, event, &ms));
        CHECK(ms == -7);
        CHECK(capture_status(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
        CODE(CUDA_ERROR_CAPTURED_EVENT, cushim_event_query(event));
        capture_end_invalidated(stream);

        OK(cushim_stream_begin_capture(stream, capture_modes[i]));
        OK(cushim_event_record(event, stream));
        CODE(CUDA_ERROR_CAPTURED_EVENT, cushim_event_synchronize(event));
        capture_end_invalidated(stream);
    }
}

static void strict_modes_forbid_every_query(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context), *other = begin_stream(context);
    struct cushim_event *one = begin_done(context), *two = begin_done(context);

    for (unsigned i = 0; i < 2; i++) {
        float ms = -7;

        OK(cushim_stream_begin_capture(stream, capture_modes[i]));
        OK(cushim_event_elapsed(one, two, &ms));
        CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cushim_event_query(one));
        capture_end_invalidated(stream);
        OK(cushim_stream_begin_capture(stream, capture_modes[i]));
        CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cushim_event_synchronize(one));
        capture_end_invalidated(stream);
        OK(cushim_stream_begin_capture(stream, capture_modes[i]));
        CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cushim_stream_query(other));
        capture_end_invalidated(stream);
        OK(cushim_stream_begin_capture(stream, capture_modes[i]));
        CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cushim_stream_synchronize(other));
        capture_end_invalidated(stream);
        OK(cushim_stream_begin_capture(stream, capture_modes[i]));
        CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cushim_context_synchronize(context));
        detail("context synchronize leaves status %d", (int)capture_status(stream));
        OK(cushim_stream_release(stream));
        stream = begin_stream(context);
    }
}

static void relaxed_mode_allows_queries_of_others(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context), *other = begin_stream(context);
    struct cushim_event *done = begin_done(context);

    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cushim_event_query(done));
    OK(cushim_event_synchronize(done));
    OK(cushim_event_wait_for(done, 0));
    OK(cushim_stream_query(other));
    OK(cushim_stream_synchronize(other));
    CHECK(capture_status(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cushim_stream_query(stream));
    capture_end_invalidated(stream);
    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cushim_stream_synchronize(stream));
    capture_end_invalidated(stream);
    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cushim_context_synchronize(context));
}

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

static void every_mode_allows_what_does_not_ask(void)
{
    const struct cushim_event_options sharing = {
        .size = sizeof sharing,
        .disable_timing = true,
        .interprocess = true,
    };
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context), *other = begin_stream(context);
    struct cushim_event *unrecorded = begin_event(context), *outside = begin_event(context);
    struct cushim_event *inside = begin_event(context), *shared = NULL;
    CUipcEventHandle handle;

    OK(cushim_event_create(&shared, context, &sharing));
    for (unsigned i = 0; i < CAPTURE_MODES; i++) {
        struct cushim_stream *made_stream = NULL;

        OK(cushim_stream_begin_capture(stream, capture_modes[i]));
        OK(cushim_event_release(begin_event(context)));
        OK(cushim_stream_create(&made_stream, context, NULL));
        OK(cushim_stream_release(made_stream));
        OK(cushim_stream_launch_host_function(stream, do_nothing, NULL));
        OK(cushim_stream_wait_event(stream, unrecorded, 0));
        OK(cushim_event_record(outside, other));
        OK(cushim_event_record_with_flags(inside, stream, 1));
        OK(cushim_stream_wait_event(stream, outside, 1));
        OK(cushim_event_export(shared, &handle));
        CHECK(capture_status(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
        capture_end(stream);
    }
}

static void wait_for_the_outside_spoils_it(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *done = begin_done(context);

    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CODE(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cushim_stream_wait_event(stream, done, 0));
    capture_end_invalidated(stream);
}

static void forks_must_be_joined(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *origin = begin_stream(context), *fork = begin_stream(context);
    cuuint64_t id = 1, fork_id = 2;
    CUgraph graph = NULL;

    OK(cushim_stream_begin_capture(origin, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cushim_stream_wait_stream(fork, origin));
    CHECK(capture_id(origin, &id) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    CHECK(capture_id(fork, &fork_id) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    CHECK(id == fork_id);
    OK(cushim_stream_launch_host_function(fork, do_nothing, NULL));
    OK(cushim_stream_wait_stream(origin, fork));
    capture_end(origin); /* joined */

    OK(cushim_stream_begin_capture(origin, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cushim_stream_wait_stream(fork, origin));
    OK(cushim_stream_launch_host_function(fork, do_nothing, NULL));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cushim_stream_end_capture(origin, &graph));

    OK(cushim_stream_begin_capture(origin, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cushim_stream_wait_stream(fork, origin));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cushim_stream_end_capture(fork, &graph));
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cushim_stream_end_capture(origin, &graph));
    CHECK(graph == NULL);
}

static void two_captures_must_not_be_joined(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *one = begin_stream(context), *other = begin_stream(context);
    struct cushim_event *event = begin_event(context);

    OK(cushim_stream_begin_capture(one, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cushim_stream_begin_capture(other, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cushim_event_record(event, one));
    CODE(CUDA_ERROR_STREAM_CAPTURE_MERGE, cushim_stream_wait_event(other, event, 0));
    capture_end_invalidated(one);
    capture_end_invalidated(other);
}

static void legacy_stream_spoils_a_blocking_one(void)
{
    const struct cushim_stream_options options = {.size = sizeof options, .blocking = true};
    struct cushim_context *context = begin_context();
    struct cushim_stream *blocking = NULL, *free = begin_stream(context);
    struct cushim_event *event = begin_event(context);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

    make_current(context);
    OK(cushim_stream_create(&blocking, context, &options));
    OK(cushim_stream_begin_capture(blocking, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
         cushim_stream_capture_status(cushim_stream_legacy(), &status, NULL));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cushim_event_record(event, cushim_stream_legacy()));
    capture_end_invalidated(blocking);
    OK(cushim_stream_begin_capture(blocking, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cushim_stream_query(cushim_stream_legacy()));
    capture_end_invalidated(blocking);

    OK(cushim_stream_begin_capture(free, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cushim_event_record(event, cushim_stream_legacy()));
    CHECK(capture_status(free) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cushim_stream_query(cushim_stream_legacy()));
    capture_end_invalidated(free);
}

static void CUDA_CB called_back(CUstream stream, CUresult status, void *data)
{
    (void)stream, (void)status, (void)data;
}

static void callbacks_and_whole_contexts_cannot_be_captured(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *event = begin_event(context);

    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
         cushim_stream_add_callback(stream, called_back, NULL));
    capture_end_invalidated(stream);
    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cushim_context_record_event(context, event));
    capture_end_invalidated(stream);
    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
         cushim_context_wait_event(context, begin_done(context)));
    capture_end_invalidated(stream);
}

const struct gpu_case capture_rule_cases[] = {
    {"capture_63_captured_event_must_not_be_queried", captured_event_must_not_be_queried},
    {"capture_64_strict_modes_forbid_every_query", strict_modes_forbid_every_query},
    {"capture_65_relaxed_mode_allows_queries", relaxed_mode_allows_queries_of_others},
    {"capture_66_every_mode_allows_what_does_not_ask", every_mode_allows_what_does_not_ask},
    {"capture_67_wait_for_the_outside_spoils_it", wait_for_the_outside_spoils_it},
    {"capture_68_forks_must_be_joined", forks_must_be_joined},
    {"capture_68_two_must_not_be_joined", two_captures_must_not_be_joined},
    {"capture_69_legacy_stream_spoils_a_blocking_one", legacy_stream_spoils_a_blocking_one},
    {"capture_18_58_callbacks_and_contexts", callbacks_and_whole_contexts_cannot_be_captured},
    {NULL, NULL},
};
