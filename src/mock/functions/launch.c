/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that launch kernels and host functions. */
#include "src/mock/core/ability.h"
#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"
#include "src/mock/launch/kernel.h"
#include "src/mock/module/module.h"
#include "src/mock/stream/capture.h"
#include "src/mock/stream/stream.h"

/* The function to launch, found by a CUfunction or by a CUkernel in the context of the stream. */
struct target {
    struct mock_function *function;
    struct mock_stream *stream;
};

/* Find the target, in the context of a created stream or, for a default stream, the current one. */
static CUresult find_target(CUfunction handle, CUstream stream, struct target *target)
{
    CUresult code = CUDA_SUCCESS;

    if (handle || cushim__mock_stream_is_default(stream))
        code = cushim__mock_stream_find(stream, &target->stream);
    if (code == CUDA_SUCCESS)
        code = handle ? cushim__mock_function_in(handle, target->stream->object.context,
                                                 &target->function)
                      : CUDA_ERROR_INVALID_HANDLE;
    if (code != CUDA_SUCCESS)
        return code;
    return target->stream->object.context == target->function->object.context
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_HANDLE;
}

/* All blocks of a cooperative launch have to run at once, or it is refused. */
static CUresult check_cooperative(const struct target *target,
                                  const struct mock_launch_shape *shape)
{
    const uint64_t blocks = (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
    const unsigned threads = shape->block[0] * shape->block[1] * shape->block[2];
    const int multiprocessors = cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    const int at_once =
        cushim__mock_function_blocks(target->function, threads, shape->shared_bytes);
    const CUresult code = cushim__mock_needs(MOCK_NEEDS_COOPERATIVE_LAUNCH);

    if (code)
        return code;
    return blocks > (uint64_t)at_once * (uint64_t)multiprocessors
               ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
               : CUDA_SUCCESS;
}

static CUresult launch(const struct target *target, const struct mock_launch_shape *shape,
                       void **parameters, void **extra)
{
    struct mock_operation *operation;
    CUresult code = cushim__mock_launch_check(target->function, shape);

    if (code == CUDA_SUCCESS && shape->cooperative)
        code = check_cooperative(target, shape);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_launch_create(target->function, shape, parameters, extra, &operation);
    if (code == CUDA_SUCCESS)
        return cushim__mock_stream_submit(target->stream, operation);
    if (code == CUDA_ERROR_INVALID_VALUE && target->stream->capture)
        target->stream->capture->invalidated = true;
    return code;
}

/* Also cuLaunchCooperativeKernel. */
CUresult cushim__mock_LaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                   unsigned int gridDimZ, unsigned int blockDimX,
                                   unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream,
                                   void **kernelParams, void **extra, unsigned slot)
{
    const struct mock_launch_shape shape = {
        .grid = {gridDimX, gridDimY, gridDimZ},
        .block = {blockDimX, blockDimY, blockDimZ},
        .shared_bytes = sharedMemBytes,
        .cooperative = slot == CUSHIM__SLOT(LaunchCooperativeKernel),
    };
    struct target target;
    CUresult code = find_target(f, hStream, &target);

    return code == CUDA_SUCCESS ? launch(&target, &shape, kernelParams, extra) : code;
}

/* Attributes of a launch. */
enum {
    COOPERATIVE = 2,
    SYNCHRONIZATION_POLICY = 3,
    CLUSTER_DIMENSION = 4,
    PROGRAMMATIC_EVENT = 7,
    COMPLETION_EVENT = 12,
    UPDATABLE_NODE = 13,
    UNKNOWN = 15,
    LAST = 16,
};

/* Clusters are not simulated, but what the driver refuses is refused. */
static CUresult check_cluster(const struct mock_function *function,
                              const struct mock_launch_shape *shape, const CUstreamAttrValue *value)
{
    enum { PORTABLE = 8, LARGEST = 16, INVALID_CLUSTER_SIZE = 912 };
    const unsigned most = function->settings.non_portable_cluster ? LARGEST : PORTABLE;
    const int dimensions[3] = {(int)value->clusterDim.x, (int)value->clusterDim.y,
                               (int)value->clusterDim.z};
    unsigned blocks = 1;
    CUresult code;

    if (dimensions[0] == 0 && dimensions[1] == 0 && dimensions[2] == 0)
        return CUDA_SUCCESS;
    code = cushim__mock_needs(MOCK_NEEDS_CLUSTER_LAUNCH);
    if (code)
        return code;
    for (unsigned i = 0; i < 3; i++) {
        if (dimensions[i] <= 0 || dimensions[i] > (int)LARGEST ||
            shape->grid[i] % (unsigned)dimensions[i] != 0)
            return (CUresult)INVALID_CLUSTER_SIZE;
        blocks *= (unsigned)dimensions[i];
    }
    return blocks > most ? (CUresult)INVALID_CLUSTER_SIZE : CUDA_SUCCESS;
}

