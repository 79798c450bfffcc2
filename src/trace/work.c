/* SPDX-License-Identifier: Apache-2.0 */
/* The work of the devices: its contexts and streams, and the calls that queued it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "loader/symbols.h"
#include "src/trace/timeline.h"

static const struct kind {
    const char *name;
    enum trace_class is;
} kinds[] = {
    {"work", TRACE_CLASS_OTHER},
    [TRACE_KERNEL] = {"kernel", TRACE_CLASS_KERNEL},
    [TRACE_COPY_TO_DEVICE] = {"copy to device", TRACE_CLASS_COPY},
    [TRACE_COPY_TO_HOST] = {"copy to host", TRACE_CLASS_COPY},
    [TRACE_COPY_ON_DEVICE] = {"copy on device", TRACE_CLASS_COPY},
    [TRACE_COPY_BETWEEN_DEVICES] = {"copy between devices", TRACE_CLASS_COPY},
    [TRACE_COPY] = {"copy", TRACE_CLASS_COPY},
    [TRACE_SET] = {"set", TRACE_CLASS_SET},
    [TRACE_GRAPH] = {"graph", TRACE_CLASS_GRAPH},
    [TRACE_HOST_FUNCTION] = {"host function", TRACE_CLASS_HOST_FUNCTION},
};

static const struct kind *kind_of(unsigned kind)
{
    return &kinds[kind < sizeof kinds / sizeof *kinds ? kind : 0];
}

const char *trace_kind_name(unsigned kind)
{
    return kind_of(kind)->name;
}

enum trace_class trace_class_of_work(const struct trace_work_event *work)
{
    return kind_of(work->kind)->is;
}

struct trace_shape trace_shape_of(const struct trace_timeline *timeline,
                                  const struct trace_work_event *work)
{
    struct trace_shape shape;

    memcpy(&shape, trace_set_at(&timeline->shapes, work->shape), sizeof shape);
    return shape;
}

static uint32_t context_of(struct trace_timeline *timeline, const struct trace_work *work)
{
    const uint32_t index =
        trace_set_add(&timeline->context_keys, &work->context, sizeof work->context);

    if (index == timeline->context_count) {
        TRACE_ROOM(timeline->contexts, timeline->context_count++, timeline->context_room);
        timeline->contexts[index].handle = work->context;
        timeline->contexts[index].device = UINT32_MAX;
    }
    if (timeline->contexts[index].device == UINT32_MAX)
        timeline->contexts[index].device = work->device;
    return index;
}

static uint32_t stream_of(struct trace_timeline *timeline, const struct trace_work *work,
                          unsigned slot, uint32_t thread)
{
    const bool is_per_thread =
        slot < CUSHIM__SYMBOL_COUNT && cushim__symbols[slot].flags & CUSHIM__PER_THREAD;
    const uint64_t handle = work->stream ? work->stream : is_per_thread ? 2 : 1;
    const uint32_t context = context_of(timeline, work);
    const uint64_t key[] = {context, handle, handle == 2 ? thread : 0};
    const uint32_t index = trace_set_add(&timeline->stream_keys, key, sizeof key);

    if (index == timeline->stream_count) {
        struct trace_stream *stream;
        char tag[48];
        TRACE_ROOM(timeline->streams, timeline->stream_count++, timeline->stream_room);
        stream = &timeline->streams[index];
        stream->handle = handle;
        stream->context = context;
        stream->thread = handle == 2 ? thread : 0;
        if (handle > 2) /* number the handle now, so that numbers follow the order of streams */
            trace_handle_tag(timeline, "CUstream", handle, tag, sizeof tag);
    }
    timeline->streams[index].work_count++;
    return index;
}

