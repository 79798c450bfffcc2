/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuMemsetD8 and its like set memory to a value of 1, 2 or 4 bytes (driver-semantics.md #116 and
 * #117).
 */
#include <string.h>

#include "src/mock/copy/copy.h"
#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/stream/stream.h"
#include "src/race/race.h"

struct set {
    struct mock_operation operation;
    CUDA_MEMSET_NODE_PARAMS shape;
};

/* Compute the bytes from the first to the end of the last. Returns false on an overflow. */
static bool extent(const CUDA_MEMSET_NODE_PARAMS *shape, size_t *row, size_t *bytes)
{
    return !__builtin_mul_overflow(shape->width, shape->elementSize, row) &&
           !__builtin_mul_overflow(shape->height - 1, shape->pitch, bytes) &&
           !__builtin_add_overflow(*bytes, *row, bytes);
}

static void fill(char *row, size_t bytes, uint32_t value, size_t element)
{
    uint16_t narrow = (uint16_t)value;
    const void *pattern = element == 4 ? (const void *)&value : (const void *)&narrow;

    if (element == 1) {
        memset(row, (int)(value & 0xff), bytes);
        return;
    }
    for (size_t i = 0; i < bytes; i += element)
        memcpy(row + i, pattern, element);
}

/* Freed memory is an illegal address, which is a sticky error. */
static CUresult execute(struct mock_operation *operation)
{
    const CUDA_MEMSET_NODE_PARAMS *shape = &((const struct set *)operation)->shape;
    const size_t row = shape->width * shape->elementSize;
    char *memory = cushim__mock_memory_host(shape->dst, (shape->height - 1) * shape->pitch + row);

    if (!memory)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    for (size_t y = 0; y < shape->height; y++)
        fill(memory + y * shape->pitch, row, shape->value, shape->elementSize);
    return CUDA_SUCCESS;
}

static void touch(const struct mock_operation *operation, struct race_access *access)
{
    const CUDA_MEMSET_NODE_PARAMS *shape = &((const struct set *)operation)->shape;
    const struct race_region region = {.start = shape->dst,
                                       .width = shape->width * shape->elementSize,
                                       .rows = shape->height,
                                       .pitch = shape->pitch,
                                       .layers = 1};

    cushim__race_use(access, &region, RACE_WRITES);
}

static const struct mock_operation_class set_class = {
    .name = "set",
    .size = sizeof(struct set),
    .node_type = CU_GRAPH_NODE_TYPE_MEMSET,
    .execute = execute,
    .touch = touch,
};

static CUresult check(const CUDA_MEMSET_NODE_PARAMS *shape)
{
    const size_t element = shape->elementSize;
    const struct mock_allocation *memory;
    size_t row, bytes;

    if ((element != 1 && element != 2 && element != 4) || shape->width == 0 || shape->height == 0 ||
        shape->dst % element != 0 || !extent(shape, &row, &bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (shape->height > 1 && (shape->pitch < row || shape->pitch % element != 0))
        return CUDA_ERROR_INVALID_VALUE;
    memory = cushim__mock_allocation_at(shape->dst);
    return memory && bytes <= memory->bytes - (shape->dst - memory->span.start)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult cushim__mock_set_operation(const CUDA_MEMSET_NODE_PARAMS *shape,
                                    struct mock_operation **operation)
{
    const struct mock_costs *costs = &cushim__mock->settings.costs;
    CUresult code = shape ? check(shape) : CUDA_ERROR_INVALID_VALUE;
    struct set *set;

    if (code)
        return code;
    set = cushim__mock_operation_create(
        &set_class, MOCK_COMPUTE,
        costs->operation_ns +
            cushim__mock_operation_duration(shape->width * shape->elementSize * shape->height,
                                            costs->set_bytes_per_us));
    if (!set)
        return CUDA_ERROR_OUT_OF_MEMORY;
    set->shape = *shape;
    *operation = &set->operation;
    return CUDA_SUCCESS;
}

bool cushim__mock_set_parameters(const struct mock_operation *operation,
                                 CUDA_MEMSET_NODE_PARAMS *shape)
{
    if (operation->class != &set_class)
        return false;
    *shape = ((const struct set *)operation)->shape;
    return true;
}

/*
 * A synchronous call waits only for memory that the host could look at, or whose operations are
 * synchronous.
 */
static CUresult set(CUdeviceptr start, size_t pitch, uint32_t value, unsigned element, size_t width,
                    size_t height, CUstream handle, bool asynchronous)
{
    const CUDA_MEMSET_NODE_PARAMS shape = {.dst = start,
                                           .pitch = pitch,
                                           .value = value,
                                           .elementSize = element,
                                           .width = width,
                                           .height = height};
    struct mock_operation *operation;
    struct mock_stream *stream;
    const struct mock_allocation *memory;
    CUresult code = cushim__mock_memory_stream(handle, asynchronous, &stream);

    if (code)
        return code;
    /* The driver counts bytes in 64 bits, and ignores an overflow. */
    if (width * element == 0 || height == 0)
        return CUDA_SUCCESS;
    code = cushim__mock_set_operation(&shape, &operation);
    if (code)
        return code;
    memory = cushim__mock_allocation_at(start);
    if (!asynchronous && memory &&
        (memory->synchronous || cushim__mock_allocation_place(memory) != MOCK_DEVICE_MEMORY))
        return cushim__mock_memory_finish(stream, operation);
    return cushim__mock_stream_submit(stream, operation);
}

/* Also cuMemsetD8_v2. */
CUresult cushim__mock_MemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N,
                                    CUstream hStream, bool asynchronous)
{
    return set(dstDevice, 0, uc, 1, N, 1, hStream, asynchronous);
}

/* Also cuMemsetD2D8_v2. */
CUresult cushim__mock_MemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc,
                                      size_t Width, size_t Height, CUstream hStream,
                                      bool asynchronous)
{
    return set(dstDevice, dstPitch, uc, 1, Width, Height, hStream, asynchronous);
}

/* Also cuMemsetD16_v2. */
CUresult cushim__mock_MemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N,
                                     CUstream hStream, bool asynchronous)
{
    return set(dstDevice, 0, us, 2, N, 1, hStream, asynchronous);
}

/* Also cuMemsetD2D16_v2. */
CUresult cushim__mock_MemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us,
                                       size_t Width, size_t Height, CUstream hStream,
                                       bool asynchronous)
{
    return set(dstDevice, dstPitch, us, 2, Width, Height, hStream, asynchronous);
}

/* Also cuMemsetD32_v2. */
CUresult cushim__mock_MemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N,
                                     CUstream hStream, bool asynchronous)
{
    return set(dstDevice, 0, ui, 4, N, 1, hStream, asynchronous);
}

/* Also cuMemsetD2D32_v2. */
CUresult cushim__mock_MemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui,
                                       size_t Width, size_t Height, CUstream hStream,
                                       bool asynchronous)
{
    return set(dstDevice, dstPitch, ui, 4, Width, Height, hStream, asynchronous);
}
