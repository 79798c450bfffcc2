/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "src/base/text.h"
#include "src/trace/read/output.h"

/*
 * The traced process has a track for the calls of each thread and one for the thread's ranges;
 * process ranges are asynchronous events. Each context is shown as a process, with a track for each
 * stream.
 */
struct json_output {
    const struct trace_timeline *timeline;
    FILE *file;
    uint64_t process, highest_thread;
};

void trace_put_string(FILE *file, const char *text)
{
    enum { LONGEST = TRACE_TEXT_BYTES };
    char cut[LONGEST + 1], escaped[6 * LONGEST + 3]; /* a byte becomes 6 at most: \ufffd */
    struct cushim__text buffer;
    size_t part;

    snprintf(cut, sizeof cut, "%s", text);
    cushim__text_begin(&buffer, escaped, sizeof escaped);
    cushim__text_json(&buffer, cut);
    for (const char *next = escaped; *next; next += part) {
        part = strcspn(next, "<");
        fwrite(next, 1, part, file);
        if (next[part]) {
            fputs("\\u003c", file);
            part++;
        }
    }
}

void trace_put_strings(FILE *file, const struct trace_set *set, const uint32_t *numbers,
                       size_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fputs(i ? "," : "[", file);
        trace_put_string(file, trace_set_at(set, numbers ? numbers[i] : i));
    }
    fputs(count ? "]" : "[]", file);
}

void trace_put_header(const struct trace_timeline *timeline, FILE *file)
{
    const struct trace_reader *reader = timeline->reader;
    const struct trace_header *header = &reader->header;

    fputs("\"program\":", file);
    trace_put_string(file, header->program);
    fputs(",\"driver\":", file);
    trace_put_string(file, header->driver);
    fprintf(file,
            ",\"driver_version\":%" PRIu32 ",\"process\":%" PRIu32 ",\"clock\":\"%s\","
            "\"ended\":%s,\"device_times\":%s,\"began_unix_ns\":\"%" PRIu64 "\"",
            header->driver_version, header->process,
            header->flags & TRACE_VIRTUAL_CLOCK ? "virtual" : "host",
            header->flags & TRACE_ENDED ? "true" : "false",
            header->flags & TRACE_DEVICE_TIMES ? "true" : "false", header->began_unix_ns);
    fprintf(file,
            ",\"duration_ns\":%" PRIu64 ",\"lost_calls\":%" PRIu64 ",\"lost_work\":%" PRIu64
            ",\"untimed_work\":%" PRIu64 ",\"unknown_functions\":%" PRIu64
            ",\"call_cost_ns\":%" PRIu64 ",\"event_cost_ns\":%" PRIu64 ",\"damage\":",
            reader->duration_ns, header->lost_calls, header->lost_work, header->untimed_work,
            header->unknown_functions, header->call_cost_ns, header->event_cost_ns);
    trace_put_string(file, reader->damage);
    fputs(",\"unknown_names\":", file);
    trace_put_strings(file, &timeline->names, timeline->unknown, timeline->unknown_count);
}

