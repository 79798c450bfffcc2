/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What spoils captures of streams. The driver's answer decides, which has a code for each case; the
 * captures, streams and events that are followed here say which capture it is, and where it began.
 * A capture that began where the layer does not see it is not named.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "src/check/check.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/base/tree.h"
#include "src/driver_api/function_name.h"
#include "src/layer/leak_tracker.h"

/* --- what calls are about --- */

enum action {
    WORK, /* whatever has a stream */
    ASKS, /* neither work nor a wait, and the driver refuses it without harm */
    BEGINS,
    ENDS,
    RECORDS,
    WAITS_EVENT,   /* a stream does */
    WAITS,         /* the host does, or asks whether it had to */
    WAITS_CONTEXT, /* something does for all streams of a context */
    ELAPSES,
    DESTROYS_STREAM,
    DESTROYS_EVENT,
    UPDATES,
};

/* The first that fits counts. */
static const struct {
    const char *pattern;
    uint8_t action;
} families[] = {
    {"cuStreamBeginCapture*", BEGINS},
    {"cuStreamBeginRecapture*", BEGINS},
    {"cuStreamEndCapture*", ENDS},
    {"cuStreamUpdateCapture*", UPDATES},
    {"cuStreamWaitEvent*", WAITS_EVENT},
    {"cuStreamDestroy*", DESTROYS_STREAM},
    {"cuStreamQuery*", WAITS},
    {"cuStreamSynchronize*", WAITS},
    {"cuStreamGet*", ASKS},
    {"cuStreamIs*", ASKS},
    {"cuEventRecord*", RECORDS},
    {"cuEventQuery", WAITS},
    {"cuEventSynchronize", WAITS},
    {"cuEventElapsedTime*", ELAPSES},
    {"cuEventDestroy*", DESTROYS_EVENT},
    {"cu*CtxSynchronize*", WAITS_CONTEXT},
    {"cu*CtxRecordEvent", WAITS_CONTEXT},
    {"cu*CtxWaitEvent", WAITS_CONTEXT},
};

static uint8_t actions[CUSHIM__SYMBOL_COUNT];

static bool begin(void)
{
    for (unsigned slot = 0; slot < CUSHIM__SYMBOL_COUNT; slot++) {
        size_t i = 0;

        while (i < sizeof families / sizeof *families &&
               !cushim__pattern_fits(families[i].pattern, cushim__slot_name(slot)))
            i++;
        actions[slot] = i < sizeof families / sizeof *families ? families[i].action : WORK;
    }
    return true;
}

/* The first parameter of a type; CUSHIM__NO_PARAMETER: there is none. */
static unsigned parameter_of(unsigned slot, enum cushim__object_type type)
{
    for (unsigned i = 0; i < cushim__parameter_count(slot); i++) {
        const struct cushim__decoder decoder = cushim__decoder_of(slot, i);

        if (decoder.form == CUSHIM__READ_HANDLE && decoder.type == type)
            return i;
    }
    return CUSHIM__NO_PARAMETER;
}

/* --- captures --- */

/*
 * A stream that takes part. Work is counted, so that it is known which streams' work another one
 * comes after.
 */
enum { LANES = 16 };
struct seen {
    uint32_t works[LANES];
};
struct lane {
    uint64_t value;  /* the stream */
    uint32_t number; /* of the handle table; 0: the per-thread default stream */
    unsigned thread; /* of which that is */
    struct seen seen;
};

struct capture {
    struct capture *next;
    struct cushim__maker begun;
    CUstreamCaptureMode mode;
    bool is_unclear; /* its streams are more, or other ones, than are known */
    unsigned lanes;
    struct lane lane[LANES]; /* the first is that which it began in */
};
static struct capture *captures;

/* An event that was last recorded in a capture. */
struct event {
    struct cushim__tree_node node; /* first member; by number of the handle */
    uint32_t number;
    struct capture *capture; /* NULL: it has ended */
    struct seen seen;
};

static bool before(const struct cushim__tree_node *a, const struct cushim__tree_node *b)
{
    return ((const struct event *)a)->number < ((const struct event *)b)->number;
}

static struct cushim__tree events = {.before = before};

/* NULL: it is not captured. */
static struct event *event_of(const struct cushim__call *call)
{
    const unsigned parameter = parameter_of(call->slot, CUSHIM__TYPE_EVENT);
    struct event key = {0};
    struct event *found;

