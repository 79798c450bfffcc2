/* SPDX-License-Identifier: Apache-2.0 */
#include "src/check/action.h"

#define NONE CUSHIM__NO_PARAMETER

/* The actions of work that is queued, recorded or waited for on a stream, and of graphs. */
static const uint8_t of_work[] = {
    [CUSHIM__WORK_COPY] = ORDER_COPY,
    [CUSHIM__WORK_COPY_2D] = ORDER_COPY_2D,
    [CUSHIM__WORK_COPY_3D] = ORDER_COPY_3D,
    [CUSHIM__WORK_COPY_BATCH] = ORDER_WORK,
    [CUSHIM__WORK_COPY_ATTRIBUTES] = ORDER_WORK,
    [CUSHIM__WORK_SET] = ORDER_SET,
    [CUSHIM__WORK_SET_2D] = ORDER_SET_2D,
    [CUSHIM__WORK_KERNEL] = ORDER_KERNEL,
    [CUSHIM__WORK_KERNELS] = ORDER_EVERYTHING,
    [CUSHIM__WORK_GRAPH] = ORDER_GRAPH,
    [CUSHIM__WORK_HOST_FUNCTION] = ORDER_UNKNOWN,
    [CUSHIM__WORK_CALLBACK] = ORDER_UNKNOWN,
    [CUSHIM__WORK_ALLOCATE] = ORDER_ALLOCATE,
    [CUSHIM__WORK_FREE] = ORDER_FREE_ASYNC,
    [CUSHIM__WORK_WORK] = ORDER_WORK,
    [CUSHIM__WORK_WAIT_OUTSIDE] = ORDER_WAIT_OUTSIDE,
    [CUSHIM__WORK_SIGNAL_OUTSIDE] = ORDER_SIGNAL,
    [CUSHIM__WORK_OUTSIDE] = ORDER_UNKNOWN,
    [CUSHIM__WORK_RECORD] = ORDER_RECORD,
    [CUSHIM__WORK_RECORD_CONTEXT] = ORDER_CONTEXT_RECORD,
    [CUSHIM__WORK_WAIT_EVENT] = ORDER_WAIT_EVENT,
    [CUSHIM__WORK_WAIT_EVENT_CONTEXT] = ORDER_CONTEXT_WAIT_EVENT,
    [CUSHIM__WORK_BEGIN_CAPTURE] = ORDER_BEGIN_CAPTURE,
    [CUSHIM__WORK_END_CAPTURE] = ORDER_END_CAPTURE,
    [CUSHIM__WORK_UPDATE_CAPTURE] = ORDER_UPDATE_CAPTURE,
    [CUSHIM__WORK_BEGIN_CAPTURE_TO_CIG] = ORDER_BEGIN_CAPTURE,
    [CUSHIM__WORK_END_CAPTURE_TO_CIG] = ORDER_END_CAPTURE,
    [CUSHIM__WORK_ADD_COPY] = ORDER_MAKE_COPY,
    [CUSHIM__WORK_ADD_NODE] = ORDER_MAKE_NODE,
};

/* The actions of calls that wait for work, or report whether it is done. */
static const uint8_t of_waits[] = {
    [CUSHIM__WAITS_MAY] = ORDER_EVERYTHING,    [CUSHIM__WAITS_ALL] = ORDER_EVERYTHING,
    [CUSHIM__WAITS_MEMORY] = ORDER_EVERYTHING, [CUSHIM__WAITS_EVENT] = ORDER_SEE_EVENT,
    [CUSHIM__WAITS_STREAM] = ORDER_SEE_STREAM, [CUSHIM__WAITS_CONTEXT] = ORDER_SEE_CONTEXT,
};
static const uint8_t of_questions[] = {
    [CUSHIM__ASKS_EVENT] = ORDER_SEE_EVENT,
    [CUSHIM__ASKS_STREAM] = ORDER_SEE_STREAM,
    [CUSHIM__ASKS_ELAPSED] = ORDER_ELAPSED,
};

/* The actions of calls that create and end objects. */
static enum order_action of_objects(unsigned slot)
{
    const struct cushim__object_effect *effect = cushim__effect_first(slot);

    for (; effect; effect = cushim__effect_next(slot, effect)) {
        /* Too little is known of an object without flags, such as one of another process. */
        const bool creates =
            effect->kind == CUSHIM__EFFECT_CREATES_IN_CONTEXT && effect->flags != NONE;

        if (effect->type == CUSHIM__TYPE_MEMORY && cushim__effect_ends(effect))
            return ORDER_FREE;
        if (effect->type == CUSHIM__TYPE_STREAM && cushim__effect_ends(effect))
            return ORDER_DESTROY_STREAM;
        if (effect->type == CUSHIM__TYPE_STREAM && creates)
            return ORDER_CREATE_STREAM;
        if (effect->type == CUSHIM__TYPE_EVENT && creates)
            return ORDER_CREATE_EVENT;
    }
    return ORDER_NOTHING;
}

