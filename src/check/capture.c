/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that invalidate captures of streams. The driver decides, because it has an error code for
 * each case. This file follows captures and their streams only to name the capture and where it
 * began; it cannot name a capture whose beginning the layer has not seen.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/check/order.h"

/* --- captures --- */

/* A stream that takes part in a capture. */
struct lane {
    struct stream_identity id;
    struct order_captured seen;
};

struct capture {
    struct capture *next;
    struct cushim__maker begun;
    CUstreamCaptureMode mode;
    bool is_unclear; /* streams may take part that are not known */
    unsigned lanes;
    struct lane lane[ORDER_CAPTURED]; /* first the stream that it began in */
};
static struct capture *captures;
static bool is_unknown; /* memory ran out for one */

bool cushim__capture_is_under_way(void)
{
    return captures || is_unknown;
}

/* What a call does, and the capture that it affects. */
struct subject {
    enum order_action action;
    struct order_event *event; /* NULL if none is known */
    struct lane stream;        /* value 0 for none or the legacy default stream */
    struct capture *capture;   /* in which the stream takes part, or NULL */
    struct lane *lane;         /* the stream's place in it */
};

static void find_lane(struct subject *subject)
{
    for (struct capture *capture = captures; capture; capture = capture->next) {
        for (unsigned i = 0; i < capture->lanes; i++) {
            struct lane *lane = &capture->lane[i];

            if (cushim__stream_is_same(&lane->id, &subject->stream.id)) {
                subject->capture = capture;
                subject->lane = lane;
                return;
            }
        }
    }
}

static struct subject subject_of(const struct cushim__call *call)
{
    const struct cushim__effects *effects = &cushim__effects[call->slot];
    struct subject subject = {
        .action = cushim__order_action(call->slot),
        .stream = {.id = cushim__function_stream_identity(call)},
    };

    if (effects->event != CUSHIM__NO_PARAMETER)
        subject.event = cushim__order_event_of(call, effects, 0);
    if (subject.stream.id.value != 0)
        find_lane(&subject);
    return subject;
}

/* The capture of an event's last record; NULL if there is none or it has ended. */
static struct capture *capture_of(const struct order_event *event)
{
    struct capture *capture = captures;

    while (capture && (!event || capture->begun.place.call != event->capture))
        capture = capture->next;
    return capture;
}

static void join(struct capture *capture, const struct lane *stream)
{
    if (capture->lanes == ORDER_CAPTURED)
        capture->is_unclear = true;
    else
        capture->lane[capture->lanes++] = *stream;
}

static void merge(struct order_captured *seen, const struct order_captured *other)
{
    for (unsigned i = 0; i < ORDER_CAPTURED; i++) {
        if (seen->works[i] < other->works[i])
            seen->works[i] = other->works[i];
    }
}

static void end_capture(struct capture *capture)
{
    struct capture **link = &captures;

    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    free(capture);
}

/* --- what calls do to captures --- */

/* The first ABI of cuStreamBeginCapture has no mode (statement 147). */
static CUstreamCaptureMode mode_of(const struct cushim__call *call)
{
    const uint8_t mode = cushim__effects[call->slot].mode;

    return mode == CUSHIM__NO_PARAMETER ? CU_STREAM_CAPTURE_MODE_RELAXED
                                        : (CUstreamCaptureMode)call->values[mode];
}

static void note_begin(const struct cushim__call *call, const struct subject *subject)
{
    struct capture *capture;

    if (subject->stream.id.value == 0)
        return;
    if (subject->capture)
        end_capture(subject->capture); /* its end was not seen */
    capture = calloc(1, sizeof *capture);
    is_unknown = is_unknown || !capture;
    if (!capture)
        return;
    capture->mode = mode_of(call);
    cushim__tracker_note(call, &capture->begun);
    join(capture, &subject->stream);
    capture->next = captures;
    captures = capture;
}

/* An external event does not belong to the capture: launches of the graph record it. */
static void note_record(const struct cushim__call *call, const struct subject *subject)
{
    const bool has_flags = cushim__parameter_count(call->slot) > 2;

    if (!subject->capture || !subject->event ||
        (has_flags && call->values[2] == CU_EVENT_RECORD_EXTERNAL))
        return;
    subject->event->capture = subject->capture->begun.place.call;
    subject->event->behind = subject->lane->seen;
}

static void note_wait(struct subject *subject)
{
    struct capture *capture = capture_of(subject->event);

    if (!capture || subject->stream.id.value == 0)
        return;
    if (subject->capture) {
        merge(&subject->lane->seen, &subject->event->behind);
    } else {
        subject->stream.seen = subject->event->behind;
        join(capture, &subject->stream);
    }
}

