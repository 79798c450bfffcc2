/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

static CUresult create(void)
{
    struct cushim_event *event = NULL;
    const CUresult code = cushim_event_create(fixture.context, NULL, &event);

    return sweep_first(sweep_output(code, !event), cushim_event_release(event));
}

static CUresult create_recorded(void)
{
    struct cushim_event *event = NULL;
    const CUresult code = cushim_event_create_recorded(fixture.stream, NULL, &event);

    return sweep_first(sweep_output(code, !event), cushim_event_release(event));
}

static CUresult close(void)
{
    struct cushim_event *event = NULL;
    CUresult code = cushim_event_create(fixture.context, NULL, &event);

    if (event)
        code = cushim_event_close(event);
    return sweep_first(code, cushim_event_release(event));
}

static CUresult wrap(void)
{
    struct cushim_event *event = NULL;
    const CUresult code = cushim_event_wrap(fixture.event_handle, fixture.context, NULL, &event);

    return sweep_first(sweep_output(code, !event), cushim_event_release(event));
}

static CUresult retain(void)
{
    return cushim_event_release(cushim_event_retain(fixture.event));
}

static CUresult handle(void)
{
    CUevent its = NULL;
    const CUresult code = cushim_event_get_handle(fixture.event, &its);

    return sweep_output(code, !its);
}

static CUresult record(void)
{
    return cushim_event_record(fixture.event, cushim_stream_legacy());
}

static CUresult query(void)
{
    return cushim_event_query(fixture.event);
}

static CUresult synchronize(void)
{
    return cushim_event_synchronize(fixture.event);
}

static CUresult wait_for(void)
{
    return cushim_event_synchronize_for(fixture.event, UINT64_MAX);
}

static CUresult context(void)
{
    struct cushim_context *its = NULL;
    const CUresult code = cushim_event_get_context(fixture.event, &its);

    return code == CUDA_SUCCESS && its != fixture.context ? CUDA_ERROR_UNKNOWN : code;
}

static CUresult info(void)
{
    struct cushim_event_info its = CUSHIM_EVENT_INFO_INIT;
    const CUresult code = cushim_event_get_info(fixture.event, &its);

    if (code == CUDA_SUCCESS && (its.is_imported || !its.is_recorded || its.is_closed))
        return CUDA_ERROR_UNKNOWN;
    return sweep_output(code, !its.has_flags);
}

static CUresult elapsed(void)
{
    float ms = -1;
    const CUresult code = cushim_event_get_elapsed(fixture.event, fixture.later, &ms);

    return sweep_output(code, ms < 0);
}

static CUresult explain(void)
{
    return cushim_event_explanation(fixture.event, fixture.later, CUDA_ERROR_INVALID_HANDLE)
               ? CUDA_SUCCESS
               : CUDA_ERROR_UNKNOWN;
}

static CUresult export_event(void)
{
    CUipcEventHandle ipc = {{0}};
    bool is_untouched = true;
    const CUresult code = cushim_event_export(fixture.interprocess, &ipc);

    for (size_t i = 0; i < sizeof ipc.reserved; i++)
        is_untouched = is_untouched && !ipc.reserved[i];
    return sweep_output(code, is_untouched);
}

/* A process cannot import an event that it has exported. */
static CUresult import_event(void)
{
    struct cushim_event *event = NULL;
    const CUresult code = cushim_event_import(fixture.context, &fixture.ipc, &event);

    return sweep_first(sweep_output(code, !event), cushim_event_release(event));
}

/* --- pools --- */

static CUresult pool_create(void)
{
    const struct cushim_event_pool_options options = {.size = sizeof options, .initial = 2};
    struct cushim_event_pool *pool = NULL;
    const CUresult code = cushim_event_pool_create(fixture.context, NULL, &options, &pool);

    return sweep_first(sweep_output(code, !pool), cushim_event_pool_release(pool));
}

/* The first event exists already; the second is created. */
static CUresult pool_acquire(void)
{
    const struct cushim_event_pool_options options = {.size = sizeof options, .initial = 1};
    struct cushim_event_pool *pool = NULL;
    struct cushim_event *one = NULL, *other = NULL;
    CUresult code = cushim_event_pool_create(fixture.context, NULL, &options, &pool);

    if (code == CUDA_SUCCESS)
        code = cushim_event_pool_acquire(pool, &one);
    if (code == CUDA_SUCCESS)
        code = cushim_event_pool_acquire(pool, &other);
    sweep_output(code, !other);
    code = sweep_first(code, cushim_event_release(one));
    code = sweep_first(code, cushim_event_release(other));
    return sweep_first(code, cushim_event_pool_release(pool));
}

/* A pool is freed when its last event has been released. */
static CUresult pool_outlive(void)
{
    struct cushim_event_pool *pool = NULL;
    struct cushim_event *event = NULL;
    CUresult code = cushim_event_pool_create(fixture.context, NULL, NULL, &pool);

    if (code == CUDA_SUCCESS)
        code = cushim_event_pool_acquire(pool, &event);
    sweep_output(code, !event);
    code = sweep_first(code, cushim_event_pool_release(pool));
    return sweep_first(code, cushim_event_release(event));
}

static CUresult pool_retain(void)
{
    return cushim_event_pool_release(cushim_event_pool_retain(fixture.pool));
}

static CUresult pool_counts(void)
{
    size_t total = 99, free = 99;
    const CUresult code = cushim_event_pool_get_counts(fixture.pool, &total, &free);

    return sweep_outputs(code, total == 99, free == 99);
}

const struct sweep_row sweep_events[] = {
    {.function = "cushim_event_create", .call = create, .calls = 5},
    {.function = "cushim_event_create_recorded", .call = create_recorded, .calls = 6},
    {.function = "cushim_event_close", .call = close, .calls = 5},
    {.function = "cushim_event_release", .call = create, .calls = 5},
    {.function = "cushim_event_wrap", .call = wrap},
    {.function = "cushim_event_retain", .call = retain},
    {.function = "cushim_event_get_handle", .call = handle},
    {.function = "cushim_event_record", .call = record, .calls = 4},
    {.function = "cushim_event_query", .call = query, .calls = 1},
    {.function = "cushim_event_synchronize", .call = synchronize, .calls = 1},
    {.function = "cushim_event_synchronize_for", .call = wait_for, .calls = 1},
    {.function = "cushim_event_get_context", .call = context},
    {.function = "cushim_event_get_info", .call = info},
    {.function = "cushim_event_get_elapsed", .call = elapsed, .calls = 1},
    {.function = "cushim_event_explanation", .call = explain, .calls = 3, .how = SWEEP_IS_SILENT},
    {.function = "cushim_event_export", .call = export_event, .calls = 4},
    {.function = "cushim_event_import",
     .call = import_event,
     .calls = 4,
     .usual = CUDA_ERROR_INVALID_CONTEXT},
    {.function = "cushim_event_pool_create", .call = pool_create, .calls = 10},
    {.function = "cushim_event_pool_acquire", .call = pool_acquire, .calls = 10},
    {.function = "cushim_event_pool_release", .call = pool_outlive, .calls = 5},
    {.function = "cushim_event_pool_retain", .call = pool_retain},
    {.function = "cushim_event_pool_get_counts", .call = pool_counts},
    {.function = NULL},
};
