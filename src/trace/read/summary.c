/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/trace/read/output.h"

enum { FUNCTIONS = 10, ERRORS = 4, KERNELS = 8, STREAMS = 5, GAPS = 3, NAME_BYTES = 45 };

/* The total time of the calls of a function, the runs of a kernel, or the work of a kind. */
struct total {
    const char *name;
    uint64_t count, total_ns, longest_ns, bytes;
};

struct span {
    uint64_t context, began_ns, ended_ns;
};

struct duration_text {
    char text[24];
};

static struct duration_text duration(uint64_t ns)
{
    static const struct {
        uint64_t ns;
        const char *unit;
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}};
    struct duration_text result;

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (ns >= units[i].ns) {
            snprintf(result.text, sizeof result.text, "%.3f %s", (double)ns / (double)units[i].ns,
                     units[i].unit);
            return result;
        }
    }
    snprintf(result.text, sizeof result.text, "%" PRIu64 " ns", ns);
    return result;
}

struct name_text {
    char text[100];
};

/* A name on one line, cut to `size` bytes including the NUL; `size` is at most 100. */
static struct name_text shown(const char *name, size_t size)
{
    char plain[3 * TRACE_TEXT_BYTES];
    struct name_text result;
    struct cushim__text text;
    size_t length;

    cushim__text_begin(&text, plain, sizeof plain);
    cushim__text_plain(&text, name);
    if (text.length >= size) {
        length = size - sizeof "...";
        while (length && (plain[length] & 0xc0) == 0x80)
            length--;
        memcpy(plain + length, "...", sizeof "...");
    }
    memcpy(result.text, plain, strlen(plain) + 1);
    return result;
}

static int by_total(const void *one, const void *other)
{
    const struct total *a = one, *b = other;

    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Print the `most` elements with the longest total times. */
static void put_totals(FILE *file, struct total *totals, size_t count, size_t most)
{
    qsort(totals, count, sizeof *totals, by_total);
    for (size_t i = 0; i < count && i < most; i++) {
        const struct total *total = &totals[i];
        fprintf(file, "  %-*s %8" PRIu64 " %12s %12s %12s\n", NAME_BYTES,
                shown(total->name, NAME_BYTES).text, total->count, duration(total->total_ns).text,
                duration(total->total_ns / total->count).text, duration(total->longest_ns).text);
    }
    if (count > most)
        fprintf(file, "  and %zu more\n", count - most);
}

static void put_heading(FILE *file, const char *heading)
{
    fprintf(file, "%-*s %8s %12s %12s %12s\n", NAME_BYTES + 2, heading, "count", "total", "mean",
            "longest");
}

static void put_calls(const struct trace_timeline *timeline, FILE *file)
{
    struct total *totals = NULL;
    size_t count = 0, room = 0;
    char heading[96];

    for (unsigned slot = 0; slot < TRACE_SLOTS; slot++) {
        const struct trace_function *function = &timeline->functions[slot];
        if (!function->calls)
            continue;
        TRACE_ROOM(totals, count, room);
        totals[count++] = (struct total){trace_slot_name(timeline, slot), function->calls,
                                         function->total_ns, function->longest_ns, 0};
    }
    if (!count) {
        fputs("No call was recorded: --calls, --from-profiler, --delay and --duration choose.\n",
              file);
        return;
    }
    snprintf(heading, sizeof heading, "%" PRIu64 " call%s, blocked %s", timeline->call_count,
             timeline->call_count == 1 ? "" : "s", duration(timeline->blocked_ns).text);
    put_heading(file, heading);
    put_totals(file, totals, count, FUNCTIONS);
    free(totals);
}

static void put_errors(const struct trace_timeline *timeline, FILE *file)
{
    char result[TRACE_RESULT_BYTES];

    if (timeline->error_count)
        fputs("Errors\n", file);
    for (size_t i = 0; i < timeline->error_count && i < ERRORS; i++) {
        const struct trace_error *error = &timeline->errors[i];
        fprintf(file, "  %.32s returned %.40s: %" PRIu64 ", first at %s\n",
                trace_slot_name(timeline, error->slot), trace_result_name(error->code, result),
                error->count, duration(error->first_ns).text);
    }
    if (timeline->error_count > ERRORS)
        fprintf(file, "  and %zu more\n", timeline->error_count - ERRORS);
}

static void add_work(struct total *total, const struct trace_work_event *work, const char *name)
{
    const uint64_t took = work->ended_ns - work->began_ns;

    total->name = name;
    total->count++;
    total->total_ns += took;
    total->bytes += work->bytes;
    if (took > total->longest_ns)
        total->longest_ns = took;
}

static void put_kernels(const struct trace_timeline *timeline, FILE *file)
{
    struct total *totals = trace_zeros(timeline->names.count, sizeof *totals);
    size_t count = 0;

    for (size_t i = 0; i < timeline->work_count; i++) {
        const struct trace_work_event *work = &timeline->works[i];
        if (work->kind == TRACE_KERNEL)
            add_work(&totals[work->name], work, trace_set_at(&timeline->names, work->name));
    }
    for (size_t i = 0; i < timeline->names.count; i++) {
        if (totals[i].count)
            totals[count++] = totals[i];
    }
    if (count) {
        put_heading(file, "Kernels");
        put_totals(file, totals, count, KERNELS);
    }
    free(totals);
}

/* Print all work but kernels, by kind. */
static void put_other_work(const struct trace_timeline *timeline, FILE *file)
{
    struct total totals[TRACE_HOST_FUNCTION + 1] = {0};

    for (size_t i = 0; i < timeline->work_count; i++) {
        const struct trace_work_event *work = &timeline->works[i];
        if (work->kind != TRACE_KERNEL)
            add_work(&totals[work->kind], work, trace_kind_name(work->kind));
    }
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        if (!totals[i].count)
            continue;
        fprintf(file, "  %s: %" PRIu64 " in %s", totals[i].name, totals[i].count,
                duration(totals[i].total_ns).text);
        if (totals[i].bytes)
            fprintf(file, ", %" PRIu64 " byte%s", totals[i].bytes, totals[i].bytes == 1 ? "" : "s");
        if (totals[i].bytes && totals[i].total_ns)
            fprintf(file, ", %.3f GB/s", (double)totals[i].bytes / (double)totals[i].total_ns);
        fputc('\n', file);
    }
}