    if (!events.root || parameter == CUSHIM__NO_PARAMETER)
        return NULL;
    key.number = call->arguments.list[parameter].tag.number;
    found = (struct event *)cushim__tree_upto(&events, &key.node);
    return found && found->number == key.number ? found : NULL;
}

static void forget_event(struct event *event)
{
    if (!event)
        return;
    cushim__tree_remove(&events, &event->node);
    free(event);
}

/* The stream of a call, as a lane. False: it has none, or the legacy default one. */
static bool read_stream(const struct cushim__call *call, struct lane *lane)
{
    const unsigned parameter = parameter_of(call->slot, CUSHIM__TYPE_STREAM);
    const bool is_per_thread = cushim__symbols[call->slot].flags & CUSHIM__PER_THREAD;

    *lane = (struct lane){0};
    if (parameter != CUSHIM__NO_PARAMETER) {
        lane->value = call->values[parameter];
        lane->number = call->arguments.list[parameter].tag.number;
    } else if (strncmp(cushim__slot_name(call->slot), "cuLaunchKernelEx", 16) == 0 &&
               call->values[0]) {
        const CUlaunchConfig *config = (const CUlaunchConfig *)(uintptr_t)call->values[0];
        const struct cushim__handle *object =
            cushim__handle_find(CUSHIM__TYPE_STREAM, (uintptr_t)config->hStream, false);

        lane->value = (uintptr_t)config->hStream;
        lane->number = object ? object->number : 0;
    } else {
        return false;
    }
    if (lane->value == 0 && is_per_thread)
        lane->value = (uintptr_t)CU_STREAM_PER_THREAD;
    lane->thread = lane->value == (uintptr_t)CU_STREAM_PER_THREAD ? call->thread : 0;
    return lane->value > (uintptr_t)CU_STREAM_LEGACY;
}

/* The capture that a stream takes part in, and its lane there; NULL: in none. */
static struct capture *capture_of(const struct lane *stream, struct lane **lane)
{
    for (struct capture *capture = captures; capture; capture = capture->next) {
        for (unsigned i = 0; i < capture->lanes; i++) {
            *lane = &capture->lane[i];
            if ((*lane)->number == stream->number && (*lane)->thread == stream->thread)
                return capture;
        }
    }
    return NULL;
}

static void join(struct capture *capture, const struct lane *stream, const struct seen *seen)
{
    struct lane *lane = &capture->lane[capture->lanes];

    if (capture->lanes == LANES) {
        capture->is_unclear = true;
        return;
    }
    *lane = *stream;
    if (seen)
        lane->seen = *seen;
    capture->lanes++;
}

static void merge(struct seen *seen, const struct seen *other)
{
    for (unsigned i = 0; i < LANES; i++) {
        if (seen->works[i] < other->works[i])
            seen->works[i] = other->works[i];
    }
}

static void end_capture(struct capture *capture)
{
    struct capture **link = &captures;
    struct event *event = (struct event *)cushim__tree_after(&events, NULL);

    for (; event; event = (struct event *)cushim__tree_after(&events, &event->node)) {
        if (event->capture == capture)
            event->capture = NULL;
    }
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    free(capture);
}

/* --- what calls do to captures --- */

static CUstreamCaptureMode mode_of(const struct cushim__call *call)
{
    for (unsigned i = 0; i < cushim__parameter_count(call->slot); i++) {
        if (strcmp(cushim__parameter_at(call->slot, i)->type, "CUstreamCaptureMode") == 0)
            return (CUstreamCaptureMode)call->values[i];
    }
    return CU_STREAM_CAPTURE_MODE_RELAXED; /* statement 147 */
}

static void note_begin(const struct cushim__call *call, const struct lane *stream)
{
    struct lane *lane;
    struct capture *capture = capture_of(stream, &lane);

    if (capture)
        end_capture(capture); /* where it was not seen */
    capture = calloc(1, sizeof *capture);
    if (!capture)
        return;
    capture->mode = mode_of(call);
    cushim__tracker_note(call, &capture->begun);
    join(capture, stream, NULL);
    capture->next = captures;
    captures = capture;
}

static void note_record(const struct cushim__call *call, struct capture *capture,
                        const struct lane *lane)
{
    const unsigned parameter = parameter_of(call->slot, CUSHIM__TYPE_EVENT);
    const bool has_flags = cushim__parameter_count(call->slot) > 2;
    struct event *event = event_of(call);

    if (capture && has_flags && call->values[2] == CU_EVENT_RECORD_EXTERNAL)
        return;
    if (!capture) {
        forget_event(event);
        return;
    }
    if (!event) {
        event = calloc(1, sizeof *event);
        if (!event)
            return;
        event->number = call->arguments.list[parameter].tag.number;
        cushim__tree_add(&events, &event->node);
    }
    event->capture = capture;
    event->seen = lane->seen;
}

