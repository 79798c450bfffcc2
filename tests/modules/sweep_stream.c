/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

static CUresult create(void)
{
    struct cushim_stream *stream = NULL;
    const CUresult code = cushim_stream_create(fixture.context, NULL, &stream);

    return sweep_first(sweep_output(code, !stream), cushim_stream_release(stream));
}

static CUresult close(void)
{
    struct cushim_stream *stream = NULL;
    CUresult code = cushim_stream_create(fixture.context, NULL, &stream);

    if (stream)
        code = cushim_stream_close(stream);
    return sweep_first(code, cushim_stream_release(stream));
}

static CUresult wrap(void)
{
    struct cushim_stream *stream = NULL;
    const CUresult code = cushim_stream_wrap(fixture.stream_handle, fixture.context, &stream);

    return sweep_first(sweep_output(code, !stream), cushim_stream_release(stream));
}

static CUresult legacy(void)
{
    return cushim_stream_legacy() ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

static CUresult per_thread(void)
{
    return cushim_stream_per_thread() ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

static CUresult retain(void)
{
    return cushim_stream_release(cushim_stream_retain(fixture.stream));
}

static CUresult handle(void)
{
    CUstream its = NULL;
    const CUresult code = cushim_stream_get_handle(fixture.stream, &its);

    return sweep_output(code, !its);
}

static CUresult context(void)
{
    struct cushim_context *its = NULL;
    const CUresult code = cushim_stream_get_context(fixture.stream, &its);

    return code == CUDA_SUCCESS && its != fixture.context ? CUDA_ERROR_UNKNOWN : code;
}

static CUresult query(void)
{
    return cushim_stream_query(fixture.stream);
}

static CUresult synchronize(void)
{
    return cushim_stream_synchronize(fixture.stream);
}

static CUresult wait_for(void)
{
    return cushim_stream_synchronize_for(fixture.stream, UINT64_MAX);
}

static CUresult device(void)
{
    struct cushim_stream *stream = NULL;
    CUdevice its = -1;
    CUresult code = cushim_stream_wrap(fixture.stream_handle, NULL, &stream);

    if (code == CUDA_SUCCESS)
        code = cushim_stream_get_device(stream, &its);
    return sweep_first(sweep_output(code, its == -1), cushim_stream_release(stream));
}

/* --- work --- */

static CUresult wait_event(void)
{
    return cushim_stream_wait_event(fixture.stream, fixture.event);
}

static CUresult wait_stream(void)
{
    return cushim_stream_wait_stream(fixture.stream, fixture.other);
}

static CUresult be_waited_for(void)
{
    return cushim_stream_wait_stream(fixture.other, fixture.stream);
}

static CUresult record(void)
{
    return cushim_event_record(fixture.event, fixture.stream);
}

static void CUDAAPI nothing(void *data)
{
}

static CUresult launch_host_function(void)
{
    return cushim_stream_launch_host_function(fixture.stream, nothing, NULL);
}

const struct sweep_row sweep_streams[] = {
    {.function = "cushim_stream_create", .call = create, .calls = 5},
    {.function = "cushim_stream_release", .call = create, .calls = 5},
    {.function = "cushim_stream_close", .call = close, .calls = 5},
    {.function = "cushim_stream_wrap", .call = wrap},
    {.function = "cushim_stream_legacy", .call = legacy},
    {.function = "cushim_stream_per_thread", .call = per_thread},
    {.function = "cushim_stream_retain", .call = retain},
    {.function = "cushim_stream_get_handle", .call = handle},
    {.function = "cushim_stream_get_context", .call = context},
    {.function = "cushim_stream_query", .call = query, .calls = 1, .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_synchronize",
     .call = synchronize,
     .calls = 1,
     .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_synchronize_for",
     .call = wait_for,
     .calls = 1,
     .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_get_device", .call = device, .calls = 1},
    /* A driver older than CUDA 12.8, which lacks cuStreamGetDevice. */
    {.function = "cushim_stream_get_device",
     .call = device,
     .calls = 5,
     .settings = "driver_version = 12.0"},
    {.function = "cushim_stream_wait_event",
     .call = wait_event,
     .calls = 1,
     .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_wait_stream",
     .call = wait_stream,
     .calls = 7,
     .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_wait_stream",
     .call = be_waited_for,
     .calls = 7,
     .how = SWEEP_ON_STREAM},
    {.function = "cushim_event_record", .call = record, .calls = 1, .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_launch_host_function",
     .call = launch_host_function,
     .calls = 1,
     .how = SWEEP_ON_STREAM},
    {.function = NULL},
};