static void note_destroyed(const struct cushim__call *call, const struct subject *subject)
{
    struct capture *capture = subject->capture;

    if (subject->lane != capture->lane) {
        capture->is_unclear = true;
        return;
    }
    cushim__check_report(call, CUSHIM__CHECK_CAPTURE_LEFT,
                         cushim__handle_find(CUSHIM__TYPE_STREAM, subject->stream.id.value, false),
                         &capture->begun,
                         "%s destroys a stream while it is captured, and the capture is lost",
                         cushim__slot_name(call->slot));
    end_capture(capture);
}

/* A call has succeeded, or has ended an invalidated capture. */
static void note(const struct cushim__call *call, struct subject *subject)
{
    switch (subject->action) {
    case ORDER_BEGIN_CAPTURE:
        note_begin(call, subject);
        break;
    case ORDER_END_CAPTURE:
        if (subject->capture)
            end_capture(subject->capture);
        break;
    case ORDER_RECORD:
        note_record(call, subject);
        break;
    case ORDER_WAIT_EVENT:
        note_wait(subject);
        break;
    case ORDER_DESTROY_STREAM:
        if (subject->capture)
            note_destroyed(call, subject);
        break;
    case ORDER_UPDATE_CAPTURE:
        if (subject->capture)
            subject->capture->is_unclear = true;
        break;
    case ORDER_NOTHING:
        break;
    default:
        if (subject->capture)
            subject->lane->seen.works[subject->lane - subject->capture->lane]++;
        break;
    }
}

/* --- what the driver refuses --- */

static struct cushim__check_name name_of(const struct lane *lane)
{
    return cushim__check_name_of(CUSHIM__TYPE_STREAM, lane->id.number, lane->id.value);
}

static const char *name_of_mode(CUstreamCaptureMode mode)
{
    static const char *const names[] = {"GLOBAL", "THREAD_LOCAL", "RELAXED"};

    return names[(unsigned)mode < 3 ? (unsigned)mode : 2];
}

/* Report a call, and the capture that it affects, NULL if that is not known. */
static void report(const struct cushim__call *call, enum cushim__check_id id,
                   const struct capture *capture, const char *what)
{
    char buffer[200] = "";
    struct cushim__text text;

    cushim__text_begin(&text, buffer, sizeof buffer);
    if (capture)
        cushim__text_format(&text, "; %s is captured in the mode %s by thread %u",
                            name_of(capture->lane).text, name_of_mode(capture->mode),
                            capture->begun.place.thread);
    cushim__check_report(call, id, NULL, capture ? &capture->begun : NULL, "%s %s%s",
                         cushim__slot_name(call->slot), what, buffer);
}

/* The capture whose mode forbids unsafe calls to this thread; NULL if none is known. */
static const struct capture *forbidding(const struct cushim__call *call)
{
    const struct capture *capture = captures;

    while (capture && (capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
                       (capture->begun.place.thread != call->thread &&
                        capture->mode != CU_STREAM_CAPTURE_MODE_GLOBAL)))
        capture = capture->next;
    return capture;
}

/* NULL if there are several, so that it may be any of them. */
static const struct capture *only_capture(void)
{
    return captures && !captures->next ? captures : NULL;
}

static bool is_wait(const struct subject *subject)
{
    return subject->action == ORDER_SEE_EVENT || subject->action == ORDER_SEE_STREAM;
}

static bool is_about_context(const struct subject *subject)
{
    return subject->action == ORDER_SEE_CONTEXT || subject->action == ORDER_CONTEXT_RECORD ||
           subject->action == ORDER_CONTEXT_WAIT_EVENT;
}

static void judge_unsupported(const struct cushim__call *call, const struct subject *subject)
{
    if (subject->action == ORDER_BEGIN_CAPTURE)
        report(call, CUSHIM__CHECK_CAPTURE_LEGACY_STREAM, NULL,
               "is given the legacy default stream");
    else if (is_about_context(subject))
        report(call, CUSHIM__CHECK_CAPTURE_WAIT, only_capture(),
               "is about all streams of a context of which one is captured");
    else if (subject->capture && is_wait(subject))
        report(call, CUSHIM__CHECK_CAPTURE_WAIT, subject->capture,
               "is given a stream that is captured");
    else if (subject->capture)
        report(call, CUSHIM__CHECK_CAPTURE_CALL, subject->capture, "cannot be captured");
    else
        report(call, CUSHIM__CHECK_CAPTURE_UNSAFE, forbidding(call),
               "is not allowed to this thread now");
}

