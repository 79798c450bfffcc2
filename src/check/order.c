/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Missing waits: work on the same memory that nothing orders, found by the race detector from what
 * calls ask for (CUSHIM-race). What it cannot follow orders everything: values in memory, other
 * libraries, captures, two threads that are in calls at the same time.
 */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "src/check/order.h"

#include <string.h>

#include "src/base/layer_host.h"
#include "src/layer/leak_tracker.h"

enum { UNDER_WAY = 64, AWAITING = 64, CAPTURES = 32 };

/* A call that is under way and has a part in the order of work. */
struct under_way {
    uint64_t call; /* its number; 0: this place is free */
    uint32_t event;
    bool submits;       /* and so it matters which of two is first */
    bool overlaps;      /* with one of another thread, so that this is not known */
    uint64_t freed;     /* the memory that it frees, as the detector has it; 0: none */
    uint64_t context;   /* the one that waits for that; 0: all do */
    bool frees_at_once; /* it does not wait: the memory is a pool's */
};

static struct under_way calls[UNDER_WAY];
static uint64_t submitted;

/*
 * Work that waits for what is outside of the streams, and was not seen to be done: until then what
 * comes behind it may wait for whatever is submitted later.
 */
static struct awaiting {
    const struct order_context *context;
    uint64_t stream, number;
    uint32_t timeline;
    bool is_obscure; /* clocks do not tell: since it was submitted all was ordered unseen */
} awaiting[AWAITING];
static unsigned awaiting_count;

/* Streams that are captured, by value and, if that is the per-thread default, thread. */
static struct {
    uint64_t stream;
    unsigned thread;
} captures[CAPTURES];
static unsigned capture_count;

static bool has_opaque_graphs; /* graphs may wait, record events and call the host */
static bool has_copy_graphs;   /* launches may wait for what they copy (driver-semantics.md #140) */
static uint64_t unknown_functions;

/* What was current when the call of this thread began, as the driver says. */
static _Thread_local struct {
    uint64_t call, context;
} current;

uint64_t cushim__order_current(const struct cushim__call *call)
{
    return current.call == call->number ? current.context : 0;
}

bool cushim__order_is_capturing(void)
{
    return capture_count > 0;
}

/* --- what the detector asks --- */

static uint64_t id_of(const struct cushim__handle *object)
{
    return (uint64_t)object->type << 32 | object->number;
}

static bool find_memory(uint64_t address, struct race_memory *memory)
{
    const struct cushim__handle *object = cushim__handle_at(address);

    if (!object || object->is_destroyed)
        return false;
    *memory = (struct race_memory){
        .id = id_of(object), .start = object->value, .bytes = (size_t)object->bytes};
    return true;
}

static void name_memory(const struct race_memory *memory, char *text, size_t size)
{
    const struct cushim__tag tag = {.type = (uint8_t)(memory->id >> 32),
                                    .number = (uint32_t)memory->id};

    cushim__tag_text(&tag, memory->start, text, size);
}

struct cushim__maker cushim__order_maker(const struct race_access *access)
{
    struct cushim__maker maker = {.place = access->place};

    while (maker.slot + 1 < CUSHIM__SYMBOL_COUNT && cushim__slot_name(maker.slot) != access->call)
        maker.slot++;
    return maker;
}

static const struct cushim__call *reporting;

static void found_race(const struct race_side *later, const struct race_side *earlier,
                       const struct race_memory *memory, const char *text)
{
    const struct cushim__handle *object = cushim__handle_at(memory->start);
    const struct cushim__maker other = cushim__order_maker(earlier->access);

    (void)later;
    cushim__check_report_after(reporting, CUSHIM__CHECK_RACE,
                               object && id_of(object) == memory->id ? object : NULL, &other, "%s",
                               text);
}

/* The detector forgets uses, or has no memory: it finds less. */
static void log_nothing(const char *text)
{
    (void)text;
}