static void note_wait(const struct cushim__call *call, const struct capture *capture,
                      struct lane *lane, const struct lane *stream)
{
    const struct event *event = event_of(call);

    if (!event || !event->capture)
        return;
    if (capture)
        merge(&lane->seen, &event->seen);
    else
        join(event->capture, stream, &event->seen);
}

static void note_destroyed(const struct cushim__call *call, struct capture *capture,
                           const struct lane *lane)
{
    const struct cushim__handle *object =
        cushim__handle_find(CUSHIM__TYPE_STREAM, lane->value, false);

    if (lane != capture->lane) {
        capture->is_unclear = true;
        return;
    }
    cushim__check_report(call, CUSHIM__CHECK_CAPTURE_LEFT, object, &capture->begun,
                         "%s destroys a stream while it is captured, and the capture is lost",
                         cushim__slot_name(call->slot));
    end_capture(capture);
}

/* A call has succeeded. */
static void note(const struct cushim__call *call)
{
    struct lane stream, *lane = NULL;
    const bool has_stream = read_stream(call, &stream);
    struct capture *capture = has_stream ? capture_of(&stream, &lane) : NULL;

    switch (actions[call->slot]) {
    case BEGINS:
        if (has_stream)
            note_begin(call, &stream);
        break;
    case ENDS:
        if (capture)
            end_capture(capture);
        break;
    case RECORDS:
        note_record(call, capture, lane);
        break;
    case WAITS_EVENT:
        if (has_stream)
            note_wait(call, capture, lane, &stream);
        break;
    case DESTROYS_EVENT:
        forget_event(event_of(call));
        break;
    case DESTROYS_STREAM:
        if (capture)
            note_destroyed(call, capture, lane);
        break;
    case UPDATES:
        if (capture)
            capture->is_unclear = true;
        break;
    case WORK:
        if (capture)
            lane->seen.works[lane - capture->lane]++;
        break;
    default:
        break;
    }
}

/* --- what the driver refuses --- */

struct name {
    char text[CUSHIM_TAG_SIZE];
};

static struct name name_of(const struct lane *lane)
{
    const struct cushim__tag tag = {.type = CUSHIM__TYPE_STREAM, .number = lane->number};
    struct name name;

    cushim__tag_text(&tag, lane->value, name.text, sizeof name.text);
    return name;
}

static const char *name_of_mode(CUstreamCaptureMode mode)
{
    static const char *const names[] = {"GLOBAL", "THREAD_LOCAL", "RELAXED"};

    return names[(unsigned)mode < 3 ? (unsigned)mode : 2];
}

/* Report what a capture has to do with, NULL if that is not known; the text goes on with it. */
static void report(const struct cushim__call *call, enum cushim__check_id id,
                   const struct capture *capture, const char *what)
{
    const char *name = cushim__slot_name(call->slot);

    if (capture)
        cushim__check_report(call, id, NULL, &capture->begun,
                             "%s %s; %s is captured in the mode %s by thread %u", name, what,
                             name_of(capture->lane).text, name_of_mode(capture->mode),
                             capture->begun.place.thread);
    else
        cushim__check_report(call, id, NULL, NULL, "%s %s", name, what);
}

/* The capture whose mode forbids this thread an unsafe call; NULL: none that is known. */
static const struct capture *forbidding(const struct cushim__call *call)
{
    const struct capture *capture = captures;

    while (capture && (capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
                       (capture->begun.place.thread != call->thread &&
                        capture->mode != CU_STREAM_CAPTURE_MODE_GLOBAL)))
        capture = capture->next;
    return capture;
}

