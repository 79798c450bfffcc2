/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>

#include "loader/symbols.h"
#include "src/trace/roles.h"

/* A call that allocates or frees, for the time when it has returned. */
struct allocation {
    uint64_t ended_ns, address, bytes;
    size_t sequence;
    bool is_free;
};

/* What is only needed while the file is read. */
struct pass {
    struct trace_timeline *timeline;
    struct allocation *allocations;
    size_t allocation_count, allocation_room;
};

struct name_key {
    uint64_t what, of;
};

const char *trace_kind_name(unsigned kind)
{
    static const char *const names[] = {
        [TRACE_KERNEL] = "kernel",
        [TRACE_COPY_TO_DEVICE] = "copy to device",
        [TRACE_COPY_TO_HOST] = "copy to host",
        [TRACE_COPY_ON_DEVICE] = "copy on device",
        [TRACE_COPY_BETWEEN_DEVICES] = "copy between devices",
        [TRACE_COPY] = "copy",
        [TRACE_SET] = "set",
        [TRACE_GRAPH] = "graph",
        [TRACE_HOST_FUNCTION] = "host function",
    };

    return kind && kind < sizeof names / sizeof names[0] ? names[kind] : "work";
}

const char *const trace_class_names[TRACE_CLASSES] = {
    [TRACE_CLASS_CALL] = "call",
    [TRACE_CLASS_BLOCKED] = "blocked",
    [TRACE_CLASS_ERROR] = "error",
    [TRACE_CLASS_UNFINISHED] = "unfinished",
    [TRACE_CLASS_KERNEL] = "kernel",
    [TRACE_CLASS_COPY] = "copy",
    [TRACE_CLASS_SET] = "set",
    [TRACE_CLASS_GRAPH] = "graph",
    [TRACE_CLASS_HOST_FUNCTION] = "host function",
    [TRACE_CLASS_RANGE] = "range",
    [TRACE_CLASS_MARK] = "mark",
    [TRACE_CLASS_OTHER] = "other",
};

/* An answer that says that there is more to wait for is no error. */
static bool is_error(const struct trace_record *call)
{
    return call->ended_ns && call->code != CUDA_SUCCESS && call->code != CUDA_ERROR_NOT_READY;
}

enum trace_class trace_class_of(const struct trace_record *call)
{
    return !call->ended_ns                                ? TRACE_CLASS_UNFINISHED
           : is_error(call)                               ? TRACE_CLASS_ERROR
           : trace_role_blocks(trace_role_of(call->slot)) ? TRACE_CLASS_BLOCKED
                                                          : TRACE_CLASS_CALL;
}

enum trace_class trace_class_of_work(const struct trace_work_event *work)
{
    switch (work->kind) {
    case TRACE_KERNEL:
        return TRACE_CLASS_KERNEL;
    case TRACE_COPY_TO_DEVICE:
    case TRACE_COPY_TO_HOST:
    case TRACE_COPY_ON_DEVICE:
    case TRACE_COPY_BETWEEN_DEVICES:
    case TRACE_COPY:
        return TRACE_CLASS_COPY;
    case TRACE_SET:
        return TRACE_CLASS_SET;
    case TRACE_GRAPH:
        return TRACE_CLASS_GRAPH;
    case TRACE_HOST_FUNCTION:
        return TRACE_CLASS_HOST_FUNCTION;
    default:
        return TRACE_CLASS_OTHER;
    }
}

const char *trace_slot_name(const struct trace_timeline *timeline, unsigned slot)
{
    const uint32_t name = timeline->slot_names[slot];

    return name == TRACE_SET_NONE ? "" : trace_set_at(&timeline->names, name);
}

struct trace_shape trace_shape_of(const struct trace_timeline *timeline,
                                  const struct trace_work_event *work)
{
    struct trace_shape shape;

    memcpy(&shape, trace_set_at(&timeline->shapes, work->shape), sizeof shape);
    return shape;
}

uint32_t trace_name_of(const struct trace_timeline *timeline, enum trace_named what, uint64_t of)
{
    const struct name_key key = {what, of};
    const uint32_t index = trace_set_find(&timeline->named, &key, sizeof key);

    return index == TRACE_SET_NONE ? index : timeline->named_names[index];
}

