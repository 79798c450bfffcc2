/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles of objects that no longer exist or are of another kind, and objects that still exist at
 * the end of the program. Only handles whose creation and end the layer has seen are judged; others
 * may be created unseen.
 *
 * The end of an object is noted before the driver is called, because the driver may give the same
 * value to another thread at once, and undone if the driver refuses. A value that the driver
 * returns is never that of a destroyed object (src/layer/handle_table.h).
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "src/check/order.h"
#include "src/driver_api/copy.h"

/* What check does about a misused handle of a type. */
enum judgement {
    PASSES,   /* not judged: they may come from results that are not decoded */
    REPORTED, /* the driver is thought to notice that the object is gone */
    REFUSED,  /* a pointer, so the driver may crash on freed memory */
};

static const uint8_t judgements[CUSHIM__OBJECT_TYPES] = {
    [CUSHIM__TYPE_CONTEXT] = REFUSED,
    [CUSHIM__TYPE_GREEN_CONTEXT] = REFUSED,
    [CUSHIM__TYPE_STREAM] = REFUSED,
    [CUSHIM__TYPE_EVENT] = REFUSED,
    [CUSHIM__TYPE_MODULE] = REFUSED,
    [CUSHIM__TYPE_FUNCTION] = REFUSED,
    [CUSHIM__TYPE_LIBRARY] = REFUSED,
    [CUSHIM__TYPE_KERNEL] = REFUSED,
    [CUSHIM__TYPE_LINK] = REFUSED,
    [CUSHIM__TYPE_GRAPH] = REFUSED,
    [CUSHIM__TYPE_EXEC] = REFUSED,
    [CUSHIM__TYPE_POOL] = REPORTED,
    [CUSHIM__TYPE_ARRAY] = REFUSED,
    [CUSHIM__TYPE_MIPMAPPED_ARRAY] = REFUSED,
    [CUSHIM__TYPE_TEXTURE] = REPORTED,
    [CUSHIM__TYPE_SURFACE] = REPORTED,
    [CUSHIM__TYPE_PHYSICAL_MEMORY] = REPORTED,
    [CUSHIM__TYPE_EXTERNAL_MEMORY] = REPORTED,
    [CUSHIM__TYPE_EXTERNAL_SEMAPHORE] = REPORTED,
};

/* The effect by which a call ends the object that it names, or NULL. */
static const struct cushim__object_effect *end_of(unsigned slot)
{
    const struct cushim__object_effect *effect = cushim__effect_first(slot);

    for (; effect; effect = cushim__effect_next(slot, effect)) {
        if (cushim__effect_ends(effect))
            return effect;
    }
    return NULL;
}

/* The object, possibly memory, that a call ends; NULL if there is none or it has ended already. */
static struct cushim__handle *find_ending(const struct cushim__call *call)
{
    const struct cushim__object_effect *effect = end_of(call->slot);
    struct cushim__handle *object = NULL;

    if (effect && effect->parameter == CUSHIM__NO_PARAMETER)
        object = cushim__handle_of_primary((int)call->values[effect->amount]);
    else if (effect)
        object = cushim__handle_find((enum cushim__object_type)effect->type,
                                     call->values[effect->parameter], false);
    return object && !object->is_destroyed ? object : NULL;
}

/* --- judging --- */

/* The driver makes a destroyed context current without reading it, and refuses to destroy it. */
static bool survives(unsigned slot, enum cushim__object_type type)
{
    const struct cushim__object_effect *effect = cushim__effect_first(slot);

    return judgements[type] != REFUSED ||
           (effect && effect->type == CUSHIM__TYPE_CONTEXT && type == CUSHIM__TYPE_CONTEXT &&
            (effect->kind == CUSHIM__EFFECT_SETS || effect->kind == CUSHIM__EFFECT_DESTROYS));
}

