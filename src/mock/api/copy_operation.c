/* SPDX-License-Identifier: Apache-2.0 */
/* The operation behind every copy (driver-semantics.md #106 to #109). */
#include <stdlib.h>

#include "src/mock/api/copy.h"
#include "src/mock/api/memory.h"
#include "src/mock/api/stream.h"
#include "src/mock/core/state.h"
#include "src/race/race.h"

/* Memory that was freed is an illegal address, which is a sticky error. */
static CUresult execute(struct mock_operation *operation)
{
    const struct mock_copy *copy = (const struct mock_copy *)operation;
    struct mock_copy_box from = cushim__mock_copy_staged(copy), to;

    if (!cushim__mock_copy_find(copy, &copy->to, &to) ||
        (!copy->staged && !cushim__mock_copy_find(copy, &copy->from, &from)))
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    cushim__mock_copy_move(copy, &to, &from);
    return CUDA_SUCCESS;
}

static void drop(struct mock_operation *operation)
{
    free(((struct mock_copy *)operation)->staged);
}

/* What was read at the call is not read any more. */
static void touch(const struct mock_operation *operation, struct race_access *access)
{
    const struct mock_copy *copy = (const struct mock_copy *)operation;
    struct race_region region;

    if (!copy->staged && cushim__mock_copy_region(copy, &copy->from, &region))
        cushim__race_use(access, &region, RACE_READS);
    if (cushim__mock_copy_region(copy, &copy->to, &region))
        cushim__race_use(access, &region, RACE_WRITES);
}

static const struct mock_operation_class copy_class = {
    .name = "copy",
    .size = sizeof(struct mock_copy),
    .node_type = CU_GRAPH_NODE_TYPE_MEMCPY,
    .execute = execute,
    .touch = touch,
    .drop = drop,
};

/* Set which unit executes the copy, and how long that takes. */
static void set_cost(struct mock_copy *copy)
{
    const struct mock_costs *costs = &cushim__mock->settings.costs;
    const size_t bytes = copy->width * copy->height * copy->depth;
    uint64_t rate = costs->host_to_device_bytes_per_us;

    copy->operation.unit = MOCK_HOST_TO_DEVICE;
    if (copy->from.on_device && copy->to.on_device) {
        copy->operation.unit = MOCK_DEVICE_TO_DEVICE;
        rate =
            cushim__mock_copy_side_device(&copy->from) == cushim__mock_copy_side_device(&copy->to)
                ? costs->device_bytes_per_us
                : costs->peer_bytes_per_us;
    } else if (copy->from.on_device) {
        copy->operation.unit = MOCK_DEVICE_TO_HOST;
        rate = costs->device_to_host_bytes_per_us;
    }
    copy->operation.duration_ns =
        costs->operation_ns + cushim__mock_operation_duration(bytes, rate);
}

static struct mock_copy_side side_of(unsigned type, size_t x, size_t y, size_t z, size_t pitch,
                                     size_t height)
{
    return (struct mock_copy_side){
        .x = x,
        .y = y,
        .z = z,
        .pitch = pitch,
        .height = height,
        .type = type <= UINT8_MAX ? (uint8_t)type : 0,
    };
}

/* Fill a copy from its description. */
static CUresult describe(const CUDA_MEMCPY3D *shape, struct mock_copy *copy)
{
    CUresult code;

    copy->from = side_of(shape->srcMemoryType, shape->srcXInBytes, shape->srcY, shape->srcZ,
                         shape->srcPitch, shape->srcHeight);
    copy->to = side_of(shape->dstMemoryType, shape->dstXInBytes, shape->dstY, shape->dstZ,
                       shape->dstPitch, shape->dstHeight);
    copy->width = shape->WidthInBytes;
    copy->height = shape->Height;
    copy->depth = shape->Depth;
    code = cushim__mock_copy_side_check(copy, &copy->from, shape->srcHost, shape->srcDevice,
                                        shape->srcArray);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_copy_side_check(copy, &copy->to, shape->dstHost, shape->dstDevice,
                                            shape->dstArray);
    if (code == CUDA_SUCCESS)
        set_cost(copy);
    return code;
}

