/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/trace/output.h"
#include "src/trace/viewer/viewer.h"

/* The details of events take so many bytes at most; further events have none. */
enum { DETAIL_BYTES = 64 << 20 };

/* Encoded events. */
struct track {
    unsigned char *bytes;
    size_t size, room, count;
    uint64_t began_ns; /* of the last event */
};

struct html_output {
    const struct trace_timeline *timeline;
    FILE *file;
    struct track *threads; /* the calls of each thread */
    struct trace_set details;
    uint64_t lost_details;
    /* Bytes that are not written yet, as base64 takes three at a time. */
    unsigned char left[3];
    size_t left_count;
};

struct event {
    uint64_t began_ns, duration_ns;
    uint32_t name, detail; /* detail: 1 + index; 0: none */
    enum trace_class is;
    uint64_t link;
};

static size_t encode(unsigned char *bytes, uint64_t number)
{
    size_t size = 0;

    for (; number >= 128; number >>= 7)
        bytes[size++] = (unsigned char)(number | 128);
    bytes[size++] = (unsigned char)number;
    return size;
}

enum { LONGEST_EVENT = 60 };

/* Encode an event. `began_ns` is that of the event before it, and is set to that of this one. */
static size_t encode_event(unsigned char *bytes, uint64_t *began_ns, const struct event *event)
{
    const uint64_t numbers[] = {event->began_ns - *began_ns, event->duration_ns, event->name,
                                (uint64_t)event->is,         event->detail,      event->link};
    size_t size = 0;

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        size += encode(bytes + size, numbers[i]);
    *began_ns = event->began_ns;
    return size;
}

static uint32_t add_detail(struct html_output *output, const char *text)
{
    uint32_t index;

    if (!text[0])
        return 0;
    if (output->details.byte_count < DETAIL_BYTES)
        return trace_set_add_text(&output->details, text) + 1;
    index = trace_set_find(&output->details, text, strlen(text));
    output->lost_details += index == TRACE_SET_NONE;
    return index + 1; /* 0 for TRACE_SET_NONE */
}

/* `bytesize=256, hStream=stream#1 -> CUDA_ERROR_INVALID_VALUE`. */
static uint32_t call_detail(struct html_output *output, const struct trace_item *item)
{
    char buffer[1024], result[TRACE_RESULT_BYTES];
    struct trace_argument argument;
    struct cushim__text text;

    cushim__text_begin(&text, buffer, sizeof buffer);
    for (unsigned i = 0; i < trace_argument_count(item); i++) {
        if (!trace_argument_read(output->timeline, item, i, &argument) ||
            (argument.is_pointer && !argument.string))
            continue;
        if (argument.string)
            cushim__text_format(&text, "%s%s=\"%.200s\"", text.length ? ", " : "", argument.name,
                                argument.string);
        else
            cushim__text_format(&text, "%s%s%s%s", text.length ? ", " : "", argument.name,
                                argument.name[0] ? "=" : "", argument.text);
    }
    if (item->record.ended_ns && item->record.code != 0)
        cushim__text_format(&text, "%s-> %s", text.length ? " " : "",
                            trace_result_name(item->record.code, result));
    if (item->record.flags & TRACE_INJECTED)
        cushim__text_add(&text, " (injected)");
    return add_detail(output, buffer);
}

static void add_call(struct html_output *output, const struct trace_item *item)
{
    struct track *track = &output->threads[item->thread];
    const struct event event = {
        item->began_ns,
        item->ended_ns - item->began_ns,
        output->timeline->slot_names[item->record.slot],
        call_detail(output, item),
        trace_class_of(&item->record),
        0,
    };

    if (event.name == TRACE_SET_NONE || event.began_ns < track->began_ns)
        return; /* the file has changed since the timeline was read */
    while (track->room - track->size < LONGEST_EVENT)
        TRACE_ROOM(track->bytes, track->room, track->room);
    track->size += encode_event(track->bytes + track->size, &track->began_ns, &event);
    track->count++;
}

/*
 * The event of a piece of work. It is made twice: before the details are written, to add its own,
 * and as the events are written, when the details have it or it was lost.
 */
static struct event work_event(struct html_output *output, const struct trace_work_event *work)
{
    const uint64_t duration = work->ended_ns - work->began_ns;
    char buffer[192 + 3 * TRACE_TEXT_BYTES];
    struct cushim__text text;

