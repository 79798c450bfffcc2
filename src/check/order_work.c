/* SPDX-License-Identifier: Apache-2.0 */
/* Reports to the race detector what work calls submit, and what they wait for. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <stdio.h>

#include "src/check/order.h"

enum { AWAITING = 64 };

static uint64_t submitted;

/*
 * Work that waits for something outside of streams and was not seen to be done. Until it is, the
 * later work of its stream may be waiting for anything that is submitted after it.
 */
static struct awaiting {
    const struct order_context *context;
    uint64_t stream, number;
    uint32_t timeline;
    bool is_obscure; /* cushim__order_all() came later, so a clock does not prove it done */
} awaiting[AWAITING];
static unsigned awaiting_count;

/* The most that a launch of a graph may do (driver-semantics.md #140). */
static enum order_graphs graphs;

/* --- the detector's callbacks --- */

uint64_t cushim__order_id(const struct cushim__handle *object)
{
    return (uint64_t)object->type << 32 | object->number;
}

static bool find_memory(uint64_t address, struct race_memory *memory)
{
    const struct cushim__handle *object = cushim__handle_at(address);

    if (!object || object->is_destroyed)
        return false;
    *memory = (struct race_memory){
        .id = cushim__order_id(object), .start = object->value, .bytes = (size_t)object->bytes};
    return true;
}

static void name_memory(const struct race_memory *memory, char *text, size_t size)
{
    snprintf(text, size, "%s",
             cushim__check_name_of((enum cushim__object_type)(memory->id >> 32),
                                   (uint32_t)memory->id, memory->start)
                 .text);
}

struct cushim__maker cushim__order_maker(const struct race_access *access)
{
    return (struct cushim__maker){.slot = cushim__check_slot_of(access->call),
                                  .place = access->place};
}

static const struct cushim__call *reporting;

/* A mock that looks for races itself knows more, and hands them over. */
static void found_race(const struct race_side *later, const struct race_side *earlier,
                       const struct race_memory *memory, const char *text)
{
    const struct cushim__handle *object = cushim__handle_at(memory->start);
    const struct cushim__maker other = cushim__order_maker(earlier->access);

    (void)later;
    if (cushim__check_options.is_implied ||
        (cushim__layer_mock && cushim__layer_mock->finds_races()))
        return;
    cushim__check_report(reporting, CUSHIM__CHECK_RACE,
                         object && cushim__order_id(object) == memory->id ? object : NULL, &other,
                         "%s", text);
}

/* The detector logs that it forgets uses; it then finds less, which is not reported. */
static void log_nothing(const char *text)
{
    (void)text;
}

/* --- what is waited for --- */

void cushim__order_all(void)
{
    for (unsigned i = 0; i < awaiting_count; i++)
        awaiting[i].is_obscure = true;
    cushim__race_saw_all();
}

/* What the host has seen to be finished: a clock, perhaps of a whole stream or context. */
struct seen {
    struct race_clock *clock;
    const struct order_stream *stream;
    const struct order_context *context;
};

static bool is_seen(const struct awaiting *one, const struct seen *seen)
{
    if ((seen->stream && one->stream == seen->stream->race.id) ||
        (seen->context && one->context == seen->context))
        return true;
    return !one->is_obscure && cushim__race_clock_of(seen->clock, one->timeline) >= one->number;
}

static void see(struct seen seen)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < awaiting_count; i++) {
        if (is_seen(&awaiting[i], &seen))
            cushim__race_released(awaiting[i].number);
        else
            awaiting[kept++] = awaiting[i];
    }
    awaiting_count = kept;
    cushim__race_saw(seen.clock, true);
}

void cushim__order_see_event(const struct order_event *event)
{
    if (event && event->is_clear)
        see((struct seen){.clock = cushim__race_clock_retain(event->clock)});
    else
        cushim__order_all();
}

void cushim__order_see_stream(const struct order_stream *stream)
{
    if (stream)
        see((struct seen){.clock = cushim__race_stream(&stream->race), .stream = stream});
    else
        cushim__order_all();
}

static void see_context(uint64_t value)
{
    const struct order_context *context = cushim__order_context(value);

    if (context)
        see((struct seen){.clock = cushim__race_group(&context->group), .context = context});
    else
        cushim__order_all();
}

/* --- what is submitted --- */

/* NULL if it is not known what the stream waits for. */
static struct order_stream *stream_of(const struct cushim__call *call)
{
    const uint64_t value = cushim__function_stream_value(call);
    const struct cushim__handle *object = cushim__function_stream(call);

    if (value > (uintptr_t)CU_STREAM_PER_THREAD)
        return object ? object->order : NULL;
    return cushim__order_default_stream(call->context, value ? call->thread : 0);
}

