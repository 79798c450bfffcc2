/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The member `order` of the objects in the handle table: for contexts, streams and events the state
 * that the order of work needs, for kernels the name.
 */
#include <stdio.h>
#include <stdlib.h>

#include "src/check/order.h"

enum { KERNEL_NAME = 48 };

static uint64_t stream_ids;

/* NULL if memory runs out, or for no object. */
static void *find_or_add(struct cushim__handle *object, size_t size)
{
    if (object && !object->order)
        object->order = calloc(1, size);
    return object ? object->order : NULL;
}

/* NULL for a green context, of which it is not known which streams wait for each other. */
struct order_context *cushim__order_context(uint64_t value)
{
    struct cushim__handle *object =
        value ? cushim__handle_find(CUSHIM__TYPE_CONTEXT, value, true) : NULL;

    if (object && object->owner && object->owner->type == CUSHIM__TYPE_GREEN_CONTEXT)
        return NULL;
    return find_or_add(object, sizeof(struct order_context));
}

static void begin(struct order_stream *stream, struct order_context *context, bool is_default,
                  bool blocks)
{
    stream->context = context;
    stream->race = (struct race_stream){
        .group = &context->group,
        .id = ++stream_ids,
        .is_default = is_default,
        .blocks = blocks,
    };
}

struct order_stream *cushim__order_stream_create(struct cushim__handle *object, uint64_t context,
                                                 unsigned flags)
{
    struct order_context *in = cushim__order_context(context);
    struct order_stream *stream = in ? find_or_add(object, sizeof *stream) : NULL;

    if (stream) {
        begin(stream, in, false, !(flags & CU_STREAM_NON_BLOCKING));
        stream->object = object;
    }
    return stream;
}

static void drop_own(struct order_context *context)
{
    while (context->own) {
        struct order_stream *stream = context->own;

        context->own = stream->next;
        cushim__race_stream_gone(&stream->race);
        free(stream);
    }
    context->owned = 0;
}

/*
 * The layer does not see that threads end, so beyond this number all default streams are forgotten.
 * Threads that still run get new ones, and all earlier work is assumed to come before.
 */
enum { OWN_STREAMS = 1024 };

struct order_stream *cushim__order_default_stream(uint64_t value, unsigned thread)
{
    struct order_context *context = cushim__order_context(value);
    struct order_stream *stream = context ? context->own : NULL;

    while (stream && stream->thread != thread)
        stream = stream->next;
    if (stream || !context)
        return stream;
    stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    if (context->owned == OWN_STREAMS) {
        cushim__order_all();
        drop_own(context);
    }
    begin(stream, context, thread == 0, true);
    stream->thread = thread;
    stream->next = context->own;
    context->own = stream;
    context->owned++;
    if (thread > 0)
        cushim__race_name_stream(&stream->race, "CU_STREAM_PER_THREAD");
    return stream;
}

void cushim__order_stream_destroy(struct order_stream *stream)
{
    cushim__race_stream_gone(&stream->race);
    stream->object->order = NULL;
    free(stream);
}

static void clear_context(struct order_context *context)
{
    struct cushim__handle *object = NULL;

    while ((object = cushim__handle_next(CUSHIM__TYPE_STREAM, object)) != NULL) {
        struct order_stream *stream = object->order;

        if (stream && stream->context == context)
            cushim__order_stream_destroy(stream);
    }
    drop_own(context);
}

struct order_event *cushim__order_event(struct cushim__handle *object)
{
    return find_or_add(object, sizeof(struct order_event));
}

void cushim__order_event_record(struct order_event *event, struct race_clock *clock, bool is_clear)
{
    if (!event) {
        cushim__race_clock_release(clock);
        return;
    }
    cushim__race_clock_release(event->clock);
    event->clock = clock;
    event->is_clear = is_clear && event->is_known;
    event->is_recorded = true;
    event->capture = 0;
}

void cushim__order_kernel_set(struct cushim__handle *object, const char *name)
{
    char *kept = find_or_add(object, KERNEL_NAME);

    if (kept)
        snprintf(kept, KERNEL_NAME, "%s", name);
}

/* Calls take a kernel in the place of a function, so both are searched. */
const char *cushim__order_kernel(uint64_t value)
{
    const struct cushim__handle *object = cushim__handle_find(CUSHIM__TYPE_FUNCTION, value, false);

    if (!object || !object->order)
        object = cushim__handle_find(CUSHIM__TYPE_KERNEL, value, false);
    return object ? object->order : NULL;
}

void cushim__order_events_unclear(void)
{
    struct cushim__handle *object = NULL;

    while ((object = cushim__handle_next(CUSHIM__TYPE_EVENT, object)) != NULL) {
        struct order_event *event = object->order;

        if (event)
            event->is_known = event->is_clear = false;
    }
}

void cushim__order_forget(struct cushim__handle *object)
{
    if (object->type == CUSHIM__TYPE_MEMORY || object->type == CUSHIM__TYPE_GLOBAL)
        cushim__race_forget(cushim__order_id(object));
    if (!object->order)
        return;
    switch (object->type) {
    case CUSHIM__TYPE_CONTEXT:
        clear_context(object->order);
        break;
    case CUSHIM__TYPE_STREAM:
        cushim__order_stream_destroy(object->order);
        break;
    case CUSHIM__TYPE_EVENT:
    case CUSHIM__TYPE_EXEC:
        cushim__race_clock_release(((struct order_event *)object->order)->clock);
        break;
    default:
        break;
    }
    free(object->order);
    object->order = NULL;
}

void cushim__order_objects_clear(void)
{
    for (unsigned type = 0; type < CUSHIM__TYPE_MEMORY; type++) {
        struct cushim__handle *object = NULL;

        while ((object = cushim__handle_next((enum cushim__object_type)type, object)) != NULL)
            cushim__order_forget(object);
    }
}
