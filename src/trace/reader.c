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

uint64_t trace_reader_time(const struct trace_reader *reader, uint64_t ns)
{
    return ns > reader->header.began_ns ? ns - reader->header.began_ns : 0;
}

/* The first damage is described, and all others are counted. */
static void note_damage(struct trace_reader *reader, uint64_t offset, const char *what)
{
    if (!reader->is_scanning)
        return;
    if (reader->damage_count++ == 0)
        snprintf(reader->damage, sizeof reader->damage, "at byte %" PRIu64 " %s", offset, what);
}

/* Returns how many bytes were read. If fewer, `error` is why, or 0 at the end of the file. */
static size_t read_at(FILE *file, uint64_t offset, void *buffer, size_t size, int *error)
{
    const int before = errno;
    size_t count = 0;

    errno = 0;
    if (fseeko(file, (off_t)offset, SEEK_SET) == 0)
        count = fread(buffer, 1, size, file);
    *error = count < size ? errno : 0;
    errno = before; /* it may be the error of an output that is written meanwhile */
    return count;
}

static uint32_t swapped(uint32_t number)
{
    return number >> 24 | (number >> 8 & 0xff00) | (number & 0xff00) << 8 | number << 24;
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
    if (header->version == swapped(TRACE_VERSION))
        return "was written by a machine of another byte order";
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
    const struct trace_chunk_place *a = one, *b = other;

    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static void add_chunk(struct trace_reader *reader, uint64_t offset, uint64_t file_size,
                      const struct trace_chunk *chunk, size_t *room)
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
    TRACE_ROOM(reader->chunks, reader->chunk_count, *room);
    reader->chunks[reader->chunk_count++] =
        (struct trace_chunk_place){offset, chunk->system_thread, chunk->thread, used};
}

/* Find the chunks, and sort them by thread. */
static void find_chunks(struct trace_reader *reader, uint64_t file_size)
{
    const struct trace_header *header = &reader->header;
    const uint64_t taken =
        header->chunk_count < header->chunk_limit ? header->chunk_count : header->chunk_limit;
    uint64_t offset = header->header_bytes;
    size_t room = 0;

    for (uint64_t i = 0; i < taken; i++, offset += header->chunk_bytes) {
        struct trace_chunk chunk;
        int error;
        if (read_at(reader->file, offset, &chunk, sizeof chunk, &error) != sizeof chunk) {
            note_damage(reader, offset,
                        error ? "the file cannot be read"
                              : "the file ends, and chunks that threads have taken are missing");
            break;
        }
        add_chunk(reader, offset, file_size, &chunk, &room);
    }
    if (reader->chunk_count)
        qsort(reader->chunks, reader->chunk_count, sizeof *reader->chunks, by_thread);
}

static void find_threads(struct trace_reader *reader)
{
    struct trace_thread *thread = NULL;
    size_t room = 0, heap_room = 0;

    for (size_t i = 0; i < reader->chunk_count; i++) {
        const struct trace_chunk_place *chunk = &reader->chunks[i];
        if (!thread || thread->number != chunk->thread) {
            TRACE_ROOM(reader->threads, reader->thread_count, room);
            TRACE_ROOM(reader->heap, reader->thread_count, heap_room);
            thread = &reader->threads[reader->thread_count++];
            thread->number = chunk->thread;
            thread->system_thread = chunk->system_thread;
            thread->first_chunk = i;
        }
        thread->chunk_count++;
    }
}

