/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Missing waits (CUSHIM-race): work on the same memory that nothing orders. The race detector finds
 * it from the calls that submit work and wait for it. What check cannot follow is taken to order
 * everything: values in memory, other libraries, captures, and calls of two threads at a time.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "src/check/order.h"

#include <string.h>

enum { UNDER_WAY = 64 };

/* A call that is under way and affects the order of work. */
struct under_way {
    uint64_t call; /* its number; 0 for a free entry */
    uint32_t event;
    bool submits;  /* it submits work, so its order among other calls matters */
    bool overlaps; /* with a call of another thread, so that the order is not known */
    struct order_freed freed;
};

static struct under_way calls[UNDER_WAY];

static uint64_t unknown_functions;

static void create_event(const struct cushim__call *call)
{
    const struct cushim__object_effect *effect = cushim__effect_first(call->slot);
    struct order_event *event =
        cushim__order_event(cushim__function_object(call, CUSHIM__TYPE_EVENT, effect->parameter));

    if (!event)
        return;
    event->flags = (unsigned)call->values[effect->flags];
    event->is_known = !(event->flags & CU_EVENT_INTERPROCESS);
    event->context = cushim__function_context_number(call);
}

/* --- captures --- */

/* While a stream is captured, it is not known which calls are work, so none count as work. */
static void note_in_capture(const struct cushim__call *call, const struct cushim__effects *effects)
{
    struct order_event *event =
        effects->event != CUSHIM__NO_PARAMETER ? cushim__order_event_of(call, effects, 0) : NULL;
    const bool is_external = event && cushim__parameter_count(call->slot) > 2 && call->values[2];

    switch (cushim__order_action(call->slot)) {
    case ORDER_RECORD:
    case ORDER_CONTEXT_RECORD:
        if (event) {
            cushim__order_event_record(event, NULL, false);
            event->is_known = event->is_known && !is_external;
        }
        break;
    case ORDER_WAIT_EVENT:
        if (is_external)
            cushim__order_note_graphs(ORDER_GRAPHS_WAIT);
        break;
    case ORDER_COPY:
    case ORDER_COPY_2D:
    case ORDER_COPY_3D:
        cushim__order_note_graphs(ORDER_GRAPHS_COPY);
        break;
    case ORDER_WAIT_OUTSIDE:
    case ORDER_SIGNAL:
    case ORDER_UNKNOWN:
        cushim__order_note_graphs(ORDER_GRAPHS_WAIT);
        break;
    default:
        break;
    }
}

/* --- calls --- */

static struct under_way *find(uint64_t call)
{
    for (unsigned i = 0; i < UNDER_WAY; i++) {
        if (calls[i].call == call)
            return &calls[i];
    }
    return NULL;
}

/* If two threads are in calls, it is not known which is first and what a wait includes. */
static void note_overlaps(struct under_way *entry)
{
    for (unsigned i = 0; i < UNDER_WAY; i++) {
        struct under_way *other = &calls[i];

        if (other == entry || other->call == 0 || !(entry->submits || other->submits))
            continue;
        if (entry->submits && other->submits)
            entry->overlaps = other->overlaps = true;
        else if (entry->event && entry->event == other->event)
            *(entry->submits ? &other->overlaps : &entry->overlaps) = true;
    }
}

static void note_freed(const struct cushim__call *call, struct order_freed *freed)
{
    const struct cushim__handle *object = cushim__handle_at(call->values[0]);

    if (!object || object->is_destroyed || object->value != call->values[0])
        return;
    freed->memory = cushim__order_id(object);
    freed->is_at_once = cushim__effects[object->maker.slot].work == CUSHIM__WORK_ALLOCATE;
    if (object->owner && object->owner->type == CUSHIM__TYPE_CONTEXT)
        freed->context = object->owner->value;
}

