/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/roles.h"

#include <stddef.h>

#include "src/driver_api/effects.h"

/* What the effects of a call on an object mean. */
static uint16_t roles_of_effect(const struct cushim__object_effect *effect)
{
    const bool is_device_memory =
        effect->type == CUSHIM__TYPE_MEMORY &&
        (effect->memory == CUSHIM__MEMORY_DEVICE || effect->memory == CUSHIM__MEMORY_OTHER);

    switch ((enum cushim__effect_kind)effect->kind) {
    case CUSHIM__EFFECT_CREATES:
    case CUSHIM__EFFECT_CREATES_IN_CONTEXT:
        if (!is_device_memory)
            return 0;
        return effect->times == CUSHIM__NO_PARAMETER ? TRACE_ALLOCATES : TRACE_PITCHES;
    case CUSHIM__EFFECT_DESTROYS:
    case CUSHIM__EFFECT_RELEASES:
        if (effect->type == CUSHIM__TYPE_MEMORY)
            return is_device_memory && effect->kind == CUSHIM__EFFECT_DESTROYS ? TRACE_FREES : 0;
        if (effect->type == CUSHIM__TYPE_CONTEXT)
            return TRACE_UNLOADS | TRACE_DESTROYS_CONTEXT;
        if (effect->type == CUSHIM__TYPE_STREAM)
            return TRACE_ENDS_CAPTURE;
        return effect->type == CUSHIM__TYPE_MODULE || effect->type == CUSHIM__TYPE_LIBRARY
                   ? TRACE_UNLOADS
                   : 0;
    case CUSHIM__EFFECT_RETAINS_PRIMARY:
        return TRACE_RETAINS_PRIMARY;
    case CUSHIM__EFFECT_RELEASES_PRIMARY:
    case CUSHIM__EFFECT_RESETS_PRIMARY:
        return TRACE_UNLOADS | TRACE_RELEASES_PRIMARY;
    default:
        return 0;
    }
}

uint16_t trace_roles_of(unsigned slot)
{
    const struct cushim__effects *effects;
    uint16_t roles = 0;

    if (slot >= CUSHIM__SYMBOL_COUNT)
        return 0;
    effects = &cushim__effects[slot];
    if (effects->waits > CUSHIM__WAITS_MAY)
        roles |= TRACE_BLOCKS;
    if (effects->waits >= CUSHIM__WAITS_EVENT && effects->objects == 0)
        roles |= TRACE_WAITS;
    if (effects->work == CUSHIM__WORK_BEGIN_CAPTURE)
        roles |= TRACE_BEGINS_CAPTURE;
    if (effects->work == CUSHIM__WORK_END_CAPTURE)
        roles |= TRACE_ENDS_CAPTURE;
    /* Also the effects of the ABI with addresses of 32 bits, which the trace shows as others. */
    for (unsigned i = 0; i < effects->objects; i++)
        roles |= roles_of_effect(&cushim__object_effects[effects->first + i]);
    return roles;
}
