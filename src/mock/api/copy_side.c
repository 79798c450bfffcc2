/* SPDX-License-Identifier: Apache-2.0 */
/* The two sides of a copy: where their bytes are, and what the driver refuses of them. */
#include "src/mock/api/copy.h"

#include <string.h>

#include "src/mock/api/memory.h"
#include "src/race/race.h"

/* The rows of the memory that a side lies in. */
struct rows {
    size_t pitch, count; /* from one to the next; in a layer */
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

const struct mock_device *cushim__mock_copy_side_device(const struct mock_copy_side *side)
{
    const struct mock_array *array = side->type == CU_MEMORYTYPE_ARRAY ? array_of(side) : NULL;
    struct mock_range range;

    if (side->type == CU_MEMORYTYPE_ARRAY && !array)
        return NULL;
    return cushim__mock_memory_find(array ? array->memory : side->address, &range) ? range.device
                                                                                   : NULL;
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

bool cushim__mock_copy_region(const struct mock_copy *copy, const struct mock_copy_side *side,
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

bool cushim__mock_copy_find(const struct mock_copy *copy, const struct mock_copy_side *side,
                            struct mock_copy_box *box)
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

struct mock_copy_box cushim__mock_copy_staged(const struct mock_copy *copy)
{
    return (struct mock_copy_box){copy->staged, copy->width, copy->width * copy->height};
}

void cushim__mock_copy_move(const struct mock_copy *copy, const struct mock_copy_box *to,
                            const struct mock_copy_box *from)
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
    struct mock_range range;
    size_t offset, bytes;
    struct rows rows;
    CUdeviceptr first;

    if (!side->address || !rows_of(copy, side, &rows) ||
        !extent(copy, side, &rows, &offset, &bytes) ||
        __builtin_add_overflow(side->address, offset, &first))
        return CUDA_ERROR_INVALID_VALUE;
    side->pageable = !cushim__mock_memory_find(first, &range);
    if (!side->pageable && bytes <= range.bytes - (first - range.start)) {
        side->on_device = range.place != MOCK_PINNED;
        side->synchronous = range.synchronous;
        return CUDA_SUCCESS;
    }
    /* Page-locked memory with pageable memory after it is as good as pageable. */
    if (side->type == CU_MEMORYTYPE_DEVICE || cushim__mock_memory_is_device(first) ||
        (!side->pageable && range.place != MOCK_PINNED))
        return CUDA_ERROR_INVALID_VALUE;
    side->pageable = true;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_copy_side_check(const struct mock_copy *copy, struct mock_copy_side *side,
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