/* If it returns true, end() has to follow; false: the detector is off. */
static bool submit(const struct cushim__call *call, struct order_stream *stream, const char *kind,
                   bool waits, struct race_access *access)
{
    struct cushim__maker maker;

    if (stream->object)
        cushim__race_name_stream(&stream->race, cushim__check_name(stream->object, 0).text);
    if (!cushim__race_submit(access, &stream->race, ++submitted, kind,
                             cushim__slot_name(call->slot), waits))
        return false;
    cushim__tracker_note(call, &maker);
    access->place = maker.place;
    return true;
}

static void end(struct race_access *access)
{
    cushim__race_submitted(access);
    cushim__race_clock_release(access->before);
}

/* Work whose memory does not matter. On an unknown stream it orders everything. */
static void submit_plain(const struct cushim__call *call, struct order_stream *stream,
                         const char *kind)
{
    struct race_access access;

    if (!stream)
        cushim__order_all();
    else if (submit(call, stream, kind, false, &access))
        end(&access);
}

/* A synchronous copy from pageable memory waits for earlier work, but not for the copy itself. */
static void submit_memory(const struct cushim__call *call, const struct cushim__effects *effects,
                          struct order_stream *stream)
{
    const enum order_action action = cushim__order_action(call->slot);
    const bool is_set = action == ORDER_SET || action == ORDER_SET_2D;
    struct order_side to, from;
    struct race_access access;

    if (!cushim__order_sides(call, &to, &from))
        return;
    if (!stream || (effects->is_peer && !cushim__is_asynchronous(effects)))
        cushim__order_all();
    if (!cushim__is_asynchronous(effects) && from.memory == ORDER_PAGEABLE)
        cushim__order_see_stream(stream);
    if (!stream || !submit(call, stream, is_set ? "set" : "copy", false, &access))
        return;
    reporting = call;
    if (from.region.width > 0)
        cushim__race_use(&access, &from.region, RACE_READS);
    if (to.region.width > 0)
        cushim__race_use(&access, &to.region, RACE_WRITES);
    reporting = NULL;
    end(&access);
    if (effects->is_peer && !cushim__is_asynchronous(effects))
        cushim__order_all();
    else if (cushim__order_waits(call, &to, &from))
        see((struct seen){.clock = cushim__race_last(&stream->race), .stream = stream});
}

/*
 * Work that waits for something outside of streams, or signals to the host, which is then assumed
 * to have seen what comes before on the stream.
 */
static void submit_outside(const struct cushim__call *call, struct order_stream *stream, bool waits,
                           bool signals)
{
    struct race_access access;

    if (!stream || awaiting_count == AWAITING) {
        cushim__order_all();
        return;
    }
    if (signals) {
        submit_plain(call, stream, "signal");
        cushim__race_saw(cushim__race_last(&stream->race), true);
    }
    if (!submit(call, stream, "wait", waits, &access))
        return;
    if (waits)
        awaiting[awaiting_count++] = (struct awaiting){.context = stream->context,
                                                       .stream = stream->race.id,
                                                       .number = access.number,
                                                       .timeline = access.timeline};
    end(&access);
}

static void submit_allocation(const struct cushim__call *call, struct order_stream *stream)
{
    struct race_access access;
    struct race_memory memory;

    if (!find_memory(call->arguments.list[0].written, &memory) || !stream ||
        !submit(call, stream, "allocation", false, &access))
        return;
    cushim__race_use_all(&access, &memory, RACE_ALLOCATES);
    end(&access);
}

static void submit_free(const struct cushim__call *call, struct order_stream *stream,
                        const struct order_freed *freed)
{
    /* The size is not known any more, so all addresses from the start on count. */
    const struct race_memory memory = {
        .id = freed->memory, .start = call->values[0], .bytes = SIZE_MAX >> 8};
    struct race_access access;

    if (freed->memory == 0)
        return;
    if (stream && submit(call, stream, "free", false, &access)) {
        reporting = call;
        cushim__race_use_all(&access, &memory, RACE_FREES);
        reporting = NULL;
        end(&access);
    }
    cushim__race_forget(freed->memory);
}

static void free_memory(const struct cushim__call *call, const struct order_freed *freed)
{
    if (call->values[0] == 0)
        return;
    if (!freed->is_at_once && freed->context)
        see_context(freed->context);
    else if (!freed->is_at_once)
        cushim__order_all();
    cushim__race_forget(freed->memory);
}

/* --- events --- */

struct order_event *cushim__order_event_of(const struct cushim__call *call,
                                           const struct cushim__effects *effects, unsigned which)
{
    return cushim__order_event(
        cushim__function_object(call, CUSHIM__TYPE_EVENT, effects->event + which));
}

static void record(const struct cushim__call *call, struct order_event *event,
                   struct order_stream *stream)
{
    if (stream)
        submit_plain(call, stream, "record");
    cushim__order_event_record(event, stream ? cushim__race_last(&stream->race) : NULL,
                               stream != NULL);
}