    cushim__text_begin(&text, buffer, sizeof buffer);
    if (work->kind == TRACE_KERNEL) {
        const struct trace_shape shape = trace_shape_of(output->timeline, work);
        cushim__text_format(&text,
                            "grid %" PRIu32 " x %" PRIu32 " x %" PRIu32 ", block %" PRIu32
                            " x %" PRIu32 " x %" PRIu32,
                            shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                            shape.block[1], shape.block[2]);
        if (shape.shared_bytes)
            cushim__text_format(&text, ", %" PRIu32 " byte%s of shared memory", shape.shared_bytes,
                                shape.shared_bytes == 1 ? "" : "s");
    }
    if (work->bytes)
        cushim__text_format(&text, "%s%" PRIu64 " byte%s", text.length ? ", " : "", work->bytes,
                            work->bytes == 1 ? "" : "s");
    if (work->symbol != work->name)
        cushim__text_format(&text, "%s%s", text.length ? ", " : "",
                            trace_set_at(&output->timeline->names, work->symbol));
    return (struct event){
        work->began_ns, duration, work->name, add_detail(output, buffer), trace_class_of_work(work),
        work->call};
}

static struct event range_event(const struct trace_range *range)
{
    return (struct event){range->began_ns,
                          range->ended_ns - range->began_ns,
                          range->name,
                          0,
                          range->is_mark ? TRACE_CLASS_MARK : TRACE_CLASS_RANGE,
                          0};
}

static void put_three(struct html_output *output)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *three = output->left;
    const char text[] = {digits[three[0] >> 2], digits[(three[0] & 3) << 4 | three[1] >> 4],
                         digits[(three[1] & 15) << 2 | three[2] >> 6], digits[three[2] & 63]};
    const size_t count = output->left_count ? output->left_count + 1 : 0;

    fwrite(text, 1, count, output->file);
    fwrite("==", 1, count ? 4 - count : 0, output->file);
    memset(output->left, 0, sizeof output->left);
    output->left_count = 0;
}

static void put_base64(struct html_output *output, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        output->left[output->left_count++] = bytes[i];
        if (output->left_count == sizeof output->left)
            put_three(output);
    }
}

static void put_event(struct html_output *output, uint64_t *began_ns, const struct event *event)
{
    unsigned char bytes[LONGEST_EVENT];

    put_base64(output, bytes, encode_event(bytes, began_ns, event));
}

/* The events of the tracks, in the order of put_tracks(). */
static void put_events(struct html_output *output)
{
    const struct trace_timeline *timeline = output->timeline;
    unsigned char bytes[LONGEST_EVENT];
    uint64_t began_ns;

    for (size_t i = 0; i <= timeline->reader->thread_count; i++) {
        const struct trace_lane *lane = &timeline->lanes[i];
        began_ns = 0;
        for (size_t k = 0; k < lane->range_count; k++) {
            const struct event event = range_event(&timeline->ranges[lane->first_range + k]);
            put_event(output, &began_ns, &event);
        }
        if (i < timeline->reader->thread_count)
            put_base64(output, output->threads[i].bytes, output->threads[i].size);
    }
    for (size_t i = 0; i < timeline->stream_count; i++) {
        const struct trace_stream *stream = &timeline->streams[timeline->order[i]];
        began_ns = 0;
        for (size_t k = 0; k < stream->work_count; k++) {
            const struct event event = work_event(output, &timeline->works[stream->first_work + k]);
            put_event(output, &began_ns, &event);
        }
    }
    began_ns = 0;
    for (size_t i = 0; i < timeline->memory_count; i++) {
        const struct trace_memory *memory = &timeline->memory[i];
        put_base64(output, bytes, encode(bytes, memory->time_ns - began_ns));
        put_base64(output, bytes, encode(bytes, memory->bytes << 1)); /* zigzag: never negative */
        began_ns = memory->time_ns;
    }
    put_three(output);
}

static void put_track(const struct html_output *output, const char *kind, const char *name,
                      const char *group, size_t count, bool *is_first)
{
    fprintf(output->file, "%s{\"kind\":\"%s\",\"name\":", *is_first ? "\n" : ",\n", kind);
    trace_put_string(output->file, name);
    fputs(",\"group\":", output->file);
    trace_put_string(output->file, group);
    fprintf(output->file, ",\"count\":%zu%s}", count,
            strcmp(kind, "counter") == 0 ? ",\"unit\":\"bytes\"" : "");
    *is_first = false;
}

