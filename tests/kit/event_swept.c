/* SPDX-License-Identifier: Apache-2.0 */
#include "swept.h"

static CUresult create(void)
{
    struct cushim_event *event = NULL;
    const CUresult code = cushim_event_create(&event, swept_world.context, NULL);

    return swept_first(swept_output(code, !event), cushim_event_release(event));
}

static CUresult create_recorded(void)
{
    struct cushim_event *event = NULL;
    const CUresult code = cushim_event_create_recorded(&event, swept_world.stream, NULL);

    return swept_first(swept_output(code, !event), cushim_event_release(event));
}

static CUresult close(void)
{
    struct cushim_event *event = NULL;
    CUresult code = cushim_event_create(&event, swept_world.context, NULL);

    if (event)
        code = cushim_event_close(event);
    return swept_first(code, cushim_event_release(event));
}

static CUresult wrap(void)
{
    struct cushim_event *event = NULL;
    const CUresult code =
        cushim_event_wrap(&event, swept_world.event_handle, swept_world.context, NULL);

    return swept_first(swept_output(code, !event), cushim_event_release(event));
}

static CUresult retain(void)
{
    return cushim_event_release(cushim_event_retain(swept_world.event));
}

static CUresult handle(void)
{
    CUevent its = NULL;
    const CUresult code = cushim_event_handle(swept_world.event, &its);

    return swept_output(code, !its);
}

static CUresult record(void)
{
    return cushim_event_record(swept_world.event, cushim_stream_legacy());
}

static CUresult record_with_flags(void)
{
    return cushim_event_record_with_flags(swept_world.event, swept_world.stream, 0);
}

static CUresult query(void)
{
    return cushim_event_query(swept_world.event);
}

static CUresult synchronize(void)
{
    return cushim_event_synchronize(swept_world.event);
}

static CUresult wait_for(void)
{
    return cushim_event_wait_for(swept_world.event, UINT64_MAX);
}

static CUresult context(void)
{
    return cushim_event_context(swept_world.event) == swept_world.context ? CUDA_SUCCESS
                                                                          : CUDA_ERROR_UNKNOWN;
}

static CUresult device(void)
{
    CUdevice its = -1;
    const CUresult code = cushim_event_device(swept_world.event, &its);

    return swept_output(code, its == -1);
}

static CUresult flags(void)
{
    unsigned its = 0xdead;
    const CUresult code = cushim_event_flags(swept_world.event, &its);

    return swept_output(code, its == 0xdead);
}

static CUresult states(void)
{
    const struct cushim_event *event = swept_world.event;

    return cushim_event_has_timing(event) && !cushim_event_is_blocking_sync(event) &&
                   !cushim_event_is_interprocess(event) && !cushim_event_is_imported(event) &&
                   cushim_event_is_recorded(event) && !cushim_event_is_closed(event) &&
                   cushim_event_equal(event, event)
               ? CUDA_SUCCESS
               : CUDA_ERROR_UNKNOWN;
}

static CUresult elapsed(void)
{
    float ms = -1;
    const CUresult code = cushim_event_elapsed(swept_world.event, swept_world.later, &ms);

    return swept_output(code, ms < 0);
}

static CUresult elapsed_function(void)
{
    return cushim_event_elapsed_function() ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

static CUresult explain(void)
{
    return cushim_event_explain(swept_world.event, swept_world.later, CUDA_ERROR_INVALID_HANDLE)
               ? CUDA_SUCCESS
               : CUDA_ERROR_UNKNOWN;
}

static CUresult export_event(void)
{
    CUipcEventHandle ipc = {{0}};
    bool is_untouched = true;
    const CUresult code = cushim_event_export(swept_world.interprocess, &ipc);

    for (size_t i = 0; i < sizeof ipc.reserved; i++)
        is_untouched = is_untouched && !ipc.reserved[i];
    return swept_output(code, is_untouched);
}

/* The process that exports an event cannot import it. */
static CUresult import_event(void)
{
    struct cushim_event *event = NULL;
    const CUresult code = cushim_event_import(&event, swept_world.context, &swept_world.ipc);

    return swept_first(swept_output(code, !event), cushim_event_release(event));
}

const struct swept swept_events[] = {
    {.function = "cushim_event_create", .call = create, .calls = 4},
    {.function = "cushim_event_create_recorded", .call = create_recorded, .calls = 5},
    {.function = "cushim_event_close", .call = close, .calls = 4},
    {.function = "cushim_event_release", .call = create, .calls = 4},
    {.function = "cushim_event_wrap", .call = wrap},
    {.function = "cushim_event_retain", .call = retain},
    {.function = "cushim_event_handle", .call = handle},
    {.function = "cushim_event_record", .call = record, .calls = 3},
    {.function = "cushim_event_record_with_flags", .call = record_with_flags, .calls = 1},
    {.function = "cushim_event_query", .call = query, .calls = 1},
    {.function = "cushim_event_synchronize", .call = synchronize, .calls = 1},
    {.function = "cushim_event_wait_for", .call = wait_for, .calls = 1},
    {.function = "cushim_event_context", .call = context},
    {.function = "cushim_event_device", .call = device},
    {.function = "cushim_event_flags", .call = flags},
    {.function = "cushim_event_has_timing", .call = states},
    {.function = "cushim_event_is_blocking_sync", .call = states},
    {.function = "cushim_event_is_interprocess", .call = states},
    {.function = "cushim_event_is_imported", .call = states},
    {.function = "cushim_event_is_recorded", .call = states},
    {.function = "cushim_event_is_closed", .call = states},
    {.function = "cushim_event_equal", .call = states},
    {.function = "cushim_event_elapsed", .call = elapsed, .calls = 1},
    {.function = "cushim_event_elapsed_function", .call = elapsed_function},
    {.function = "cushim_event_explain", .call = explain, .calls = 3, .how = SWEPT_IS_SILENT},
    {.function = "cushim_event_export", .call = export_event, .calls = 3},
    {.function = "cushim_event_import",
     .call = import_event,
     .calls = 3,
     .usual = CUDA_ERROR_INVALID_CONTEXT},
    {.function = NULL},
};
