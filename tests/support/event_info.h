/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a cushim_event_info, one at a time, and the contexts of events and streams. */
#ifndef CUSHIM_TESTS_SUPPORT_EVENT_INFO_H
#define CUSHIM_TESTS_SUPPORT_EVENT_INFO_H

#include <cushim/event.h>
#include <cushim/stream.h>

static inline struct cushim_event_info event_info(const struct cushim_event *event)
{
    struct cushim_event_info info = CUSHIM_EVENT_INFO_INIT;

    cushim_event_get_info(event, &info);
    return info;
}

static inline bool event_is_recorded(const struct cushim_event *event)
{
    return event_info(event).is_recorded;
}

static inline bool event_is_closed(const struct cushim_event *event)
{
    return event_info(event).is_closed;
}

static inline bool event_is_imported(const struct cushim_event *event)
{
    return event_info(event).is_imported;
}

/* CUDA_ERROR_NOT_SUPPORTED if no driver reports the member. */
static inline CUresult event_flags(const struct cushim_event *event, unsigned *flags)
{
    const struct cushim_event_info info = event_info(event);

    if (!info.has_flags)
        return CUDA_ERROR_NOT_SUPPORTED;
    *flags = info.flags;
    return CUDA_SUCCESS;
}

/* NULL also if the call fails. */
static inline struct cushim_context *event_context(const struct cushim_event *event)
{
    struct cushim_context *context = NULL;

    return cushim_event_get_context(event, &context) == CUDA_SUCCESS ? context : NULL;
}

static inline struct cushim_context *stream_context(const struct cushim_stream *stream)
{
    struct cushim_context *context = NULL;

    return cushim_stream_get_context(stream, &context) == CUDA_SUCCESS ? context : NULL;
}

#endif
