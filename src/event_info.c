/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an event is. All but the device is in the object; nothing here asks the driver about the
 * event.
 */
#include <cushim/event_info.h>

#include "src/objects.h"

static bool has_flag(const struct cushim_event *event, unsigned flag)
{
    return event && event->flags_known && event->flags & flag;
}

struct cushim_context *cushim_event_context(const struct cushim_event *event)
{
    return event ? event->context : NULL;
}

CUresult cushim_event_device(const struct cushim_event *event, CUdevice *device)
{
    if (!event || !cushim__event_handle(event))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    if (!event->context)
        return CUDA_ERROR_NOT_SUPPORTED;
    return cushim_context_device(event->context, device);
}

CUresult cushim_event_flags(const struct cushim_event *event, unsigned *flags)
{
    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (!event->flags_known)
        return CUDA_ERROR_NOT_SUPPORTED;
    *flags = event->flags;
    return CUDA_SUCCESS;
}

bool cushim_event_has_timing(const struct cushim_event *event)
{
    return event && event->flags_known && !(event->flags & CU_EVENT_DISABLE_TIMING);
}

bool cushim_event_is_blocking_sync(const struct cushim_event *event)
{
    return has_flag(event, CU_EVENT_BLOCKING_SYNC);
}

bool cushim_event_is_interprocess(const struct cushim_event *event)
{
    return has_flag(event, CU_EVENT_INTERPROCESS);
}

bool cushim_event_is_imported(const struct cushim_event *event)
{
    return event && event->imported;
}

bool cushim_event_is_recorded(const struct cushim_event *event)
{
    return event && atomic_load_explicit(&event->recorded, memory_order_relaxed);
}

bool cushim_event_is_closed(const struct cushim_event *event)
{
    return event && !cushim__event_handle(event);
}

bool cushim_event_equal(const struct cushim_event *one, const struct cushim_event *other)
{
    return one && other && cushim__event_handle(one) &&
           cushim__event_handle(one) == cushim__event_handle(other);
}
