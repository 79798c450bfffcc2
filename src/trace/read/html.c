/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/trace/read/output.h"
#include "src/trace/read/viewer/viewer.h"

/* Once the details of events take this many bytes, no new ones are added. */
enum { DETAIL_BYTES = 64 << 20 };

struct html_output {
    const struct trace_timeline *timeline;
    FILE *file;
    struct trace_set details;
    uint64_t lost_details;
    unsigned char *bytes; /* the events of all tracks, encoded */
    size_t size, room;
    uint64_t began_ns; /* of the last event of the track */
};

static void put_number(struct html_output *output, uint64_t number)
{
    TRACE_ROOM(output->bytes, output->size, output->room);
    for (; number >= 128; number >>= 7) {
        output->bytes[output->size++] = (unsigned char)(number | 128);
        TRACE_ROOM(output->bytes, output->size, output->room);
    }
    output->bytes[output->size++] = (unsigned char)number;
}

static void put_begin(struct html_output *output, uint64_t began_ns)
{
    put_number(output, began_ns - output->began_ns);
    output->began_ns = began_ns;
}

/* `detail` is 1 + its index, or 0; `link` is 1 + the number of the queuing call, or 0. */
static void put_event(struct html_output *output, uint64_t began_ns, uint64_t ended_ns,
                      uint32_t name, enum trace_class is, uint32_t detail, uint64_t link)
{
    put_begin(output, began_ns);
    put_number(output, ended_ns - began_ns);
    put_number(output, name);
    put_number(output, (uint64_t)is);
    put_number(output, detail);
    put_number(output, link);
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

/* Add the detail of a call: `bytesize=256, hStream=stream#1 -> CUDA_ERROR_INVALID_VALUE`. */
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
    if (item->record->ended_ns && item->record->code != 0)
        cushim__text_format(&text, "%s-> %s", text.length ? " " : "",
                            trace_result_name(item->record->code, result));
    if (item->record->flags & TRACE_INJECTED)
        cushim__text_add(&text, " (injected)");
    return add_detail(output, buffer);
}

static void put_call(struct html_output *output, const struct trace_item *item)
{
    if (item->record->kind == TRACE_CALL)
        put_event(output, item->began_ns, item->ended_ns,
                  output->timeline->slot_names[item->record->slot],
                  trace_class_of(output->timeline, item->record), call_detail(output, item), 0);
}

static void put_work(struct html_output *output, const struct trace_work_event *work)
{
    char buffer[192 + 3 * TRACE_TEXT_BYTES];
    struct cushim__text text;

    cushim__text_begin(&text, buffer, sizeof buffer);
    if (work->kind == TRACE_KERNEL) {
        const struct trace_shape *shape = &work->shape;
        cushim__text_format(&text,
                            "grid %" PRIu32 " x %" PRIu32 " x %" PRIu32 ", block %" PRIu32
                            " x %" PRIu32 " x %" PRIu32,
                            shape->grid[0], shape->grid[1], shape->grid[2], shape->block[0],
                            shape->block[1], shape->block[2]);
        if (shape->shared_bytes)
            cushim__text_format(&text, ", %" PRIu32 " byte%s of shared memory", shape->shared_bytes,
                                shape->shared_bytes == 1 ? "" : "s");
    }
    if (work->bytes)
        cushim__text_format(&text, "%s%" PRIu64 " byte%s", text.length ? ", " : "", work->bytes,
                            work->bytes == 1 ? "" : "s");
    if (work->symbol != work->name)
        cushim__text_format(&text, "%s%s", text.length ? ", " : "",
                            trace_set_at(&output->timeline->names, work->symbol));
    put_event(output, work->began_ns, work->ended_ns, work->name, trace_class_of_work(work),
              add_detail(output, buffer), work->call);
}

static void put_range(struct html_output *output, const struct trace_range *range)
{
    put_event(output, range->began_ns, range->ended_ns, range->name,
              range->is_mark ? TRACE_CLASS_MARK : TRACE_CLASS_RANGE, 0, 0);
}

static void put_memory(struct html_output *output, const struct trace_memory *memory)
{
    put_begin(output, memory->time_ns);
    put_number(output, memory->bytes << 1); /* zigzag encoding of a number that is never negative */
}

static void encode_track(struct html_output *output, const struct trace_track *track)
{
    const struct trace_timeline *timeline = output->timeline;

    output->began_ns = 0;
    for (size_t i = track->first; i < track->end; i++) {
        if (track->kind == TRACE_TRACK_CALLS)
            put_call(output, &timeline->reader->items[i]);
        else if (track->kind == TRACE_TRACK_WORK)
            put_work(output, &timeline->works[i]);
        else if (track->kind == TRACE_TRACK_MEMORY)
            put_memory(output, &timeline->memory[i]);
        else
            put_range(output, &timeline->ranges[i]);
    }
}

static void put_base64(const unsigned char *bytes, size_t size, FILE *file)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i < 3 ? size - i : 3;
        const unsigned three = (unsigned)bytes[i] << 16 |
                               (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0);

        fputc(digits[three >> 18], file);
        fputc(digits[three >> 12 & 63], file);
        fputc(left > 1 ? digits[three >> 6 & 63] : '=', file);
        fputc(left > 2 ? digits[three & 63] : '=', file);
    }
}

static void put_tracks(const struct html_output *output)
{
    static const char *const kinds[] = {"ranges", "thread", "ranges", "stream", "counter"};

    fputs(",\n\"tracks\":[", output->file);
    for (size_t i = 0; i < output->timeline->track_count; i++) {
        const struct trace_track *track = &output->timeline->tracks[i];

        fprintf(output->file, "%s{\"kind\":\"%s\",\"name\":", i ? ",\n" : "\n", kinds[track->kind]);
        trace_put_string(output->file, track->name);
        fputs(",\"group\":", output->file);
        trace_put_string(output->file, track->group);
        fprintf(output->file, ",\"count\":%zu%s}", track->count,
                track->kind == TRACE_TRACK_MEMORY ? ",\"unit\":\"bytes\"" : "");
    }
    fputs("]", output->file);
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
    fprintf(file, ",\"lost_details\":%" PRIu64 ",\n\"names\":", output->lost_details);
    trace_put_strings(file, &output->timeline->names, NULL, output->timeline->names.count);
    fputs(",\n\"details\":", file);
    trace_put_strings(file, &output->details, NULL, output->details.count);
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

    /* Encoding the events collects their details, which are written before the events. */
    for (size_t i = 0; i < timeline->track_count; i++)
        encode_track(&output, &timeline->tracks[i]);
    fputs(cushim__trace_viewer_before, file);
    put_data(&output);
    fputs("<script id=\"events\" type=\"application/octet-stream\">", file);
    put_base64(output.bytes, output.size, file);
    fputs("</script>\n", file);
    fputs(cushim__trace_viewer_behind, file);
    free(output.bytes);
    trace_set_free(&output.details);
}