static void put_streams(const struct trace_timeline *timeline, FILE *file)
{
    for (size_t i = 0, count = 0; i < timeline->track_count && count < STREAMS; i++) {
        const struct trace_track *track = &timeline->tracks[i];
        char name[2 * sizeof track->name + 4];
        uint64_t busy_ns;
        if (track->kind != TRACE_TRACK_WORK)
            continue;
        busy_ns = timeline->streams[track->owner].busy_ns;
        count++;
        snprintf(name, sizeof name, "%s, %s", track->group, track->name);
        fprintf(file, "  %s: busy %s", shown(name, 60).text, duration(busy_ns).text);
        if (timeline->reader->duration_ns)
            fprintf(file, " (%.1f %%)",
                    100 * (double)busy_ns / (double)timeline->reader->duration_ns);
        fputc('\n', file);
    }
    if (timeline->stream_count > STREAMS)
        fprintf(file, "  and %zu more streams\n", timeline->stream_count - STREAMS);
}

/* Insert a gap into the list of the longest, after those of the same length. */
static void add_gap(struct span *gaps, const struct span *gap)
{
    size_t place = GAPS;

    while (place &&
           gap->ended_ns - gap->began_ns > gaps[place - 1].ended_ns - gaps[place - 1].began_ns)
        place--;
    if (place == GAPS)
        return;
    memmove(gaps + place + 1, gaps + place, (GAPS - 1 - place) * sizeof *gaps);
    gaps[place] = *gap;
}