enum order_action cushim__order_action(unsigned slot)
{
    const struct cushim__effects *effects = &cushim__effects[slot];
    enum order_action of_object;

    if (effects->is_narrow && effects->work != CUSHIM__WORK_NONE)
        return ORDER_EVERYTHING;
    if (effects->work == CUSHIM__WORK_UNKNOWN)
        return effects->stream != NONE ? ORDER_UNKNOWN : ORDER_NOTHING;
    if (effects->work != CUSHIM__WORK_NONE)
        return (enum order_action)of_work[effects->work];
    of_object = of_objects(slot);
    if (of_object != ORDER_NOTHING)
        return of_object;
    if (effects->waits != CUSHIM__WAITS_NO)
        return (enum order_action)of_waits[effects->waits];
    if (effects->asks > CUSHIM__ASKS_LIBRARY)
        return (enum order_action)of_questions[effects->asks];
    return ORDER_NOTHING;
}

static uint8_t memory_of(unsigned slot)
{
    const struct cushim__object_effect *effect = cushim__effect_first(slot);

    return effect && effect->type == CUSHIM__TYPE_MEMORY ? effect->memory : CUSHIM__MEMORY_OTHER;
}

enum order_memory cushim__order_memory_of(unsigned slot)
{
    switch (memory_of(slot)) {
    case CUSHIM__MEMORY_DEVICE:
        return ORDER_DEVICE_MEMORY;
    case CUSHIM__MEMORY_PAGE_LOCKED:
    case CUSHIM__MEMORY_REGISTERED:
        return ORDER_PAGE_LOCKED;
    default:
        return ORDER_OTHER_MEMORY;
    }
}

bool cushim__is_of_unknown_size(unsigned slot)
{
    const struct cushim__object_effect *effect = cushim__effect_first(slot);

    return effect && effect->type == CUSHIM__TYPE_MEMORY &&
           (effect->amount == NONE || effect->memory == CUSHIM__MEMORY_RESERVED);
}

const struct cushim__launch_config *cushim__function_launch_config(const struct cushim__call *call)
{
    const struct cushim__effects *effects = &cushim__effects[call->slot];

    if (effects->work != CUSHIM__WORK_KERNEL || effects->config == NONE)
        return NULL;
    return (const struct cushim__launch_config *)(uintptr_t)call->values[effects->config];
}

uint64_t cushim__function_stream_value(const struct cushim__call *call)
{
    const struct cushim__effects *effects = &cushim__effects[call->slot];
    const struct cushim__launch_config *config = cushim__function_launch_config(call);
    const uint64_t value = effects->stream != NONE ? call->values[effects->stream]
                           : config                ? (uintptr_t)config->stream
                                                   : 0;

    if (value == 0 && effects->is_per_thread)
        return (uintptr_t)CU_STREAM_PER_THREAD;
    return value == (uintptr_t)CU_STREAM_LEGACY ? 0 : value;
}

uint32_t cushim__function_context_number(const struct cushim__call *call)
{
    const struct cushim__handle *object =
        call->context ? cushim__handle_find(CUSHIM__TYPE_CONTEXT, call->context, true) : NULL;

    return object ? object->number : 0;
}

struct cushim__handle *cushim__function_object(const struct cushim__call *call,
                                               enum cushim__object_type type, unsigned parameter)
{
    const struct cushim__argument *argument = &call->arguments.list[parameter];
    struct cushim__handle *object = cushim__handle_find(
        type, argument->is_written ? argument->written : argument->value, false);

    return object && object->number == argument->tag.number ? object : NULL;
}

struct cushim__handle *cushim__function_stream(const struct cushim__call *call)
{
    const struct cushim__effects *effects = &cushim__effects[call->slot];
    const uint64_t value = cushim__function_stream_value(call);

    if (value <= (uintptr_t)CU_STREAM_PER_THREAD)
        return NULL;
    return effects->stream != NONE
               ? cushim__function_object(call, CUSHIM__TYPE_STREAM, effects->stream)
               : cushim__handle_find(CUSHIM__TYPE_STREAM, value, false);
}

struct stream_identity cushim__function_stream_identity(const struct cushim__call *call)
{
    const struct cushim__handle *object = cushim__function_stream(call);
    const uint64_t value = cushim__function_stream_value(call);

    return (struct stream_identity){
        .value = value,
        .number = object ? object->number : 0,
        .context =
            value <= (uintptr_t)CU_STREAM_PER_THREAD ? cushim__function_context_number(call) : 0,
        .thread = value == (uintptr_t)CU_STREAM_PER_THREAD ? call->thread : 0,
    };
}

bool cushim__stream_is_same(const struct stream_identity *one, const struct stream_identity *other)
{
    return one->value == other->value && one->number == other->number &&
           one->context == other->context && one->thread == other->thread;
}
