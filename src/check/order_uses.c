/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which memory copies and sets use, and whether the call waits for them (docs/driver-semantics.md,
 * 107 to 117). Where it is not known what memory it is, the call is taken to wait.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <string.h>

#include "src/check/order.h"

/* An asynchronous copy of so much pageable memory reads it at the call; one in a call returns. */
enum { STAGED = 2 << 20, STAGED_AT_ONCE = 64 << 10 };

/* Some memory has SYNC_MEMOPS: to copy or set it waits. */
static bool has_sync_memory;

void cushim__order_note_sync_memory(void)
{
    has_sync_memory = true;
}

static enum order_memory memory_at(const struct cushim__call *call, uint64_t address)
{
    const struct cushim__handle *object = cushim__handle_at(address);

    if (cushim__pending_is_pageable(call, address))
        return ORDER_PAGEABLE;
    if (!object || object->is_destroyed || object->type != CUSHIM__TYPE_MEMORY)
        return ORDER_OTHER_MEMORY;
    switch (object->maker.slot) {
    case CUSHIM__SLOT(MemAllocHost_v2):
    case CUSHIM__SLOT(MemHostAlloc):
    case CUSHIM__SLOT(MemHostRegister):
    case CUSHIM__SLOT(MemHostRegister_v2):
        return ORDER_PAGE_LOCKED;
    case CUSHIM__SLOT(MemAlloc_v2):
    case CUSHIM__SLOT(MemAllocPitch_v2):
    case CUSHIM__SLOT(MemAllocAsync):
    case CUSHIM__SLOT(MemAllocAsync_ptsz):
        return ORDER_DEVICE_MEMORY;
    default:
        return ORDER_OTHER_MEMORY;
    }
}

static struct order_side array_side(void)
{
    return (struct order_side){.memory = ORDER_DEVICE_MEMORY};
}

static struct order_side side_of(const struct cushim__call *call, uint64_t start, size_t width)
{
    return (struct order_side){
        .region = {.start = start, .width = width, .rows = 1, .layers = 1},
        .memory = memory_at(call, start),
    };
}

/* Rows and layers, with 0 for what is as small as can be. */
static void add_rows(struct order_side *side, size_t pitch, size_t rows, size_t height,
                     size_t layers)
{
    struct race_region *region = &side->region;

    region->pitch = pitch ? pitch : region->width;
    region->rows = rows;
    region->layer = region->pitch * (height ? height : rows);
    region->layers = layers;
}

static struct order_side side_of_row(const struct cushim__call *call, uint8_t parameter,
                                     size_t width)
{
    return parameter == CUSHIM__NO_PARAMETER ? array_side()
                                             : side_of(call, call->values[parameter], width);
}

static bool sides_of_set(const struct cushim__call *call, struct order_side *to)
{
    const struct order_rule *rule = cushim__order_rule(call->slot);
    const uint64_t *values = call->values;

    if (rule->action == ORDER_SET) {
        *to = side_of(call, values[0], values[2] * rule->unit);
    } else {
        *to = side_of(call, values[0], values[3] * rule->unit);
        add_rows(to, values[4] > 1 ? values[1] : 0, values[4], 0, 1);
    }
    return to->region.width > 0 && to->region.rows > 0;
}

static struct order_side side_of_type(const struct cushim__call *call, CUmemorytype type,
                                      const void *host, CUdeviceptr device, uint64_t offset,
                                      size_t width)
{
    if (type == CU_MEMORYTYPE_ARRAY)
        return array_side();
    return side_of(call, (type == CU_MEMORYTYPE_HOST ? (uintptr_t)host : device) + offset, width);
}

static bool sides_of_copy_2d(const struct cushim__call *call, struct order_side *to,
                             struct order_side *from)
{
    const CUDA_MEMCPY2D *copy = (const CUDA_MEMCPY2D *)(uintptr_t)call->values[0];
    const size_t width = copy->WidthInBytes, rows = copy->Height;

    *to = side_of_type(call, copy->dstMemoryType, copy->dstHost, copy->dstDevice,
                       copy->dstY * copy->dstPitch + copy->dstXInBytes, width);
    *from = side_of_type(call, copy->srcMemoryType, copy->srcHost, copy->srcDevice,
                         copy->srcY * copy->srcPitch + copy->srcXInBytes, width);
    add_rows(to, copy->dstPitch, rows, 0, 1);
    add_rows(from, copy->srcPitch, rows, 0, 1);
    return width > 0 && rows > 0;
}

static bool sides_of_copy_3d(const struct cushim__call *call, struct order_side *to,
                             struct order_side *from)
{
    const CUDA_MEMCPY3D *copy = (const CUDA_MEMCPY3D *)(uintptr_t)call->values[0];
    const size_t width = copy->WidthInBytes, rows = copy->Height;

    *to = side_of_type(
        call, copy->dstMemoryType, copy->dstHost, copy->dstDevice,
        (copy->dstZ * copy->dstHeight + copy->dstY) * copy->dstPitch + copy->dstXInBytes, width);
    *from = side_of_type(
        call, copy->srcMemoryType, copy->srcHost, copy->srcDevice,
        (copy->srcZ * copy->srcHeight + copy->srcY) * copy->srcPitch + copy->srcXInBytes, width);
    add_rows(to, copy->dstPitch, rows, copy->dstHeight, copy->Depth);
    add_rows(from, copy->srcPitch, rows, copy->srcHeight, copy->Depth);
    return width > 0 && rows > 0 && copy->Depth > 0;
}

bool cushim__order_sides(const struct cushim__call *call, struct order_side *to,
                         struct order_side *from)
{
    const struct order_rule *rule = cushim__order_rule(call->slot);
    const size_t bytes =
        rule->bytes == CUSHIM__NO_PARAMETER ? 0 : (size_t)call->values[rule->bytes];

    *to = *from = array_side();
    switch (rule->action) {
    case ORDER_COPY:
        *to = side_of_row(call, rule->to, bytes);
        *from = side_of_row(call, rule->from, bytes);
        return bytes > 0;
    case ORDER_COPY_2D:
        return call->values[0] && sides_of_copy_2d(call, to, from);
    case ORDER_COPY_3D:
        return call->values[0] && sides_of_copy_3d(call, to, from);
    default:
        return sides_of_set(call, to);
    }
}

static size_t bytes_of(const struct order_side *side)
{
    return side->region.width * side->region.rows * side->region.layers;
}

static bool is_on_host(const struct order_side *side)
{
    return side->memory == ORDER_PAGE_LOCKED || side->memory == ORDER_PAGEABLE;
}

static bool waits_asynchronous(const struct order_side *to, const struct order_side *from)
{
    if (to->memory == ORDER_PAGEABLE || to->memory == ORDER_OTHER_MEMORY)
        return true;
    if (is_on_host(to))
        return from->memory != ORDER_DEVICE_MEMORY;
    return from->memory != ORDER_DEVICE_MEMORY && from->memory != ORDER_PAGE_LOCKED &&
           bytes_of(from) > STAGED;
}

bool cushim__order_waits(const struct order_rule *rule, const struct order_side *to,
                         const struct order_side *from)
{
    if (rule->is_asynchronous)
        return (rule->action != ORDER_SET && rule->action != ORDER_SET_2D) &&
               waits_asynchronous(to, from);
    if (has_sync_memory || to->memory != ORDER_DEVICE_MEMORY)
        return true;
    if (from->memory == ORDER_PAGEABLE)
        return bytes_of(from) > STAGED_AT_ONCE;
    return from->memory != ORDER_DEVICE_MEMORY;
}
