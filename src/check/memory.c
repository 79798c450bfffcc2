/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and sets of freed memory or beyond the end of an allocation, and memory that is freed
 * twice or while work on the device may use it. An address is judged if it lies anywhere in memory
 * that an allocation call returned. Freed memory among the arguments of a kernel is advice.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <string.h>

#include "src/base/system.h"
#include "src/check/order.h"

/* --- accesses --- */

/* Whether the program may own this host memory: it has freed it, or only registered it. */
static bool is_of_program(const struct cushim__handle *object)
{
    return !object->is_live ||
           cushim__effect_first(object->maker.slot)->kind == CUSHIM__EFFECT_REGISTERS_IN_CONTEXT;
}

/* A captured call may use memory that another launch of a graph will allocate first. */
static bool may_come_back(const struct cushim__handle *object)
{
    return cushim__effects[object->maker.slot].work == CUSHIM__WORK_GRAPH &&
           cushim__capture_is_under_way();
}

/*
 * Judge one side of a copy or set, when the call begins and when the driver has refused it. Freed
 * device addresses may be host memory by now. So a call that takes both kinds of addresses is
 * judged before the driver sees it only if the host cannot read the address, because driver 580
 * then crashes; otherwise it is judged afterwards, by its result.
 */
static void judge(struct cushim__call *call, const struct order_side *side, bool is_refused)
{
    const struct race_region *region = &side->region;
    const struct cushim__handle *object = cushim__handle_at(side->base);
    uint64_t offset, bytes;
    bool is_host, is_either, crashes;
    char byte;

    if (!object || object->type != CUSHIM__TYPE_MEMORY || object->maker.place.call == 0 ||
        may_come_back(object))
        return;
    is_host = cushim__order_memory_of(object->maker.slot) == ORDER_PAGE_LOCKED;
    if (is_host ? is_of_program(object)
                : side->type != CU_MEMORYTYPE_DEVICE && side->type != CU_MEMORYTYPE_UNIFIED)
        return;
    is_either = object->is_destroyed && side->type == CU_MEMORYTYPE_UNIFIED;
    crashes =
        is_either && !cushim__system_read_memory(&byte, (const void *)(uintptr_t)side->base, 1);
    if (is_refused != (is_either && !crashes))
        return;
    offset = region->start - object->value;
    bytes =
        (region->layers - 1) * region->layer + (region->rows - 1) * region->pitch + region->width;
    if (object->is_destroyed || object->is_ending)
        cushim__check_report(
            call, cushim__check_of_ended(object, CUSHIM__CHECK_MEMORY_FREED), object, NULL,
            "%s is given %s, which was freed%s", cushim__slot_name(call->slot),
            cushim__check_name(object, side->base).text, crashes ? cushim__check_refuse(call) : "");
    else if ((is_host || !cushim__check_before_fork(call, object, side->base)) &&
             object->bytes > 0 && !cushim__is_of_unknown_size(object->maker.slot) &&
             (bytes > object->bytes || offset > object->bytes - bytes))
        cushim__check_report(call, CUSHIM__CHECK_MEMORY_BOUNDS, object, NULL,
                             "%s accesses %llu byte%s from %s on, and %s has %llu",
                             cushim__slot_name(call->slot), (unsigned long long)bytes,
                             bytes == 1 ? "" : "s", cushim__check_name(object, region->start).text,
                             cushim__check_name(object, object->value).text,
                             (unsigned long long)object->bytes);
}

static void judge_access(struct cushim__call *call, bool is_refused)
{
    struct order_side to, from;

    if (!cushim__order_sides(call, &to, &from))
        return;
    judge(call, &to, is_refused);
    judge(call, &from, is_refused);
}

/* --- arguments of kernels --- */

