/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/trace/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/trace/read/output.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/json_check.h"

/* The calls of a thread begin in order and nest, and all of their words are readable. */
static void check_items(const struct trace_reader *reader)
{
    enum { THREADS = 64 };
    uint64_t began[THREADS] = {0};
    volatile uint64_t sum = 0;

    for (size_t i = 0; i < reader->item_count; i++) {
        const struct trace_item *item = &reader->items[reader->order[i].item];
        CLAIM(item->thread < reader->thread_count);
        CLAIM(item->began_ns <= item->ended_ns && item->ended_ns <= reader->duration_ns);
        CLAIM(i == 0 || reader->order[i].after_ns >= reader->order[i - 1].after_ns);
        for (unsigned k = 0; k < item->record->words; k++)
            sum += trace_words(item)[k];
        if (item->record->kind != TRACE_CALL || item->thread >= THREADS)
            continue;
        CLAIM(item->began_ns >= began[item->thread]);
        began[item->thread] = item->began_ns;
    }
}

static void check_timeline(const struct trace_timeline *timeline)
{
    uint64_t works = 0;

    for (size_t i = 0; i < timeline->track_count; i++) {
        const struct trace_track *track = &timeline->tracks[i];
        if (track->kind != TRACE_TRACK_WORK)
            continue;
        CLAIM(timeline->streams[track->owner].context < timeline->context_count);
        works += track->count;
    }
    CLAIM(works == timeline->work_count);
    for (size_t i = 0; i < timeline->work_count; i++) {
        const struct trace_work_event *work = &timeline->works[i];
        CLAIM(work->call <= timeline->call_count && work->name < timeline->names.count);
        CLAIM(i == 0 || work->stream != work[-1].stream || work->began_ns >= work[-1].ended_ns);
        CLAIM(work->began_ns <= work->ended_ns);
    }
}

/* The text that an output function writes. */
static char *text_of(const struct trace_timeline *timeline,
                     void (*write)(const struct trace_timeline *timeline, FILE *file))
{
    FILE *file = tmpfile();
    char *text;
    long size;

    CLAIM(file);
    write(timeline, file);
    size = ftell(file);
    text = malloc((size_t)size + 1);
    rewind(file);
    CLAIM(text && fread(text, 1, (size_t)size, file) == (size_t)size);
    text[size] = '\0';
    CLAIM(strlen(text) == (size_t)size && utf8_is_valid(text));
    fclose(file);
    return text;
}

static void check_outputs(const struct trace_timeline *timeline)
{
    static const char data[] = "<script id=\"data\" type=\"application/json\">";
    char *json = text_of(timeline, trace_write_json), *page = text_of(timeline, trace_write_html);
    char *summary = text_of(timeline, trace_write_summary), *begin, *end;

    CLAIM(json_is_valid(json));
    begin = strstr(page, data);
    CLAIM(begin && (end = strstr(begin, "</script>")));
    *end = '\0';
    CLAIM(json_is_valid(begin + strlen(data)));
    for (const char *line = summary; *line; line += strcspn(line, "\n") + 1)
        CLAIM(strcspn(line, "\n") <= 200);
    free(json);
    free(page);
    free(summary);
}

bool trace_check(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct trace_reader reader;
    struct trace_timeline timeline;
    char why[256] = "";
    bool is_read;

    CLAIM(file);
    is_read = trace_reader_open(&reader, file, why, sizeof why);
    CLAIM(is_read == (why[0] == '\0'));
    if (is_read) {
        check_items(&reader);
        trace_timeline_read(&timeline, &reader);
        check_timeline(&timeline);
        check_outputs(&timeline);
        trace_timeline_free(&timeline);
        trace_reader_close(&reader);
    }
    fclose(file);
    return is_read;
}