/* Print a time in microseconds. */
static void put_time(FILE *file, const char *key, uint64_t ns)
{
    fprintf(file, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

/* The first event is written by trace_write_json(), so all others follow a comma. */
static void begin_event(const struct json_output *output, char phase, uint64_t process,
                        uint64_t thread, uint64_t time_ns)
{
    fprintf(output->file, ",\n{\"ph\":\"%c\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64, phase, process,
            thread);
    put_time(output->file, "ts", time_ns);
}

/* Begin an event of a track whose events nest. */
static void begin_span(const struct json_output *output, uint64_t process, uint64_t thread,
                       uint64_t began_ns, uint64_t ended_ns)
{
    begin_event(output, 'X', process, thread, began_ns);
    put_time(output->file, "dur", ended_ns - began_ns);
}

static void put_name(const struct json_output *output, const char *name, const char *category)
{
    fputs(",\"name\":", output->file);
    trace_put_string(output->file, name);
    fprintf(output->file, ",\"cat\":\"%s\"", category);
}

/* Put the name of a process or a thread, and its position among the others. */
static void put_metadata(const struct json_output *output, const char *what, uint64_t process,
                         uint64_t thread, const char *name, uint64_t position)
{
    begin_event(output, 'M', process, thread, 0);
    fprintf(output->file, ",\"name\":\"%s_name\",\"args\":{\"name\":", what);
    trace_put_string(output->file, name);
    fputs("}}", output->file);
    begin_event(output, 'M', process, thread, 0);
    fprintf(output->file, ",\"name\":\"%s_sort_index\",\"args\":{\"sort_index\":%" PRIu64 "}}",
            what, position);
}

/* The process and the thread as which a track is shown. */
static uint64_t process_of(const struct json_output *output, const struct trace_track *track)
{
    return track->kind == TRACE_TRACK_WORK
               ? output->process + 1 + output->timeline->streams[track->owner].context
               : output->process;
}

static uint64_t thread_of(const struct json_output *output, const struct trace_track *track)
{
    return track->owner + (track->kind == TRACE_TRACK_RANGES ? output->highest_thread
                           : track->kind == TRACE_TRACK_WORK ? 1
                                                             : 0);
}

static void put_tracks(const struct json_output *output)
{
    const struct trace_timeline *timeline = output->timeline;

    put_metadata(output, "process", output->process, 0, timeline->process_name, 0);
    for (size_t i = 0; i < timeline->context_count; i++)
        put_metadata(output, "process", output->process + 1 + i, 0, timeline->contexts[i].name,
                     1 + i);
    for (size_t i = 0; i < timeline->track_count; i++) {
        const struct trace_track *track = &timeline->tracks[i];
        if (track->kind != TRACE_TRACK_PROCESS_RANGES && track->kind != TRACE_TRACK_MEMORY)
            put_metadata(output, "thread", process_of(output, track), thread_of(output, track),
                         track->name, i);
    }
}

static void put_argument(FILE *file, const struct trace_argument *argument, unsigned index)
{
    char text[96];

    if (argument->name[0])
        fprintf(file, "\"%s\":", argument->name);
    else
        fprintf(file, "\"argument %u\":", index);
    if (argument->is_handle)
        snprintf(text, sizeof text, "%s 0x%" PRIx64, argument->text, argument->value);
    if (argument->is_number)
        fputs(argument->text, file);
    else
        trace_put_string(file, argument->is_handle ? text
                               : argument->string  ? argument->string
                                                   : argument->text);
}

static void put_call(const struct json_output *output, const struct trace_item *item)
{
    const struct trace_timeline *timeline = output->timeline;
    const struct trace_record *record = item->record;
    char buffer[TRACE_RESULT_BYTES];
    FILE *file = output->file;

    begin_span(output, output->process, timeline->reader->threads[item->thread].number,
               item->began_ns, item->ended_ns);
    put_name(output, trace_slot_name(timeline, record->slot),
             trace_class_names[trace_class_of(timeline, record)]);
    fputs(",\"args\":{", file);
    for (unsigned i = 0; i < trace_argument_count(item); i++) {
        struct trace_argument argument;
        if (trace_argument_read(timeline, item, i, &argument)) {
            put_argument(file, &argument, i);
            fputc(',', file);
        }
    }
    if (record->flags & TRACE_INJECTED)
        fputs("\"injected\":true,", file);
    fprintf(file, "\"returned\":\"%s\"}}",
            record->ended_ns ? trace_result_name(record->code, buffer) : "not");
}

/* Put one end of an arrow from a call to its work. */
static void put_flow(const struct json_output *output, char phase, uint64_t process,
                     uint64_t thread, uint64_t time_ns, size_t number)
{
    begin_event(output, phase, process, thread, time_ns);
    fprintf(output->file, ",\"id\":%zu,\"name\":\"work\",\"cat\":\"work\"%s}", number,
            phase == 'f' ? ",\"bp\":\"e\"" : "");
}

static void put_work(const struct json_output *output, const struct trace_track *track,
                     const struct trace_work_event *work)
{
    const struct trace_timeline *timeline = output->timeline;
    const uint64_t duration = work->ended_ns - work->began_ns;
    const uint64_t process = process_of(output, track), thread = thread_of(output, track);
    const size_t number = 1 + (size_t)(work - timeline->works);
    FILE *file = output->file;

    begin_span(output, process, thread, work->began_ns, work->ended_ns);
    put_name(output, trace_set_at(&timeline->names, work->name),
             trace_class_names[trace_class_of_work(work)]);
    fputs(",\"args\":{\"call\":", file);
    trace_put_string(file, trace_slot_name(timeline, work->slot));
    if (work->kind == TRACE_KERNEL) {
        const struct trace_shape *shape = &work->shape;
        fprintf(file,
                ",\"grid\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "],\"block\":[%" PRIu32 ",%" PRIu32
                ",%" PRIu32 "],\"shared_bytes\":%" PRIu32,
                shape->grid[0], shape->grid[1], shape->grid[2], shape->block[0], shape->block[1],
                shape->block[2], shape->shared_bytes);
    }
    if (work->symbol != work->name) {
        fputs(",\"symbol\":", file);
        trace_put_string(file, trace_set_at(&timeline->names, work->symbol));
    }
    if (work->bytes)
        fprintf(file, ",\"bytes\":%" PRIu64, work->bytes);
    if (work->bytes && duration)
        fprintf(file, ",\"GB/s\":%.3f", (double)work->bytes / (double)duration);
    fputs("}}", file);
    if (!work->call)
        return;
    put_flow(output, 's', output->process, timeline->reader->threads[work->thread].number,
             work->call_ns, number);
    put_flow(output, 'f', process, thread, work->began_ns, number);
}

/* Put a range as an asynchronous event, which may overlap others. */
static void put_process_range(const struct json_output *output, const struct trace_range *range)
{
    const size_t number = 1 + (size_t)(range - output->timeline->ranges);

    for (const char *phase = "be"; *phase; phase++) {
        begin_event(output, *phase, output->process, 0,
                    *phase == 'b' ? range->began_ns : range->ended_ns);
        put_name(output, trace_set_at(&output->timeline->names, range->name), "range");
        fprintf(output->file, ",\"id\":%zu}", number);
    }
}

static void put_range(const struct json_output *output, const struct trace_track *track,
                      const struct trace_range *range)
{
    const uint64_t thread = thread_of(output, track);

    if (range->is_mark)
        begin_event(output, 'i', output->process, thread, range->began_ns);
    else
        begin_span(output, output->process, thread, range->began_ns, range->ended_ns);
    put_name(output, trace_set_at(&output->timeline->names, range->name),
             range->is_mark ? "mark" : "range");
    fputs(range->is_mark ? ",\"s\":\"t\"}" : "}", output->file);
}

static void put_memory(const struct json_output *output, const struct trace_memory *memory)
{
    begin_event(output, 'C', output->process, 0, memory->time_ns);
    fprintf(output->file, ",\"name\":\"device memory\",\"args\":{\"bytes\":%" PRIu64 "}}",
            memory->bytes);
}

static void put_events(const struct json_output *output, const struct trace_track *track)
{
    const struct trace_timeline *timeline = output->timeline;

    for (size_t i = track->first; i < track->end; i++) {
        if (track->kind == TRACE_TRACK_WORK)
            put_work(output, track, &timeline->works[i]);
        else if (track->kind == TRACE_TRACK_MEMORY)
            put_memory(output, &timeline->memory[i]);
        else if (track->kind == TRACE_TRACK_RANGES)
            put_range(output, track, &timeline->ranges[i]);
        else if (track->kind == TRACE_TRACK_PROCESS_RANGES)
            put_process_range(output, &timeline->ranges[i]);
        else if (timeline->reader->items[i].record->kind == TRACE_CALL)
            put_call(output, &timeline->reader->items[i]);
    }
}

void trace_write_json(const struct trace_timeline *timeline, FILE *file)
{
    const struct trace_reader *reader = timeline->reader;
    struct json_output output = {timeline, file, reader->header.process, 0};

    if (reader->thread_count)
        output.highest_thread = reader->threads[reader->thread_count - 1].number;
    fputs("{\"traceEvents\":[\n", file);
    fprintf(file,
            "{\"ph\":\"M\",\"pid\":%" PRIu64 ",\"tid\":0,\"ts\":0,\"name\":\"process_labels\","
            "\"args\":{\"labels\":\"cushim trace\"}}",
            output.process);
    put_tracks(&output);
    for (size_t i = 0; i < timeline->track_count; i++)
        put_events(&output, &timeline->tracks[i]);
    fputs("\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{", file);
    trace_put_header(timeline, file);
    fputs("}}\n", file);
}
