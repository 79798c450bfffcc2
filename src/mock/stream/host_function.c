/* SPDX-License-Identifier: Apache-2.0 */
/* Host functions and stream callbacks as operations (driver-semantics.md #57, #58 and #82). */
#include "src/mock/core/state.h"
#include "src/mock/stream/stream.h"

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

struct mock_operation *cushim__mock_callback_operation(CUstreamCallback function, void *data,
                                                       CUstream stream)
{
    struct callback *call = cushim__mock_operation_create(
        &callback_class, MOCK_HOST, cushim__mock->settings.costs.operation_ns);

    if (!call)
        return NULL;
    call->function = function;
    call->data = data;
    call->stream = stream;
    return &call->operation;
}
