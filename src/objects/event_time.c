/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time between two events, and why it is not available.
 *
 * The driver has one code for six different faults, and does not say which event is at fault. What
 * the objects know is checked first. The rest is found by asking for the time from an event to
 * itself: a good event returns 0 (driver-semantics.md #39), a faulty one the code of its fault.
 * That is harmless even in a capture, which a query of the event would invalidate
 * (driver-semantics.md #63).
 */
#include <cushim/event.h>

#include <cushim/error.h>

#include "loader/loader.h"
#include "loader/symbols.h"
#include "src/objects/objects.h"

/* Reasons that concern one event, in the order of `reasons`. */
enum reason {
    REASON_NONE,
    REASON_NULL,
    REASON_CLOSED,
    REASON_IMPORTED,
    REASON_NO_TIMING,
    REASON_NOT_RECORDED,
    REASON_NO_TIME_STAMP,
    REASON_PENDING,
    REASON_IN_CAPTURE,
    REASON_WAS_CAPTURED,
};

enum whose { OF_START, OF_END, OF_BOTH };

/* The code that the driver returns, and the texts for the start event, the end event and both. */
#define REASON(name, result, one, two, rest)                                            \
    [REASON_##name] = {CUDA_ERROR_##result,                                             \
                       {"The start event " one " " rest, "The end event " one " " rest, \
                        "Both events " two " " rest}}

static const struct {
    CUresult code;
    const char *text[3]; /* by enum whose */
} reasons[] = {
    REASON(NULL, INVALID_HANDLE, "is", "are", "NULL. Create events with cushim_event_create."),
    REASON(CLOSED, INVALID_HANDLE, "has", "have",
           "been closed. Measure before cushim_event_close."),
    REASON(IMPORTED, INVALID_HANDLE, "was", "were",
           "imported from another process, and such events take no time stamps. Measure with "
           "events that this process created."),
    REASON(NO_TIMING, INVALID_HANDLE, "was", "were",
           "created with timing disabled. Create events without disable_timing."),
    REASON(NOT_RECORDED, INVALID_HANDLE, "is", "are",
           "not recorded yet. Call cushim_event_record first."),
    REASON(NO_TIME_STAMP, INVALID_HANDLE, "has", "have",
           "no time stamp: not recorded, created with timing disabled, or from another process; "
           "only the creator of a wrapped event knows. Record it, or use an event of your own."),
    REASON(PENDING, NOT_READY, "is", "are",
           "still pending: earlier work has not finished. Wait with cushim_event_synchronize on "
           "both events, then ask again."),
    REASON(IN_CAPTURE, CAPTURED_EVENT, "was", "were",
           "last recorded in a capture that is still active, so nothing has run that could be "
           "timed. Record outside the capture, around the launch of the graph."),
    REASON(WAS_CAPTURED, INVALID_VALUE, "was", "were",
           "last recorded in a capture that has ended, which gives no time. Record again "
           "outside a capture, around the launch of the graph."),
};
#undef REASON

static const char other_contexts[] =
    "Both events can be timed, but they belong to different contexts. Create and record both in "
    "one context.";
static const char earlier_error[] =
    "Neither event is to blame: earlier asynchronous work failed, and the calls that follow answer "
    "its code. Find that work (compute-sanitizer, or CUDA_LAUNCH_BLOCKING=1), and give up the "
    "context, or the process.";
static const char no_fault[] = "Nothing is wrong: the time was measured.";
static const char no_more[] =
    "Neither event stands in the way any more: what was missing or pending has happened since. "
    "Ask again.";
static const char no_result[] =
    "Both events can be timed now. Either the pointer for the result was NULL, or an event was "
    "recorded again since: pass a pointer, and ask again.";

static CUresult ask(const struct cushim_event *start, const struct cushim_event *end)
{
    float ms;

    return cushim_driver()->EventElapsedTime_v2(&ms, cushim__event_handle(start),
                                                cushim__event_handle(end));
}

/* Return what is wrong with an event by itself. */
static enum reason fault_of(const struct cushim_event *event)
{
    if (!event)
        return REASON_NULL;
    if (!cushim__event_handle(event))
        return REASON_CLOSED;
    if (event->imported)
        return REASON_IMPORTED;
    if (event->flags_known && event->flags & CU_EVENT_DISABLE_TIMING)
        return REASON_NO_TIMING;
    switch (ask(event, event)) {
    case CUDA_ERROR_INVALID_HANDLE:
        return event->flags_known ? REASON_NOT_RECORDED : REASON_NO_TIME_STAMP;
    case CUDA_ERROR_NOT_READY:
        return REASON_PENDING;
    case CUDA_ERROR_CAPTURED_EVENT:
        return REASON_IN_CAPTURE;
    case CUDA_ERROR_INVALID_VALUE:
        return REASON_WAS_CAPTURED;
    default:
        return REASON_NONE;
    }
}

/* Return what is wrong with an event, if that can be why the driver returned `code`. */
static enum reason reason_of(const struct cushim_event *event, CUresult code)
{
    const enum reason fault = fault_of(event);

    return fault != REASON_NONE && reasons[fault].code == code ? fault : REASON_NONE;
}

/* Explain a `code` for two events neither of which has a fault by now. */
static const char *explain_pair(const struct cushim_event *start, const struct cushim_event *end,
                                CUresult code)
{
    CUresult now;

    if (!start || !end)
        return cushim_error_advice(code);
    now = ask(start, end);
    if (cushim_error_sticky(now) == CUSHIM_STICKY_CONTEXT)
        return earlier_error;
    if (now == CUDA_SUCCESS)
        return code == CUDA_ERROR_INVALID_VALUE ? no_result : no_more;
    if (now == CUDA_ERROR_INVALID_HANDLE && code == now)
        return other_contexts;
    return cushim_error_advice(code);
}

CUresult cushim_event_get_elapsed(const struct cushim_event *start, const struct cushim_event *end,
                                  float *ms)
{
    CUevent start_handle, end_handle;

    if (!start || !end)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!ms)
        return CUDA_ERROR_INVALID_VALUE;
    end_handle = cushim__event_handle(end); /* in this order, no register has to be moved */
    start_handle = cushim__event_handle(start);
    return cushim_driver()->EventElapsedTime_v2(ms, start_handle, end_handle);
}

const char *cushim__event_elapsed_function(void)
{
    const size_t preferred = CUSHIM__SLOT(EventElapsedTime_v2);
    const struct cushim_table *table = cushim_driver();
    bool fallen_back;

    if (cushim__is_installed()) /* only the slots show how the table was filled */
        fallen_back = table->EventElapsedTime_v2 == table->EventElapsedTime;
    else
        fallen_back = cushim__symbol_state(preferred) == CUSHIM_SYMBOL_FALLEN_BACK;
    return fallen_back ? cushim__symbol_fallback(preferred) : cushim__symbol_name(preferred);
}

const char *cushim_event_explanation(const struct cushim_event *start,
                                     const struct cushim_event *end, CUresult code)
{
    enum reason of_start, of_end;
    CUresult of_driver;
    int version;

    if (code == CUDA_SUCCESS)
        return no_fault;
    if (cushim_error_sticky(code) == CUSHIM_STICKY_CONTEXT)
        return earlier_error;
    if (code != CUDA_ERROR_INVALID_HANDLE && code != CUDA_ERROR_NOT_READY &&
        code != CUDA_ERROR_CAPTURED_EVENT && code != CUDA_ERROR_INVALID_VALUE)
        return cushim_error_advice(code);

    /* Without a driver, no event could be created. This call fails only then. */
    if (!start || !end) {
        of_driver = cushim_driver()->DriverGetVersion(&version);
        if (of_driver != CUDA_SUCCESS)
            return cushim_error_advice(of_driver);
    }
    of_start = reason_of(start, code);
    of_end = reason_of(end, code);
    if (of_start && of_start == of_end)
        return reasons[of_start].text[OF_BOTH];
    if (of_start)
        return reasons[of_start].text[OF_START];
    if (of_end)
        return reasons[of_end].text[OF_END];
    return explain_pair(start, end, code);
}
