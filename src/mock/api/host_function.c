/* SPDX-License-Identifier: Apache-2.0 */
/* Host functions and stream callbacks (driver-semantics.md #57, #58 and #82). */
#include "src/mock/api/stream.h"

#include "src/mock/api/api.h"
#include "src/mock/api/capture.h"
#include "src/mock/core/state.h"

/* The last of the modes of cuLaunchHostFunc_v2: CU_HOST_TASK_BLOCKING is 0. */
enum { HOST_TASK_SPINWAIT = 1 };

struct host_function {
    struct mock_operation operation;
    CUDA_HOST_NODE_PARAMS parameters;
};

struct callback {
    struct mock_operation operation;
    CUstreamCallback function;
    void *data;
    CUstream stream;
};

static void host_function_run(struct mock_operation *operation, CUresult status)
{
    const struct host_function *call = (const struct host_function *)operation;

    (void)status;
    call->parameters.fn(call->parameters.userData);
}

static const struct mock_operation_class host_function_class = {
    .name = "host",
    .size = sizeof(struct host_function),
    .node_type = CU_GRAPH_NODE_TYPE_HOST,
    .host = host_function_run,
};

static void callback_run(struct mock_operation *operation, CUresult status)
{
    const struct callback *call = (const struct callback *)operation;

    call->function(call->stream, status, call->data);
}

static const struct mock_operation_class callback_class = {
    .name = "callback",
    .size = sizeof(struct callback),
    .node_type = CU_GRAPH_NODE_TYPE_HOST,
    .host = callback_run,
    .always = true,
};

CUresult cushim__mock_host_operation(const CUDA_HOST_NODE_PARAMS *parameters,
                                     struct mock_operation **operation)
{
    struct host_function *call;

    if (!parameters || !parameters->fn)
        return CUDA_ERROR_INVALID_VALUE;
    call = cushim__mock_operation_create(&host_function_class, MOCK_HOST,
                                         cushim__mock->settings.costs.operation_ns);
    if (!call)
        return CUDA_ERROR_OUT_OF_MEMORY;
    call->parameters = *parameters;
    *operation = &call->operation;
    return CUDA_SUCCESS;
}

void cushim__mock_host_parameters(const struct mock_operation *operation,
                                  CUDA_HOST_NODE_PARAMS *parameters)
{
    *parameters = ((const struct host_function *)operation)->parameters;
}

MOCK_EXACT(LaunchHostFunc)(CUhostFn NOT_NULL fn, struct mock_stream *stream, void *userData)
{
    const CUDA_HOST_NODE_PARAMS parameters = {.fn = fn, .userData = userData};
    struct mock_operation *operation;
    CUresult code = cushim__mock_host_operation(&parameters, &operation);

    return code ? code : cushim__mock_stream_submit(stream, operation);
}

MOCK_APPROXIMATE(LaunchHostFunc_v2,
                 "no driver of this version was measured; both modes of waiting are the same")
(unsigned int syncMode, CUhostFn fn, CUstream hStream, void *userData)
{
    struct mock_stream *stream;
    CUresult code = CUDA_ERROR_INVALID_VALUE;

    if (fn && syncMode <= HOST_TASK_SPINWAIT)
        code = cushim__mock_stream_find(hStream, &stream);
    return code ? code : cushim__mock_LaunchHostFunc(fn, stream, userData);
}

MOCK_EXACT(StreamAddCallback)
(CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags)
{
    struct mock_stream *stream;
    struct callback *call;
    CUresult code;

    if (!callback || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_stream_find(hStream, &stream);
    if (code == CUDA_SUCCESS && stream->capture)
        code = cushim__mock_capture_query_stream(stream);
    if (code)
        return code;
    call = cushim__mock_operation_create(&callback_class, MOCK_HOST,
                                         cushim__mock->settings.costs.operation_ns);
    if (!call)
        return CUDA_ERROR_OUT_OF_MEMORY;
    call->function = callback;
    call->data = userData;
    call->stream = hStream;
    return cushim__mock_stream_submit(stream, call);
}