static void wait_for_event(struct order_stream *stream, const struct order_event *event)
{
    if (!stream)
        cushim__order_see_event(event);
    else if (event && event->is_clear)
        cushim__race_wait(&stream->race, event->clock);
    else
        cushim__race_wait_all(&stream->race);
}

/* Launches of one executable graph do not overlap (driver-semantics.md #140). */
static void launch_graph(const struct cushim__call *call, struct order_stream *stream)
{
    struct order_event *launches =
        cushim__order_event(cushim__function_object(call, CUSHIM__TYPE_EXEC, 0));

    if (graphs >= ORDER_GRAPHS_WAIT)
        submit_outside(call, stream, true, true);
    if (stream && launches && launches->clock)
        cushim__race_wait(&stream->race, launches->clock);
    submit_plain(call, stream, "graph");
    if (stream)
        cushim__order_event_record(launches, cushim__race_last(&stream->race), true);
    if (stream && graphs >= ORDER_GRAPHS_COPY)
        cushim__race_saw(cushim__race_last(&stream->race), true);
}

/* Attributes of a launch may let it record an event. */
static void note_launch_events(const struct cushim__launch_config *config)
{
    for (unsigned i = 0; config && config->attributes && i < config->count; i++) {
        const struct cushim__launch_attribute *attribute = &config->attributes[i];
        struct cushim__handle *event =
            cushim__handle_find(CUSHIM__TYPE_EVENT, attribute->event, false);

        if (event && (attribute->id == CUSHIM__LAUNCH_PROGRAMMATIC_EVENT ||
                      attribute->id == CUSHIM__LAUNCH_COMPLETION_EVENT))
            cushim__order_event_record(cushim__order_event(event), NULL, false);
    }
}

void cushim__order_note_graphs(enum order_graphs what)
{
    if (graphs < what)
        graphs = what;
    if (what == ORDER_GRAPHS_RECORD)
        cushim__order_events_unclear();
}

/* --- calls --- */

void cushim__order_apply(const struct cushim__call *call, const struct cushim__effects *effects,
                         const struct order_freed *freed)
{
    const enum order_action action = cushim__order_action(call->slot);
    struct order_stream *stream = stream_of(call);

    switch (action) {
    case ORDER_COPY:
    case ORDER_COPY_2D:
    case ORDER_COPY_3D:
    case ORDER_SET:
    case ORDER_SET_2D:
        submit_memory(call, effects, stream);
        break;
    case ORDER_KERNEL:
        note_launch_events(cushim__function_launch_config(call));
        submit_plain(call, stream, "kernel");
        break;
    case ORDER_GRAPH:
        launch_graph(call, stream);
        break;
    case ORDER_WORK:
        submit_plain(call, stream, "work");
        break;
    case ORDER_ALLOCATE:
        submit_allocation(call, stream);
        break;
    case ORDER_FREE_ASYNC:
        submit_free(call, stream, freed);
        break;
    case ORDER_WAIT_OUTSIDE:
    case ORDER_SIGNAL:
    case ORDER_UNKNOWN:
        submit_outside(call, stream, action != ORDER_SIGNAL, action != ORDER_WAIT_OUTSIDE);
        break;
    case ORDER_RECORD:
        record(call, cushim__order_event_of(call, effects, 0), stream);
        break;
    case ORDER_CONTEXT_RECORD:
        cushim__order_event_record(cushim__order_event_of(call, effects, 0), NULL, false);
        break;
    case ORDER_WAIT_EVENT:
        wait_for_event(stream, cushim__order_event_of(call, effects, 0));
        break;
    case ORDER_SEE_EVENT:
    case ORDER_CONTEXT_WAIT_EVENT:
        cushim__order_see_event(cushim__order_event_of(call, effects, 0));
        break;
    case ORDER_ELAPSED:
        cushim__order_see_event(cushim__order_event_of(call, effects, 0));
        cushim__order_see_event(cushim__order_event_of(call, effects, 1));
        break;
    case ORDER_SEE_STREAM:
        cushim__order_see_stream(stream);
        break;
    case ORDER_SEE_CONTEXT:
        see_context(cushim__parameter_count(call->slot) > 0 ? call->values[0] : call->context);
        break;
    case ORDER_FREE:
        free_memory(call, freed);
        break;
    default:
        cushim__order_all();
        break;
    }
}

void cushim__order_work_end(void)
{
    cushim__race_destroy();
    awaiting_count = 0;
    graphs = ORDER_GRAPHS_WORK;
}

bool cushim__order_work_begin(void)
{
    static const struct race_callbacks callbacks = {
        .find = find_memory, .name = name_memory, .found = found_race, .log = log_nothing};

    submitted = 0;
    return cushim__race_create(&callbacks);
}