void trace_thread_name(const struct trace_timeline *timeline, uint32_t thread, char *text,
                       size_t size)
{
    const struct trace_lane *lane = &timeline->lanes[thread];
    const uint32_t name = trace_name_of(timeline, TRACE_NAME_THREAD, lane->system_thread);
    const bool is_named = name != TRACE_SET_NONE && *trace_set_at(&timeline->names, name);

    snprintf(text, size, "Thread %" PRIu32 "%s%.60s%s", lane->number, is_named ? " (" : "",
             is_named ? trace_set_at(&timeline->names, name) : "", is_named ? ")" : "");
}

static void add_name(struct trace_timeline *timeline, const struct trace_item *item)
{
    const struct name_key key = {item->words[0], item->words[1]};
    const uint32_t index = trace_set_add(&timeline->named, &key, sizeof key);

    TRACE_ROOM(timeline->named_names, index, timeline->named_room);
    timeline->named_names[index] =
        trace_set_add_text(&timeline->names, (const char *)(item->words + 2));
}

/* The function of a slot has been called: it has a name. */
static void name_slot(struct trace_timeline *timeline, unsigned slot)
{
    char text[16];

    if (timeline->slot_names[slot] != TRACE_SET_NONE)
        return;
    snprintf(text, sizeof text, "slot %u", slot);
    timeline->slot_names[slot] = trace_set_add_text(
        &timeline->names, slot < CUSHIM__SYMBOL_COUNT ? cushim__slot_name(slot) : text);
}

static void add_error(struct trace_timeline *timeline, const struct trace_item *item)
{
    const int32_t key[] = {item->record.slot, item->record.code};
    const uint32_t index = trace_set_add(&timeline->error_keys, key, sizeof key);
    struct trace_error *error;

    TRACE_ROOM(timeline->errors, index, timeline->error_room);
    error = &timeline->errors[index];
    if (error->count++ == 0) {
        *error = (struct trace_error){1, item->began_ns, item->record.slot, item->record.code};
        timeline->error_count++;
    }
}

static void add_allocation(struct pass *pass, const struct trace_item *item, enum trace_role role)
{
    const bool is_free = role == TRACE_FREES || role == TRACE_FREES_ASYNC;
    const uint64_t *words = item->words;
    struct allocation *allocation;

    if (role < TRACE_ALLOCATES || item->record.code != 0 || !item->record.ended_ns ||
        item->record.words < (is_free                 ? 1
                              : role == TRACE_PITCHES ? 4
                                                      : 2) ||
        (!is_free && !(item->record.flags & TRACE_ARGUMENT_WRITTEN(0))))
        return;
    TRACE_ROOM(pass->allocations, pass->allocation_count, pass->allocation_room);
    allocation = &pass->allocations[pass->allocation_count];
    *allocation =
        (struct allocation){item->ended_ns, words[0], 0, pass->allocation_count++, is_free};
    if (role == TRACE_ALLOCATES)
        allocation->bytes = words[1];
    else if (role == TRACE_PITCHES)
        allocation->bytes =
            (item->record.flags & TRACE_ARGUMENT_WRITTEN(1) ? words[1] : words[2]) * words[3];
}

static void add_call(struct pass *pass, const struct trace_item *item)
{
    struct trace_timeline *timeline = pass->timeline;
    const unsigned slot = item->record.slot;
    const uint64_t duration = item->ended_ns - item->began_ns;
    const enum trace_role role = trace_role_of(slot);
    struct trace_lane *lane = &timeline->lanes[item->thread];
    struct trace_function *function = &timeline->functions[slot];

    TRACE_ROOM(lane->calls, lane->call_count, lane->room);
    lane->calls[lane->call_count++] =
        (struct trace_call){.began_ns = item->began_ns, .slot = (uint16_t)slot};
    name_slot(timeline, slot);
    function->calls++;
    function->total_ns += duration;
    if (duration > function->longest_ns)
        function->longest_ns = duration;
    if (trace_role_blocks(role)) {
        function->blocked_ns += duration;
        /* One that is inside of another is counted with that. */
        if (item->began_ns >= lane->blocked_until_ns) {
            timeline->blocked_ns += duration;
            lane->blocked_until_ns = item->ended_ns;
        }
    }
    timeline->unfinished_count += !item->record.ended_ns;
    if (is_error(&item->record)) {
        function->errors++;
        add_error(timeline, item);
    }
    add_allocation(pass, item, role);
    trace_handles_see(timeline, item);
}