static void judge_implicit(const struct cushim__call *call, const struct subject *subject)
{
    const struct capture *of_event = capture_of(subject->event);

    if (subject->action == ORDER_WAIT_EVENT && of_event)
        report(call, CUSHIM__CHECK_CAPTURE_LEGACY_STREAM, of_event,
               "lets the legacy default stream wait for an event of a capture");
    else if (subject->action != ORDER_NOTHING) /* a query does no harm */
        report(call, CUSHIM__CHECK_CAPTURE_LEGACY_STREAM, only_capture(),
               "uses the legacy default stream, while a stream that waits for it is captured");
}

static void judge_unjoined(const struct cushim__call *call, const struct subject *subject)
{
    const struct capture *capture = subject->capture;
    unsigned named = 0;
    char buffer[200];
    struct cushim__text text;

    cushim__text_begin(&text, buffer, sizeof buffer);
    cushim__text_add(&text, "ends a capture before the work of ");
    for (unsigned i = 1; capture && !capture->is_unclear && i < capture->lanes; i++) {
        if (subject->lane->seen.works[i] < capture->lane[i].seen.works[i])
            cushim__text_format(&text, "%s%s", named++ ? " and of " : "",
                                name_of(&capture->lane[i]).text);
    }
    cushim__text_add(&text, named ? " is joined" : "a stream that took part is joined");
    report(call, CUSHIM__CHECK_CAPTURE_UNJOINED, capture, buffer);
}

static void judge(const struct cushim__call *call, const struct subject *subject, CUresult answer)
{
    const struct capture *capture = subject->capture;

    switch ((int)answer) {
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
        judge_unsupported(call, subject);
        break;
    case CUDA_ERROR_CAPTURED_EVENT:
        if (is_wait(subject))
            report(call, CUSHIM__CHECK_CAPTURE_WAIT, capture_of(subject->event),
                   "is given an event that was recorded in a capture");
        break;
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
        judge_implicit(call, subject);
        break;
    case CUDA_ERROR_STREAM_CAPTURE_ISOLATION:
        report(call, CUSHIM__CHECK_CAPTURE_EVENT, capture,
               "makes a capture wait for work outside of it");
        break;
    case CUDA_ERROR_STREAM_CAPTURE_MERGE:
        report(call, CUSHIM__CHECK_CAPTURE_EVENT, capture, "joins two captures, and both are lost");
        break;
    case CUDA_ERROR_STREAM_CAPTURE_UNMATCHED:
        report(call, CUSHIM__CHECK_CAPTURE_END, capture,
               "is given a stream that has joined a capture, and not the one that it began in");
        break;
    case CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD:
        report(call, CUSHIM__CHECK_CAPTURE_END, capture, "is called in another thread");
        break;
    case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
        judge_unjoined(call, subject);
        break;
    case CUDA_ERROR_INVALID_VALUE:
        /* The event cannot be used until it is recorded again. */
        if (subject->event && subject->event->capture && !capture_of(subject->event) &&
            (is_wait(subject) || subject->action == ORDER_WAIT_EVENT))
            report(call, CUSHIM__CHECK_CAPTURE_EVENT, NULL,
                   "is given an event that was last recorded in a capture which has ended");
        break;
    default:
        break;
    }
}

/* Whether a capture is over, however it ended. */
static bool is_over(const struct subject *subject, CUresult answer)
{
    return subject->action == ORDER_END_CAPTURE &&
           (answer == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
            answer == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD ||
            answer == CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}

void cushim__check_capture_ended(struct cushim__call *call, CUresult answer)
{
    struct subject subject;

    if (call->is_refused ||
        (call->is_injected && cushim__order_action(call->slot) != ORDER_END_CAPTURE) ||
        (!captures && (answer == CUDA_SUCCESS || call->is_injected) &&
         cushim__order_action(call->slot) != ORDER_BEGIN_CAPTURE))
        return;
    subject = subject_of(call);
    /* The program ends the capture, though it gets an error that is not the driver's. */
    if (call->is_injected) {
        if (subject.capture)
            end_capture(subject.capture);
        return;
    }
    if (answer != CUDA_SUCCESS)
        judge(call, &subject, answer);
    if (answer == CUDA_SUCCESS || is_over(&subject, answer))
        note(call, &subject);
}

void cushim__check_capture_finish(void)
{
    for (const struct capture *capture = captures; capture; capture = capture->next)
        cushim__check_report(
            NULL, CUSHIM__CHECK_CAPTURE_LEFT,
            cushim__handle_find(CUSHIM__TYPE_STREAM, capture->lane->id.value, false),
            &capture->begun, "the capture of %s is never ended", name_of(capture->lane).text);
}

void cushim__check_capture_destroy(void)
{
    while (captures)
        end_capture(captures);
    is_unknown = false;
}