CUresult cushim__mock_copy_operation(const CUDA_MEMCPY3D *shape, struct mock_operation **operation)
{
    struct mock_copy *copy;
    CUresult code;

    if (!shape || shape->WidthInBytes == 0 || shape->Height == 0 || shape->Depth == 0)
        return CUDA_ERROR_INVALID_VALUE;
    copy = cushim__mock_operation_create(&copy_class, MOCK_NO_UNIT, 0);
    if (!copy)
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = describe(shape, copy);
    if (code)
        cushim__mock_operation_destroy(copy);
    else
        *operation = &copy->operation;
    return code;
}

bool cushim__mock_copy_parameters(const struct mock_operation *operation, CUDA_MEMCPY3D *shape)
{
    const struct mock_copy *copy = (const struct mock_copy *)operation;
    const struct mock_copy_side *from = &copy->from, *to = &copy->to;

    if (operation->class != &copy_class)
        return false;
    *shape = (CUDA_MEMCPY3D){
        .srcXInBytes = from->x,
        .srcY = from->y,
        .srcZ = from->z,
        .srcMemoryType = (CUmemorytype)from->type,
        .srcPitch = from->pitch,
        .srcHeight = from->height,
        .dstXInBytes = to->x,
        .dstY = to->y,
        .dstZ = to->z,
        .dstMemoryType = (CUmemorytype)to->type,
        .dstPitch = to->pitch,
        .dstHeight = to->height,
        .WidthInBytes = copy->width,
        .Height = copy->height,
        .Depth = copy->depth,
    };
    if (from->type == CU_MEMORYTYPE_ARRAY)
        shape->srcArray = from->array;
    else if (from->type == CU_MEMORYTYPE_HOST)
        shape->srcHost = (const void *)(uintptr_t)from->address;
    else
        shape->srcDevice = from->address;
    if (to->type == CU_MEMORYTYPE_ARRAY)
        shape->dstArray = to->array;
    else if (to->type == CU_MEMORYTYPE_HOST)
        shape->dstHost = (void *)(uintptr_t)to->address;
    else
        shape->dstDevice = to->address;
    return true;
}

/* When a call that copies returns (driver-semantics.md #110 to #113). */

/* Up to this size an asynchronous call reads pageable memory when it is called, and returns. */
enum { STAGED_BYTES = 2 << 20 };

enum manner { QUEUE, STAGE, WAIT };

static size_t bytes_of(const struct mock_copy *copy)
{
    return copy->width * copy->height * copy->depth;
}

static enum manner manner_of(const struct mock_copy *copy, bool asynchronous)
{
    const bool to_device = copy->to.on_device, from_device = copy->from.on_device;

    if (!asynchronous)
        return to_device && from_device && !copy->to.synchronous && !copy->from.synchronous ? QUEUE
                                                                                            : WAIT;
    if (copy->to.pageable || (!to_device && !from_device))
        return WAIT;
    if (copy->from.pageable)
        return bytes_of(copy) <= STAGED_BYTES ? STAGE : WAIT;
    return QUEUE;
}

/* What is not found is an illegal address when it executes. */
bool cushim__mock_copy_stage(struct mock_copy *copy)
{
    struct mock_copy_box from, to;

    if (!cushim__mock_copy_find(copy, &copy->from, &from))
        return true;
    copy->staged = malloc(bytes_of(copy));
    if (!copy->staged)
        return false;
    to = cushim__mock_copy_staged(copy);
    cushim__mock_copy_move(copy, &to, &from);
    return true;
}

CUresult cushim__mock_copy_execute(const CUDA_MEMCPY3D *shape, CUstream handle, bool asynchronous,
                                   bool read)
{
    struct mock_operation *operation;
    struct mock_stream *stream;
    enum manner manner = QUEUE;
    CUresult code = cushim__mock_memory_stream(handle, asynchronous, &stream);

    if (code)
        return code;
    if (shape->WidthInBytes == 0 || shape->Height == 0 || shape->Depth == 0)
        return CUDA_SUCCESS;
    code = cushim__mock_copy_operation(shape, &operation);
    if (code)
        return code;
    if (!stream->capture)
        manner = manner_of((struct mock_copy *)operation, asynchronous);
    if (manner == QUEUE && read)
        manner = STAGE;
    if (manner == WAIT)
        return cushim__mock_memory_finish(stream, operation);
    if (manner == STAGE && !cushim__mock_copy_stage((struct mock_copy *)operation)) {
        cushim__mock_operation_destroy(operation);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return cushim__mock_stream_submit(stream, operation);
}
