/* SPDX-License-Identifier: Apache-2.0 */
/* What an event is: the object knows it, and the driver is not asked. */
#include <cushim/event.h>

#include "loader/options.h"
#include "src/objects.h"

struct cushim_context *cushim_event_context(const struct cushim_event *event)
{
    return event ? event->context : NULL;
}

CUresult cushim_event_get_info(const struct cushim_event *event, struct cushim_event_info *info)
{
    struct cushim_event_info known = {.size = sizeof known};

    if (!event)
        return CUDA_ERROR_INVALID_HANDLE;
    known.has_flags = event->flags_known;
    known.flags = event->flags_known ? event->flags : 0;
    known.is_imported = event->imported;
    known.is_recorded = atomic_load_explicit(&event->recorded, memory_order_relaxed);
    known.is_closed = !cushim__event_handle(event);
    return cushim__options_write(info, &known) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