static void judge_argument(const struct cushim__call *call, unsigned index, uint64_t value)
{
    const struct cushim__handle *object = cushim__handle_at(value);
    char byte;

    /* Freed device addresses may be host memory by now. */
    if (!object || !object->is_destroyed || object->type != CUSHIM__TYPE_MEMORY ||
        object->maker.place.call == 0 || may_come_back(object) ||
        cushim__order_memory_of(object->maker.slot) == ORDER_PAGE_LOCKED ||
        cushim__system_read_memory(&byte, (const void *)(uintptr_t)value, 1))
        return;
    cushim__check_report(call, CUSHIM__CHECK_ARGUMENT_FREED, object, NULL,
                         "parameter %u of the kernel is given %s, which was freed", index,
                         cushim__check_name(object, value).text);
}

/* The size of a parameter; 0 if there is none, or if the function is not known to exist. */
static size_t size_of_parameter(uint64_t function, size_t index)
{
    const struct cushim__handle *of_module =
        cushim__handle_find(CUSHIM__TYPE_FUNCTION, function, false);
    const struct cushim__handle *of_library =
        cushim__handle_find(CUSHIM__TYPE_KERNEL, function, false);
    size_t offset, size;
    CUresult answer = CUDA_ERROR_INVALID_HANDLE;

    if (of_module && of_module->is_returned && !of_module->is_destroyed)
        answer = cushim__layer_next.FuncGetParamInfo((CUfunction)(uintptr_t)function, index,
                                                     &offset, &size);
    else if (of_library && of_library->is_returned && !of_library->is_destroyed)
        answer = cushim__layer_next.KernelGetParamInfo((cushim_CUkernel)(uintptr_t)function, index,
                                                       &offset, &size);
    return answer == CUDA_SUCCESS ? size : 0;
}

/* Each 8 bytes of an argument may be an address. It is advice, as the kernel need not use it. */
void cushim__check_memory_before(struct cushim__call *call)
{
    const struct cushim__effects *effects = &cushim__effects[call->slot];
    struct cushim_layer *layer = cushim_layer_current();
    const char *const *arguments;
    uint64_t value;
    size_t size;

    if (cushim__order_action(call->slot) != ORDER_KERNEL ||
        effects->arguments == CUSHIM__NO_PARAMETER ||
        cushim__check_options.level > CUSHIM__CHECK_ADVICE)
        return;
    arguments = (const char *const *)(uintptr_t)call->values[effects->arguments];
    cushim__lock_take(&layer->lock);
    for (unsigned i = 0;
         arguments && (size = size_of_parameter(call->values[effects->function], i)) > 0; i++) {
        for (size_t at = 0; at + sizeof value <= size; at += sizeof value) {
            if (cushim__system_read_memory(&value, arguments[i] + at, sizeof value))
                judge_argument(call, i, value);
        }
    }
    cushim__lock_release(&layer->lock);
}

/* --- ends --- */

static bool is_unregistered(const struct cushim__call *call)
{
    return cushim__effect_first(call->slot)->memory == CUSHIM__MEMORY_REGISTERED;
}

static void judge_second_end(const struct cushim__call *call, const struct cushim__handle *object)
{
    const struct cushim__check_name name = cushim__check_name(object, object->value);

    if (is_unregistered(call))
        cushim__check_report(call, CUSHIM__CHECK_HOST_UNREGISTERED_TWICE, object, NULL,
                             "%s is unregistered a second time", name.text);
    else
        cushim__check_report(call, cushim__check_of_ended(object, CUSHIM__CHECK_MEMORY_FREED_TWICE),
                             object, NULL, "%s is freed %s", name.text,
                             object->ended_with ? "after its context" : "a second time");
}

/*
 * Before the driver frees host memory, it waits for the work, which its reference does not promise.
 * Before it frees a pool's memory, it does not wait (driver-semantics.md #94, #125).
 */
