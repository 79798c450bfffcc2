/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles of objects that no longer exist, or never were what the call takes, and objects that still
 * exist when the program ends. Only what was seen to
 * be made and ended is judged: a handle that came by a way which the layer does not see passes.
 *
 * The end of an object is noted before the driver is called, and undone if the driver refuses: it
 * may give the same value to another thread at once. Whatever the driver returns is no destroyed
 * object (handle_table.h).
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "src/check/order.h"

/* How the handles of a type are judged. */
enum judgement {
    PASSES,   /* they may come by results that are not decoded */
    REPORTED, /* the driver finds out that the object is gone, or is thought to */
    REFUSED, /* a pointer of the driver's: it reads what lies there, and crashes on what it freed */
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

/* Handles that are written to where no decoder looks, and so are no destroyed objects' any more. */
static const struct returned {
    uint16_t slot;
    uint8_t type;
    uint8_t parameter; /* where they are written */
    uint8_t count;     /* the parameter with their number; CUSHIM__NO_PARAMETER: it is one */
} returned[] = {
    {CUSHIM__SLOT(ModuleEnumerateFunctions), CUSHIM__TYPE_FUNCTION, 0, 1},
    {CUSHIM__SLOT(LibraryEnumerateKernels), CUSHIM__TYPE_KERNEL, 0, 1},
    {CUSHIM__SLOT(StreamGetCaptureInfo_v2), CUSHIM__TYPE_GRAPH, 3, CUSHIM__NO_PARAMETER},
    {CUSHIM__SLOT(StreamGetCaptureInfo_v2_ptsz), CUSHIM__TYPE_GRAPH, 3, CUSHIM__NO_PARAMETER},
    {CUSHIM__SLOT(StreamGetCaptureInfo_v3), CUSHIM__TYPE_GRAPH, 3, CUSHIM__NO_PARAMETER},
    {CUSHIM__SLOT(StreamGetCaptureInfo_v3_ptsz), CUSHIM__TYPE_GRAPH, 3, CUSHIM__NO_PARAMETER},
};

/* The effect by which a call ends what it names; NULL: none does. */
static const struct cushim__api_effect *end_of(unsigned slot)
{
    const struct cushim__api_effect *effect = cushim__api_effect_first(slot);

    for (; effect; effect = cushim__api_effect_next(effect)) {
        if (effect->kind == CUSHIM__DESTROYS || effect->kind == CUSHIM__RELEASES ||
            effect->kind == CUSHIM__RELEASES_PRIMARY || effect->kind == CUSHIM__RESETS_PRIMARY)
            return effect;
    }
    return NULL;
}

/* The object whose end a call is, of memory too; NULL: there is none, or it has ended. */
static struct cushim__handle *find_ending(const struct cushim__call *call)
{
    const struct cushim__api_effect *effect = end_of(call->slot);
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
    return judgements[type] != REFUSED || slot == CUSHIM__SLOT(CtxSetCurrent) ||
           slot == CUSHIM__SLOT(CtxDestroy) || slot == CUSHIM__SLOT(CtxDestroy_v2);
}

static void report_destroyed(struct cushim__call *call, unsigned parameter,
                             const struct cushim__handle *object)
{
    const struct cushim__api_effect *effect = end_of(call->slot);
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

/* A live object of another kind that has this handle; NULL: there is none. */
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

/* Functions take a kernel for a function (statement 169), and drivers a green context's streams. */
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

static void judge(struct cushim__call *call, unsigned parameter, enum cushim__object_type type,
                  uint64_t value)
{
    struct cushim__handle *object;

    if (judgements[type] == PASSES || value == 0)
        return;
    object = cushim__handle_find(type, value, false);
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

void cushim__check_handles_started(struct cushim__call *call)
{
    const struct cushim__launch_config *config = cushim__function_launch_config(call);
    const unsigned count = cushim__parameter_count(call->slot);
    struct cushim__handle *object;

    for (unsigned i = 0; i < count; i++) {
        const struct cushim__decoder decoder = cushim__decoder_of(call->slot, i);

        if (decoder.form == CUSHIM__READ_HANDLE)
            judge(call, i, (enum cushim__object_type)decoder.type, call->values[i]);
    }
    if (config)
        judge(call, 0, CUSHIM__TYPE_STREAM, (uintptr_t)config->stream);
    object = call->is_refused ? NULL : find_ending(call);
    if (!object || object->is_ending)
        return;
    cushim__tracker_note(call, &object->ender);
    object->is_ending = object->uses <= 1 && object->device < 0;
}

/* --- ends --- */

/*
 * Others in the process may have retained a primary context where the layer does not see it: then
 * it lives on, and so does all that is in it.
 */
void cushim__check_handles_after(const struct cushim__call *call, CUresult answer)
{
    const struct cushim__api_effect *effect = end_of(call->slot);
    struct cushim_layer *layer = cushim_layer_current();
    struct cushim__handle *object;
    unsigned flags;
    int active = 0, device;

    if (!effect || effect->kind != CUSHIM__RELEASES_PRIMARY || answer != CUDA_SUCCESS ||
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

static void note_returned(const struct cushim__call *call)
{
    for (size_t i = 0; i < sizeof returned / sizeof *returned; i++) {
        const struct returned *row = &returned[i];
        const uint64_t *handles;
        uint64_t count = 1;

        if (row->slot != call->slot)
            continue;
        handles = (const uint64_t *)(uintptr_t)call->values[row->parameter];
        if (!handles)
            continue;
        if (row->count != CUSHIM__NO_PARAMETER)
            count = call->values[row->count];
        else if (*(const int *)(uintptr_t)call->values[1] != CU_STREAM_CAPTURE_STATUS_ACTIVE)
            count = 0;
        for (uint64_t k = 0; k < count; k++)
            cushim__handle_returned((enum cushim__object_type)row->type, handles[k]);
    }
}

/* A conditional node says in a struct where the graphs of its branches are. */
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

    /* The driver has refused to end it. */
    if (object && object->ender.place.call == call->number) {
        object->is_ending = false;
        object->ender.place.call = 0;
    }
    if (answer == CUDA_SUCCESS && !call->is_injected) {
        note_returned(call);
        note_branches(call);
    }
}

/* --- leaks: a test without check prints them by ../layer/leak_tracker.c --- */

static void report_leaked(const struct cushim__handle *object)
{
    const struct cushim__check_name name = cushim__check_name(object, object->value);
    const enum cushim__check_id id = cushim__check_of_leaked(object->type);

    if (object->type == CUSHIM__TYPE_MEMORY)
        cushim__check_report(NULL, id, object, NULL, "%s, %llu byte%s, is never freed", name.text,
                             (unsigned long long)object->bytes, object->bytes == 1 ? "" : "s");
    else
        cushim__check_report(NULL, id, object, NULL, "%s is never %s", name.text,
                             object->device >= 0               ? "released"
                             : id == CUSHIM__CHECK_LEAK_MODULE ? "unloaded"
                                                               : "destroyed");
}

/*
 * The number of the last call before check began, and how often primary contexts had been retained:
 * what was made until then is another's.
 */
enum { DEVICES = 64 };
static uint64_t began_at, retained[DEVICES];

void cushim__check_handles_begin(void)
{
    began_at = cushim_layer_current()->calls;
    for (int device = 0; device < DEVICES; device++) {
        const struct cushim__handle *object = cushim__handle_of_primary(device);

        retained[device] = object && object->is_live ? object->uses : 0;
    }
}

static bool is_leaked(const struct cushim__handle *object)
{
    if (!object->is_live || object->is_held_elsewhere)
        return false;
    if (object->device >= 0)
        return object->device >= DEVICES || object->uses > retained[object->device];
    return object->maker.place.call > began_at;
}

void cushim__check_handles_finish(void)
{
    /* What was made before a fork is the parent's to release, and after it the driver does not work. */
    if (!cushim__check_options.has_leaks || cushim__check_forked_at > 0)
        return;
    for (unsigned type = 0; type < CUSHIM__OBJECT_TYPES; type++) {
        const struct cushim__handle *object = NULL;

        while ((object = cushim__handle_next((enum cushim__object_type)type, object)) != NULL) {
            if (is_leaked(object))
                report_leaked(object);
        }
    }
}
