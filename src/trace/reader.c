/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* fseeko() */

#include "src/trace/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/trace/set.h"

/* The sizes that a reader accepts, beside those that this version writes. */
enum { LARGEST_HEADER = 1 << 20, SMALLEST_CHUNK = 4096, LARGEST_CHUNK = 1 << 24 };

/* Where a chunk is in the file, while the file is read. */
struct chunks {
    struct place {
        uint64_t offset; /* of its records */
        uint64_t system_thread;
        uint32_t thread, size;
    } * places;
    size_t count, room;
    size_t bytes; /* of all records, with room to align each chunk */
};

uint64_t trace_nest(struct trace_nesting *nesting, uint64_t began_ns, uint64_t ended_ns)
{
    while (nesting->count && nesting->ends[nesting->count - 1] <= began_ns)
        nesting->count--;
    if (nesting->count && ended_ns > nesting->ends[nesting->count - 1])
        ended_ns = nesting->ends[nesting->count - 1];
    if (ended_ns < began_ns)
        ended_ns = began_ns;
    TRACE_ROOM(nesting->ends, nesting->count, nesting->room);
    nesting->ends[nesting->count++] = ended_ns;
    return ended_ns;
}

/* The first damage is described, and all others are counted. */
static void note_damage(struct trace_reader *reader, uint64_t offset, const char *what)
{
    if (reader->damage_count++ == 0)
        snprintf(reader->damage, sizeof reader->damage, "at byte %" PRIu64 " %s", offset, what);
}

/* Returns how many bytes were read. If fewer, `error` is why, or 0 at the end of the file. */
static size_t read_at(FILE *file, uint64_t offset, void *buffer, size_t size, int *error)
{
    size_t count = 0;

    errno = 0;
    if (fseeko(file, (off_t)offset, SEEK_SET) == 0)
        count = fread(buffer, 1, size, file);
    *error = count < size ? errno : 0;
    return count;
}

/* NULL, or a predicate that says why the file is refused. */
static const char *check_header(const struct trace_header *header, size_t size, char *buffer,
                                size_t buffer_size)
{
    if (size < sizeof header->magic || memcmp(header->magic, TRACE_MAGIC, sizeof TRACE_MAGIC) != 0)
        return "is no trace: it does not begin with \"" TRACE_MAGIC "\"";
    if (size < sizeof *header) {
        snprintf(buffer, buffer_size, "is cut off in its header, at byte %zu", size);
        return buffer;
    }
    if (header->version != TRACE_VERSION) {
        snprintf(buffer, buffer_size,
                 "is of version %" PRIu32 ", and this command reads version %d", header->version,
                 TRACE_VERSION);
        return buffer;
    }
    if (header->header_bytes < sizeof *header || header->header_bytes > LARGEST_HEADER ||
        header->header_bytes % 8 || header->chunk_bytes < SMALLEST_CHUNK ||
        header->chunk_bytes > LARGEST_CHUNK || header->chunk_bytes % 8) {
        snprintf(buffer, buffer_size,
                 "has a damaged header: at byte %zu, headers of %" PRIu32 " and chunks of %" PRIu32
                 " bytes",
                 offsetof(struct trace_header, header_bytes), header->header_bytes,
                 header->chunk_bytes);
        return buffer;
    }
    return NULL;
}

