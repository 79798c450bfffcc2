/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is given back while work on the device may use it, and asynchronous copies of
 * pageable memory, which are none.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <string.h>

#include "src/check/order.h"
#include "src/driver_api/function_name.h"

/* What the driver is asked of a copy of this thread: the sides that no call was seen to make. */
static _Thread_local struct {
    uint64_t call;
    uint64_t addresses[2]; /* 0: nothing is asked */
    bool is_pageable[2];
} asked;

bool cushim__pending_is_pageable(const struct cushim__call *call, uint64_t address)
{
    if (asked.call != call->number)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        if (asked.is_pageable[i] && asked.addresses[i] == address)
            return true;
    }
    return false;
}

static uint64_t unknown_address(const struct order_side *side)
{
    const uint64_t address = side->region.start;

    return side->region.width > 0 && !cushim__handle_at(address) ? address : 0;
}

static void note_sides(const struct cushim__call *call)
{
    struct order_side to, from;

    if (!cushim__order_sides(call, &to, &from))
        return;
    asked.call = call->number;
    asked.addresses[0] = unknown_address(&to);
    asked.addresses[1] = unknown_address(&from);
    asked.is_pageable[0] = asked.is_pageable[1] = false;
}

/* The last work that may use memory which ends. False: none is known of. */
static bool find_use(const struct cushim__handle *object, struct race_access *access)
{
    bool is_used;

    cushim__race_user = RACE_OF_CHECK;
    is_used = cushim__race_is_used(cushim__order_id(object), access);
    cushim__race_user = RACE_OF_MOCK;
    return is_used;
}

/*
 * The driver waits before it ends host memory, and does not before it ends a pool's
 * (driver-semantics.md #94, #125).
 */
static void judge_end(const struct cushim__call *call)
{
    const struct cushim__handle *object = cushim__handle_at(call->values[0]);
    const char *name = cushim__slot_name(call->slot);
    const bool is_pooled =
        object && strstr(cushim__slot_name(object->maker.slot), "Async") && object->is_live;
    struct race_access access;
    struct cushim__maker maker;

    if (!object || object->is_destroyed || object->value != call->values[0] ||
        (!is_pooled && !strstr(name, "Host")) || !find_use(object, &access))
        return;
    maker = cushim__order_maker(&access);
    cushim__check_report(
        call, is_pooled ? CUSHIM__CHECK_POOL_MEMORY_USED : CUSHIM__CHECK_HOST_MEMORY_USED, object,
        &maker, "%s is %s while a %s on %s may use it: nothing has waited for that",
        cushim__check_name(object, object->value).text,
        strstr(name, "Free") ? "freed" : "unregistered", access.kind,
        access.stream_name[0] ? access.stream_name : "the default stream");
}

static void started(struct cushim__call *call)
{
    const struct order_rule *rule = cushim__order_rule(call->slot);

    asked.call = 0;
    if (cushim__capture_is_under_way())
        return;
    if (rule->action >= ORDER_COPY && rule->action <= ORDER_COPY_3D)
        note_sides(call);
    else if (rule->action == ORDER_FREE)
        judge_end(call);
}

/* The driver knows no type of pageable memory (driver-semantics.md #104). */
static void before(struct cushim__call *call)
{
    CUmemorytype type;

    if (asked.call != call->number)
        return;
    for (unsigned i = 0; i < 2; i++) {
        if (asked.addresses[i])
            asked.is_pageable[i] = cushim__layer_next.PointerGetAttribute(
                                       &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                       (CUdeviceptr)asked.addresses[i]) == CUDA_ERROR_INVALID_VALUE;
    }
}

static void ended(struct cushim__call *call, CUresult answer)
{
    const struct order_rule *rule = cushim__order_rule(call->slot);

    if (answer != CUDA_SUCCESS || call->is_injected || asked.call != call->number ||
        !rule->is_asynchronous || !(asked.is_pageable[0] || asked.is_pageable[1]))
        return;
    cushim__check_report(call, CUSHIM__CHECK_COPY_PAGEABLE, NULL, NULL,
                         asked.is_pageable[0]
                             ? "the copy goes to pageable memory: the call returns when it is done"
                             : "the copy is from pageable memory: the call reads it first");
}

const struct cushim__check_module cushim__check_pending = {
    .started = started,
    .before = before,
    .ended = ended,
};
