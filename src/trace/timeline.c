/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>

#include "loader/symbols.h"
#include "src/trace/roles.h"

/* A call that allocates or frees; it takes effect when it returns. */
struct allocation {
    uint64_t ended_ns, address, bytes;
    size_t sequence;
    bool is_free;
};

/* What is needed only while the file is read. */
struct pass {
    struct trace_timeline *timeline;
    struct allocation *allocations;
    size_t allocation_count, allocation_room;
};

struct name_key {
    uint64_t what, of;
};

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

/* CUDA_ERROR_NOT_READY is an expected answer. */
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

const char *trace_slot_name(const struct trace_timeline *timeline, unsigned slot)
{
    const uint32_t name = timeline->slot_names[slot];

    return name == TRACE_SET_NONE ? "" : trace_set_at(&timeline->names, name);
}

uint32_t trace_name_of(const struct trace_timeline *timeline, enum trace_named what, uint64_t of)
{
    const struct name_key key = {what, of};
    const uint32_t index = trace_set_find(&timeline->named, &key, sizeof key);

    return index == TRACE_SET_NONE ? index : timeline->named_names[index];
}

const char *trace_unknown_function(const struct trace_timeline *timeline, size_t index)
{
    for (uint32_t i = 0; i < timeline->named.count; i++) {
        struct name_key key;

        memcpy(&key, trace_set_at(&timeline->named, i), sizeof key);
        if (key.what == TRACE_NAME_UNKNOWN_FUNCTION && index-- == 0)
            return trace_set_at(&timeline->names, timeline->named_names[i]);
    }
    return NULL;
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

void trace_slot_add_name(struct trace_timeline *timeline, unsigned slot)
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
    trace_slot_add_name(timeline, slot);
    function->calls++;
    function->total_ns += duration;
    if (duration > function->longest_ns)
        function->longest_ns = duration;
    if (trace_role_blocks(role)) {
        function->blocked_ns += duration;
        /* A call that is nested in another one is counted with that. */
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
    trace_handles_number(timeline, item);
}

static void add_range(struct trace_timeline *timeline, const struct trace_item *item)
{
    const bool is_mark = item->record.kind == TRACE_MARK;
    const bool is_of_process = !is_mark && item->record.flags & TRACE_PROCESS_RANGE;
    const uint32_t lane = is_of_process ? (uint32_t)timeline->reader->thread_count : item->thread;

    TRACE_ROOM(timeline->ranges, timeline->range_count, timeline->range_room);
    timeline->ranges[timeline->range_count++] = (struct trace_range){
        item->began_ns, is_mark ? item->began_ns : item->ended_ns, lane,
        trace_set_add_text(&timeline->names, (const char *)(item->words + !is_mark)), is_mark};
}

static int by_range(const void *one, const void *other)
{
    const struct trace_range *a = one, *b = other;

    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    if (a->began_ns != b->began_ns)
        return a->began_ns < b->began_ns ? -1 : 1;
    return (a->ended_ns < b->ended_ns) - (a->ended_ns > b->ended_ns);
}

/* Those of a thread nest, as calls do; those of the process overlap. */
static void sort_ranges(struct trace_timeline *timeline)
{
    uint64_t *ends = NULL;
    size_t open = 0, room = 0;

    if (timeline->range_count)
        qsort(timeline->ranges, timeline->range_count, sizeof *timeline->ranges, by_range);
    for (size_t i = 0; i < timeline->range_count; i++) {
        struct trace_range *range = &timeline->ranges[i];
        struct trace_lane *lane = &timeline->lanes[range->lane];
        if (lane->range_count++ == 0) {
            lane->first_range = i;
            open = 0;
        }
        if (range->lane == timeline->reader->thread_count)
            continue;
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

/* Addresses that were not allocated in the trace have size 0, so freeing them changes nothing. */
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

void trace_timeline_read(struct trace_timeline *timeline, struct trace_reader *reader)
{
    struct pass pass = {.timeline = timeline};
    struct trace_item item;

    *timeline = (struct trace_timeline){.reader = reader};
    trace_handles_begin(timeline);
    timeline->lanes = trace_zeros(reader->thread_count + 1, sizeof *timeline->lanes);
    for (size_t i = 0; i < reader->thread_count; i++) {
        timeline->lanes[i].number = reader->threads[i].number;
        timeline->lanes[i].system_thread = reader->threads[i].system_thread;
        timeline->lanes[i].linked = SIZE_MAX;
    }
    timeline->functions = trace_zeros(TRACE_SLOTS, sizeof *timeline->functions);
    timeline->slot_names = trace_zeros(TRACE_SLOTS, sizeof *timeline->slot_names);
    memset(timeline->slot_names, 0xff, TRACE_SLOTS * sizeof *timeline->slot_names);
    trace_reader_rewind(reader);
    while (trace_reader_next(reader, &item)) {
        if (item.record.kind == TRACE_CALL)
            add_call(&pass, &item);
        else if (item.record.kind == TRACE_WORK)
            trace_work_add(timeline, &item);
        else if (item.record.kind == TRACE_NAME)
            add_name(timeline, &item);
        else
            add_range(timeline, &item);
    }
    trace_work_finish(timeline);
    sort_ranges(timeline);
    follow_memory(&pass);
    free(pass.allocations);
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
