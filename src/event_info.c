/* SPDX-License-Identifier: Apache-2.0 */
/* What an event is: the object knows it, and the driver is not asked. */
#include <cushim/event.h>

#include "src/objects.h"

struct cushim_context *cushim_event_context(const struct cushim_event *event)
{
    return event ? event->context : NULL;
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
