/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies as operations: the two sides of one, where their bytes are and what the driver refuses of
 * them; and when they are executed (driver-semantics.md #106 to #109).
 */
#include <stdlib.h>
#include <string.h>

#include "src/mock/api/copy.h"
#include "src/mock/api/memory.h"
#include "src/mock/api/stream.h"
#include "src/mock/core/state.h"
#include "src/race/race.h"

/* The rows of the memory that a side lies in. */
struct rows {
    size_t pitch, count; /* from one to the next; in a layer */
};

/* Where the bytes of a side are. */
struct box {
    char *first;
    size_t row, layer; /* from one to the next, in bytes */
};

/* What the call does not say is as small as can be. False: too large, or too small for the box. */
static bool rows_of(const struct mock_copy *copy, const struct mock_copy_side *side,
                    struct rows *rows)
{
    size_t width, height;

    if (__builtin_add_overflow(side->x, copy->width, &width) ||
        __builtin_add_overflow(side->y, copy->height, &height))
        return false;
    rows->pitch = side->pitch ? side->pitch : width;
    rows->count = side->height ? side->height : height;
    return rows->pitch >= width && rows->count >= height;
}

/*
 * Where the box begins, and how far its last byte's end is from there. False: too far.
 */
static bool extent(const struct mock_copy *copy, const struct mock_copy_side *side,
                   const struct rows *rows, size_t *offset, size_t *bytes)
{
    size_t before, inside;

    return !__builtin_mul_overflow(side->z, rows->count, &before) &&
           !__builtin_add_overflow(before, side->y, &before) &&
           !__builtin_mul_overflow(before, rows->pitch, offset) &&
           !__builtin_add_overflow(*offset, side->x, offset) &&
           !__builtin_mul_overflow(copy->depth - 1, rows->count, &inside) &&
           !__builtin_add_overflow(inside, copy->height - 1, &inside) &&
           !__builtin_mul_overflow(inside, rows->pitch, bytes) &&
           !__builtin_add_overflow(*bytes, copy->width, bytes);
}

static struct mock_array *array_of(const struct mock_copy_side *side)
{
    return cushim__mock_object_lookup(side->array, MOCK_ARRAY);
}

/* The device whose memory a side is; NULL: pageable memory. */
static const struct mock_device *device_of(const struct mock_copy_side *side)
{
    const struct mock_array *array = side->type == CU_MEMORYTYPE_ARRAY ? array_of(side) : NULL;
    const struct mock_allocation *memory;

    if (side->type == CU_MEMORYTYPE_ARRAY && !array)
        return NULL;
    memory = cushim__mock_allocation_at(array ? array->memory : side->address);
    return memory ? memory->device : NULL;
}

/* Where the memory of a side begins, and its rows. False: an array that is gone. */
static bool find_rows(const struct mock_copy *copy, const struct mock_copy_side *side,
                      CUdeviceptr *address, struct rows *rows)
{
    const struct mock_array *array;

    if (side->type != CU_MEMORYTYPE_ARRAY) {
        *address = side->address;
        return rows_of(copy, side, rows);
    }
    array = array_of(side);
    if (!array)
        return false;
    *address = array->memory;
    *rows = (struct rows){array->row_bytes, array->rows};
    return true;
}

/* The bytes of a side, as the device addresses them. False: pageable memory, or gone. */
static bool find_region(const struct mock_copy *copy, const struct mock_copy_side *side,
                        struct race_region *region)
{
    CUdeviceptr address = 0;
    size_t offset = 0, bytes = 0;
    struct rows rows = {0, 0};

    if (side->pageable || !find_rows(copy, side, &address, &rows))
        return false;
    extent(copy, side, &rows, &offset, &bytes);
    *region = (struct race_region){.start = address + offset,
                                   .width = copy->width,
                                   .rows = copy->height,
                                   .pitch = rows.pitch,
                                   .layers = copy->depth,
                                   .layer = rows.pitch * rows.count};
    return true;
}

/* The bytes of a side, now. False: the memory is gone. */
static bool find_box(const struct mock_copy *copy, const struct mock_copy_side *side,
                     struct box *box)
{
    CUdeviceptr address = 0;
    size_t offset = 0, bytes = 0;
    struct rows rows = {0, 0};

    if (!find_rows(copy, side, &address, &rows))
        return false;
    extent(copy, side, &rows, &offset, &bytes);
    box->row = rows.pitch;
    box->layer = rows.pitch * rows.count;
    box->first = side->pageable ? (char *)(uintptr_t)(address + offset)
                                : cushim__mock_memory_host(address + offset, bytes);
    return box->first != NULL;
}

/* The box of what was read at the call. */
static struct box staged_box(const struct mock_copy *copy)
{
    return (struct box){copy->staged, copy->width, copy->width * copy->height};
}

/* Move the bytes, whatever overlaps. */
static void move(const struct mock_copy *copy, const struct box *to, const struct box *from)
{
    const bool whole_rows = copy->width == to->row && copy->width == from->row;

    for (size_t z = 0; z < copy->depth; z++) {
        char *into = to->first + z * to->layer, *out_of = from->first + z * from->layer;

        if (whole_rows)
            memmove(into, out_of, copy->width * copy->height);
        for (size_t y = 0; !whole_rows && y < copy->height; y++)
            memmove(into + y * to->row, out_of + y * from->row, copy->width);
    }
}

static CUresult check_array(const struct mock_copy *copy, const struct mock_copy_side *side)
{
    struct mock_array *array;
    CUresult code;
    size_t end;

    if (!side->array)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_object_find(side->array, MOCK_ARRAY, &array);
    if (code)
        return code;
    if (__builtin_add_overflow(side->x, copy->width, &end) || end > array->row_bytes ||
        side->y > array->rows || copy->height > array->rows - side->y || side->z > array->layers ||
        copy->depth > array->layers - side->z)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* Memory that the mock knows has to hold the box; what it does not know can only be the host's. */
static CUresult check_memory(const struct mock_copy *copy, struct mock_copy_side *side)
{
    const struct mock_allocation *memory;
    bool is_pinned;
    size_t offset, bytes;
    struct rows rows;
    CUdeviceptr first;

    if (!side->address || !rows_of(copy, side, &rows) ||
        !extent(copy, side, &rows, &offset, &bytes) ||
        __builtin_add_overflow(side->address, offset, &first))
        return CUDA_ERROR_INVALID_VALUE;
    memory = cushim__mock_allocation_at(first);
    is_pinned = memory && cushim__mock_allocation_place(memory) == MOCK_PINNED;
    side->pageable = !memory;
    if (memory && bytes <= memory->bytes - (first - memory->span.start)) {
        side->on_device = !is_pinned;
        side->synchronous = memory->synchronous;
        return CUDA_SUCCESS;
    }
    /* Page-locked memory with pageable memory after it is as good as pageable. */
    if (side->type == CU_MEMORYTYPE_DEVICE || cushim__mock_memory_is_device(first) ||
        (memory && !is_pinned))
        return CUDA_ERROR_INVALID_VALUE;
    side->pageable = true;
    return CUDA_SUCCESS;
}

/*
 * Make a side of what a call says of it; `type`, the place in the memory and its rows are set.
 * INVALID_VALUE: the box is not in memory of that kind; INVALID_HANDLE: there is no such array.
 */
static CUresult check_side(const struct mock_copy *copy, struct mock_copy_side *side,
                           const void *host, CUdeviceptr device, CUarray array)
{
    switch (side->type) {
    case CU_MEMORYTYPE_HOST:
        side->address = (uintptr_t)host;
        return check_memory(copy, side);
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
        side->address = device;
        return check_memory(copy, side);
    case CU_MEMORYTYPE_ARRAY:
        side->array = array;
        side->on_device = true;
        return check_array(copy, side);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* The operation behind every copy (driver-semantics.md #106 to #109). */

/* Memory that was freed is an illegal address, which is a sticky error. */
static CUresult execute(struct mock_operation *operation)
{
    const struct mock_copy *copy = (const struct mock_copy *)operation;
    struct box from = staged_box(copy), to;

    if (!find_box(copy, &copy->to, &to) || (!copy->staged && !find_box(copy, &copy->from, &from)))
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    move(copy, &to, &from);
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

    if (!copy->staged && find_region(copy, &copy->from, &region))
        cushim__race_use(access, &region, RACE_READS);
    if (find_region(copy, &copy->to, &region))
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
        rate = device_of(&copy->from) == device_of(&copy->to) ? costs->device_bytes_per_us
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
    code = check_side(copy, &copy->from, shape->srcHost, shape->srcDevice, shape->srcArray);
    if (code == CUDA_SUCCESS)
        code = check_side(copy, &copy->to, shape->dstHost, shape->dstDevice, shape->dstArray);
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
    struct box from, to;

    if (!find_box(copy, &copy->from, &from))
        return true;
    copy->staged = malloc(bytes_of(copy));
    if (!copy->staged)
        return false;
    to = staged_box(copy);
    move(copy, &to, &from);
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
