/* SPDX-License-Identifier: Apache-2.0 */
/* What streams are told to do. */
#include "swept.h"

static CUresult wait_event(void)
{
    return cushim_stream_wait_event(swept_world.stream, swept_world.event, 0);
}

static CUresult wait_stream(void)
{
    return cushim_stream_wait_stream(swept_world.stream, swept_world.other);
}

static CUresult record(void)
{
    return cushim_stream_record(swept_world.stream, swept_world.event);
}

static void CUDAAPI nothing(void *data)
{
    (void)data;
}

static CUresult launch_host_function(void)
{
    return cushim_stream_launch_host_function(swept_world.stream, nothing, NULL);
}

static void CUDAAPI nothing_of(CUstream stream, CUresult code, void *data)
{
    (void)stream;
    (void)code;
    (void)data;
}

static CUresult add_callback(void)
{
    return cushim_stream_add_callback(swept_world.stream, nothing_of, NULL);
}

static CUresult wait_value32(void)
{
    return cushim_stream_wait_value32(swept_world.stream, swept_world.memory, 0,
                                      CU_STREAM_WAIT_VALUE_GEQ);
}

static CUresult wait_value64(void)
{
    return cushim_stream_wait_value64(swept_world.stream, swept_world.memory, 0,
                                      CU_STREAM_WAIT_VALUE_GEQ);
}

static CUresult write_value32(void)
{
    return cushim_stream_write_value32(swept_world.stream, swept_world.memory, 1, 0);
}

static CUresult write_value64(void)
{
    return cushim_stream_write_value64(swept_world.stream, swept_world.memory, 1, 0);
}

/* From its begin to its end; the graph is the program's then. */
static CUresult capture(void)
{
    CUgraph graph = NULL;
    CUresult code = cushim_stream_begin_capture(swept_world.stream, CU_STREAM_CAPTURE_MODE_GLOBAL);

    if (code == CUDA_SUCCESS)
        code = cushim_stream_end_capture(swept_world.stream, &graph);
    swept_output(code, !graph);
    return swept_first(code, graph ? cushim_driver()->GraphDestroy(graph) : CUDA_SUCCESS);
}

static CUresult capture_status(void)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)99;
    cuuint64_t id = 99;
    const CUresult code = cushim_stream_capture_status(swept_world.stream, &status, &id);

    return swept_outputs(code, status == (CUstreamCaptureStatus)99, id == 99);
}

static CUresult exchange_capture_mode(void)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    const CUresult code = cushim_stream_exchange_capture_mode(&mode);

    return swept_output(code, mode == CU_STREAM_CAPTURE_MODE_RELAXED);
}

const struct swept swept_stream_work[] = {
    {.function = "cushim_stream_wait_event", .call = wait_event, .calls = 1},
    {.function = "cushim_stream_wait_stream", .call = wait_stream, .calls = 6},
    {.function = "cushim_stream_record", .call = record, .calls = 1},
    {.function = "cushim_stream_launch_host_function", .call = launch_host_function, .calls = 1},
    {.function = "cushim_stream_add_callback", .call = add_callback, .calls = 1},
    {.function = "cushim_stream_wait_value32", .call = wait_value32, .calls = 1},
    {.function = "cushim_stream_wait_value64", .call = wait_value64, .calls = 1},
    {.function = "cushim_stream_write_value32", .call = write_value32, .calls = 1},
    {.function = "cushim_stream_write_value64", .call = write_value64, .calls = 1},
    {.function = "cushim_stream_begin_capture", .call = capture, .calls = 3},
    {.function = "cushim_stream_end_capture", .call = capture, .calls = 3},
    {.function = "cushim_stream_capture_status", .call = capture_status, .calls = 1},
    {.function = "cushim_stream_exchange_capture_mode", .call = exchange_capture_mode, .calls = 1},
    {.function = NULL},
};
