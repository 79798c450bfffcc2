/* SPDX-License-Identifier: Apache-2.0 */
/* The work of the devices, by context and stream, and the calls that queued it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "loader/symbols.h"
#include "src/trace/read/timeline.h"

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
        TRACE_ROOM(timeline->streams, timeline->stream_count++, timeline->stream_room);
        timeline->streams[index] = (struct trace_stream){
            .handle = handle, .context = context, .thread = handle == 2 ? thread : 0};
        if (handle > 2) /* number the handle now, so that numbers follow the order of streams */
            trace_handle_number(timeline, CUSHIM__TYPE_STREAM, handle);
    }
    return index;
}

static uint32_t work_name(struct trace_timeline *timeline, const struct trace_work *work)
{
    uint32_t name = TRACE_SET_NONE;
    char text[32];

    if (work->kind != TRACE_KERNEL)
        return trace_set_add_text(&timeline->names, trace_kind_name(work->kind));
    name = trace_name_of(timeline, TRACE_NAME_FUNCTION, work->object);
    if (name != TRACE_SET_NONE)
        return name;
    snprintf(text, sizeof text, "function#%" PRIu32,
             trace_handle_number(timeline, CUSHIM__TYPE_FUNCTION, work->object));
    return trace_set_add_text(&timeline->names, text);
}

/* The call that queued the work is the last one of its thread. */
void trace_work_add(struct trace_timeline *timeline, const struct trace_item *item)
{
    const struct trace_lane *lane = &timeline->lanes[item->thread];
    const uint32_t thread = timeline->reader->threads[item->thread].number;
    const unsigned slot = item->record->slot;
    struct trace_work_event *event;
    struct trace_work work;
    uint32_t name;

    if (!item->record->began_ns && !item->record->ended_ns)
        return;
    memcpy(&work, trace_words(item), sizeof work);
    trace_slot_add_name(timeline, slot);
    name = work_name(timeline, &work);
    TRACE_ROOM(timeline->works, timeline->work_count, timeline->work_room);
    event = &timeline->works[timeline->work_count];
    *event = (struct trace_work_event){
        .began_ns = item->began_ns,
        .ended_ns = item->ended_ns,
        .call = lane->last_slot == slot ? lane->call_count : 0,
        .call_ns = lane->last_ns,
        .bytes = work.bytes,
        .stream = stream_of(timeline, &work, slot, thread),
        .name = name,
        .symbol = name,
        .thread = item->thread,
        .sequence = (uint32_t)timeline->work_count++,
        .slot = (uint16_t)slot,
        .kind = (uint8_t)(work.kind <= TRACE_HOST_FUNCTION ? work.kind : 0),
    };
    memcpy(event->shape.grid, work.grid, sizeof work.grid);
    memcpy(event->shape.block, work.block, sizeof work.block);
    event->shape.shared_bytes = work.shared_bytes;
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

static void name_contexts(struct trace_timeline *timeline)
{
    for (size_t i = 0; i < timeline->context_count; i++) {
        struct trace_context *context = &timeline->contexts[i];
        char device[16] = "?";
        if (context->device != UINT32_MAX)
            snprintf(device, sizeof device, "%" PRIu32, context->device);
        snprintf(context->name, sizeof context->name, "Device %s, context %" PRIu32, device,
                 trace_handle_number(timeline, CUSHIM__TYPE_CONTEXT, context->handle));
    }
}

static void add_track(struct trace_timeline *timeline, uint32_t index, size_t first, size_t end)
{
    const struct trace_stream *stream = &timeline->streams[index];
    const struct trace_context *context = &timeline->contexts[stream->context];
    const bool is_default = stream->handle <= 2;
    char name[48] = "legacy default stream";
    struct trace_track *track;

    if (stream->handle == 2)
        snprintf(name, sizeof name, "default stream of thread %" PRIu32, stream->thread);
    else if (!is_default)
        snprintf(name, sizeof name, "stream %" PRIu32,
                 trace_handle_number(timeline, CUSHIM__TYPE_STREAM, stream->handle));
    track = trace_track_add(timeline, TRACE_TRACK_WORK, index, context->name, name, first, end);
    track->position[0] = (uint64_t)context->device << 32 | stream->context;
    track->position[1] = (uint64_t)!is_default << 32 | index;
}

static int by_device(const void *one, const void *other)
{
    const struct trace_track *a = one, *b = other;

    return trace_by_two(a->position, b->position);
}

/* Add the tracks by device and context, the default streams first. */
static void add_tracks(struct trace_timeline *timeline)
{
    const struct trace_work_event *works = timeline->works;
    const size_t first_track = timeline->track_count;
    size_t first = 0;

    for (size_t i = 1; i <= timeline->work_count; i++) {
        if (i < timeline->work_count && works[i].stream == works[first].stream)
            continue;
        add_track(timeline, works[first].stream, first, i);
        first = i;
    }
    if (timeline->track_count > first_track)
        qsort(timeline->tracks + first_track, timeline->track_count - first_track,
              sizeof *timeline->tracks, by_device);
}

/* Work of one stream does not overlap: where its times do, they are inexact and are corrected. */
void trace_work_finish(struct trace_timeline *timeline)
{
    struct trace_work_event *works = timeline->works;

    if (timeline->work_count)
        qsort(works, timeline->work_count, sizeof *works, by_stream);
    for (size_t i = 0; i < timeline->work_count; i++) {
        struct trace_work_event *work = &works[i];
        if (i && work->stream == work[-1].stream && work->began_ns < work[-1].ended_ns)
            work->began_ns = work[-1].ended_ns;
        if (work->ended_ns < work->began_ns)
            work->ended_ns = work->began_ns;
        timeline->streams[work->stream].busy_ns += work->ended_ns - work->began_ns;
        if (work->call)
            work->call += timeline->lanes[work->thread].first_call;
    }
    name_contexts(timeline);
    add_tracks(timeline);
}