static uint32_t work_name(struct trace_timeline *timeline, const struct trace_work *work)
{
    uint32_t name = TRACE_SET_NONE;
    char tag[48];

    if (work->kind != TRACE_KERNEL)
        return trace_set_add_text(&timeline->names, trace_kind_name(work->kind));
    name = trace_name_of(timeline, TRACE_NAME_FUNCTION, work->object);
    if (name != TRACE_SET_NONE)
        return name;
    trace_handle_tag(timeline, "CUfunction", work->object, tag, sizeof tag);
    return trace_set_add_text(&timeline->names, tag);
}

/* Returns the index of a thread, or TRACE_SET_NONE. */
static uint32_t find_thread(const struct trace_timeline *timeline, uint32_t number)
{
    size_t low = 0, high = timeline->reader->thread_count;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (timeline->lanes[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < timeline->reader->thread_count && timeline->lanes[low].number == number
               ? (uint32_t)low
               : TRACE_SET_NONE;
}

void trace_work_add(struct trace_timeline *timeline, const struct trace_item *item)
{
    struct trace_work work;
    struct trace_shape shape;
    uint32_t thread;

    memcpy(&work, item->words, sizeof work);
    if (!item->record.began_ns && !item->record.ended_ns)
        return;
    thread = find_thread(timeline, work.thread);
    trace_slot_add_name(timeline, item->record.slot);
    memcpy(shape.grid, work.grid, sizeof shape.grid);
    memcpy(shape.block, work.block, sizeof shape.block);
    shape.shared_bytes = work.shared_bytes;
    TRACE_ROOM(timeline->works, timeline->work_count, timeline->work_room);
    timeline->works[timeline->work_count] = (struct trace_work_event){
        .began_ns = item->began_ns,
        .ended_ns = item->ended_ns,
        .call = trace_reader_time(timeline->reader, work.call_ns),
        .bytes = work.bytes,
        .stream = stream_of(timeline, &work, item->record.slot, work.thread),
        .name = work_name(timeline, &work),
        .shape = trace_set_add(&timeline->shapes, &shape, sizeof shape),
        .thread = thread,
        .sequence = (uint32_t)timeline->work_count,
        .slot = item->record.slot,
        .kind = (uint8_t)(work.kind <= TRACE_HOST_FUNCTION ? work.kind : 0),
    };
    timeline->works[timeline->work_count].symbol = timeline->works[timeline->work_count].name;
    timeline->work_count++;
}

/*
 * Find the call of a thread that began at a time: 1 + its number, or 0. On a virtual clock several
 * calls may begin at the same time, so each is linked to one piece of work, in order.
 */
static uint64_t find_call(struct trace_lane *lane, uint64_t began_ns, unsigned slot)
{
    enum { TRIES = 64 };
    size_t low = 0, high = lane->call_count, next = lane->linked + 1;
    const struct trace_call *calls = lane->calls;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (calls[middle].began_ns < began_ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (next < low || next >= lane->call_count || calls[next].began_ns != began_ns)
        next = low;
    for (size_t at = next;
         at < lane->call_count && calls[at].began_ns == began_ns && at - next < TRIES; at++) {
        if (calls[at].slot == slot && !calls[at].is_linked) {
            lane->linked = at;
            lane->calls[at].is_linked = true;
            return lane->first_call + at + 1;
        }
    }
    /* They are all linked: this call has queued several pieces of work. */
    for (size_t at = low;
         at < lane->call_count && calls[at].began_ns == began_ns && at - low < TRIES; at++) {
        if (calls[at].slot == slot)
            return lane->first_call + at + 1;
    }
    return 0;
}

static void link_works(struct trace_timeline *timeline)
{
    uint64_t calls = 0;

    for (size_t i = 0; i < timeline->reader->thread_count; i++) {
        timeline->lanes[i].first_call = calls;
        calls += timeline->lanes[i].call_count;
    }
    timeline->call_count = calls;
    for (size_t i = 0; i < timeline->work_count; i++) {
        struct trace_work_event *work = &timeline->works[i];
        work->call = work->thread == TRACE_SET_NONE
                         ? 0
                         : find_call(&timeline->lanes[work->thread], work->call, work->slot);
    }
}

static int by_stream(const void *one, const void *other)
{
    const struct trace_work_event *a = one, *b = other;

    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    if (a->began_ns != b->began_ns)
        return a->began_ns < b->began_ns ? -1 : 1;
    return a->sequence < b->sequence ? -1 : 1;
}

/* Work of one stream does not overlap: where its times do, they are inexact and are corrected. */
static void sort_works(struct trace_timeline *timeline)
{
    struct trace_work_event *works = timeline->works;

    if (timeline->work_count)
        qsort(works, timeline->work_count, sizeof *works, by_stream);
    for (size_t i = 0, of_stream = 0; i < timeline->work_count; i++) {
        struct trace_stream *stream = &timeline->streams[works[i].stream];
        of_stream = i && works[i].stream == works[i - 1].stream ? of_stream + 1 : 0;
        if (of_stream == 0)
            stream->first_work = i;
        else if (works[i].began_ns < works[i - 1].ended_ns)
            works[i].began_ns = works[i - 1].ended_ns;
        if (works[i].ended_ns < works[i].began_ns)
            works[i].ended_ns = works[i].began_ns;
        stream->busy_ns += works[i].ended_ns - works[i].began_ns;
    }
}

/* Make "stream 1" of the tag "stream#1". */
static void show_number(char *tag)
{
    char *sign = strchr(tag, '#');

    if (sign)
        *sign = ' ';
}

static void name_streams(struct trace_timeline *timeline)
{
    for (size_t i = 0; i < timeline->stream_count; i++) {
        struct trace_stream *stream = &timeline->streams[i];
        if (stream->handle == 1)
            snprintf(stream->name, sizeof stream->name, "legacy default stream");
        else if (stream->handle == 2)
            snprintf(stream->name, sizeof stream->name, "default stream of thread %" PRIu32,
                     stream->thread);
        else
            trace_handle_tag(timeline, "CUstream", stream->handle, stream->name,
                             sizeof stream->name);
        show_number(stream->name);
    }
}

static void name_contexts(struct trace_timeline *timeline)
{
    for (size_t i = 0; i < timeline->context_count; i++) {
        struct trace_context *context = &timeline->contexts[i];
        char number[16] = "?", tag[48];
        if (context->device != UINT32_MAX)
            snprintf(number, sizeof number, "%" PRIu32, context->device);
        trace_handle_tag(timeline, "CUcontext", context->handle, tag, sizeof tag);
        show_number(tag);
        snprintf(context->name, sizeof context->name, "Device %s, %s", number, tag);
    }
}

struct position {
    uint64_t device_and_context;
    uint32_t is_handle, index;
};

static int by_position(const void *one, const void *other)
{
    const struct position *a = one, *b = other;

    if (a->device_and_context != b->device_and_context)
        return a->device_and_context < b->device_and_context ? -1 : 1;
    if (a->is_handle != b->is_handle)
        return a->is_handle < b->is_handle ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

/* By device and context, the default streams first. */
static void order_streams(struct trace_timeline *timeline)
{
    struct position *positions = trace_zeros(timeline->stream_count, sizeof *positions);

    timeline->order = trace_zeros(timeline->stream_count, sizeof *timeline->order);
    for (uint32_t i = 0; i < timeline->stream_count; i++) {
        const struct trace_stream *stream = &timeline->streams[i];
        positions[i] = (struct position){
            (uint64_t)timeline->contexts[stream->context].device << 32 | stream->context,
            stream->handle > 2, i};
    }
    qsort(positions, timeline->stream_count, sizeof *positions, by_position);
    for (size_t i = 0; i < timeline->stream_count; i++)
        timeline->order[i] = positions[i].index;
    free(positions);
}

void trace_work_finish(struct trace_timeline *timeline)
{
    link_works(timeline);
    sort_works(timeline);
    name_streams(timeline);
    name_contexts(timeline);
    order_streams(timeline);
}