static void judge_unsupported(const struct cushim__call *call)
{
    struct lane stream, *lane;
    const struct capture *capture = read_stream(call, &stream) ? capture_of(&stream, &lane) : NULL;
    const uint8_t action = actions[call->slot];

    if (action == BEGINS)
        report(call, CUSHIM__CHECK_CAPTURE_LEGACY, NULL, "is given the legacy default stream");
    else if (action == WAITS_CONTEXT)
        report(call, CUSHIM__CHECK_CAPTURE_WAIT, captures && !captures->next ? captures : NULL,
               "is about all streams of a context of which one is captured");
    else if (capture && action == WAITS)
        report(call, CUSHIM__CHECK_CAPTURE_WAIT, capture, "is given a stream that is captured");
    else if (capture)
        report(call, CUSHIM__CHECK_CAPTURE_CALL, capture, "cannot be captured");
    else
        report(call, CUSHIM__CHECK_CAPTURE_UNSAFE, forbidding(call),
               "is not allowed to this thread now");
}

static void judge_unjoined(const struct cushim__call *call)
{
    struct lane stream, *lane;
    const struct capture *capture = read_stream(call, &stream) ? capture_of(&stream, &lane) : NULL;
    unsigned named = 0;
    char buffer[200];
    struct cushim__text text;

    cushim__text_begin(&text, buffer, sizeof buffer);
    cushim__text_add(&text, "ends a capture before the work of ");
    for (unsigned i = 1; capture && !capture->is_unclear && i < capture->lanes; i++) {
        if (lane->seen.works[i] < capture->lane[i].seen.works[i])
            cushim__text_format(&text, "%s%s", named++ ? " and of " : "",
                                name_of(&capture->lane[i]).text);
    }
    cushim__text_add(&text, named ? " is joined" : "a stream that took part is joined");
    report(call, CUSHIM__CHECK_CAPTURE_UNJOINED, capture, buffer);
}

/* Events of a capture that has ended have no state until they are recorded again. */
static void judge_event(const struct cushim__call *call)
{
    const struct event *event = event_of(call);
    const uint8_t action = actions[call->slot];

    if (event && !event->capture && (action == WAITS || action == WAITS_EVENT))
        report(call, CUSHIM__CHECK_CAPTURE_EVENT, NULL,
               "is given an event that was last recorded in a capture which has ended");
}

static void judge(const struct cushim__call *call, CUresult answer)
{
    const uint8_t action = actions[call->slot];
    struct lane stream, *lane;
    const struct capture *capture = read_stream(call, &stream) ? capture_of(&stream, &lane) : NULL;
    const struct event *event = event_of(call);

    switch ((int)answer) {
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
        judge_unsupported(call);
        break;
    case CUDA_ERROR_CAPTURED_EVENT:
        if (action == WAITS)
            report(call, CUSHIM__CHECK_CAPTURE_WAIT, event ? event->capture : NULL,
                   "is given an event that was recorded in a capture");
        break;
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
        if (action == WAITS_EVENT && event && event->capture)
            report(call, CUSHIM__CHECK_CAPTURE_LEGACY, event->capture,
                   "lets the legacy default stream wait for an event of a capture");
        else if (action != ASKS)
            report(call, CUSHIM__CHECK_CAPTURE_LEGACY,
                   captures && !captures->next ? captures : NULL,
                   "uses the legacy default stream, while a stream that waits for it is captured");
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
        judge_unjoined(call);
        break;
    case CUDA_ERROR_INVALID_VALUE:
        judge_event(call);
        break;
    default:
        break;
    }
}

/* Whether a capture is over, however it ended. */
static bool is_over(const struct cushim__call *call, CUresult answer)
{
    return actions[call->slot] == ENDS && (answer == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
                                           answer == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD ||
                                           answer == CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}

static void ended(struct cushim__call *call, CUresult answer)
{
    if (call->is_injected || call->is_refused ||
        (!captures && !events.root && answer == CUDA_SUCCESS && actions[call->slot] != BEGINS))
        return;
    if (answer != CUDA_SUCCESS)
        judge(call, answer);
    if (answer == CUDA_SUCCESS || is_over(call, answer))
        note(call);
}

static void finish(void)
{
    for (const struct capture *capture = captures; capture; capture = capture->next)
        cushim__check_report(NULL, CUSHIM__CHECK_CAPTURE_LEFT,
                             cushim__handle_find(CUSHIM__TYPE_STREAM, capture->lane->value, false),
                             &capture->begun, "the capture of %s is never ended",
                             name_of(capture->lane).text);
}

/* Captures are the parent's. */
static void destroy(void)
{
    while (events.root)
        forget_event((struct event *)cushim__tree_after(&events, NULL));
    while (captures)
        end_capture(captures);
}

const struct cushim__check_module cushim__check_capture = {
    .begin = begin,
    .ended = ended,
    .finish = finish,
    .begin_child = destroy,
    .destroy = destroy,
};