static void add_range(struct trace_timeline *timeline, const struct trace_item *item)
{
    const bool is_mark = item->record.kind == TRACE_MARK;

    TRACE_ROOM(timeline->ranges, timeline->range_count, timeline->range_room);
    timeline->ranges[timeline->range_count++] = (struct trace_range){
        item->began_ns, is_mark ? item->began_ns : item->ended_ns, item->thread,
        trace_set_add_text(&timeline->names, (const char *)(item->words + !is_mark)), is_mark};
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
        if (handle > 2) /* it is numbered in the order of these */
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

/* TRACE_SET_NONE: nothing is known of it. */
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

static void add_work(struct trace_timeline *timeline, const struct trace_item *item)
{
    struct trace_work work;
    struct trace_shape shape;
    uint32_t thread;

    memcpy(&work, item->words, sizeof work);
    if (!item->record.began_ns && !item->record.ended_ns)
        return;
    thread = find_thread(timeline, work.thread);
    name_slot(timeline, item->record.slot);
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
    timeline->work_count++;
}

/*
 * The call of a thread that began then. Where a clock stands still, several begin together: each is
 * taken by one piece of work, in order.
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
    /* One call may queue several. */
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

/* Work of one stream never overlaps: where the times say so, it is by what they are off. */
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

static int by_range(const void *one, const void *other)
{
    const struct trace_range *a = one, *b = other;

    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->began_ns != b->began_ns)
        return a->began_ns < b->began_ns ? -1 : 1;
    return (a->ended_ns < b->ended_ns) - (a->ended_ns > b->ended_ns);
}

/* Those of a thread lie within one another, as calls do. */
static void sort_ranges(struct trace_timeline *timeline)
{
    uint64_t *ends = NULL;
    size_t open = 0, room = 0;

    if (timeline->range_count)
        qsort(timeline->ranges, timeline->range_count, sizeof *timeline->ranges, by_range);
    for (size_t i = 0; i < timeline->range_count; i++) {
        struct trace_range *range = &timeline->ranges[i];
        struct trace_lane *lane = &timeline->lanes[range->thread];
        if (lane->range_count++ == 0) {
            lane->first_range = i;
            open = 0;
        }
        while (open && ends[open - 1] <= range->began_ns)
            open--;
        if (open && range->ended_ns > ends[open - 1])
            range->ended_ns = ends[open - 1];
        TRACE_ROOM(ends, open, room);
        ends[open++] = range->ended_ns;
    }
    free(ends);
}

static int by_end(const void *one, const void *other)
{
    const struct allocation *a = one, *b = other;

    if (a->ended_ns != b->ended_ns)
        return a->ended_ns < b->ended_ns ? -1 : 1;
    return a->sequence < b->sequence ? -1 : 1;
}

/* What is freed and was not allocated in the trace changes nothing. */
static void follow_memory(struct pass *pass)
{
    struct trace_timeline *timeline = pass->timeline;
    struct trace_set addresses = {0};
    uint64_t *sizes = NULL, now = 0;
    size_t room = 0;

    if (pass->allocation_count)
        qsort(pass->allocations, pass->allocation_count, sizeof *pass->allocations, by_end);
    for (size_t i = 0; i < pass->allocation_count; i++) {
        const struct allocation *one = &pass->allocations[i];
        const uint32_t at = trace_set_add(&addresses, &one->address, sizeof one->address);
        TRACE_ROOM(sizes, at, room);
        if (sizes[at] == one->bytes)
            continue;
        now += one->bytes - sizes[at];
        sizes[at] = one->bytes;
        TRACE_ROOM(timeline->memory, timeline->memory_count, timeline->memory_room);
        timeline->memory[timeline->memory_count++] = (struct trace_memory){one->ended_ns, now};
    }
    free(sizes);
    trace_set_free(&addresses);
}

/* `stream#1` as people say it. */
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
        const uint32_t name = trace_name_of(timeline, TRACE_NAME_STREAM, stream->handle);
        char text[48];
        if (stream->handle == 1)
            snprintf(text, sizeof text, "legacy default stream");
        else if (stream->handle == 2)
            snprintf(text, sizeof text, "default stream of thread %" PRIu32, stream->thread);
        else
            trace_handle_tag(timeline, "CUstream", stream->handle, text, sizeof text);
        show_number(text);
        snprintf(stream->name, sizeof stream->name, "%s%s%.40s%s", text,
                 name == TRACE_SET_NONE ? "" : " (",
                 name == TRACE_SET_NONE ? "" : trace_set_at(&timeline->names, name),
                 name == TRACE_SET_NONE ? "" : ")");
    }
}