/* --- what is waited for --- */

/* Something is not known: all that is submitted so far comes before what follows. */
static void order_all(void)
{
    for (unsigned i = 0; i < awaiting_count; i++)
        awaiting[i].is_obscure = true;
    cushim__race_saw_all();
}

/* What the host has really seen to be finished: a clock, and with it a stream or a context. */
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

static void see_event(const struct order_event *event)
{
    if (event && event->is_clear)
        see((struct seen){.clock = cushim__race_clock_retain(event->clock)});
    else
        order_all();
}

static void see_stream(const struct order_stream *stream)
{
    if (stream)
        see((struct seen){.clock = cushim__race_stream(&stream->race), .stream = stream});
    else
        order_all();
}

static void see_context(uint64_t value)
{
    const struct order_context *context = cushim__order_context(value);

    if (context)
        see((struct seen){.clock = cushim__race_group(&context->group), .context = context});
    else
        order_all();
}

/* --- what is submitted --- */

/* CUlaunchConfig and its attributes, which older headers do not have. */
enum { PROGRAMMATIC_EVENT = 7, COMPLETION_EVENT = 12 };

struct launch_attribute {
    int id, padding;
    uintptr_t event; /* the value begins with it */
    char rest[64 - sizeof(uintptr_t)];
};

struct launch_config {
    unsigned grid[3], block[3], shared_bytes;
    CUstream stream;
    const struct launch_attribute *attributes;
    unsigned count;
};

static const struct launch_config *config_of(const struct cushim__call *call)
{
    const bool has_config = call->slot == CUSHIM__SLOT(LaunchKernelEx) ||
                            call->slot == CUSHIM__SLOT(LaunchKernelEx_ptsz);

    return has_config ? (const struct launch_config *)(uintptr_t)call->values[0] : NULL;
}

static uint64_t stream_value(const struct cushim__call *call, const struct order_rule *rule)
{
    if (rule->stream != ORDER_NO_PARAMETER)
        return call->values[rule->stream];
    return config_of(call) ? (uintptr_t)config_of(call)->stream : 0;
}

/* NULL: it is not known what it waits for. */
static struct order_stream *stream_of(const struct cushim__call *call,
                                      const struct order_rule *rule)
{
    const uint64_t value = stream_value(call, rule);
    const struct cushim__handle *object;

    if (value == (uintptr_t)CU_STREAM_PER_THREAD || (value == 0 && rule->is_per_thread))
        return cushim__order_default_stream(cushim__order_current(call), call->thread);
    if (value == 0 || value == (uintptr_t)CU_STREAM_LEGACY)
        return cushim__order_default_stream(cushim__order_current(call), 0);
    if (rule->stream != ORDER_NO_PARAMETER)
        return cushim__order_stream(call->arguments.list[rule->stream].tag.number);
    object = cushim__handle_find(CUSHIM__TYPE_STREAM, value, false);
    return object ? cushim__order_stream(object->number) : NULL;
}

static void name_stream(struct order_stream *stream)
{
    const struct cushim__tag tag = {.type = CUSHIM__TYPE_STREAM, .number = stream->number};
    char name[CUSHIM_TAG_SIZE];

    if (stream->number == 0)
        return;
    cushim__tag_text(&tag, 0, name, sizeof name);
    cushim__race_name_stream(&stream->race, name);
}

