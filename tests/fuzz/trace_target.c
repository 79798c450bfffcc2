/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of trace files, and the outputs made from them. The input has records of four threads,
 * and then bytes to overwrite in the file. All numbers are small, so that records refer to each
 * other.
 */
#include <stdlib.h>
#include <string.h>

#include "src/trace/file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/folder.h"
#include "tests/trace/check.h"

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
    trace_check(folder_write("input.trace", image->bytes, size));
    free(image);
    return 0;
}
