/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

static CUresult create(void)
{
    struct cushim_stream *stream = NULL;
    const CUresult code = cushim_stream_create(&stream, fixture.context, NULL);

    return sweep_first(sweep_output(code, !stream), cushim_stream_release(stream));
}

static CUresult close(void)
{
    struct cushim_stream *stream = NULL;
    CUresult code = cushim_stream_create(&stream, fixture.context, NULL);

    if (stream)
        code = cushim_stream_close(stream);
    return sweep_first(code, cushim_stream_release(stream));
}

static CUresult wrap(void)
{
    struct cushim_stream *stream = NULL;
    const CUresult code = cushim_stream_wrap(&stream, fixture.stream_handle, fixture.context);

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
    const CUresult code = cushim_stream_handle(fixture.stream, &its);

    return sweep_output(code, !its);
}

static CUresult context(void)
{
    return cushim_stream_context(fixture.stream) == fixture.context ? CUDA_SUCCESS
                                                                    : CUDA_ERROR_UNKNOWN;
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
    return cushim_stream_wait_for(fixture.stream, UINT64_MAX);
}

static CUresult flags(void)
{
    unsigned its = 0xdead;
    const CUresult code = cushim_stream_flags(fixture.stream, &its);

    return sweep_output(code, its == 0xdead);
}

static CUresult priority(void)
{
    int its = 99;
    const CUresult code = cushim_stream_priority(fixture.stream, &its);

    return sweep_output(code, its == 99);
}

static CUresult id(void)
{
    unsigned long long its = 0;
    const CUresult code = cushim_stream_id(fixture.stream, &its);

    return sweep_output(code, its == 0);
}

static CUresult device(void)
{
    struct cushim_stream *stream = NULL;
    CUdevice its = -1;
    CUresult code = cushim_stream_wrap(&stream, fixture.stream_handle, NULL);

    if (code == CUDA_SUCCESS)
        code = cushim_stream_device(stream, &its);
    return sweep_first(sweep_output(code, its == -1), cushim_stream_release(stream));
}

static CUresult driver_context(void)
{
    CUcontext its = NULL;
    const CUresult code = cushim_stream_driver_context(fixture.stream, &its);

    return sweep_output(code, !its);
}

/* The driver writes into the caller's union, and so before the context is put back. */
static CUresult attribute(void)
{
    CUstreamAttrValue value = {.syncPolicy = (CUsynchronizationPolicy)99};
    const CUresult code =
        cushim_stream_attribute(fixture.stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value);

    return sweep_stream == SWEEP_DEFAULT
               ? code
               : sweep_output(code, value.syncPolicy == (CUsynchronizationPolicy)99);
}

static CUresult set_attribute(void)
{
    const CUstreamAttrValue value = {.syncPolicy = CU_SYNC_POLICY_YIELD};

    return cushim_stream_set_attribute(fixture.stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY,
                                       &value);
}

static CUresult copy_attributes(void)
{
    return cushim_stream_copy_attributes(fixture.stream, fixture.other);
}

/* --- work --- */

static CUresult wait_event(void)
{
    return cushim_stream_wait_event(fixture.stream, fixture.event, 0);
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
    return cushim_stream_record(fixture.stream, fixture.event);
}

static void CUDAAPI nothing(void *data)
{
    (void)data;
}

static CUresult launch_host_function(void)
{
    return cushim_stream_launch_host_function(fixture.stream, nothing, NULL);
}

static void CUDAAPI nothing_of(CUstream stream, CUresult code, void *data)
{
    (void)stream;
    (void)code;
    (void)data;
}

static CUresult add_callback(void)
{
    return cushim_stream_add_callback(fixture.stream, nothing_of, NULL);
}

static CUresult wait_value32(void)
{
    return cushim_stream_wait_value32(fixture.stream, fixture.memory, 0, CU_STREAM_WAIT_VALUE_GEQ);
}

