/* SPDX-License-Identifier: Apache-2.0 */
/* Follows what the program has created and not released, which src/check/handles.c reports. */
#include "src/layer/leak_tracker.h"

#include <string.h>

#include "src/driver_api/structs.h"
#include "src/layer/layer.h"

/* One effect of a call that has ended. */
struct change {
    const struct cushim__object_effect *effect;
    const struct cushim__call *call;
    CUresult answer;
};

/* The value that was passed as a parameter, or that was written to where it points. */
static uint64_t value_of(const struct change *change, unsigned parameter)
{
    const struct cushim__argument *argument = &change->call->arguments.list[parameter];

    return argument->is_written ? argument->written : argument->value;
}

/* Returns 0 if the amount is not known, for example because the program does not ask for a size. */
static uint64_t amount_of(const struct change *change)
{
    const struct cushim__object_effect *effect = change->effect;
    const unsigned slot = change->call->slot;
    uint64_t amount = 1;

    if (effect->amount != CUSHIM__NO_PARAMETER) {
        const struct cushim__argument *argument = &change->call->arguments.list[effect->amount];
        const unsigned form = cushim__decoder_of(slot, effect->amount).form;

        amount = form < CUSHIM__WRITTEN_HANDLE || argument->is_written
                     ? value_of(change, effect->amount)
                     : 0;
    }
    if (effect->times != CUSHIM__NO_PARAMETER)
        amount *= value_of(change, effect->times);
    return amount;
}

static enum cushim__object_type type_of(const struct change *change)
{
    return (enum cushim__object_type)change->effect->type;
}

static struct cushim__handle *find(enum cushim__object_type type, uint64_t value)
{
    struct cushim__handle *object = cushim__handle_find(type, value, false);

    return object && object->is_destroyed ? NULL : object;
}

void cushim__tracker_note(const struct cushim__call *call, struct cushim__maker *maker)
{
    uintptr_t function;

    memcpy(&function, cushim__table_slot(&cushim__layer_table, call->slot), sizeof function);
    maker->slot = call->slot;
    maker->place.call = call->number;
    maker->place.thread = call->thread;
    cushim__call_site_capture(&maker->place.site, call->function, function);
}

static void create(const struct change *change, bool is_in_context)
{
    const uint64_t value = value_of(change, change->effect->parameter), amount = amount_of(change);
    const bool has_bytes = type_of(change) == CUSHIM__TYPE_MEMORY;
    const bool is_counted = type_of(change) == CUSHIM__TYPE_USER_OBJECT;
    struct cushim__handle *object;

    if (value == 0)
        return;
    if (has_bytes && (amount == 0 || change->effect->amount == CUSHIM__NO_PARAMETER))
        cushim__handle_forget_destroyed(value);
    object = cushim__handle_create(type_of(change), value, has_bytes ? amount : 0);
    if (!object)
        return;
    object->uses = is_counted ? amount : 1;
    object->is_live = true;
    cushim__tracker_note(change->call, &object->maker);
    if (is_in_context && change->call->context)
        cushim__handle_own(cushim__handle_find(CUSHIM__TYPE_CONTEXT, change->call->context, true),
                           object);
}

/* Memory may be opened more than once, and a capture may be into an existing graph. */
static void create_or_retain(const struct change *change)
{
    const uint64_t value = value_of(change, change->effect->parameter);
    struct cushim__handle *object = find(type_of(change), value);

    if (!object)
        create(change, type_of(change) == CUSHIM__TYPE_MEMORY);
    else if (type_of(change) != CUSHIM__TYPE_GRAPH)
        object->uses++;
}

static void return_part(const struct change *change)
{
    const struct cushim__object_effect *effect = change->effect;
    const struct cushim__argument *argument = &change->call->arguments.list[effect->parameter];
    struct cushim__handle *owner, *object;

    if (!argument->is_written || argument->written == 0)
        return;
    if (effect->type == CUSHIM__TYPE_GLOBAL) {
        if (amount_of(change) == 0)
            cushim__handle_forget_destroyed(argument->written);
        object = cushim__handle_at(argument->written);
        if (!object || object->is_destroyed || (object->owner && object->owner->is_ending))
            object = cushim__handle_create(CUSHIM__TYPE_GLOBAL, argument->written,
                                           amount_of(change) ? amount_of(change) : 1);
    } else {
        object = cushim__handle_returned(type_of(change), argument->written);
    }
    owner = find((enum cushim__object_type)effect->owner_type, value_of(change, effect->owner));
    if (object && owner && !object->owner && !object->is_live)
        cushim__handle_own(owner, object);
}

/* The graph that a node takes from the program is destroyed with the node's graph. */
static void take_child(const struct change *change)
{
    const struct cushim__object_effect *effect = change->effect;
    const struct cushim__graph_node *node =
        (const void *)(uintptr_t)change->call->values[effect->parameter];
    struct cushim__handle *owner, *object;

    if (node->type != CU_GRAPH_NODE_TYPE_GRAPH ||
        node->of.child.ownership != CUSHIM__CHILD_IS_MOVED)
        return;
    object = find(CUSHIM__TYPE_GRAPH, (uintptr_t)node->of.child.graph);
    owner = find(CUSHIM__TYPE_GRAPH, value_of(change, effect->owner));
    if (!object || !owner || object->owner)
        return;
    object->is_live = false;
    cushim__handle_own(owner, object);
}