static void name_contexts(struct trace_timeline *timeline)
{
    for (size_t i = 0; i < timeline->context_count; i++) {
        struct trace_context *context = &timeline->contexts[i];
        const uint32_t name = trace_name_of(timeline, TRACE_NAME_DEVICE, context->device);
        char number[16] = "?", tag[48];
        if (context->device != UINT32_MAX)
            snprintf(number, sizeof number, "%" PRIu32, context->device);
        trace_handle_tag(timeline, "CUcontext", context->handle, tag, sizeof tag);
        show_number(tag);
        snprintf(context->name, sizeof context->name, "Device %s%s%.60s%s, %s", number,
                 name == TRACE_SET_NONE ? "" : " (",
                 name == TRACE_SET_NONE ? "" : trace_set_at(&timeline->names, name),
                 name == TRACE_SET_NONE ? "" : ")", tag);
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
    struct position *positions = NULL;
    size_t room = 0, order_room = 0;

    for (uint32_t i = 0; i < timeline->stream_count; i++) {
        const struct trace_stream *stream = &timeline->streams[i];
        TRACE_ROOM(positions, i, room);
        TRACE_ROOM(timeline->order, i, order_room);
        positions[i] = (struct position){
            (uint64_t)timeline->contexts[stream->context].device << 32 | stream->context,
            stream->handle > 2, i};
    }
    if (positions)
        qsort(positions, timeline->stream_count, sizeof *positions, by_position);
    for (size_t i = 0; i < timeline->stream_count; i++)
        timeline->order[i] = positions[i].index;
    free(positions);
}

void trace_timeline_read(struct trace_timeline *timeline, struct trace_reader *reader)
{
    struct pass pass = {.timeline = timeline};
    struct trace_item item;
    size_t room = 0;

    *timeline = (struct trace_timeline){.reader = reader};
    trace_handles_begin(timeline);
    for (size_t i = 0; i < reader->thread_count; i++) {
        TRACE_ROOM(timeline->lanes, i, room);
        timeline->lanes[i].number = reader->threads[i].number;
        timeline->lanes[i].system_thread = reader->threads[i].system_thread;
        timeline->lanes[i].linked = SIZE_MAX;
    }
    room = 0;
    while (room < TRACE_SLOTS)
        TRACE_ROOM(timeline->functions, room, room);
    room = 0;
    while (room < TRACE_SLOTS)
        TRACE_ROOM(timeline->slot_names, room, room);
    memset(timeline->slot_names, 0xff, TRACE_SLOTS * sizeof *timeline->slot_names);
    trace_reader_rewind(reader);
    while (trace_reader_next(reader, &item)) {
        if (item.record.kind == TRACE_CALL)
            add_call(&pass, &item);
        else if (item.record.kind == TRACE_WORK)
            add_work(timeline, &item);
        else if (item.record.kind == TRACE_NAME)
            add_name(timeline, &item);
        else
            add_range(timeline, &item);
    }
    link_works(timeline);
    sort_works(timeline);
    sort_ranges(timeline);
    follow_memory(&pass);
    free(pass.allocations);
    name_streams(timeline);
    name_contexts(timeline);
    order_streams(timeline);
}

void trace_timeline_free(struct trace_timeline *timeline)
{
    struct trace_set *sets[] = {
        &timeline->names,      &timeline->shapes,  &timeline->stream_keys, &timeline->context_keys,
        &timeline->error_keys, &timeline->handles, &timeline->named,       &timeline->types};
    void *arrays[] = {timeline->slot_names,      timeline->functions,   timeline->lanes,
                      timeline->ranges,          timeline->streams,     timeline->contexts,
                      timeline->works,           timeline->errors,      timeline->memory,
                      timeline->handle_numbers,  timeline->named_names, timeline->type_counts,
                      timeline->parameter_types, timeline->order};

    for (size_t i = 0; timeline->lanes && i < timeline->reader->thread_count; i++)
        free(timeline->lanes[i].calls);
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        trace_set_free(sets[i]);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
    *timeline = (struct trace_timeline){0};
}