/* False: nothing is looked for. Else end() follows. */
static bool submit(const struct cushim__call *call, struct order_stream *stream, const char *kind,
                   bool waits, struct race_access *access)
{
    struct cushim__maker maker;

    name_stream(stream);
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

/* Work whose memory does not count. Of streams that are not clear it may order others. */
static void submit_plain(const struct cushim__call *call, struct order_stream *stream,
                         const char *kind)
{
    struct race_access access;

    if (!stream)
        order_all();
    else if (submit(call, stream, kind, false, &access))
        end(&access);
}

/* Of pageable memory that is copied at once the stream is waited for, and the copy is not. */
static void submit_memory(const struct cushim__call *call, const struct order_rule *rule)
{
    struct order_stream *stream = stream_of(call, rule);
    const bool is_set = rule->action == ORDER_SET || rule->action == ORDER_SET_2D;
    struct order_side to, from;
    struct race_access access;

    if (!cushim__order_sides(call, &to, &from))
        return;
    if (!stream || (rule->is_peer && !rule->is_asynchronous))
        order_all();
    if (!rule->is_asynchronous && from.memory == ORDER_PAGEABLE)
        see_stream(stream);
    if (!stream || !submit(call, stream, is_set ? "set" : "copy", false, &access))
        return;
    reporting = call;
    if (from.region.width > 0)
        cushim__race_use(&access, &from.region, RACE_READS);
    if (to.region.width > 0)
        cushim__race_use(&access, &to.region, RACE_WRITES);
    reporting = NULL;
    end(&access);
    if (rule->is_peer && !rule->is_asynchronous)
        order_all();
    else if (cushim__order_waits(rule, &to, &from))
        see((struct seen){.clock = cushim__race_last(&stream->race), .stream = stream});
}

/*
 * Work that waits for something else, or that the host may learn from: what is before it on its
 * stream is then taken to be seen.
 */
static void submit_outside(const struct cushim__call *call, struct order_stream *stream, bool waits,
                           bool signals)
{
    struct race_access access;

    if (!stream || awaiting_count == AWAITING) {
        order_all();
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
                        const struct under_way *entry)
{
    /* The memory has no length any more; uses of it are within it. */
    const struct race_memory memory = {
        .id = entry->freed, .start = call->values[0], .bytes = SIZE_MAX >> 8};
    struct race_access access;

    if (entry->freed == 0)
        return;
    if (stream && submit(call, stream, "free", false, &access)) {
        reporting = call;
        cushim__race_use_all(&access, &memory, RACE_FREES);
        reporting = NULL;
        end(&access);
    }
    cushim__race_forget(entry->freed);
}

static void free_memory(const struct cushim__call *call, const struct under_way *entry)
{
    if (call->values[0] == 0)
        return;
    if (!entry->frees_at_once && entry->context)
        see_context(entry->context);
    else if (!entry->frees_at_once)
        order_all();
    cushim__race_forget(entry->freed);
}

/* --- events --- */

static struct order_event *event_of(const struct cushim__call *call, const struct order_rule *rule,
                                    unsigned which)
{
    return cushim__order_event(call->arguments.list[rule->event + which].tag.number);
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
        see_event(event);
    else if (event && event->is_clear)
        cushim__race_wait(&stream->race, event->clock);
    else
        cushim__race_wait_all(&stream->race);
}

/* Launches of one executable graph come one after the other (driver-semantics.md #140). */
static void launch_graph(const struct cushim__call *call, struct order_stream *stream)
{
    struct order_event *launches = cushim__order_launches(call->arguments.list[0].tag.number);

    if (has_opaque_graphs)
        submit_outside(call, stream, true, true);
    if (stream && launches && launches->clock)
        cushim__race_wait(&stream->race, launches->clock);
    submit_plain(call, stream, "graph");
    if (stream)
        cushim__order_event_record(launches, cushim__race_last(&stream->race), true);
    if (stream && has_copy_graphs)
        cushim__race_saw(cushim__race_last(&stream->race), true);
}

/* A launch with these attributes records an event. */
static void note_launch_events(const struct launch_config *config)
{
    for (unsigned i = 0; config->attributes && i < config->count; i++) {
        const struct launch_attribute *attribute = &config->attributes[i];
        const struct cushim__handle *event =
            cushim__handle_find(CUSHIM__TYPE_EVENT, attribute->event, false);

        if (event && (attribute->id == PROGRAMMATIC_EVENT || attribute->id == COMPLETION_EVENT))
            cushim__order_event_record(cushim__order_event(event->number), NULL, false);
    }
}

static void create_event(const struct cushim__call *call)
{
    struct order_event *event = cushim__order_event(call->arguments.list[0].tag.number);
    const uint64_t context = cushim__order_current(call);
    const struct cushim__handle *object =
        context ? cushim__handle_find(CUSHIM__TYPE_CONTEXT, context, true) : NULL;

    if (!event)
        return;
    event->flags = (unsigned)call->values[1];
    event->is_known = !(event->flags & CU_EVENT_INTERPROCESS);
    event->context = object ? object->number : 0;
}

/* --- captures --- */

static unsigned captured_thread(const struct cushim__call *call, uint64_t stream)
{
    return stream <= (uintptr_t)CU_STREAM_PER_THREAD ? call->thread : 0;
}

static void begin_capture(const struct cushim__call *call, uint64_t stream)
{
    if (capture_count == CAPTURES)
        return;
    captures[capture_count].stream = stream;
    captures[capture_count++].thread = captured_thread(call, stream);
}

static void end_capture(const struct cushim__call *call, uint64_t stream)
{
    for (unsigned i = 0; i < capture_count; i++) {
        if (captures[i].stream == stream && captures[i].thread == captured_thread(call, stream)) {
            captures[i] = captures[--capture_count];
            order_all();
            return;
        }
    }
}

/* A graph may then record any event, wait for any, and call the host. */
static void make_opaque(void)
{
    has_opaque_graphs = true;
    cushim__order_events_unclear();
}

/* Calls while a stream is captured: it is not known which are work, so none are. */
static void note_in_capture(const struct cushim__call *call, const struct order_rule *rule)
{
    struct order_event *event = rule->event != ORDER_NO_PARAMETER ? event_of(call, rule, 0) : NULL;
    const bool is_external = event && cushim__parameter_count(call->slot) > 2 && call->values[2];

    switch ((enum order_action)rule->action) {
    case ORDER_RECORD:
    case ORDER_RECORD_UNKNOWN:
        if (event) {
            cushim__order_event_record(event, NULL, false);
            event->is_captured = true;
            event->is_known = event->is_known && !is_external;
        }
        break;
    case ORDER_WAIT_EVENT:
        has_opaque_graphs = has_opaque_graphs || is_external;
        break;
    case ORDER_COPY:
    case ORDER_COPY_2D:
    case ORDER_COPY_3D:
    case ORDER_MAKE_COPY:
        has_copy_graphs = true;
        break;
    case ORDER_MAKE_NODE:
        make_opaque();
        break;
    case ORDER_WAIT_OUTSIDE:
    case ORDER_SIGNAL:
    case ORDER_UNKNOWN:
        has_opaque_graphs = true;
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

static bool is_submission(const struct order_rule *rule)
{
    return rule->action >= ORDER_COPY && rule->action <= ORDER_WAIT_EVENT;
}

/* Two threads are in calls: which of two submissions comes first, and what is waited for? */
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

static void note_freed(const struct cushim__call *call, struct under_way *entry)
{
    const struct cushim__handle *object = cushim__handle_at(call->values[0]);

    if (!object || object->is_destroyed || object->value != call->values[0])
        return;
    entry->freed = id_of(object);
    entry->frees_at_once = strstr(cushim__slot_name(object->maker.slot), "Async");
    if (object->owner && object->owner->type == CUSHIM__TYPE_CONTEXT)
        entry->context = object->owner->value;
}

static void started(struct cushim__call *call)
{
    const struct order_rule *rule = cushim__order_rule(call->slot);
    struct under_way *entry = rule->action == ORDER_NOTHING ? NULL : find(0);

    if (!entry)
        return;
    *entry = (struct under_way){.call = call->number, .submits = is_submission(rule)};
    if (rule->event != ORDER_NO_PARAMETER)
        entry->event = call->arguments.list[rule->event].tag.number;
    if (rule->action == ORDER_FREE || rule->action == ORDER_FREE_ASYNC)
        note_freed(call, entry);
    note_overlaps(entry);
}

/* The driver is asked, since contexts can become current behind the layer's back. */
static void before(struct cushim__call *call)
{
    const struct cushim__layer_host *host = __atomic_load_n(&cushim__layer_host, __ATOMIC_ACQUIRE);
    CUcontext context = NULL;
    int device;

    if (cushim__order_rule(call->slot)->action == ORDER_NOTHING)
        return;
    if (host)
        context = host->current(&device);
    else if (cushim__layer_next.CtxGetCurrent(&context) != CUDA_SUCCESS)
        context = NULL;
    current.call = call->number;
    current.context = (uintptr_t)context;
}

/* What a call is to the order that has no stream, or none that matters. */
static void apply_without_stream(const struct cushim__call *call, const struct order_rule *rule,
                                 const struct under_way *entry)
{
    switch ((enum order_action)rule->action) {
    case ORDER_RECORD_UNKNOWN:
        cushim__order_event_record(event_of(call, rule, 0), NULL, false);
        break;
    case ORDER_SEE_EVENT:
        see_event(event_of(call, rule, 0));
        break;
    case ORDER_ELAPSED:
        see_event(event_of(call, rule, 0));
        see_event(event_of(call, rule, 1));
        break;
    case ORDER_SEE_CONTEXT:
        see_context(cushim__parameter_count(call->slot) > 0 ? call->values[0]
                                                            : cushim__order_current(call));
        break;
    case ORDER_FREE:
        free_memory(call, entry);
        break;
    case ORDER_MAKE_COPY:
        has_copy_graphs = true;
        break;
    case ORDER_MAKE_NODE:
        make_opaque();
        break;
    case ORDER_SET_POINTER:
        /* Attributes that make memory synchronous, or tokens that do. */
        if (call->slot == CUSHIM__SLOT(PointerSetAttribute) ||
            (call->slot == CUSHIM__SLOT(PointerGetAttribute) && call->values[1] == 5))
            cushim__order_note_sync_memory();
        break;
    default:
        order_all();
        break;
    }
}

static void apply(const struct cushim__call *call, const struct order_rule *rule,
                  const struct under_way *entry)
{
    struct order_stream *stream;

    if (rule->action > ORDER_SEE_STREAM || rule->action == ORDER_SEE_EVENT ||
        rule->action == ORDER_RECORD_UNKNOWN) {
        apply_without_stream(call, rule, entry);
        return;
    }
    if (rule->action <= ORDER_SET_2D) {
        submit_memory(call, rule);
        return;
    }
    stream = stream_of(call, rule);
    switch ((enum order_action)rule->action) {
    case ORDER_KERNEL:
        if (config_of(call))
            note_launch_events(config_of(call));
        submit_plain(call, stream, "kernel");
        break;
    case ORDER_GRAPH:
        launch_graph(call, stream);
        break;
    case ORDER_ALLOCATE:
        submit_allocation(call, stream);
        break;
    case ORDER_FREE_ASYNC:
        submit_free(call, stream, entry);
        break;
    case ORDER_WAIT_OUTSIDE:
    case ORDER_SIGNAL:
    case ORDER_UNKNOWN:
        submit_outside(call, stream, rule->action != ORDER_SIGNAL,
                       rule->action != ORDER_WAIT_OUTSIDE);
        break;
    case ORDER_RECORD:
        record(call, event_of(call, rule, 0), stream);
        break;
    case ORDER_WAIT_EVENT:
        wait_for_event(stream, event_of(call, rule, 0));
        break;
    case ORDER_SEE_STREAM:
        see_stream(stream);
        break;
    default:
        submit_plain(call, stream, "work");
        break;
    }
}

/* The life of objects is followed in captures, too. False: the call has to do with more. */
static bool apply_life(const struct cushim__call *call, const struct order_rule *rule)
{
    const uint32_t number = call->arguments.list[0].tag.number;
    struct order_stream *stream;

    switch ((enum order_action)rule->action) {
    case ORDER_CREATE_STREAM:
        cushim__order_stream_create(number, cushim__order_current(call), (unsigned)call->values[1]);
        return true;
    case ORDER_CREATE_EVENT:
        create_event(call);
        return true;
    case ORDER_DESTROY_STREAM:
        stream = cushim__order_stream(number);
        end_capture(call, call->values[0]);
        if (call->slot == CUSHIM__SLOT(StreamDestroy))
            see_stream(stream);
        if (stream)
            cushim__order_stream_destroy(stream);
        return true;
    case ORDER_DESTROY_EVENT:
        if (call->slot == CUSHIM__SLOT(EventDestroy))
            see_event(cushim__order_event(number));
        cushim__order_event_destroy(number);
        return true;
    case ORDER_DESTROY_EXEC:
        cushim__order_exec_destroy(number);
        return true;
    case ORDER_DESTROY_CONTEXT:
        order_all();
        cushim__order_context_destroy(number);
        return true;
    case ORDER_BEGIN_CAPTURE:
        begin_capture(call, call->values[0]);
        return true;
    default:
        return false;
    }
}

/* A capture ends whatever the driver says, unless there was none. */
static bool counts(const struct cushim__call *call, const struct order_rule *rule, CUresult answer)
{
    if (call->is_injected || rule->action == ORDER_NOTHING)
        return false;
    if (rule->action == ORDER_END_CAPTURE)
        return answer != CUDA_ERROR_ILLEGAL_STATE;
    return answer == CUDA_SUCCESS;
}

static void judge(const struct cushim__call *call, const struct order_rule *rule,
                  const struct under_way *entry)
{
    if (cushim__unknown_functions != unknown_functions || !entry || entry->overlaps)
        order_all();
    unknown_functions = cushim__unknown_functions;
    if (rule->action == ORDER_END_CAPTURE)
        end_capture(call, call->values[0]);
    else if (!apply_life(call, rule) && capture_count > 0)
        note_in_capture(call, rule);
    else if (entry && rule->action < ORDER_CREATE_STREAM)
        apply(call, rule, entry);
    else if (entry && rule->action > ORDER_END_CAPTURE)
        apply_without_stream(call, rule, entry);
    if (!entry || entry->overlaps)
        order_all();
}

static void ended(struct cushim__call *call, CUresult answer)
{
    const struct order_rule *rule = cushim__order_rule(call->slot);
    struct under_way *entry = rule->action == ORDER_NOTHING ? NULL : find(call->number);

    if (counts(call, rule, answer)) {
        cushim__race_user = RACE_OF_CHECK;
        judge(call, rule, entry);
        cushim__race_user = RACE_OF_MOCK;
    }
    if (entry)
        entry->call = 0;
}

static void destroy(void)
{
    cushim__race_user = RACE_OF_CHECK;
    cushim__order_objects_clear();
    cushim__race_destroy();
    cushim__race_user = RACE_OF_MOCK;
    memset(calls, 0, sizeof calls);
    awaiting_count = capture_count = 0;
    has_opaque_graphs = has_copy_graphs = false;
}

static bool begin(void)
{
    static const struct race_host host = {
        .find = find_memory, .name = name_memory, .found = found_race, .log = log_nothing};
    bool is_created;

    cushim__order_rules_prepare();
    unknown_functions = cushim__unknown_functions;
    submitted = 0;
    cushim__race_user = RACE_OF_CHECK;
    is_created = cushim__race_create(&host);
    cushim__race_user = RACE_OF_MOCK;
    return is_created;
}

const struct cushim__check_module cushim__check_order = {
    .begin = begin,
    .started = started,
    .before = before,
    .ended = ended,
    .begin_child = destroy,
    .destroy = destroy,
};
