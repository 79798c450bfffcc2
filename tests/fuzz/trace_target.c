/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of trace files, and the outputs made from them. The input has records of four threads,
 * and then bytes to overwrite in the file. All numbers are small, so that records refer to each
 * other.
 */
#include <stdlib.h>
#include <string.h>

#include "src/trace/file.h"
#include "src/trace/read/output.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/json_check.h"
#include "tests/support/folder.h"

enum { HEADER_BYTES = 4352, CHUNK_BYTES = 4096, THREADS = 4, CHUNKS = 12, OVERWRITES = 16 };

_Static_assert(HEADER_BYTES >= sizeof(struct trace_header), "the header has its room");

struct image {
    uint8_t bytes[HEADER_BYTES + CHUNKS * CHUNK_BYTES];
    struct trace_header header;
    struct trace_chunk chunks[CHUNKS];
    size_t chunk_of[THREADS + 1]; /* 1 + index of the thread's chunk */
    uint64_t now;
};

static void put(struct image *image, unsigned thread, const struct trace_record *record,
                const uint64_t *words)
{
    const size_t size = sizeof *record + record->words * sizeof *words;
    struct trace_chunk *chunk = NULL;
    uint8_t *to;

    if (image->chunk_of[thread])
        chunk = &image->chunks[image->chunk_of[thread] - 1];
    if (!chunk || sizeof *chunk + chunk->used + size > CHUNK_BYTES) {
        if (image->header.chunk_count == CHUNKS)
            return;
        image->chunk_of[thread] = (size_t)++image->header.chunk_count;
        chunk = &image->chunks[image->chunk_of[thread] - 1];
        *chunk = (struct trace_chunk){.thread = thread};
    }
    to = image->bytes + HEADER_BYTES + (image->chunk_of[thread] - 1) * CHUNK_BYTES + sizeof *chunk +
         chunk->used;
    memcpy(to, record, sizeof *record);
    memcpy(to + sizeof *record, words, size - sizeof *record);
    chunk->used += (uint32_t)size;
}

static void put_work(struct image *image, struct fuzz_input *input, unsigned thread,
                     struct trace_record *record)
{
    struct trace_work work = {.kind = fuzz_byte(input)};
    uint64_t words[sizeof work / 8];

    work.context = fuzz_below(input, 3);
    work.stream = fuzz_below(input, 6);
    work.object = fuzz_below(input, 4);
    work.bytes = fuzz_number(input, 2);
    work.device = fuzz_below(input, 3) - 1u;
    work.grid[0] = fuzz_byte(input);
    record->words = sizeof words / sizeof words[0];
    memcpy(words, &work, sizeof words);
    put(image, thread, record, words);
}

static void put_named(struct image *image, struct fuzz_input *input, unsigned thread,
                      struct trace_record *record)
{
    uint64_t words[32] = {fuzz_below(input, 5), fuzz_below(input, 6)};
    const size_t before = record->kind == TRACE_NAME ? 2 : 0;
    char *text = fuzz_text(input);

    strncpy((char *)(words + before), text, (31 - before) * sizeof *words);
    record->words = (uint8_t)(before + strlen((char *)(words + before)) / 8 + 1);
    put(image, thread, record, words);
    free(text);
}

static void put_record(struct image *image, struct fuzz_input *input)
{
    const unsigned thread = 1 + fuzz_below(input, THREADS);
    struct trace_record record = {.kind = (uint8_t)(1 + fuzz_below(input, 5))};
    uint64_t words[12];

    image->now += fuzz_byte(input);
    record.slot = (uint16_t)fuzz_number(input, 2);
    record.began_ns = image->now;
    record.ended_ns = fuzz_byte(input);
    if (record.ended_ns)
        record.ended_ns += image->now;
    if (record.kind == TRACE_WORK) {
        put_work(image, input, thread, &record);
    } else if (record.kind != TRACE_CALL) {
        put_named(image, input, thread, &record);
    } else {
        record.code = fuzz_byte(input);
        record.flags = (uint32_t)fuzz_number(input, 2);
        record.words = (uint8_t)fuzz_below(input, 12);
        for (unsigned i = 0; i < record.words; i++)
            words[i] = fuzz_below(input, 250);
        put(image, thread, &record, words);
    }
}

/* Returns the length of the file. */
static size_t overwrite(struct image *image, struct fuzz_input *input)
{
    const size_t size = HEADER_BYTES + (size_t)image->header.chunk_count * CHUNK_BYTES;

    for (unsigned i = 0; i < OVERWRITES && input->left; i++) {
        const size_t place = (size_t)fuzz_number(input, 2) % size;
        image->bytes[place] = fuzz_byte(input);
    }
    return input->left ? (size_t)fuzz_number(input, 2) % size : size;
}

/* --- what is true of every trace file, whatever it contains --- */

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

/* Read the file at `path`, and write all outputs. */
static void check_file(const char *path)
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
}

static void remove_folder(void)
{
    folder_remove(NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool has_folder;
    struct image *image = calloc(1, sizeof *image);
    struct fuzz_input input = {data, size};

    CLAIM(image);
    if (!has_folder && folder_create(NULL) == 0)
        has_folder = atexit(remove_folder) == 0;
    image->header = (struct trace_header){.magic = TRACE_MAGIC,
                                          .version = TRACE_VERSION,
                                          .header_bytes = HEADER_BYTES,
                                          .chunk_bytes = CHUNK_BYTES,
                                          .flags = fuzz_byte(&input),
                                          .chunk_limit = CHUNKS,
                                          .began_ns = fuzz_byte(&input)};
    image->now = image->header.began_ns;
    for (unsigned records = (unsigned)fuzz_number(&input, 2); records-- && input.left;)
        put_record(image, &input);
    memcpy(image->bytes, &image->header, sizeof image->header);
    for (size_t i = 0; i < image->header.chunk_count; i++)
        memcpy(image->bytes + HEADER_BYTES + i * CHUNK_BYTES, &image->chunks[i],
               sizeof image->chunks[i]);
    size = overwrite(image, &input);
    check_file(folder_write("input.trace", image->bytes, size));
    free(image);
    return 0;
}