bool cushim__answer_refuses(CUresult answer)
{
    switch (answer) {
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_CONTEXT_ALREADY_IN_USE:
    case CUDA_ERROR_INVALID_HANDLE:
    case CUDA_ERROR_NOT_FOUND:
    case CUDA_ERROR_NOT_READY:
    case CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED:
    case CUDA_ERROR_NOT_PERMITTED:
    case CUDA_ERROR_NOT_SUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
        return true;
    default:
        return false;
    }
}

/*
 * Whether a call counts as a release. If the driver returns an earlier error, it may or may not
 * have released the object, and if a fault rule chose the result, the program cannot know. Both
 * count.
 */
static bool counts_as_release(const struct change *change)
{
    return change->call->is_injected || !cushim__answer_refuses(change->answer);
}

static bool has_succeeded(const struct change *change)
{
    return change->answer == CUDA_SUCCESS && !change->call->is_injected;
}

static void destroy(const struct change *change, struct cushim__handle *object)
{
    object->is_live = false;
    if (has_succeeded(change))
        cushim__handle_destroy(object);
}

static void release(const struct change *change, struct cushim__handle *object, uint64_t count)
{
    object->uses -= count < object->uses ? count : object->uses;
    if (object->uses == 0)
        destroy(change, object);
}

static void retain_primary(const struct change *change)
{
    struct cushim__handle *object =
        cushim__handle_returned(CUSHIM__TYPE_CONTEXT, value_of(change, change->effect->parameter));

    if (!object)
        return;
    object->device = (int)value_of(change, change->effect->amount);
    /* A call within a call of the program is a pin of a sweep. */
    if (!object->is_live || change->call->nested == 0)
        cushim__tracker_note(change->call, &object->retainer);
    if (!object->is_live) {
        object->uses = 0;
        object->is_live = true;
        object->maker = object->retainer;
    }
    object->uses++;
}

static void release_primary(const struct change *change)
{
    struct cushim__handle *object =
        cushim__handle_of_primary((int)value_of(change, change->effect->amount));

    if (!object)
        return;
    if (change->effect->kind == CUSHIM__EFFECT_RELEASES_PRIMARY && object->uses > 0)
        object->uses--;
    if (object->uses > 0 && change->effect->kind != CUSHIM__EFFECT_RESETS_PRIMARY)
        return;
    /* The context keeps its tag: its handle stays the same for as long as the process lives. */
    object->is_live = false;
    cushim__handle_destroy_owned(object);
}

/* Apply what a call that has succeeded creates or retains. */
static void apply_creation(const struct change *change)
{
    const struct cushim__object_effect *effect = change->effect;
    struct cushim__handle *object;

    switch (effect->kind) {
    case CUSHIM__EFFECT_CREATES:
    case CUSHIM__EFFECT_CREATES_IN_CONTEXT:
    case CUSHIM__EFFECT_REGISTERS_IN_CONTEXT:
        create(change, effect->kind != CUSHIM__EFFECT_CREATES);
        break;
    case CUSHIM__EFFECT_CREATES_OR_RETAINS:
        create_or_retain(change);
        break;
    case CUSHIM__EFFECT_RETURNS:
        return_part(change);
        break;
    case CUSHIM__EFFECT_RETAINS:
        object = find(type_of(change), value_of(change, effect->parameter));
        if (object && object->device < 0)
            object->uses += amount_of(change);
        break;
    case CUSHIM__EFFECT_TAKES:
        take_child(change);
        break;
    case CUSHIM__EFFECT_RETAINS_PRIMARY:
        retain_primary(change);
        break;
    default:
        break;
    }
}

/* Apply what a call releases. */
static void apply_release(const struct change *change)
{
    const struct cushim__object_effect *effect = change->effect;
    struct cushim__handle *object = NULL;

    if (effect->parameter != CUSHIM__NO_PARAMETER)
        object = find(type_of(change), value_of(change, effect->parameter));
    /* The driver may have returned the same value to another thread since the call began. */
    if (object && object->number != change->call->arguments.list[effect->parameter].tag.number)
        object = NULL;
    switch (effect->kind) {
    case CUSHIM__EFFECT_DESTROYS:
        if (object)
            destroy(change, object);
        break;
    case CUSHIM__EFFECT_RELEASES:
        if (object && object->device < 0)
            release(change, object, amount_of(change));
        break;
    case CUSHIM__EFFECT_MOVES:
        if (object && value_of(change, effect->flags) & CU_GRAPH_USER_OBJECT_MOVE)
            release(change, object, amount_of(change));
        break;
    case CUSHIM__EFFECT_RELEASES_PRIMARY:
    case CUSHIM__EFFECT_RESETS_PRIMARY:
        release_primary(change);
        break;
    default:
        break;
    }
}

void cushim__tracker_update(const struct cushim__call *call, CUresult answer)
{
    struct change change = {.call = call, .answer = answer};

    for (change.effect = cushim__effect_first(call->slot); change.effect;
         change.effect = cushim__effect_next(call->slot, change.effect)) {
        if (counts_as_release(&change))
            apply_release(&change);
        if (has_succeeded(&change))
            apply_creation(&change);
    }
}

void cushim__tracker_ignore_primary(int device)
{
    struct cushim__handle *object = cushim__handle_of_primary(device);

    if (object && object->uses > 0)
        object->is_live = --object->uses > 0;
}

void cushim__text_mark_cut(struct cushim__text *text)
{
    static const char end[] = "...\n";

    if (text->length >= text->size && text->size >= sizeof end)
        memcpy(text->buffer + text->size - sizeof end, end, sizeof end);
}