static void report_destroyed(struct cushim__call *call, unsigned parameter,
                             const struct cushim__handle *object)
{
    const struct cushim__object_effect *effect = end_of(call->slot);
    const enum cushim__check_id id = effect && effect->parameter == parameter
                                         ? CUSHIM__CHECK_DESTROYED_TWICE
                                         : cushim__check_of_destroyed(object->type);
    const struct cushim__check_name name = cushim__check_name(object, object->value);

    cushim__check_report(call, cushim__check_of_ended(object, id), object, NULL,
                         "%s is given %s, which %s%s%s%s", cushim__slot_name(call->slot), name.text,
                         object->is_ending ? "another thread is destroying" : "was destroyed",
                         object->ended_with ? " together with its " : "",
                         object->ended_with ? cushim__object_names[object->ended_with].single : "",
                         survives(call->slot, object->type) ? "" : cushim__check_refuse(call));
}

/* A live object of another kind with this handle, or NULL. */
static struct cushim__handle *find_other(enum cushim__object_type type, uint64_t value)
{
    for (unsigned other = 0; other < CUSHIM__TYPE_MEMORY; other++) {
        struct cushim__handle *object;

        if (other == type || judgements[other] != REFUSED)
            continue;
        object = cushim__handle_find((enum cushim__object_type)other, value, false);
        if (object && object->is_live && object->maker.place.call > 0)
            return object;
    }
    return NULL;
}

/* Some calls take one of these for the other; for kernels see statement 169. */
static bool is_interchangeable(enum cushim__object_type type)
{
    return type == CUSHIM__TYPE_FUNCTION || type == CUSHIM__TYPE_KERNEL ||
           type == CUSHIM__TYPE_GREEN_CONTEXT || type == CUSHIM__TYPE_CONTEXT;
}

static void judge_kind(struct cushim__call *call, unsigned parameter,
                       const struct cushim__handle *passed)
{
    const struct cushim__handle *object;

    if (is_interchangeable(passed->type) || judgements[passed->type] != REFUSED)
        return;
    object = find_other(passed->type, passed->value);
    if (!object || is_interchangeable(object->type))
        return;
    cushim__check_report(call, CUSHIM__CHECK_HANDLE_KIND, object, NULL,
                         "%s is given %s for %s, which is a %s", cushim__slot_name(call->slot),
                         cushim__check_name(object, object->value).text,
                         cushim__parameter_at(call->slot, parameter)->name,
                         cushim__parameter_at(call->slot, parameter)->type);
    cushim__check_refuse(call);
}

/* What a handle stands for. Calls accept a kernel of a CUDA library in place of a function. */
static struct cushim__handle *find_passed(enum cushim__object_type type, uint64_t value)
{
    struct cushim__handle *object = cushim__handle_find(type, value, false), *kernel = NULL;

    if (type == CUSHIM__TYPE_FUNCTION && (!object || !object->is_returned))
        kernel = cushim__handle_find(CUSHIM__TYPE_KERNEL, value, false);
    return kernel ? kernel : object;
}

static void judge(struct cushim__call *call, unsigned parameter, enum cushim__object_type type,
                  uint64_t value)
{
    struct cushim__handle *object;

    if (judgements[type] == PASSES || value == 0)
        return;
    object = find_passed(type, value);
    if (!object)
        return;
    if (object->is_destroyed || object->is_ending) {
        if (object->is_returned)
            report_destroyed(call, parameter, object);
    } else if (!object->is_returned) {
        judge_kind(call, parameter, object);
    } else if (cushim__check_before_fork(call, object, value) && judgements[type] == REFUSED) {
        cushim__check_refuse(call);
    }
}

/* --- handles in structs --- */

static void judge_half(struct cushim__call *call, const struct cushim__copy_half *half)
{
    if (half->type == CU_MEMORYTYPE_ARRAY)
        judge(call, 0, CUSHIM__TYPE_ARRAY, (uintptr_t)half->array);
    if (cushim__effects[call->slot].is_peer)
        judge(call, 0, CUSHIM__TYPE_CONTEXT, (uintptr_t)half->context);
}

