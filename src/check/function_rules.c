/* SPDX-License-Identifier: Apache-2.0 */
#include "src/check/function_rules.h"

#define NONE CUSHIM__NO_PARAMETER

static const struct function_rule rules[CUSHIM__SYMBOL_COUNT] = {
#include "src/check/function_rows.h"
};

const struct function_rule *cushim__function_rule(unsigned slot)
{
    return &rules[slot];
}

const struct cushim__launch_config *cushim__function_launch_config(const struct cushim__call *call)
{
    const bool has_config = call->slot == CUSHIM__SLOT(LaunchKernelEx) ||
                            call->slot == CUSHIM__SLOT(LaunchKernelEx_ptsz);

    return has_config ? (const struct cushim__launch_config *)(uintptr_t)call->values[0] : NULL;
}

uint64_t cushim__function_stream_value(const struct cushim__call *call)
{
    const struct function_rule *rule = cushim__function_rule(call->slot);
    const struct cushim__launch_config *config = cushim__function_launch_config(call);
    const uint64_t value = rule->stream != NONE ? call->values[rule->stream]
                           : config             ? (uintptr_t)config->stream
                                                : 0;

    if (value == 0 && rule->is_per_thread)
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
    const struct function_rule *rule = cushim__function_rule(call->slot);
    const uint64_t value = cushim__function_stream_value(call);

    if (value <= (uintptr_t)CU_STREAM_PER_THREAD)
        return NULL;
    return rule->stream != NONE ? cushim__function_object(call, CUSHIM__TYPE_STREAM, rule->stream)
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