static int by_thread(const void *one, const void *other)
{
    const struct place *a = one, *b = other;

    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static void add_chunk(struct trace_reader *reader, struct chunks *chunks, uint64_t offset,
                      uint64_t file_size, const struct trace_chunk *chunk)
{
    const uint32_t most = reader->header.chunk_bytes - (uint32_t)sizeof *chunk;
    uint32_t used = chunk->used;

    if (chunk->thread == 0 && used == 0)
        return; /* the thread had taken the chunk and not written to it */
    if (chunk->thread == 0) {
        note_damage(reader, offset, "a chunk with records belongs to no thread");
        return;
    }
    if (used > most) {
        note_damage(reader, offset, "a chunk claims more records than fit");
        used = most;
    }
    offset += sizeof *chunk;
    if (used > file_size - offset) {
        note_damage(reader, file_size, "the file ends in the middle of a chunk");
        used = (uint32_t)(file_size - offset);
    }
    TRACE_ROOM(chunks->places, chunks->count, chunks->room);
    chunks->places[chunks->count++] =
        (struct place){offset, chunk->system_thread, chunk->thread, used};
    chunks->bytes += used + sizeof(uint64_t);
}

/* Find the chunks, and sort them by thread. */
static void find_chunks(struct trace_reader *reader, FILE *file, uint64_t file_size,
                        struct chunks *chunks)
{
    const struct trace_header *header = &reader->header;
    const uint64_t taken =
        header->chunk_count < header->chunk_limit ? header->chunk_count : header->chunk_limit;
    uint64_t offset = header->header_bytes;

    for (uint64_t i = 0; i < taken; i++, offset += header->chunk_bytes) {
        struct trace_chunk chunk;
        int error;
        if (read_at(file, offset, &chunk, sizeof chunk, &error) != sizeof chunk) {
            note_damage(reader, offset,
                        error ? "the file cannot be read"
                              : "the file ends, and chunks that threads have taken are missing");
            break;
        }
        add_chunk(reader, chunks, offset, file_size, &chunk);
    }
    if (chunks->count)
        qsort(chunks->places, chunks->count, sizeof *chunks->places, by_thread);
}

/* What is wrong with a record; NULL: nothing. */
static const char *check_record(const struct trace_record *record, size_t left)
{
    const uint64_t *words = (const uint64_t *)(record + 1);
    const size_t size = record->words * sizeof *words;
    const size_t before = record->kind == TRACE_NAME ? 2 : 0;

    if (left < sizeof *record)
        return "a record is cut off";
    if (size > left - sizeof *record)
        return "a record reaches beyond its chunk";
    switch (record->kind) {
    case TRACE_CALL:
        return NULL;
    case TRACE_WORK:
        return size < sizeof(struct trace_work) ? "a record of work is too short" : NULL;
    case TRACE_NAME:
    case TRACE_RANGE:
    case TRACE_MARK:
        if (record->words <= before || !memchr(words + before, '\0', size - before * sizeof *words))
            return "a record lacks the end of its name";
        return NULL;
    default:
        return "a record is of an unknown kind";
    }
}

/* Add the records of a chunk of the last thread. After a damaged one the rest is skipped. */
static void add_records(struct trace_reader *reader, const char *data, size_t size, uint64_t offset,
                        size_t *room)
{
    struct trace_thread *thread = &reader->threads[reader->thread_count - 1];

    for (size_t at = 0; at < size;) {
        const struct trace_record *record = (const void *)(data + at);
        const char *problem = check_record(record, size - at);
        if (problem) {
            note_damage(reader, offset + at, problem);
            return;
        }
        TRACE_ROOM(reader->items, reader->item_count, *room);
        reader->items[reader->item_count++] =
            (struct trace_item){.record = record, .thread = (uint32_t)reader->thread_count - 1};
        thread->count++;
        at += sizeof *record + record->words * sizeof(uint64_t);
    }
}

static void read_records(struct trace_reader *reader, FILE *file, const struct chunks *chunks)
{
    size_t thread_room = 0, room = 0, used = 0, size;
    int error;

    reader->data = trace_zeros(chunks->bytes, 1);
    for (size_t i = 0; i < chunks->count; i++) {
        const struct place *place = &chunks->places[i];
        if (i == 0 || place->thread != place[-1].thread) {
            TRACE_ROOM(reader->threads, reader->thread_count, thread_room);
            reader->threads[reader->thread_count++] = (struct trace_thread){
                .number = place->thread,
                .system_thread = place->system_thread,
                .first = reader->item_count,
            };
        }
        size = read_at(file, place->offset, reader->data + used, place->size, &error);
        if (size < place->size)
            note_damage(reader, place->offset + size, "the file cannot be read");
        add_records(reader, reader->data + used, size, place->offset, &room);
        used += (size + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
    }
}

/* Convert a time of a record to one from the start of the trace. */
static uint64_t time_of(const struct trace_reader *reader, uint64_t ns)
{
    return ns > reader->header.began_ns ? ns - reader->header.began_ns : 0;
}

/* Set the times and positions of all items. Returns when the last one ends. */
static uint64_t set_times(struct trace_reader *reader)
{
    struct trace_nesting nesting = {0};
    uint64_t reached = 0, last = 0;

    for (size_t i = 0; i < reader->item_count; i++) {
        struct trace_item *item = &reader->items[i];
        const struct trace_record *record = item->record;
        if (i == 0 || item->thread != item[-1].thread)
            reached = nesting.count = 0;
        item->began_ns = time_of(reader, record->began_ns);
        item->ended_ns = record->ended_ns || record->kind == TRACE_WORK
                             ? time_of(reader, record->ended_ns)
                             : reader->duration_ns;
        if (record->kind == TRACE_CALL) {
            if (item->began_ns < reached)
                item->began_ns = reached;
            reached = item->began_ns;
            item->ended_ns = trace_nest(&nesting, item->began_ns, item->ended_ns);
        }
        if (item->ended_ns < item->began_ns)
            item->ended_ns = item->began_ns;
        if (item->ended_ns > last)
            last = item->ended_ns;
        reader->order[i] = (struct trace_position){reached, i};
    }
    free(nesting.ends);
    return last;
}

static void order_items(struct trace_reader *reader)
{
    const uint64_t ended_ns =
        reader->header.flags & TRACE_ENDED ? time_of(reader, reader->header.ended_ns) : 0;

    reader->order = trace_zeros(reader->item_count, sizeof *reader->order);
    /* What has not ended ends with the trace, which takes as long as everything else. */
    reader->duration_ns = set_times(reader);
    if (ended_ns > reader->duration_ns)
        reader->duration_ns = ended_ns;
    set_times(reader);
    if (reader->thread_count > 1)
        qsort(reader->order, reader->item_count, sizeof *reader->order, trace_by_two);
}

bool trace_reader_open(struct trace_reader *reader, FILE *file, char *why, size_t size)
{
    struct chunks chunks = {0};
    char buffer[160];
    const char *problem;
    off_t file_size;
    size_t count;
    int error;

    *reader = (struct trace_reader){0};
    count = read_at(file, 0, &reader->header, sizeof reader->header, &error);
    if (error)
        snprintf(buffer, sizeof buffer, "cannot be read: %s", strerror(error));
    problem = error ? buffer : check_header(&reader->header, count, buffer, sizeof buffer);
    if (!problem && (fseeko(file, 0, SEEK_END) != 0 || (file_size = ftello(file)) < 0))
        problem = "cannot be searched: copy it to a regular file";
    if (problem) {
        snprintf(why, size, "%s", problem);
        return false;
    }
    reader->header.program[sizeof reader->header.program - 1] = '\0';
    reader->header.driver[sizeof reader->header.driver - 1] = '\0';
    find_chunks(reader, file, (uint64_t)file_size, &chunks);
    read_records(reader, file, &chunks);
    order_items(reader);
    free(chunks.places);
    return true;
}

void trace_reader_close(struct trace_reader *reader)
{
    free(reader->threads);
    free(reader->items);
    free(reader->order);
    free(reader->data);
    *reader = (struct trace_reader){0};
}