static void judge_used(const struct cushim__call *call, const struct cushim__handle *object)
{
    const bool is_on_host = is_unregistered(call) ||
                            cushim__effect_first(call->slot)->memory == CUSHIM__MEMORY_PAGE_LOCKED;
    const bool is_pooled =
        cushim__effects[object->maker.slot].work == CUSHIM__WORK_ALLOCATE && object->is_live;
    struct cushim__maker maker;
    struct race_access use;

    if ((!is_pooled && !is_on_host) || !cushim__race_is_used(cushim__order_id(object), &use))
        return;
    maker = cushim__order_maker(&use);
    cushim__check_report(
        call, is_pooled ? CUSHIM__CHECK_POOL_MEMORY_USED : CUSHIM__CHECK_HOST_MEMORY_USED, object,
        &maker, "%s is %s while a %s on %s may use it: nothing has waited for that",
        cushim__check_name(object, object->value).text,
        is_unregistered(call) ? "unregistered" : "freed", use.kind,
        use.stream_name[0] ? use.stream_name : "the default stream");
}

static void judge_end(const struct cushim__call *call)
{
    const struct cushim__object_effect *effect = cushim__effect_first(call->slot);
    const struct cushim__handle *object;

    if (!effect || effect->kind != CUSHIM__EFFECT_DESTROYS || effect->type != CUSHIM__TYPE_MEMORY)
        return;
    object = cushim__handle_find(CUSHIM__TYPE_MEMORY, call->values[effect->parameter], false);
    if (!object || object->maker.place.call == 0)
        return;
    if ((object->is_destroyed || object->is_ending) && object->ender.place.call != call->number)
        judge_second_end(call, object);
    else if (!cushim__check_before_fork(call, object, object->value) && !object->is_destroyed &&
             cushim__order_action(call->slot) == ORDER_FREE && !cushim__capture_is_under_way())
        judge_used(call, object);
}

void cushim__check_memory_started(struct cushim__call *call)
{
    judge_access(call, false);
    judge_end(call);
}

/* --- memory of graphs --- */

/* Each launch of the graph allocates and frees this memory: see graph_memory.c. */
static void forget_memory_of_graph(const struct cushim__call *call)
{
    const struct cushim__object_effect *effect = cushim__effect_first(call->slot);
    const struct cushim__argument *argument;
    struct cushim__handle *object;

    if (!cushim__capture_is_under_way() || !effect || effect->type != CUSHIM__TYPE_MEMORY ||
        (effect->kind != CUSHIM__EFFECT_CREATES && effect->kind != CUSHIM__EFFECT_DESTROYS))
        return;
    argument = &call->arguments.list[effect->parameter];
    object = cushim__handle_at(argument->is_written ? argument->written : argument->value);
    if (object)
        cushim__handle_forget(object);
}

static void forget_unless_live(uint64_t address)
{
    const struct cushim__handle *object = cushim__handle_at(address);

    if (!object || object->is_destroyed)
        cushim__handle_forget_destroyed(address);
}

/* The struct of an allocation node has the address. */
static void forget_memory_of_node(const struct cushim__call *call)
{
    const struct cushim__graph_node *node = cushim__check_graph_node(call);
    const struct cushim__allocation_node *allocation = NULL;

    if (call->slot == CUSHIM__SLOT(GraphAddMemAllocNode))
        allocation = (const struct cushim__allocation_node *)(uintptr_t)call->values[4];
    else if (node && node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        allocation = &node->of.allocation;
    if (allocation)
        forget_unless_live(allocation->address);
}

/* An address that the driver returns lies in memory that exists, so it is not freed memory's. */
static void forget_what_is_not_freed(const struct cushim__call *call)
{
    for (unsigned i = 0; i < cushim__parameter_count(call->slot); i++) {
        const struct cushim__argument *argument = &call->arguments.list[i];

        if (argument->is_written &&
            cushim__decoder_of(call->slot, i).form == CUSHIM__WRITTEN_ADDRESS)
            forget_unless_live(argument->written);
    }
}

void cushim__check_memory_ended(struct cushim__call *call, CUresult answer)
{
    if (call->is_injected)
        return;
    if (answer == CUDA_ERROR_INVALID_VALUE)
        judge_access(call, true);
    if (answer == CUDA_SUCCESS) {
        forget_memory_of_node(call);
        forget_memory_of_graph(call);
        forget_what_is_not_freed(call);
    }
}
