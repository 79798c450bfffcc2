/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/read/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>

#include "loader/symbols.h"
#include "src/trace/roles.h"

/* A call that allocates or frees; it takes effect when it returns. */
struct allocation {
    uint64_t ended_ns, sequence, address, bytes;
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

enum trace_class trace_class_of(const struct trace_timeline *timeline,
                                const struct trace_record *call)
{
    return !call->ended_ns                                        ? TRACE_CLASS_UNFINISHED
           : is_error(call)                                       ? TRACE_CLASS_ERROR
           : timeline->functions[call->slot].roles & TRACE_BLOCKS ? TRACE_CLASS_BLOCKED
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

struct trace_track *trace_track_add(struct trace_timeline *timeline, enum trace_track_kind kind,
                                    uint32_t owner, const char *group, const char *name,
                                    size_t first, size_t end)
{
    struct trace_track *track;

    TRACE_ROOM(timeline->tracks, timeline->track_count, timeline->track_room);
    track = &timeline->tracks[timeline->track_count++];
    *track = (struct trace_track){kind, owner, group, first, end, end - first, {0}, ""};
    snprintf(track->name, sizeof track->name, "%s", name);
    return track;
}

static void add_name(struct trace_timeline *timeline, const struct trace_item *item)
{
    const struct name_key key = {trace_words(item)[0], trace_words(item)[1]};
    const uint32_t name =
        trace_set_add_text(&timeline->names, (const char *)(trace_words(item) + 2));
    const bool is_new = trace_set_find(&timeline->named, &key, sizeof key) == TRACE_SET_NONE;
    const uint32_t index = trace_set_add(&timeline->named, &key, sizeof key);

    TRACE_ROOM(timeline->named_names, index, timeline->named_room);
    timeline->named_names[index] = name;
    if (is_new && key.what == TRACE_NAME_UNKNOWN_FUNCTION &&
        timeline->unknown_count < TRACE_UNKNOWN_SHOWN)
        timeline->unknown[timeline->unknown_count++] = name;
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
    const int32_t key[] = {item->record->slot, item->record->code};
    const uint32_t index = trace_set_add(&timeline->error_keys, key, sizeof key);
    struct trace_error *error;

    TRACE_ROOM(timeline->errors, index, timeline->error_room);
    error = &timeline->errors[index];
    if (error->count++ == 0) {
        *error = (struct trace_error){1, item->began_ns, item->record->slot, item->record->code};
        timeline->error_count++;
    }
}

static void add_allocation(struct pass *pass, const struct trace_item *item, unsigned roles)
{
    const struct trace_record *record = item->record;
    const uint64_t *words = trace_words(item);
    uint64_t bytes = 0;

    if (!record->ended_ns || record->code != 0)
        return;
    if (roles & TRACE_PITCHES && record->words >= 4)
        bytes = (record->flags & TRACE_ARGUMENT_WRITTEN(1) ? words[1] : words[2]) * words[3];
    else if (roles & TRACE_ALLOCATES && record->words >= 2)
        bytes = words[1];
    if (roles & TRACE_FREES ? record->words == 0
                            : !bytes || !(record->flags & TRACE_ARGUMENT_WRITTEN(0)))
        return;
    TRACE_ROOM(pass->allocations, pass->allocation_count, pass->allocation_room);
    pass->allocations[pass->allocation_count] =
        (struct allocation){item->ended_ns, pass->allocation_count, words[0], bytes};
    pass->allocation_count++;
}

static void add_call(struct pass *pass, const struct trace_item *item)
{
    struct trace_timeline *timeline = pass->timeline;
    const unsigned slot = item->record->slot;
    const uint64_t duration = item->ended_ns - item->began_ns;
    struct trace_lane *lane = &timeline->lanes[item->thread];
    struct trace_function *function = &timeline->functions[slot];

    lane->call_count++;
    lane->last_ns = item->began_ns;
    lane->last_slot = (uint16_t)slot;
    trace_slot_add_name(timeline, slot);
    if (function->calls++ == 0)
        function->roles = trace_roles_of(slot);
    function->total_ns += duration;
    if (duration > function->longest_ns)
        function->longest_ns = duration;
    if (function->roles & TRACE_BLOCKS) {
        function->blocked_ns += duration;
        /* A call nested in another blocking one is already counted with that one. */
        if (item->began_ns >= lane->blocked_until_ns) {
            timeline->blocked_ns += duration;
            lane->blocked_until_ns = item->ended_ns;
        }
    }
    timeline->unfinished_count += !item->record->ended_ns;
    if (is_error(item->record)) {
        function->errors++;
        add_error(timeline, item);
    }
    add_allocation(pass, item, function->roles);
    trace_handles_number(timeline, item);
}

static void add_range(struct trace_timeline *timeline, const struct trace_item *item)
{
    const bool is_mark = item->record->kind == TRACE_MARK;
    const bool is_of_process = !is_mark && item->record->flags & TRACE_PROCESS_RANGE;

    TRACE_ROOM(timeline->ranges, timeline->range_count, timeline->range_room);
    timeline->ranges[timeline->range_count++] = (struct trace_range){
        item->began_ns, is_mark ? item->began_ns : item->ended_ns,
        is_of_process ? (uint32_t)timeline->reader->thread_count : item->thread,
        trace_set_add_text(&timeline->names, (const char *)trace_words(item)), is_mark};
}

/* Sort the most frequent error first. */
static int by_count(const void *one, const void *other)
{
    const struct trace_error *a = one, *b = other;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return (a->first_ns > b->first_ns) - (a->first_ns < b->first_ns);
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

/* Nest the ranges of a thread, as calls are. Returns the end of the thread's ranges. */
static size_t nest_ranges(struct trace_timeline *timeline, size_t first, uint32_t thread)
{
    struct trace_nesting nesting = {0};
    size_t at = first;

    for (; at < timeline->range_count && timeline->ranges[at].thread == thread; at++) {
        struct trace_range *range = &timeline->ranges[at];
        range->ended_ns = trace_nest(&nesting, range->began_ns, range->ended_ns);
    }
    free(nesting.ends);
    return at;
}

static void add_thread_tracks(struct trace_timeline *timeline)
{
    const struct trace_reader *reader = timeline->reader;
    const char *group = timeline->process_name;
    size_t first = 0, end;

    if (timeline->range_count)
        qsort(timeline->ranges, timeline->range_count, sizeof *timeline->ranges, by_range);
    for (uint32_t i = 0; i < reader->thread_count; i++, first = end) {
        const struct trace_thread *thread = &reader->threads[i];
        const uint32_t named = trace_name_of(timeline, TRACE_NAME_THREAD, thread->system_thread);
        const char *text = named == TRACE_SET_NONE ? "" : trace_set_at(&timeline->names, named);
        struct trace_lane *lane = &timeline->lanes[i];
        char name[96];

        end = nest_ranges(timeline, first, i);
        if (end > first)
            trace_track_add(timeline, TRACE_TRACK_RANGES, thread->number, group, "Ranges", first,
                            end);
        snprintf(name, sizeof name, "Thread %" PRIu32 "%s%.60s%s", thread->number,
                 *text ? " (" : "", text, *text ? ")" : "");
        trace_track_add(timeline, TRACE_TRACK_CALLS, thread->number, group, name, thread->first,
                        thread->first + thread->count)
            ->count = lane->call_count;
        lane->first_call = timeline->call_count;
        timeline->call_count += lane->call_count;
    }
    if (first < timeline->range_count)
        trace_track_add(timeline, TRACE_TRACK_PROCESS_RANGES, 0, group, "Process ranges", first,
                        timeline->range_count);
}

/* Addresses that were not allocated in the trace have size 0, so freeing them changes nothing. */
static void follow_memory(struct pass *pass)
{
    struct trace_timeline *timeline = pass->timeline;
    struct trace_set addresses = {0};
    uint64_t *sizes = NULL, now = 0;
    size_t room = 0;

    if (pass->allocation_count)
        qsort(pass->allocations, pass->allocation_count, sizeof *pass->allocations, trace_by_two);
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
    if (timeline->memory_count)
        trace_track_add(timeline, TRACE_TRACK_MEMORY, 0, "Memory", "device memory", 0,
                        timeline->memory_count);
    free(sizes);
    trace_set_free(&addresses);
}

void trace_timeline_read(struct trace_timeline *timeline, const struct trace_reader *reader)
{
    struct pass pass = {.timeline = timeline};

    *timeline = (struct trace_timeline){.reader = reader};
    snprintf(timeline->process_name, sizeof timeline->process_name, "Process %" PRIu32,
             reader->header.process);
    trace_handles_begin(timeline);
    timeline->lanes = trace_zeros(reader->thread_count, sizeof *timeline->lanes);
    timeline->functions = trace_zeros(TRACE_SLOTS, sizeof *timeline->functions);
    timeline->slot_names = trace_zeros(TRACE_SLOTS, sizeof *timeline->slot_names);
    memset(timeline->slot_names, 0xff, TRACE_SLOTS * sizeof *timeline->slot_names);
    for (size_t i = 0; i < reader->item_count; i++) {
        const struct trace_item *item = &reader->items[reader->order[i].item];
        if (item->record->kind == TRACE_CALL)
            add_call(&pass, item);
        else if (item->record->kind == TRACE_WORK)
            trace_work_add(timeline, item);
        else if (item->record->kind == TRACE_NAME)
            add_name(timeline, item);
        else
            add_range(timeline, item);
    }
    add_thread_tracks(timeline);
    trace_work_finish(timeline);
    follow_memory(&pass);
    if (timeline->error_count)
        qsort(timeline->errors, timeline->error_count, sizeof *timeline->errors, by_count);
    free(pass.allocations);
}

void trace_timeline_free(struct trace_timeline *timeline)
{
    struct trace_set *sets[] = {&timeline->names,      &timeline->stream_keys,
                                &timeline->error_keys, &timeline->context_keys,
                                &timeline->handles,    &timeline->named};
    void *arrays[] = {timeline->slot_names,     timeline->functions,   timeline->lanes,
                      timeline->ranges,         timeline->streams,     timeline->contexts,
                      timeline->works,          timeline->errors,      timeline->memory,
                      timeline->handle_numbers, timeline->named_names, timeline->parameter_types,
                      timeline->tracks};

    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        trace_set_free(sets[i]);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
    *timeline = (struct trace_timeline){0};
}
