/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that launch kernels and host functions. */
#include "src/mock/context/context.h"
#include "src/mock/core/ability.h"
#include "src/mock/core/state.h"
#include "src/mock/event/event.h"
#include "src/mock/functions/functions.h"
#include "src/mock/graph/graph.h"
#include "src/mock/launch/kernel.h"
#include "src/mock/module/module.h"
#include "src/mock/sim/operation.h"
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
    return cushim__mock_context_space(target->stream->object.context) ==
                   target->function->object.context
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_HANDLE;
}

/* All blocks of a cooperative launch have to run at once, or it is refused. */
static CUresult check_cooperative(const struct target *target,
                                  const struct mock_launch_shape *shape)
{
    const uint64_t blocks = (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
    const unsigned threads = shape->block[0] * shape->block[1] * shape->block[2];
    const struct mock_context *context = target->stream->object.context;
    const unsigned multiprocessors =
        context->base ? context->multiprocessors
                      : (unsigned)cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    const int at_once =
        cushim__mock_function_blocks(target->function, threads, shape->shared_bytes);
    const CUresult code = cushim__mock_needs(MOCK_NEEDS_COOPERATIVE_LAUNCH);

    if (code)
        return code;
    return blocks > (uint64_t)at_once * multiprocessors ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
                                                        : CUDA_SUCCESS;
}

/*
 * Queue the launch, and then the record of its event: the driver may fire that as late as at the
 * kernel's end.
 */
static CUresult queue(const struct target *target, const struct mock_launch_extras *extras,
                      struct mock_operation *operation)
{
    struct mock_plan plan = {0};
    CUresult code = CUDA_SUCCESS;

    if (target->stream->capture)
        return cushim__mock_capture_launch(target->stream, operation, extras);
    if (!extras->event)
        return cushim__mock_stream_submit(target->stream, operation);
    if (cushim__mock_captures && target->stream->kind == MOCK_LEGACY)
        code = cushim__mock_capture_legacy(target->stream);
    if (code) {
        cushim__mock_operation_destroy(operation);
        return code;
    }
    code = cushim__mock_plan_operation(&plan, target->stream, operation);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_plan_event_record(&plan, extras->event, target->stream);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_plan_submit(&plan);
    cushim__mock_plan_clear(&plan);
    return code;
}

static CUresult launch(const struct target *target, const struct mock_launch_shape *shape,
                       const struct mock_launch_extras *extras, void **parameters, void **extra)
{
    struct mock_operation *operation;
    CUresult code = cushim__mock_launch_check(target->function, shape);

    if (code == CUDA_SUCCESS && shape->cooperative)
        code = check_cooperative(target, shape);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_launch_create(target->function, shape, parameters, extra, &operation);
    if (code == CUDA_SUCCESS)
        return queue(target, extras, operation);
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
    const struct mock_launch_extras none = {.event = NULL};
    struct target target;
    CUresult code = find_target(f, hStream, &target);

    return code == CUDA_SUCCESS ? launch(&target, &shape, &none, kernelParams, extra) : code;
}

/* Attributes of a launch. */
enum {
    COOPERATIVE = 2,
    SYNCHRONIZATION_POLICY = 3,
    CLUSTER_DIMENSION = 4,
    PROGRAMMATIC_SERIALIZATION = 6,
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
    const unsigned dimensions[3] = {value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
    unsigned blocks;
    CUresult code;

    if (dimensions[0] == 0 && dimensions[1] == 0 && dimensions[2] == 0)
        return CUDA_SUCCESS;
    code = cushim__mock_needs(MOCK_NEEDS_CLUSTER_LAUNCH);
    return code ? code : cushim__mock_function_cluster(function, shape->grid, dimensions, &blocks);
}

/*
 * Find the event that a launch records. It cannot be timed, nor be shared with other processes, and
 * a launch has one at most.
 */
static CUresult find_event(const struct target *target, const CUstreamAttrValue *value,
                           unsigned char port, struct mock_launch_extras *extras)
{
    /* These two are the first members of the values of both attributes. */
    const CUevent handle = value->programmaticEvent.event;
    const int flags = value->programmaticEvent.flags;
    struct mock_event *event;
    CUresult code =
        handle ? cushim__mock_object_find(handle, MOCK_EVENT, &event) : CUDA_ERROR_INVALID_HANDLE;

    if (code)
        return code;
    if (!cushim__mock_context_shares(event->object.context, target->stream->object.context))
        return CUDA_ERROR_INVALID_HANDLE;
    if (flags != 0 || !(event->flags & CU_EVENT_DISABLE_TIMING) ||
        event->flags & CU_EVENT_INTERPROCESS)
        return CUDA_ERROR_INVALID_VALUE;
    if (extras->event)
        return CUDA_ERROR_NOT_SUPPORTED;
    extras->event = event;
    extras->port = port;
    return CUDA_SUCCESS;
}

static CUresult read_attribute(const struct target *target, const CUlaunchAttribute *attribute,
                               struct mock_launch_shape *shape, struct mock_launch_extras *extras)
{
    /* Older headers have a union with fewer members in launches than in streams. */
    const CUstreamAttrValue *value = (const void *)&attribute->value;

    switch ((int)attribute->id) {
    case COOPERATIVE:
        shape->cooperative = value->cooperative != 0;
        return CUDA_SUCCESS;
    case CLUSTER_DIMENSION:
        return check_cluster(target->function, shape, value);
    case PROGRAMMATIC_SERIALIZATION:
        extras->programmatic = value->programmaticStreamSerializationAllowed != 0;
        return CUDA_SUCCESS;
    case PROGRAMMATIC_EVENT:
        return find_event(target, value, MOCK_PORT_PROGRAMMATIC, extras);
    case COMPLETION_EVENT:
        return find_event(target, value, MOCK_PORT_LAUNCH_ORDER, extras);
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
    struct mock_launch_extras extras = {.event = NULL};
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
        code = read_attribute(&target, &config->attrs[i], &shape, &extras);
    return code == CUDA_SUCCESS ? launch(&target, &shape, &extras, kernelParams, extra) : code;
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