static void put_tracks(const struct html_output *output)
{
    const struct trace_timeline *timeline = output->timeline;
    const struct trace_lane *process = &timeline->lanes[timeline->reader->thread_count];
    char group[32], name[128];
    bool is_first = true;

    snprintf(group, sizeof group, "Process %" PRIu32, timeline->reader->header.process);
    fputs(",\n\"tracks\":[", output->file);
    for (uint32_t i = 0; i < timeline->reader->thread_count; i++) {
        trace_thread_name(timeline, i, name, sizeof name);
        if (timeline->lanes[i].range_count)
            put_track(output, "ranges", "Ranges", group, timeline->lanes[i].range_count, &is_first);
        put_track(output, "thread", name, group, output->threads[i].count, &is_first);
    }
    if (process->range_count)
        put_track(output, "ranges", "Process ranges", group, process->range_count, &is_first);
    for (size_t i = 0; i < timeline->stream_count; i++) {
        const struct trace_stream *stream = &timeline->streams[timeline->order[i]];
        put_track(output, "stream", stream->name, timeline->contexts[stream->context].name,
                  stream->work_count, &is_first);
    }
    if (timeline->memory_count)
        put_track(output, "counter", "device memory", "Memory", timeline->memory_count, &is_first);
    fputs("]", output->file);
}

static void put_strings(FILE *file, const char *key, const struct trace_set *set)
{
    fprintf(file, ",\n\"%s\":[", key);
    for (uint32_t i = 0; i < set->count; i++) {
        fputs(i ? "," : "", file);
        trace_put_string(file, trace_set_at(set, i));
    }
    fputs("]", file);
}

static void put_summary(const struct html_output *output)
{
    const struct trace_timeline *timeline = output->timeline;
    bool is_first = true;

    fputs(",\n\"summary\":[", output->file);
    for (unsigned slot = 0; slot < TRACE_SLOTS; slot++) {
        const struct trace_function *function = &timeline->functions[slot];
        if (!function->calls)
            continue;
        fprintf(output->file,
                "%s[%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]",
                is_first ? "" : ",", timeline->slot_names[slot], function->calls,
                function->total_ns, function->errors, function->blocked_ns, function->longest_ns);
        is_first = false;
    }
    fputs("]", output->file);
}

static void put_data(const struct html_output *output)
{
    FILE *file = output->file;

    fputs("<script id=\"data\" type=\"application/json\">\n{\"format\":1,", file);
    trace_put_header(output->timeline, file);
    fprintf(file, ",\"lost_details\":%" PRIu64, output->lost_details);
    put_strings(file, "names", &output->timeline->names);
    put_strings(file, "details", &output->details);
    fputs(",\n\"classes\":[", file);
    for (int i = 0; i < TRACE_CLASSES; i++)
        fprintf(file, "%s\"%s\"", i ? "," : "", trace_class_names[i]);
    fputs("]", file);
    put_tracks(output);
    put_summary(output);
    fputs("}\n</script>\n", file);
}

void trace_write_html(const struct trace_timeline *timeline, FILE *file)
{
    struct html_output output = {.timeline = timeline, .file = file};
    struct trace_item item;

    output.threads = trace_zeros(timeline->reader->thread_count, sizeof *output.threads);
    trace_reader_rewind(timeline->reader);
    while (trace_reader_next(timeline->reader, &item)) {
        if (item.record.kind == TRACE_CALL)
            add_call(&output, &item);
    }
    /* Add the details of work, which are written before the events. */
    for (size_t i = 0; i < timeline->work_count; i++)
        work_event(&output, &timeline->works[i]);
    fputs(cushim__trace_viewer_before, file);
    put_data(&output);
    fputs("<script id=\"events\" type=\"application/octet-stream\">", file);
    put_events(&output);
    fputs("</script>\n", file);
    fputs(cushim__trace_viewer_behind, file);
    for (size_t i = 0; i < timeline->reader->thread_count; i++)
        free(output.threads[i].bytes);
    free(output.threads);
    trace_set_free(&output.details);
}