static CUresult wait_value64(void)
{
    return cushim_stream_wait_value64(fixture.stream, fixture.memory, 0, CU_STREAM_WAIT_VALUE_GEQ);
}

static CUresult write_value32(void)
{
    return cushim_stream_write_value32(fixture.stream, fixture.memory, 1, 0);
}

static CUresult write_value64(void)
{
    return cushim_stream_write_value64(fixture.stream, fixture.memory, 1, 0);
}

/* From its begin to its end; the graph is the program's then. */
static CUresult capture(void)
{
    CUgraph graph = NULL;
    CUresult code = cushim_stream_begin_capture(fixture.stream, CU_STREAM_CAPTURE_MODE_GLOBAL);

    if (code == CUDA_SUCCESS)
        code = cushim_stream_end_capture(fixture.stream, &graph);
    sweep_output(code, !graph);
    return sweep_first(code, graph ? cushim_driver()->GraphDestroy(graph) : CUDA_SUCCESS);
}

static CUresult capture_status(void)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)99;
    cuuint64_t id = 99;
    const CUresult code = cushim_stream_capture_status(fixture.stream, &status, &id);

    return sweep_outputs(code, status == (CUstreamCaptureStatus)99, id == 99);
}

static CUresult exchange_capture_mode(void)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    const CUresult code = cushim_stream_exchange_capture_mode(&mode);

    return sweep_output(code, mode == CU_STREAM_CAPTURE_MODE_RELAXED);
}

const struct sweep_row sweep_streams[] = {
    {.function = "cushim_stream_create", .call = create, .calls = 5},
    {.function = "cushim_stream_release", .call = create, .calls = 5},
    {.function = "cushim_stream_close", .call = close, .calls = 5},
    {.function = "cushim_stream_wrap", .call = wrap},
    {.function = "cushim_stream_legacy", .call = legacy},
    {.function = "cushim_stream_per_thread", .call = per_thread},
    {.function = "cushim_stream_retain", .call = retain},
    {.function = "cushim_stream_handle", .call = handle},
    {.function = "cushim_stream_context", .call = context},
    {.function = "cushim_stream_query", .call = query, .calls = 1, .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_synchronize",
     .call = synchronize,
     .calls = 1,
     .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_wait_for", .call = wait_for, .calls = 1, .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_flags", .call = flags, .calls = 1, .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_priority", .call = priority, .calls = 1, .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_id", .call = id, .calls = 1, .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_device", .call = device, .calls = 1},
    /* A driver before CUDA 12.8, which lacks cuStreamGetDevice. */
    {.function = "cushim_stream_device",
     .call = device,
     .calls = 5,
     .settings = "driver_version = 12.0"},
    {.function = "cushim_stream_driver_context",
     .call = driver_context,
     .calls = 1,
     .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_attribute", .call = attribute, .calls = 1, .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_set_attribute",
     .call = set_attribute,
     .calls = 1,
     .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_copy_attributes",
     .call = copy_attributes,
     .calls = 1,
     .how = SWEEP_ON_STREAM},
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
    {.function = "cushim_stream_record", .call = record, .calls = 1, .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_launch_host_function",
     .call = launch_host_function,
     .calls = 1,
     .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_add_callback",
     .call = add_callback,
     .calls = 1,
     .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_wait_value32",
     .call = wait_value32,
     .calls = 1,
     .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_wait_value64",
     .call = wait_value64,
     .calls = 1,
     .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_write_value32",
     .call = write_value32,
     .calls = 1,
     .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_write_value64",
     .call = write_value64,
     .calls = 1,
     .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_begin_capture", .call = capture, .calls = 3},
    {.function = "cushim_stream_end_capture", .call = capture, .calls = 3},
    {.function = "cushim_stream_capture_status",
     .call = capture_status,
     .calls = 1,
     .how = SWEEP_ON_STREAM},
    {.function = "cushim_stream_exchange_capture_mode", .call = exchange_capture_mode, .calls = 1},
    {.function = NULL},
};