/* What is wrong with a record; NULL: nothing. */
static const char *check_record(const struct trace_record *record, const uint64_t *words,
                                size_t left)
{
    const size_t size = record->words * sizeof *words;
    const size_t before = record->kind == TRACE_NAME ? 2 : record->kind == TRACE_RANGE ? 1 : 0;

    if (size > left)
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

/* Load the next chunk of a thread. False: there is none. */
static bool load_chunk(struct trace_reader *reader, struct trace_thread *thread)
{
    const struct trace_chunk_place *chunk;
    int error;

    if (thread->next_chunk == thread->chunk_count) {
        free(thread->data);
        thread->data = NULL;
        thread->data_room = thread->data_size = thread->at = 0;
        return false;
    }
    chunk = &reader->chunks[thread->first_chunk + thread->next_chunk++];
    while (thread->data_room < chunk->size)
        TRACE_ROOM(thread->data, thread->data_room, thread->data_room);
    thread->data_size = read_at(reader->file, chunk->offset, thread->data, chunk->size, &error);
    thread->at = 0;
    if (thread->data_size < chunk->size)
        note_damage(reader, chunk->offset + thread->data_size,
                    error ? "the file cannot be read" : "the file ends in the middle of a chunk");
    return true;
}

/* Read the record at `at`. The rest of a damaged chunk is skipped. False: there are no more. */
static bool advance(struct trace_reader *reader, struct trace_thread *thread,
                    struct trace_record *record)
{
    for (;;) {
        const size_t left = thread->data_size - thread->at;
        const char *problem = "a record is cut off";
        if (left >= sizeof *record) {
            memcpy(record, thread->data + thread->at, sizeof *record);
            problem = check_record(
                record, (const uint64_t *)(void *)(thread->data + thread->at + sizeof *record),
                left - sizeof *record);
            if (!problem)
                return true;
        }
        if (left)
            note_damage(reader,
                        reader->chunks[thread->first_chunk + thread->next_chunk - 1].offset +
                            thread->at,
                        problem);
        thread->at = thread->data_size;
        if (!load_chunk(reader, thread))
            return false;
    }
}

static bool is_before(const struct trace_reader *reader, uint32_t one, uint32_t other)
{
    const uint64_t a = reader->threads[one].reached_ns, b = reader->threads[other].reached_ns;

    return a < b || (a == b && one < other);
}

/* Restore the order of the heap, in which only the element at `place` may be wrong. */
static void sift_down(struct trace_reader *reader, size_t place)
{
    const uint32_t thread = reader->heap[place];

    for (;;) {
        size_t below = 2 * place + 1;
        if (below >= reader->heap_count)
            break;
        if (below + 1 < reader->heap_count &&
            is_before(reader, reader->heap[below + 1], reader->heap[below]))
            below++;
        if (!is_before(reader, reader->heap[below], thread))
            break;
        reader->heap[place] = reader->heap[below];
        place = below;
    }
    reader->heap[place] = thread;
}

/* Set `reached_ns` by the next record of a thread. False: there is none. */
static bool look_ahead(struct trace_reader *reader, struct trace_thread *thread)
{
    struct trace_record record;
    uint64_t began;

    if (!advance(reader, thread, &record))
        return false;
    began = trace_reader_time(reader, record.began_ns);
    if (record.kind == TRACE_CALL && began > thread->reached_ns)
        thread->reached_ns = began;
    return true;
}

void trace_reader_rewind(struct trace_reader *reader)
{
    reader->heap_count = 0;
    reader->is_reading = false;
    for (uint32_t i = 0; i < reader->thread_count; i++) {
        struct trace_thread *thread = &reader->threads[i];
        thread->next_chunk = thread->data_size = thread->at = thread->end_count = 0;
        thread->reached_ns = 0;
        if (look_ahead(reader, thread))
            reader->heap[reader->heap_count++] = i;
    }
    for (size_t i = reader->heap_count / 2; i-- > 0;)
        sift_down(reader, i);
}

/* When a call ends: not after the call that it is nested in. */
static uint64_t end_of_call(const struct trace_reader *reader, struct trace_thread *thread,
                            const struct trace_record *record)
{
    const uint64_t began = thread->reached_ns;
    uint64_t end =
        record->ended_ns ? trace_reader_time(reader, record->ended_ns) : reader->duration_ns;

    while (thread->end_count && thread->ends[thread->end_count - 1] <= began)
        thread->end_count--;
    if (thread->end_count && end > thread->ends[thread->end_count - 1])
        end = thread->ends[thread->end_count - 1];
    if (end < began)
        end = began;
    TRACE_ROOM(thread->ends, thread->end_count, thread->end_room);
    thread->ends[thread->end_count++] = end;
    return end;
}

/* Go on from the record that was returned last. */
static void leave_record(struct trace_reader *reader)
{
    struct trace_thread *thread = &reader->threads[reader->heap[0]];
    struct trace_record record;

    memcpy(&record, thread->data + thread->at, sizeof record);
    thread->at += sizeof record + record.words * sizeof(uint64_t);
    if (!look_ahead(reader, thread))
        reader->heap[0] = reader->heap[--reader->heap_count];
    if (reader->heap_count)
        sift_down(reader, 0);
}

bool trace_reader_next(struct trace_reader *reader, struct trace_item *item)
{
    struct trace_thread *thread;

    if (reader->is_reading)
        leave_record(reader);
    reader->is_reading = reader->heap_count > 0;
    if (!reader->is_reading)
        return false;
    thread = &reader->threads[reader->heap[0]];
    item->thread = reader->heap[0];
    memcpy(&item->record, thread->data + thread->at, sizeof item->record);
    item->words = (const uint64_t *)(void *)(thread->data + thread->at + sizeof item->record);
    if (item->record.kind == TRACE_CALL) {
        item->began_ns = thread->reached_ns;
        item->ended_ns = end_of_call(reader, thread, &item->record);
        return true;
    }
    item->began_ns = trace_reader_time(reader, item->record.began_ns);
    item->ended_ns = item->record.ended_ns || item->record.kind == TRACE_WORK
                         ? trace_reader_time(reader, item->record.ended_ns)
                         : reader->duration_ns;
    if (item->ended_ns < item->began_ns)
        item->ended_ns = item->began_ns;
    return true;
}

/* Read every record once: to count them, to find damage, and to learn when the last one ends. */
static void scan(struct trace_reader *reader)
{
    struct trace_item item;
    uint64_t last = 0;

    reader->is_scanning = true;
    trace_reader_rewind(reader);
    for (; trace_reader_next(reader, &item); reader->record_count++) {
        if (item.began_ns > last)
            last = item.began_ns;
        if (item.ended_ns > last)
            last = item.ended_ns;
    }
    reader->is_scanning = false;
    reader->duration_ns = last;
    if (reader->header.flags & TRACE_ENDED &&
        trace_reader_time(reader, reader->header.ended_ns) > last)
        reader->duration_ns = trace_reader_time(reader, reader->header.ended_ns);
}

bool trace_reader_open(struct trace_reader *reader, FILE *file, char *why, size_t size)
{
    char buffer[160];
    const char *problem;
    off_t file_size;
    size_t count;
    int error;

    *reader = (struct trace_reader){.file = file};
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
    reader->is_scanning = true;
    find_chunks(reader, (uint64_t)file_size);
    find_threads(reader);
    scan(reader);
    trace_reader_rewind(reader);
    return true;
}

void trace_reader_close(struct trace_reader *reader)
{
    for (size_t i = 0; i < reader->thread_count; i++) {
        free(reader->threads[i].data);
        free(reader->threads[i].ends);
    }
    free(reader->threads);
    free(reader->chunks);
    free(reader->heap);
    *reader = (struct trace_reader){0};
}
