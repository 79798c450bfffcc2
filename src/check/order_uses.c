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

void cushim__order_note_sync_memory(bool exists)
{
    has_sync_memory = exists;
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

/* One side as a call describes it. */
struct place {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    size_t x, y, z, pitch, height;
};

/* A pitch and a height that are 0 are as small as can be (driver-semantics.md #114, #115). */
static struct order_side side_of(const struct cushim__call *call, const struct place *place,
                                 size_t width, size_t rows, size_t layers)
{
    const size_t pitch = place->pitch ? place->pitch : place->x + width;
    const size_t height = place->height ? place->height : place->y + rows;
    const uint64_t base =
        place->type == CU_MEMORYTYPE_HOST ? (uintptr_t)place->host : place->device;
    const uint64_t start = base + (place->z * height + place->y) * pitch + place->x;

    if (place->type == CU_MEMORYTYPE_ARRAY)
        return (struct order_side){.type = place->type, .memory = ORDER_DEVICE_MEMORY};
    return (struct order_side){
        .type = place->type,
        .base = base,
        .region = {.start = start,
                   .width = width,
                   .rows = rows,
                   .pitch = pitch,
                   .layers = layers,
                   .layer = pitch * height},
        .memory = memory_at(call, start),
    };
}

static struct order_side side_of_row(const struct cushim__call *call, uint8_t parameter,
                                     size_t width)
{
    struct place place = {.type = CU_MEMORYTYPE_ARRAY};

    if (parameter == CUSHIM__NO_PARAMETER)
        return side_of(call, &place, 0, 0, 0);
    if (cushim__parameter_at(call->slot, parameter)->kind == CUSHIM__PARAMETER_POINTER)
        place.type = CU_MEMORYTYPE_HOST;
    else
        place.type = cushim__order_rule(call->slot)->is_unified ? CU_MEMORYTYPE_UNIFIED
                                                                : CU_MEMORYTYPE_DEVICE;
    place.host = (const void *)(uintptr_t)call->values[parameter];
    place.device = (CUdeviceptr)call->values[parameter];
    return side_of(call, &place, width, 1, 1);
}

static bool sides_of_set(const struct cushim__call *call, struct order_side *to)
{
    const struct order_rule *rule = cushim__order_rule(call->slot);
    const uint64_t *values = call->values;
    struct place place = {.type = CU_MEMORYTYPE_DEVICE, .device = (CUdeviceptr)values[0]};

    if (rule->action == ORDER_SET) {
        *to = side_of(call, &place, values[2] * rule->unit, 1, 1);
    } else {
        place.pitch = values[4] > 1 ? values[1] : 0;
        *to = side_of(call, &place, values[3] * rule->unit, values[4], 1);
    }
    return to->region.width > 0 && to->region.rows > 0;
}

static bool sides_of_copy_2d(const struct cushim__call *call, struct order_side *to,
                             struct order_side *from)
{
    const CUDA_MEMCPY2D *copy = (const CUDA_MEMCPY2D *)(uintptr_t)call->values[0];
    const struct place source = {.type = copy->srcMemoryType,
                                 .host = copy->srcHost,
                                 .device = copy->srcDevice,
                                 .x = copy->srcXInBytes,
                                 .y = copy->srcY,
                                 .pitch = copy->srcPitch};
    const struct place target = {.type = copy->dstMemoryType,
                                 .host = copy->dstHost,
                                 .device = copy->dstDevice,
                                 .x = copy->dstXInBytes,
                                 .y = copy->dstY,
                                 .pitch = copy->dstPitch};

    *to = side_of(call, &target, copy->WidthInBytes, copy->Height, 1);
    *from = side_of(call, &source, copy->WidthInBytes, copy->Height, 1);
    return copy->WidthInBytes > 0 && copy->Height > 0;
}

static bool sides_of_copy_3d(const struct cushim__call *call, struct order_side *to,
                             struct order_side *from)
{
    const CUDA_MEMCPY3D *copy = (const CUDA_MEMCPY3D *)(uintptr_t)call->values[0];
    const struct place source = {copy->srcMemoryType, copy->srcHost,  copy->srcDevice,
                                 copy->srcXInBytes,   copy->srcY,     copy->srcZ,
                                 copy->srcPitch,      copy->srcHeight};
    const struct place target = {copy->dstMemoryType, copy->dstHost,  copy->dstDevice,
                                 copy->dstXInBytes,   copy->dstY,     copy->dstZ,
                                 copy->dstPitch,      copy->dstHeight};

    *to = side_of(call, &target, copy->WidthInBytes, copy->Height, copy->Depth);
    *from = side_of(call, &source, copy->WidthInBytes, copy->Height, copy->Depth);
    return copy->WidthInBytes > 0 && copy->Height > 0 && copy->Depth > 0;
}

bool cushim__order_sides(const struct cushim__call *call, struct order_side *to,
                         struct order_side *from)
{
    const struct order_rule *rule = cushim__order_rule(call->slot);
    const size_t bytes =
        rule->bytes == CUSHIM__NO_PARAMETER ? 0 : (size_t)call->values[rule->bytes];

    *to = *from = side_of_row(call, CUSHIM__NO_PARAMETER, 0);
    switch (rule->action) {
    case ORDER_COPY:
        *to = side_of_row(call, rule->to, bytes);
        *from = side_of_row(call, rule->from, bytes);
        return bytes > 0;
    case ORDER_COPY_2D:
        return call->values[0] && sides_of_copy_2d(call, to, from);
    case ORDER_COPY_3D:
        return call->values[0] && sides_of_copy_3d(call, to, from);
    case ORDER_SET:
    case ORDER_SET_2D:
        return sides_of_set(call, to);
    default:
        return false;
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