static void judge_resource(struct cushim__call *call, const CUDA_RESOURCE_DESC *resource)
{
    if (resource->resType == CU_RESOURCE_TYPE_ARRAY)
        judge(call, 1, CUSHIM__TYPE_ARRAY, (uintptr_t)resource->res.array.hArray);
    else if (resource->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
        judge(call, 1, CUSHIM__TYPE_MIPMAPPED_ARRAY,
              (uintptr_t)resource->res.mipmap.hMipmappedArray);
}

static void judge_structs(struct cushim__call *call)
{
    const struct cushim__launch_config *config = cushim__function_launch_config(call);
    const struct cushim__effects *effects = &cushim__effects[call->slot];
    const enum order_action action = cushim__order_action(call->slot);
    const uint64_t *values = call->values; /* as many as the call has parameters */

    if (config)
        judge(call, 0, CUSHIM__TYPE_STREAM, (uintptr_t)config->stream);
    if ((action == ORDER_COPY_2D || action == ORDER_COPY_3D) && values[0]) {
        const void *described = (const void *)(uintptr_t)values[0];
        const struct cushim__copy copy =
            action == ORDER_COPY_2D ? cushim__copy_2d(described) : cushim__copy_3d(described);

        judge_half(call, &copy.to);
        judge_half(call, &copy.from);
    }
    if (effects->resource_desc != CUSHIM__NO_PARAMETER && values[effects->resource_desc])
        judge_resource(call, (const void *)(uintptr_t)values[effects->resource_desc]);
    /* The struct of a kernel node begins with the function. */
    if (effects->kernel_node != CUSHIM__NO_PARAMETER && values[effects->kernel_node])
        judge(call, effects->kernel_node, CUSHIM__TYPE_FUNCTION,
              *(const uintptr_t *)(uintptr_t)values[effects->kernel_node]);
}

void cushim__check_handles_started(struct cushim__call *call)
{
    const unsigned count = cushim__parameter_count(call->slot);
    struct cushim__handle *object;

    for (unsigned i = 0; i < count; i++) {
        const struct cushim__decoder decoder = cushim__decoder_of(call->slot, i);

        if (decoder.form == CUSHIM__READ_HANDLE)
            judge(call, i, (enum cushim__object_type)decoder.type, call->values[i]);
    }
    judge_structs(call);
    object = call->is_refused ? NULL : find_ending(call);
    if (!object || object->is_ending)
        return;
    cushim__tracker_note(call, &object->ender);
    object->is_ending = object->uses <= 1 && object->device < 0;
}

/* --- ends --- */

/*
 * Other code in the process may have retained a primary context, unseen by the layer. Then the
 * context stays alive, with everything in it.
 */
void cushim__check_handles_after(const struct cushim__call *call, CUresult answer)
{
    const struct cushim__object_effect *effect = end_of(call->slot);
    struct cushim_layer *layer = cushim_layer_current();
    struct cushim__handle *object;
    unsigned flags;
    int active = 0, device;

    if (!effect || effect->kind != CUSHIM__EFFECT_RELEASES_PRIMARY || answer != CUDA_SUCCESS ||
        call->is_injected)
        return;
    device = (int)call->values[effect->amount];
    if (cushim__layer_next.DevicePrimaryCtxGetState(device, &flags, &active) != CUDA_SUCCESS ||
        !active)
        return;
    cushim__lock_take(&layer->lock);
    object = cushim__handle_of_primary(device);
    if (object && object->uses == 1) {
        object->uses++;
        object->is_held_elsewhere = true;
    }
    cushim__lock_release(&layer->lock);
}

/* Results in which no decoder finds the handles, so that they count as returned from then on. */
static void note_returned(const struct cushim__call *call)
{
    const struct cushim__effects *effects = &cushim__effects[call->slot];
    const uint64_t *handles;
    uint64_t count = 1;

    if (effects->listed == CUSHIM__NO_PARAMETER || call->values[effects->listed] == 0)
        return;
    handles = (const uint64_t *)(uintptr_t)call->values[effects->listed];
    if (effects->listed_count != CUSHIM__NO_PARAMETER)
        count = call->values[effects->listed_count];
    else if (*(const int *)(uintptr_t)call->values[1] != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        count = 0;
    for (uint64_t i = 0; i < count; i++)
        cushim__handle_returned((enum cushim__object_type)effects->listed_type, handles[i]);
}

/* The struct of a conditional node points to the graphs of its branches. */
static void note_branches(const struct cushim__call *call)
{
    const struct cushim__graph_node *node = cushim__check_graph_node(call);

    if (!node || (int)node->type != CUSHIM__NODE_CONDITIONAL || !node->of.conditional.graphs)
        return;
    for (unsigned i = 0; i < node->of.conditional.count; i++)
        cushim__handle_returned(CUSHIM__TYPE_GRAPH, (uintptr_t)node->of.conditional.graphs[i]);
}

void cushim__check_handles_ended(struct cushim__call *call, CUresult answer)
{
    struct cushim__handle *object = call->is_refused ? NULL : find_ending(call);

    /* If it is live, the driver has refused. A primary context keeps its handle after its end. */
    if (object && (object->is_live || object->device < 0) &&
        object->ender.place.call == call->number) {
        object->is_ending = false;
        object->ender.place.call = 0;
    }
    if (answer == CUDA_SUCCESS && !call->is_injected) {
        note_returned(call);
        note_branches(call);
    }
}

/* --- leaks --- */

static void report_leaked(const struct cushim__handle *object)
{
    const struct cushim__check_name name = cushim__check_name(object, object->value);
    const enum cushim__check_id id = cushim__check_of_leaked(object->type);

    if (object->type == CUSHIM__TYPE_MEMORY && !cushim__is_of_unknown_size(object->maker.slot))
        cushim__check_report(NULL, id, object, NULL, "%s, %llu byte%s, is never freed", name.text,
                             (unsigned long long)object->bytes, object->bytes == 1 ? "" : "s");
    else
        cushim__check_report(NULL, id, object, NULL, "%s is never %s", name.text,
                             object->type == CUSHIM__TYPE_MEMORY ? "freed"
                             : object->device >= 0               ? "released"
                             : id == CUSHIM__CHECK_LEAK_MODULE   ? "unloaded"
                                                                 : "destroyed");
}

static bool is_leaked(const struct cushim__handle *object, const struct cushim__check_part *part)
{
    if (!object->is_live || object->is_held_elsewhere || object->is_ending)
        return false;
    if (object->device >= 0)
        return object->device >= CUSHIM__CHECK_DEVICES ||
               object->uses > part->retained[object->device];
    return object->maker.place.call > part->calls;
}

void cushim__check_part_begin(struct cushim__check_part *part)
{
    part->calls = cushim_layer_current()->calls;
    for (int device = 0; device < CUSHIM__CHECK_DEVICES; device++) {
        const struct cushim__handle *object = cushim__handle_of_primary(device);

        part->retained[device] = object && object->is_live ? object->uses : 0;
    }
}

void cushim__check_part_end(const struct cushim__check_part *part)
{
    const enum cushim__check_level level = cushim__check_options.level;

    if (level > CUSHIM__CHECK_WARNING)
        cushim__check_options.level = CUSHIM__CHECK_WARNING;
    for (unsigned type = 0; type < CUSHIM__OBJECT_TYPES; type++) {
        const struct cushim__handle *object = NULL;

        while ((object = cushim__handle_next((enum cushim__object_type)type, object)) != NULL) {
            if (is_leaked(object, part))
                report_leaked(object);
        }
    }
    cushim__check_options.level = level;
    cushim__check_options.has_leaks = false; /* they are not reported again */
}

/* The part of the program that is checked. */
static struct cushim__check_part checked;

void cushim__check_handles_begin(void)
{
    cushim__check_part_begin(&checked);
}

void cushim__check_handles_finish(void)
{
    /* Objects from before a fork are the parent's, and after it the driver creates none. */
    if (cushim__check_options.has_leaks && cushim__check_forked_at == 0)
        cushim__check_part_end(&checked);
}