static CUresult check_attribute(const struct mock_function *function,
                                const struct mock_launch_shape *shape,
                                const CUlaunchAttribute *attribute, bool *cooperative)
{
    /* Older headers have a union with fewer members in launches than in streams. */
    const CUstreamAttrValue *value = (const void *)&attribute->value;

    switch ((int)attribute->id) {
    case COOPERATIVE:
        *cooperative = value->cooperative != 0;
        return CUDA_SUCCESS;
    case CLUSTER_DIMENSION:
        return check_cluster(function, shape, value);
    case PROGRAMMATIC_EVENT:
    case COMPLETION_EVENT:
        if (!value->programmaticEvent.event) /* the first member of both */
            return CUDA_ERROR_INVALID_HANDLE;
        cushim__mock_log("%s: events of a launch are not implemented: CUDA_ERROR_NOT_SUPPORTED",
                         cushim__mock_call_name());
        return CUDA_ERROR_NOT_SUPPORTED;
    case UPDATABLE_NODE:
        return CUDA_ERROR_NOT_SUPPORTED;
    case SYNCHRONIZATION_POLICY:
    case UNKNOWN:
        return CUDA_ERROR_INVALID_VALUE;
    default:
        return (unsigned)attribute->id <= LAST ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cushim__mock_LaunchKernelEx(const cushim_CUlaunchConfig *config, CUfunction f,
                                     void **kernelParams, void **extra)
{
    struct mock_launch_shape shape;
    struct target target;
    CUresult code;

    if (!config || (config->numAttrs > 0 && !config->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    shape = (struct mock_launch_shape){
        .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .shared_bytes = config->sharedMemBytes,
    };
    code = find_target(f, config->hStream, &target);
    for (unsigned i = 0; code == CUDA_SUCCESS && i < config->numAttrs; i++)
        code = check_attribute(target.function, &shape, &config->attrs[i], &shape.cooperative);
    return code == CUDA_SUCCESS ? launch(&target, &shape, kernelParams, extra) : code;
}

/* Host functions and stream callbacks (driver-semantics.md #57, #58 and #82). */

/* The last of the modes of cuLaunchHostFunc_v2: CU_HOST_TASK_BLOCKING is 0. */
enum { HOST_TASK_SPINWAIT = 1 };

CUresult cushim__mock_LaunchHostFunc(struct mock_stream *stream, CUhostFn fn, void *userData)
{
    const CUDA_HOST_NODE_PARAMS parameters = {.fn = fn, .userData = userData};
    struct mock_operation *operation;
    CUresult code = cushim__mock_host_operation(&parameters, &operation);

    return code ? code : cushim__mock_stream_submit(stream, operation);
}

CUresult cushim__mock_LaunchHostFunc_v2(CUstream hStream, CUhostFn fn, void *userData,
                                        unsigned int syncMode)
{
    struct mock_stream *stream;
    CUresult code = CUDA_ERROR_INVALID_VALUE;

    if (fn && syncMode <= HOST_TASK_SPINWAIT)
        code = cushim__mock_stream_find(hStream, &stream);
    return code ? code : cushim__mock_LaunchHostFunc(stream, fn, userData);
}

CUresult cushim__mock_StreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
                                        unsigned int flags)
{
    struct mock_stream *stream;
    struct mock_operation *operation;
    CUresult code;

    if (!callback || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_stream_find(hStream, &stream);
    if (code == CUDA_SUCCESS && stream->capture)
        code = cushim__mock_capture_query_stream(stream);
    if (code)
        return code;
    operation = cushim__mock_callback_operation(callback, userData, hStream);
    return operation ? cushim__mock_stream_submit(stream, operation) : CUDA_ERROR_OUT_OF_MEMORY;
}
