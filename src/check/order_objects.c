/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts, streams and events as far as the order of work goes. They are found by the numbers of
 * the handle table, since a driver gives the same value again. And the names of kernels.
 */
#include <stdlib.h>

#include "src/check/order.h"

static bool before(const struct cushim__tree_node *a, const struct cushim__tree_node *b)
{
    return ((const struct order_keyed *)a)->key < ((const struct order_keyed *)b)->key;
}

static struct cushim__tree contexts = {.before = before}, streams = {.before = before},
                           events = {.before = before}, kernels = {.before = before};
static uint64_t stream_ids;

static void *find(const struct cushim__tree *tree, uint64_t key)
{
    const struct order_keyed sought = {.key = key};
    struct cushim__tree_node *node = cushim__tree_upto(tree, &sought.node);

    return node && !before(node, &sought.node) ? node : NULL;
}

/* NULL: no memory. */
static void *find_or_add(struct cushim__tree *tree, uint64_t key, size_t size)
{
    struct order_keyed *found = find(tree, key);

    if (found)
        return found;
    found = calloc(1, size);
    if (!found)
        return NULL;
    found->key = key;
    cushim__tree_add(tree, &found->node);
    return found;
}

static void drop(struct cushim__tree *tree, struct order_keyed *found)
{
    if (found)
        cushim__tree_remove(tree, &found->node);
    free(found);
}

static uint32_t number_of_context(uint64_t value)
{
    const struct cushim__handle *object =
        value ? cushim__handle_find(CUSHIM__TYPE_CONTEXT, value, true) : NULL;

    return object ? object->number : 0;
}

/* Streams of green contexts belong to another one, and it is not known which of them wait. */
static bool is_green(uint64_t context)
{
    const struct cushim__handle *object = cushim__handle_find(CUSHIM__TYPE_CONTEXT, context, false);

    return object && object->owner && object->owner->type == CUSHIM__TYPE_GREEN_CONTEXT;
}

struct order_context *cushim__order_context(uint64_t value)
{
    const uint32_t number = is_green(value) ? 0 : number_of_context(value);

    return number ? find_or_add(&contexts, number, sizeof(struct order_context)) : NULL;
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

struct order_stream *cushim__order_stream_create(uint32_t number, uint64_t context, unsigned flags)
{
    struct order_context *in = cushim__order_context(context);
    struct order_stream *stream;

    if (!in || number == 0)
        return NULL;
    stream = find_or_add(&streams, number, sizeof *stream);
    if (stream)
        begin(stream, in, false, !(flags & CU_STREAM_NON_BLOCKING));
    return stream;
}

struct order_stream *cushim__order_stream(uint32_t number)
{
    return find(&streams, number);
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
 * Threads end, and nothing says so: when there are so many default streams, they are forgotten.
 * Threads may go on, in other timelines, so all that was submitted comes before.
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
    drop(&streams, &stream->keyed);
}

static void destroy_context(struct order_context *context)
{
    struct order_stream *stream = (struct order_stream *)cushim__tree_after(&streams, NULL);

    while (stream) {
        struct cushim__tree_node *next = cushim__tree_after(&streams, &stream->keyed.node);

        if (stream->context == context)
            cushim__order_stream_destroy(stream);
        stream = (struct order_stream *)next;
    }
    drop_own(context);
    drop(&contexts, &context->keyed);
}

struct order_event *cushim__order_event(uint32_t number)
{
    return number ? find_or_add(&events, number, sizeof(struct order_event)) : NULL;
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

struct order_event *cushim__order_launches(uint32_t number)
{
    const uint64_t key = (uint64_t)CUSHIM__TYPE_EXEC << 32 | number;

    return number ? find_or_add(&events, key, sizeof(struct order_event)) : NULL;
}

struct order_kernel *cushim__order_kernel(uint64_t value, bool may_add)
{
    return may_add ? find_or_add(&kernels, value, sizeof(struct order_kernel))
                   : find(&kernels, value);
}

void cushim__order_events_unclear(void)
{
    struct order_event *event = (struct order_event *)cushim__tree_after(&events, NULL);

    while (event) {
        event->is_known = event->is_clear = false;
        event = (struct order_event *)cushim__tree_after(&events, &event->keyed.node);
    }
}

static void destroy_event(struct order_event *event)
{
    cushim__race_clock_release(event->clock);
    drop(&events, &event->keyed);
}

void cushim__order_forget(const struct cushim__handle *object)
{
    const uint64_t number = object->number;
    void *found;

    switch (object->type) {
    case CUSHIM__TYPE_MEMORY:
    case CUSHIM__TYPE_GLOBAL:
        cushim__race_forget(cushim__order_id(object));
        break;
    case CUSHIM__TYPE_CONTEXT:
        if ((found = find(&contexts, number)) != NULL)
            destroy_context(found);
        break;
    case CUSHIM__TYPE_STREAM:
        if ((found = find(&streams, number)) != NULL)
            cushim__order_stream_destroy(found);
        break;
    case CUSHIM__TYPE_EVENT:
    case CUSHIM__TYPE_EXEC:
        found =
            find(&events, object->type == CUSHIM__TYPE_EXEC ? cushim__order_id(object) : number);
        if (found)
            destroy_event(found);
        break;
    case CUSHIM__TYPE_FUNCTION:
    case CUSHIM__TYPE_KERNEL:
        drop(&kernels, find(&kernels, object->value));
        break;
    default:
        break;
    }
}

void cushim__order_objects_clear(void)
{
    struct cushim__tree_node *node;

    while ((node = cushim__tree_after(&contexts, NULL)) != NULL)
        destroy_context((struct order_context *)node);
    while ((node = cushim__tree_after(&events, NULL)) != NULL)
        destroy_event((struct order_event *)node);
    while ((node = cushim__tree_after(&kernels, NULL)) != NULL)
        drop(&kernels, (struct order_keyed *)node);
}
