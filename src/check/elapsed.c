/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elapsed time asked of events that cannot have one (driver-semantics.md #35 to #44): the driver
 * answers 400 for all of it.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "src/check/order.h"

/* Why an event has no time; NULL: it may have one. */
static const char *fault_of(const struct order_event *event)
{
    if (event->flags & CU_EVENT_DISABLE_TIMING)
        return "was created with CU_EVENT_DISABLE_TIMING: create it without";
    if (!event->is_known)
        return NULL;
    if (!event->is_recorded)
        return "was never recorded: record it before and after what is timed";
    return event->capture ? "was last recorded in a capture, and nothing has run: record it "
                            "around the launch of the graph"
                          : NULL;
}

/* That is said already, and is the reason for the answer. */
static bool has_destroyed(const struct cushim__call *call)
{
    for (unsigned i = 1; i <= 2; i++) {
        const struct cushim__handle *object = cushim__check_object(call, i);

        if (object && object->is_destroyed)
            return true;
    }
    return false;
}

static void ended(struct cushim__call *call, CUresult answer)
{
    const unsigned slot = call->slot;
    const struct order_event *events[2];

    if ((slot != CUSHIM__SLOT(EventElapsedTime) && slot != CUSHIM__SLOT(EventElapsedTime_v2)) ||
        answer == CUDA_SUCCESS || answer == CUDA_ERROR_NOT_READY || call->is_injected ||
        call->is_refused || has_destroyed(call))
        return;
    for (unsigned i = 0; i < 2; i++) {
        const struct cushim__handle *object = cushim__check_object(call, i + 1);
        const char *fault;

        events[i] = cushim__order_event(call->arguments.list[i + 1].tag.number);
        fault = events[i] ? fault_of(events[i]) : NULL;
        if (!object || !events[i])
            return;
        if (fault) {
            cushim__check_report(call, CUSHIM__CHECK_EVENT_TIME, object, NULL, "%s %s",
                                 cushim__check_name(object, object->value).text, fault);
            return;
        }
    }
    if (events[0]->context && events[1]->context && events[0]->context != events[1]->context)
        cushim__check_report(call, CUSHIM__CHECK_EVENT_TIME, NULL, NULL,
                             "the events are of two contexts: create and record both in one");
}

const struct cushim__check_module cushim__check_elapsed = {.ended = ended};