/* Print the longest gaps between a context's first and last work in which no stream had any. */
static void put_gaps(const struct trace_timeline *timeline, FILE *file)
{
    struct span gaps[GAPS] = {0}, gap;
    struct span *spans = trace_zeros(timeline->work_count, sizeof *spans);
    uint64_t reached = 0;

    for (size_t i = 0; i < timeline->work_count; i++) {
        const struct trace_work_event *work = &timeline->works[i];
        spans[i] =
            (struct span){timeline->streams[work->stream].context, work->began_ns, work->ended_ns};
    }
    qsort(spans, timeline->work_count, sizeof *spans, trace_by_two);
    for (size_t i = 0; i < timeline->work_count; i++) {
        if (i == 0 || spans[i].context != spans[i - 1].context)
            reached = spans[i].began_ns;
        gap = (struct span){spans[i].context, reached, spans[i].began_ns};
        if (gap.ended_ns > gap.began_ns)
            add_gap(gaps, &gap);
        if (spans[i].ended_ns > reached)
            reached = spans[i].ended_ns;
    }
    for (size_t i = 0; i < GAPS && gaps[i].ended_ns; i++)
        fprintf(file, "  %s: idle %s from %s on\n",
                shown(timeline->contexts[gaps[i].context].name, 50).text,
                duration(gaps[i].ended_ns - gaps[i].began_ns).text,
                duration(gaps[i].began_ns).text);
    free(spans);
}

static void put_unknown(const struct trace_timeline *timeline, FILE *file)
{
    char line[1024];
    struct cushim__text text;

    cushim__text_begin(&text, line, sizeof line);
    for (size_t i = 0; i < timeline->unknown_count; i++)
        cushim__text_format(&text, "%s%s", i ? ", " : "",
                            trace_set_at(&timeline->names, timeline->unknown[i]));
    if (text.length)
        fprintf(file, "  %s\n", shown(line, 98).text);
}

static void put_missing(const struct trace_timeline *timeline, FILE *file)
{
    const struct trace_reader *reader = timeline->reader;
    const struct trace_header *header = &reader->header;
    const struct {
        uint64_t count;
        const char *what, *rest;
    } rows[] = {
        {timeline->unfinished_count, "call", "did not return"},
        {header->lost_calls, "call",
         "did not fit: give a larger --buffer, or make room on the disk"},
        {header->lost_work, "piece",
         "of work did not fit: give a larger --buffer, or make room on the disk"},
        {header->untimed_work, "piece", "of work could not be timed"},
        {header->unknown_functions, "function",
         "came from cuGetProcAddress that cushim does not know"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].count)
            fprintf(file, "Missing: %" PRIu64 " %s%s %s\n", rows[i].count, rows[i].what,
                    rows[i].count == 1 ? "" : "s", rows[i].rest);
    }
    put_unknown(timeline, file);
    if (reader->damage[0])
        fprintf(file, "Damaged: %s\n", reader->damage);
    if (!(header->flags & TRACE_ENDED))
        fputs("The process has not ended the trace: it crashed, was killed or still runs.\n", file);
    if (!(header->flags & TRACE_DEVICE_TIMES))
        fputs("The device's work was not timed: device times were off.\n", file);
    if (header->call_cost_ns)
        fprintf(file, "Recording a call takes %s.\n", duration(header->call_cost_ns).text);
}

void trace_write_summary(const struct trace_timeline *timeline, FILE *file)
{
    const struct trace_reader *reader = timeline->reader;
    const struct trace_header *header = &reader->header;

    fprintf(file, "Program: %s\n", shown(header->program, 90).text);
    /* A program that traces itself does not name its driver. */
    fprintf(file, "Driver: %s", header->driver[0] ? shown(header->driver, 70).text : "not known");
    if (header->driver_version)
        fprintf(file, " (CUDA %u.%u)", header->driver_version / 1000,
                header->driver_version % 1000 / 10);
    fprintf(file, "\nDuration: %s%s, %zu thread%s\n", duration(reader->duration_ns).text,
            header->flags & TRACE_VIRTUAL_CLOCK ? " of virtual time" : "", reader->thread_count,
            reader->thread_count == 1 ? "" : "s");
    put_calls(timeline, file);
    put_errors(timeline, file);
    put_kernels(timeline, file);
    if (timeline->work_count) {
        fputs("Device\n", file);
        put_other_work(timeline, file);
        put_streams(timeline, file);
        put_gaps(timeline, file);
    }
    put_missing(timeline, file);
}
