/* SPDX-License-Identifier: Apache-2.0 */
/* Why elapsed time failed: each reason, told of the right event. */
#include <string.h>

#include "begin.h"
#include "cases.h"
#include "check.h"
#include "gate.h"

static unsigned told;

/* Ask for the time, and find in the explanation who is to blame and for what. */
static void check_told(struct cushim_event *start, struct cushim_event *end, const char *who,
                       const char *what)
{
    float ms = -7;
    CUresult code = cushim_event_elapsed(start, end, &ms);
    const char *text = cushim_event_explain(start, end, code);

    if (code == CUDA_SUCCESS)
        fail("the time was told, but %s should be to blame: %s", who, what);
    if (strncmp(text, who, strlen(who)) != 0 || !strstr(text, what))
        fail("code %d is explained: %s (instead of: %s ... %s)", (int)code, text, who, what);
    told++;
}

/* The reason as start, as end, and as both. */
static void check_each(struct cushim_event *bad, struct cushim_event *good, const char *what)
{
    check_told(bad, good, "The start event", what);
    check_told(good, bad, "The end event", what);
    check_told(bad, bad, "Both events", what);
}

static struct cushim_event *begin_recorded(struct cushim_stream *stream)
{
    struct cushim_event *event = NULL;

    OK(cushim_event_create_recorded(&event, stream, NULL));
    OK(cushim_event_synchronize(event));
    return event;
}

static struct cushim_event *wrap(struct cushim_event *event)
{
    struct cushim_event *wrapped = NULL;

    OK(cushim_event_wrap(&wrapped, raw_event(event), NULL, NULL));
    return wrapped;
}

static void what_the_objects_know(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *good = begin_recorded(stream), *closed = begin_recorded(stream);
    struct cushim_event *untimed = begin_untimed(context);

    OK(cushim_event_close(closed));
    OK(cushim_event_record(untimed, stream));
    OK(cushim_stream_synchronize(stream));
    check_each(NULL, good, "NULL");
    check_each(closed, good, "closed");
    check_each(untimed, good, "timing disabled");
    check_each(begin_event(context), good, "recorded");
    detail("%u sentences", told);
}

static void what_only_the_driver_knows(void)
{
    struct cushim_context *context = begin_context(), *elsewhere = begin_other_context();
    struct cushim_stream *stream = begin_stream(context), *busy = begin_stream(context);
    struct cushim_event *good = begin_recorded(stream), *pending = begin_event(context);
    struct cushim_event *other = begin_recorded(begin_stream(elsewhere));
    struct cushim_event *foreign = wrap(begin_event(context));
    struct gate gate = GATE;

    gate_shut(&gate, busy);
    OK(cushim_event_record(pending, busy));
    check_each(pending, good, "pending");
    check_each(foreign, good, "wrapped");
    check_told(good, other, "Both events", "different contexts");
    check_told(wrap(good), wrap(other), "Both events", "different contexts");
    check_each(wrap(pending), good, "pending");
    gate_open(&gate);
    OK(cushim_stream_synchronize(busy));
    detail("%u sentences", told);
}

static void what_happened_in_a_capture(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *good = begin_recorded(stream), *captured = begin_event(context);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUgraph graph = NULL;

    OK(cushim_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cushim_event_record(captured, stream));
    check_each(captured, good, "capture that is still active");
    check_told(wrap(captured), good, "The start event", "capture that is still active");
    OK(cushim_stream_capture_status(stream, &status, NULL));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE); /* asking has done no harm */
    OK(cushim_stream_end_capture(stream, &graph));
    check_each(captured, good, "capture that has ended");
    OK(cushim_event_record(captured, stream));
    OK(cushim_event_synchronize(captured));
    detail("%u sentences", told);
}

static void success_and_foreign_codes(void)
{
    struct cushim_context *context = begin_context();
    struct cushim_stream *stream = begin_stream(context);
    struct cushim_event *one = begin_recorded(stream), *other = begin_recorded(stream);

    detail("%s", cushim_event_explain(one, other, CUDA_SUCCESS));
    CHECK(strcmp(cushim_event_explain(one, other, CUDA_ERROR_NOT_FOUND),
                 cushim_error_advice(CUDA_ERROR_NOT_FOUND)) == 0);
}

const struct gpu_case explain_cases[] = {
    {"explain_what_the_objects_know", what_the_objects_know},
    {"explain_what_only_the_driver_knows", what_only_the_driver_knows},
    {"explain_what_happened_in_a_capture", what_happened_in_a_capture},
    {"explain_success_and_foreign_codes", success_and_foreign_codes},
    {NULL, NULL},
};
