/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies as operations: where the bytes of their two sides are, what the driver refuses of a side,
 * and when copies are executed (driver-semantics.md #106 to #109).
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "src/mock/context/context.h"
#include "src/mock/copy/array.h"
#include "src/mock/copy/copy.h"
#include "src/mock/core/ability.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/stream/stream.h"
#include "src/race/race.h"

/* The layout of the memory that contains a side. */
struct rows {
    size_t pitch, count; /* bytes from one row to the next; rows in a layer */
};

/* Where the bytes of a side are. */
struct box {
    char *first;
    size_t row, layer; /* from one to the next, in bytes */
};

/* A pitch or height of 0 means the least possible. False on overflow or if the box does not fit. */
static bool rows_of(const struct mock_copy *copy, const struct mock_copy_side *side,
                    struct rows *rows)
{
    size_t width, height;

    if (__builtin_add_overflow(side->at.x, copy->width, &width) ||
        __builtin_add_overflow(side->at.y, copy->height, &height))
        return false;
    rows->pitch = side->at.pitch ? side->at.pitch : width;
    rows->count = side->at.height ? side->at.height : height;
    return rows->pitch >= width && rows->count >= height;
}

/*
 * Compute where the box begins, in 64 bits as the driver does (driver-semantics.md #114), and how
 * many bytes it spans. Returns false if these overflow.
 */
static bool extent(const struct mock_copy *copy, const struct mock_copy_side *side,
                   const struct rows *rows, size_t *offset, size_t *bytes)
{
    size_t inside;

    *offset = (side->at.z * rows->count + side->at.y) * rows->pitch + side->at.x;
    return !__builtin_mul_overflow(copy->depth - 1, rows->count, &inside) &&
           !__builtin_add_overflow(inside, copy->height - 1, &inside) &&
           !__builtin_mul_overflow(inside, rows->pitch, bytes) &&
           !__builtin_add_overflow(*bytes, copy->width, bytes);
}

static struct mock_array *array_of(const struct mock_copy_side *side)
{
    return cushim__mock_object_lookup(side->at.array, MOCK_ARRAY);
}

/* The device whose memory a side is. NULL for pageable memory. */
static const struct mock_device *device_of(const struct mock_copy_side *side)
{
    const struct mock_array *array = side->at.type == CU_MEMORYTYPE_ARRAY ? array_of(side) : NULL;
    const struct mock_allocation *memory;

    if (side->at.type == CU_MEMORYTYPE_ARRAY && !array)
        return NULL;
    memory = cushim__mock_allocation_known(array ? array->memory : cushim__copy_address(&side->at));
    return memory ? memory->device : NULL;
}

/* Find where a side's memory begins, and its rows. Returns false if its array is gone. */
static bool find_rows(const struct mock_copy *copy, const struct mock_copy_side *side,
                      CUdeviceptr *address, struct rows *rows)
{
    const struct mock_array *array;

    if (side->at.type != CU_MEMORYTYPE_ARRAY) {
        *address = cushim__copy_address(&side->at);
        return rows_of(copy, side, rows);
    }
    array = array_of(side);
    if (!array)
        return false;
    *address = array->memory;
    *rows = (struct rows){array->row_bytes, array->rows};
    return true;
}

/* Find the device addresses of the bytes of a side. Returns false if its array is gone. */
static bool find_region(const struct mock_copy *copy, const struct mock_copy_side *side,
                        struct race_region *region)
{
    CUdeviceptr address = 0;
    size_t offset = 0, bytes = 0;
    struct rows rows = {0, 0};

    if (!find_rows(copy, side, &address, &rows))
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

/* Find where the host has the bytes of a side now. Returns false if the memory is gone. */
static bool find_box(const struct mock_copy *copy, const struct mock_copy_side *side,
                     struct box *box)
{
    struct race_region at;

    if (!find_region(copy, side, &at))
        return false;
    box->row = at.pitch;
    box->layer = at.layer;
    box->first = side->pageable
                     ? (char *)(uintptr_t)at.start
                     : cushim__mock_memory_host(at.start, (at.layers - 1) * at.layer +
                                                              (at.rows - 1) * at.pitch + at.width);
    return box->first != NULL;
}

/* The box of the bytes that were read at the call. */
static struct box staged_box(const struct mock_copy *copy)
{
    return (struct box){copy->staged, copy->width, copy->width * copy->height};
}

/* Move the bytes, which may overlap. */
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

    if (!side->at.array)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_object_find(side->at.array, MOCK_ARRAY, &array);
    if (code)
        return code;
    if (__builtin_add_overflow(side->at.x, copy->width, &end) || end > array->row_bytes ||
        side->at.y > array->rows || copy->height > array->rows - side->at.y ||
        side->at.z > array->layers || copy->depth > array->layers - side->at.z)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* Memory that the mock knows must contain the box; other memory can only be pageable. */
static CUresult check_memory(const struct mock_copy *copy, struct mock_copy_side *side)
{
    const CUdeviceptr address = cushim__copy_address(&side->at);
    const struct mock_allocation *memory;
    bool is_pinned;
    size_t offset, bytes;
    struct rows rows;
    CUdeviceptr first;

    if (!address || !rows_of(copy, side, &rows) || !extent(copy, side, &rows, &offset, &bytes))
        return CUDA_ERROR_INVALID_VALUE;
    first = address + offset;
    memory = cushim__mock_allocation_known(first);
    is_pinned = memory && cushim__mock_allocation_place(memory) == MOCK_PINNED;
    side->pageable = !memory;
    if (memory && bytes <= cushim__mock_allocation_reach(memory, first)) {
        if (!cushim__mock_memory_allows(first, bytes, side == &copy->to))
            return CUDA_ERROR_INVALID_VALUE;
        side->on_device = !is_pinned;
        side->synchronous = memory->synchronous;
        return CUDA_SUCCESS;
    }
    /* A range may begin in pageable and end in page-locked memory, but not the reverse. */
    if (side->at.type == CU_MEMORYTYPE_DEVICE || cushim__mock_memory_is_device(first) || memory)
        return CUDA_ERROR_INVALID_VALUE;
    side->pageable = true;
    return CUDA_SUCCESS;
}

/*
 * Check a side as the call describes it. Returns INVALID_VALUE if the box is not in memory of that
 * kind, INVALID_HANDLE if there is no such array.
 */
static CUresult check_side(const struct mock_copy *copy, struct mock_copy_side *side)
{
    struct cushim__copy_half *at = &side->at;
    CUresult code = CUDA_SUCCESS;

    at->lod = 0;
    at->context = NULL;
    if (at->type != CU_MEMORYTYPE_ARRAY)
        at->array = NULL;
    if (at->type != CU_MEMORYTYPE_HOST)
        at->host = NULL;
    if (at->type == CU_MEMORYTYPE_HOST || at->type == CU_MEMORYTYPE_ARRAY)
        at->device = 0;
    switch (at->type) {
    case CU_MEMORYTYPE_UNIFIED:
        code = cushim__mock_needs(MOCK_NEEDS_UNIFIED_ADDRESSING);
        return code ? code : check_memory(copy, side);
    case CU_MEMORYTYPE_HOST:
    case CU_MEMORYTYPE_DEVICE:
        return check_memory(copy, side);
    case CU_MEMORYTYPE_ARRAY:
        side->on_device = true;
        return check_array(copy, side);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* The operation of every copy (driver-semantics.md #106 to #109). */

/* Freed memory is an illegal address, which is a sticky error. */
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

/* A source that was read at the call is not read again. */
static void touch(const struct mock_operation *operation, struct race_access *access)
{
    const struct mock_copy *copy = (const struct mock_copy *)operation;
    struct race_region region;

    if (!copy->staged && !copy->from.pageable && find_region(copy, &copy->from, &region))
        cushim__race_use(access, &region, RACE_READS);
    if (!copy->to.pageable && find_region(copy, &copy->to, &region))
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

static size_t bytes_of(const struct mock_copy *copy)
{
    return copy->width * copy->height * copy->depth;
}

/* Set which unit executes the copy, and how long that takes. */
static void set_cost(struct mock_copy *copy)
{
    const struct mock_costs *costs = &cushim__mock->settings.costs;
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
        costs->operation_ns + cushim__mock_operation_duration(bytes_of(copy), rate);
}

/* Whether a side is memory that was registered as read-only. */
static bool is_read_only(const struct mock_copy_side *side)
{
    const struct mock_allocation *memory =
        side->at.type == CU_MEMORYTYPE_ARRAY
            ? NULL
            : cushim__mock_allocation_at(cushim__copy_address(&side->at));

    return memory && memory->origin == MOCK_BY_REGISTER && memory->flags & MOCK_READ_ONLY;
}

CUresult cushim__mock_copy_operation(const struct cushim__copy *shape,
                                     struct mock_operation **operation)
{
    struct mock_copy *copy;
    CUresult code;

    if (shape->width == 0 || shape->height == 0 || shape->depth == 0)
        return CUDA_ERROR_INVALID_VALUE;
    copy = cushim__mock_operation_create(&copy_class, MOCK_NO_UNIT, 0);
    if (!copy)
        return CUDA_ERROR_OUT_OF_MEMORY;
    copy->from.at = shape->from;
    copy->to.at = shape->to;
    copy->width = shape->width;
    copy->height = shape->height;
    copy->depth = shape->depth;
    code = check_side(copy, &copy->from);
    if (code == CUDA_SUCCESS)
        code = check_side(copy, &copy->to);
    if (code == CUDA_SUCCESS && is_read_only(&copy->to))
        code = CUDA_ERROR_INVALID_VALUE;
    if (code) {
        cushim__mock_operation_destroy(copy);
        return code;
    }
    set_cost(copy);
    *operation = &copy->operation;
    return CUDA_SUCCESS;
}

const struct mock_copy *cushim__mock_copy_of(const struct mock_operation *operation)
{
    return operation->class == &copy_class ? (const struct mock_copy *)operation : NULL;
}

/* When a call that copies returns (driver-semantics.md #110 to #113). */

/* Up to this size an asynchronous call reads pageable memory immediately, and returns. */
enum { STAGED_BYTES = 2 << 20, STAGED_AT_ONCE = 64 << 10 };

enum manner { QUEUE, STAGE, WAIT };

static enum manner manner_of(const struct mock_copy *copy, bool asynchronous)
{
    const bool to_device = copy->to.on_device, from_device = copy->from.on_device;

    if (!asynchronous)
        return to_device && from_device && !copy->to.synchronous && !copy->from.synchronous &&
                       !cushim__mock_context_syncs()
                   ? QUEUE
                   : WAIT;
    if (copy->to.pageable || (!to_device && !from_device))
        return WAIT;
    if (copy->from.pageable)
        return bytes_of(copy) <= STAGED_BYTES ? STAGE : WAIT;
    return QUEUE;
}

/* Here the call returns when the copy is done; a driver may return when it has read the source. */
static bool may_return_early(const struct mock_copy *copy, bool asynchronous)
{
    return !asynchronous && copy->from.pageable && copy->to.on_device && !copy->to.synchronous &&
           !cushim__mock_context_syncs() && bytes_of(copy) <= STAGED_AT_ONCE;
}

/* If the source is not found, the copy reports an illegal address when it executes. */
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

/* Whether a call may use a side: a graph's memory only while a launch has allocated it. */
static bool is_launched(const struct mock_copy *copy, const struct mock_copy_side *side)
{
    struct race_region region;

    return side->pageable || !side->on_device || !find_region(copy, side, &region) ||
           cushim__mock_allocation_at(region.start);
}

CUresult cushim__mock_copy_execute(const struct cushim__copy *shape, CUstream handle,
                                   bool asynchronous, bool read)
{
    struct mock_operation *operation;
    struct mock_stream *stream;
    const struct mock_copy *copy;
    enum manner manner = QUEUE;
    CUresult code = cushim__mock_memory_stream(handle, asynchronous, &stream);

    if (code)
        return code;
    if (shape->width == 0 || shape->height == 0 || shape->depth == 0)
        return CUDA_SUCCESS;
    code = cushim__mock_copy_operation(shape, &operation);
    if (code)
        return code;
    copy = (const struct mock_copy *)operation;
    if (!stream->capture && !(is_launched(copy, &copy->from) && is_launched(copy, &copy->to))) {
        cushim__mock_operation_destroy(operation);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!stream->capture)
        manner = manner_of(copy, asynchronous);
    if (manner == QUEUE && read)
        manner = STAGE;
    if (manner == WAIT) {
        const bool is_seen = !may_return_early(copy, asynchronous);

        if (!is_seen)
            cushim__race_saw(cushim__race_stream(&stream->race), true);
        return cushim__mock_memory_finish(stream, operation, is_seen);
    }
    if (manner == STAGE && !cushim__mock_copy_stage((struct mock_copy *)operation)) {
        cushim__mock_operation_destroy(operation);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return cushim__mock_stream_submit(stream, operation);
}