void cushim__check_order_started(struct cushim__call *call)
{
    const struct cushim__effects *effects = &cushim__effects[call->slot];
    const enum order_action action = cushim__order_action(call->slot);
    struct under_way *entry = action == ORDER_NOTHING ? NULL : find(0);

    if (!entry)
        return;
    *entry = (struct under_way){
        .call = call->number,
        .submits = action >= ORDER_COPY && action <= ORDER_WAIT_EVENT,
    };
    if (effects->event != CUSHIM__NO_PARAMETER)
        entry->event = call->arguments.list[effects->event].tag.number;
    if (action == ORDER_FREE || action == ORDER_FREE_ASYNC)
        note_freed(call, &entry->freed);
    note_overlaps(entry);
}

/*
 * Apply what counts in captures, too: created and destroyed objects, and nodes of graphs. Returns
 * whether that is all that the call does. Destroyed events and contexts are left to forget().
 */
static bool apply_life(const struct cushim__call *call, const struct cushim__effects *effects)
{
    const struct cushim__object_effect *effect = cushim__effect_first(call->slot);
    struct cushim__handle *object;
    struct order_stream *stream;

    switch (cushim__order_action(call->slot)) {
    case ORDER_CREATE_STREAM:
        object = cushim__function_object(call, CUSHIM__TYPE_STREAM, effect->parameter);
        cushim__order_stream_create(object, call->context, (unsigned)call->values[effect->flags]);
        return true;
    case ORDER_CREATE_EVENT:
        create_event(call);
        return true;
    case ORDER_DESTROY_STREAM:
        object = cushim__function_object(call, CUSHIM__TYPE_STREAM, effect->parameter);
        stream = object ? object->order : NULL;
        if (cushim__capture_is_under_way())
            cushim__order_all(); /* the capture may have been that stream's */
        if (effects->waits == CUSHIM__WAITS_STREAM)
            cushim__order_see_stream(stream);
        if (stream)
            cushim__order_stream_destroy(stream);
        return true;
    case ORDER_MAKE_COPY:
        cushim__order_note_graphs(ORDER_GRAPHS_COPY);
        return true;
    case ORDER_MAKE_NODE:
        cushim__order_note_graphs(ORDER_GRAPHS_RECORD);
        return true;
    default:
        return false;
    }
}

/*
 * Whether a call counts. A capture has ended even if the driver reports an error, if there was one.
 */
static bool counts(const struct cushim__call *call, CUresult answer)
{
    const enum order_action action = cushim__order_action(call->slot);

    if (call->is_injected || action == ORDER_NOTHING)
        return false;
    if (action == ORDER_END_CAPTURE)
        return answer != CUDA_ERROR_ILLEGAL_STATE;
    return answer == CUDA_SUCCESS;
}

static void judge(const struct cushim__call *call, const struct under_way *entry)
{
    const struct cushim__effects *effects = &cushim__effects[call->slot];
    const enum order_action action = cushim__order_action(call->slot);

    if (cushim__unknown_functions != unknown_functions || !entry || entry->overlaps)
        cushim__order_all();
    unknown_functions = cushim__unknown_functions;
    if (action == ORDER_END_CAPTURE)
        cushim__order_all();
    else if (!apply_life(call, effects) && cushim__capture_is_under_way())
        note_in_capture(call, effects);
    else if (entry && (action < ORDER_CREATE_STREAM || action > ORDER_UPDATE_CAPTURE))
        cushim__order_apply(call, effects, &entry->freed);
    if (!entry || entry->overlaps)
        cushim__order_all();
}

void cushim__check_order_ended(struct cushim__call *call, CUresult answer)
{
    struct under_way *entry =
        cushim__order_action(call->slot) == ORDER_NOTHING ? NULL : find(call->number);

    if (counts(call, answer))
        judge(call, entry);
    else if (entry && answer != CUDA_SUCCESS && !cushim__answer_refuses(answer))
        cushim__order_all(); /* a sticky error: no work is left to wait for */
    if (entry)
        entry->call = 0;
}

void cushim__check_order_destroy(void)
{
    cushim__order_objects_clear();
    cushim__order_work_end();
    memset(calls, 0, sizeof calls);
}

bool cushim__check_order_begin(void)
{
    unknown_functions = cushim__unknown_functions;
    return cushim__order_work_begin();
}
