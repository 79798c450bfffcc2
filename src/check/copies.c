/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which memory copies and sets use, and whether the call waits for them (driver-semantics.md #107
 * to #117). If the memory is not known, the call is assumed to wait. An asynchronous copy of
 * pageable memory is advice, because it is not asynchronous.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "src/check/order.h"
#include "src/driver_api/copy.h"

/* The most pageable memory that an asynchronous and a synchronous copy stage before they return. */
enum { STAGED = 2 << 20, STAGED_AT_ONCE = 64 << 10 };

/* Some memory or context has SYNC_MEMOPS, so copies and sets wait. */
static bool has_sync_memory;

/* The sides of this thread's copy whose memory is not known, for which the driver is asked. */
static _Thread_local struct {
    uint64_t call;
    uint64_t addresses[2]; /* to and from; 0: not asked for */
    bool is_pageable[2];
} asked;

static bool is_pageable(const struct cushim__call *call, uint64_t address)
{
    return asked.call == call->number && ((asked.is_pageable[0] && asked.addresses[0] == address) ||
                                          (asked.is_pageable[1] && asked.addresses[1] == address));
}

static enum order_memory memory_at(const struct cushim__call *call, uint64_t address)
{
    const struct cushim__handle *object = cushim__handle_at(address);

    if (is_pageable(call, address))
        return ORDER_PAGEABLE;
    if (!object || object->is_destroyed || object->type != CUSHIM__TYPE_MEMORY)
        return ORDER_OTHER_MEMORY;
    return cushim__order_memory_of(object->maker.slot);
}

/* A pitch or height of 0 stands for the least possible (driver-semantics.md #114, #115). */
static struct order_side side_of(const struct cushim__call *call,
                                 const struct cushim__copy_half *half,
                                 const struct cushim__copy *copy)
{
    const size_t pitch = half->pitch ? half->pitch : half->x + copy->width;
    const size_t height = half->height ? half->height : half->y + copy->height;
    const uint64_t base = cushim__copy_address(half);
    const uint64_t start = base + (half->z * height + half->y) * pitch + half->x;

    if (half->type == CU_MEMORYTYPE_ARRAY)
        return (struct order_side){.type = half->type, .memory = ORDER_DEVICE_MEMORY};
    return (struct order_side){
        .type = half->type,
        .base = base,
        .region = {.start = start,
                   .width = copy->width,
                   .rows = copy->height,
                   .pitch = pitch,
                   .layers = copy->depth,
                   .layer = pitch * height},
        .memory = memory_at(call, start),
    };
}

static struct cushim__copy_half half_of(const struct cushim__call *call, uint8_t parameter)
{
    const bool is_unified = cushim__effects[call->slot].is_unified;
    uint64_t value;

    if (parameter == CUSHIM__NO_PARAMETER)
        return (struct cushim__copy_half){.type = CU_MEMORYTYPE_ARRAY};
    value = call->values[parameter];
    if (cushim__parameter_at(call->slot, parameter)->kind == CUSHIM__PARAMETER_POINTER)
        return (struct cushim__copy_half){.type = CU_MEMORYTYPE_HOST,
                                          .host = (const void *)(uintptr_t)value};
    return (struct cushim__copy_half){.type =
                                          is_unified ? CU_MEMORYTYPE_UNIFIED : CU_MEMORYTYPE_DEVICE,
                                      .device = (CUdeviceptr)value};
}

/* A set is a copy from an array, since neither reads memory that has an address. */
static struct cushim__copy copy_of(const struct cushim__call *call, enum order_action action)
{
    const struct cushim__effects *effects = &cushim__effects[call->slot];
    const uint64_t *values = call->values;
    const void *described = (const void *)(uintptr_t)values[0];
    struct cushim__copy copy = {
        .to = {.type = CU_MEMORYTYPE_DEVICE, .device = (CUdeviceptr)values[0]},
        .from = {.type = CU_MEMORYTYPE_ARRAY},
        .height = 1,
        .depth = 1};

    if (action == ORDER_COPY_2D && described)
        return cushim__copy_2d(described);
    if (action == ORDER_COPY_3D && described)
        return cushim__copy_3d(described);
    if (action == ORDER_COPY) {
        copy.to = half_of(call, effects->to);
        copy.from = half_of(call, effects->from);
        copy.width = effects->bytes == CUSHIM__NO_PARAMETER ? 0 : (size_t)values[effects->bytes];
    } else if (action == ORDER_SET) {
        copy.width = values[effects->bytes] * effects->unit;
    } else if (action == ORDER_SET_2D) {
        copy.height = values[effects->rows];
        copy.width = values[effects->bytes] * effects->unit;
        copy.to.pitch = copy.height > 1 ? values[1] : 0;
    }
    return copy;
}

bool cushim__order_sides(const struct cushim__call *call, struct order_side *to,
                         struct order_side *from)
{
    const enum order_action action = cushim__order_action(call->slot);
    struct cushim__copy copy;

    if (action < ORDER_COPY || action > ORDER_SET_2D)
        return false;
    copy = copy_of(call, action);
    if (copy.width == 0 || copy.height == 0 || copy.depth == 0)
        return false;
    *to = side_of(call, &copy.to, &copy);
    *from = side_of(call, &copy.from, &copy);
    return true;
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

bool cushim__order_waits(const struct cushim__call *call, const struct order_side *to,
                         const struct order_side *from)
{
    const enum order_action action = cushim__order_action(call->slot);

    if (cushim__is_asynchronous(&cushim__effects[call->slot]))
        return action != ORDER_SET && action != ORDER_SET_2D && waits_asynchronous(to, from);
    if (has_sync_memory || to->memory != ORDER_DEVICE_MEMORY)
        return true;
    if (from->memory == ORDER_PAGEABLE)
        return bytes_of(from) > STAGED_AT_ONCE;
    return from->memory != ORDER_DEVICE_MEMORY;
}

/* --- pageable memory --- */

static uint64_t unknown_address(const struct order_side *side)
{
    const uint64_t address = side->region.start;

    return side->region.width > 0 && !cushim__handle_at(address) ? address : 0;
}

void cushim__check_copies_started(struct cushim__call *call)
{
    const enum order_action action = cushim__order_action(call->slot);
    struct order_side to, from;

    asked.call = 0;
    if (action < ORDER_COPY || action > ORDER_COPY_3D || cushim__capture_is_under_way() ||
        !cushim__order_sides(call, &to, &from))
        return;
    asked.call = call->number;
    asked.addresses[0] = unknown_address(&to);
    asked.addresses[1] = unknown_address(&from);
    asked.is_pageable[0] = asked.is_pageable[1] = false;
}

/* For pageable memory the driver has no type (driver-semantics.md #104). */
void cushim__check_copies_before(struct cushim__call *call)
{
    CUmemorytype type;

    for (unsigned i = 0; i < 2 && asked.call == call->number; i++) {
        if (asked.addresses[i])
            asked.is_pageable[i] = cushim__layer_next.PointerGetAttribute(
                                       &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                       (CUdeviceptr)asked.addresses[i]) == CUDA_ERROR_INVALID_VALUE;
    }
}

/* Whether a call sets SYNC_MEMOPS. Getting the tokens for GPUDirect RDMA sets it, too. */
static bool makes_synchronous(const struct cushim__call *call)
{
    const uint8_t flags = cushim__effects[call->slot].context_flags;

    if (flags != CUSHIM__NO_PARAMETER)
        return call->values[flags] & CU_CTX_SYNC_MEMOPS;
    return call->slot == CUSHIM__SLOT(PointerSetAttribute) ||
           (call->slot == CUSHIM__SLOT(PointerGetAttribute) &&
            call->values[1] == CU_POINTER_ATTRIBUTE_P2P_TOKENS);
}

void cushim__check_copies_ended(struct cushim__call *call, CUresult answer)
{
    has_sync_memory = has_sync_memory || (answer == CUDA_SUCCESS && makes_synchronous(call));
    if (answer != CUDA_SUCCESS || call->is_injected || asked.call != call->number ||
        !cushim__is_asynchronous(&cushim__effects[call->slot]) ||
        !(asked.is_pageable[0] || asked.is_pageable[1]))
        return;
    cushim__check_report(call, CUSHIM__CHECK_COPY_PAGEABLE, NULL, NULL,
                         asked.is_pageable[0]
                             ? "the copy goes to pageable memory: the call returns when it is done"
                             : "the copy is from pageable memory: the call reads it first");
}

void cushim__check_copies_destroy(void)
{
    has_sync_memory = false;
}
