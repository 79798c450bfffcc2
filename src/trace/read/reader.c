/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/read/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/trace/read/set.h"

struct trace_place {
    uint64_t thread, index; /* `index` counts the chunks of the file */
    struct chunk {
        struct trace_chunk head;
        char records[TRACE_CHUNK_BYTES - sizeof(struct trace_chunk)];
    } * chunk;
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

/* Only the first damage is kept. */
static void note_damage(struct trace_reader *reader, uint64_t chunk, size_t offset)
{
    if (!reader->damage[0])
        snprintf(reader->damage, sizeof reader->damage,
                 "at byte %" PRIu64 " the file is damaged or cut off",
                 TRACE_HEADER_BYTES + chunk * TRACE_CHUNK_BYTES + offset);
}

/* Returns false if the file is refused; `why` then says why. */
static bool read_header(FILE *file, struct trace_header *header, char *why, size_t why_size)
{
    char bytes[TRACE_HEADER_BYTES] = "";
    const size_t size = fread(bytes, 1, sizeof bytes, file);

    memcpy(header, bytes, sizeof *header);
    header->program[sizeof header->program - 1] = '\0';
    header->driver[sizeof header->driver - 1] = '\0';
    if (ferror(file))
        snprintf(why, why_size, "cannot be read: %s", strerror(errno));
    else if (memcmp(header->magic, TRACE_MAGIC, sizeof TRACE_MAGIC) != 0)
        snprintf(why, why_size, "is no trace: it does not begin with \"" TRACE_MAGIC "\"");
    else if (size >= sizeof *header && header->version != TRACE_VERSION)
        snprintf(why, why_size, "is of version %" PRIu32 ", and this command reads version %d",
                 header->version, TRACE_VERSION);
    else if (size < sizeof *header || header->header_bytes != TRACE_HEADER_BYTES ||
             header->chunk_bytes != TRACE_CHUNK_BYTES)
        snprintf(why, why_size, "has a header that is damaged or cut off");
    else
        return true;
    return false;
}

/* Read the chunks that threads have taken, and sort them by thread. */
static void read_chunks(struct trace_reader *reader, FILE *file)
{
    const struct trace_header *header = &reader->header;
    const uint64_t taken =
        header->chunk_count < header->chunk_limit ? header->chunk_count : header->chunk_limit;
    size_t size = sizeof(struct chunk), room = 0;

    for (uint64_t i = 0; i < taken && size >= sizeof(struct trace_chunk); i++) {
        struct chunk *chunk = trace_zeros(1, sizeof *chunk);
        size_t most;

        size = fread(chunk, 1, sizeof *chunk, file);
        most = size > sizeof chunk->head ? size - sizeof chunk->head : 0;
        if (size < sizeof chunk->head || chunk->head.used > most)
            note_damage(reader, i, size);
        if (chunk->head.used > most)
            chunk->head.used = (uint32_t)most;
        if (chunk->head.thread == 0) { /* the thread has taken it but not written to it */
            if (chunk->head.used > 0)
                note_damage(reader, i, 0);
            free(chunk);
            continue;
        }
        TRACE_ROOM(reader->places, reader->place_count, room);
        reader->places[reader->place_count++] = (struct trace_place){chunk->head.thread, i, chunk};
    }
    if (reader->place_count)
        qsort(reader->places, reader->place_count, sizeof *reader->places, trace_by_two);
}

/* Whether a record is complete: work has its struct, and names end with a NUL. */
static bool is_whole(const struct trace_record *record, size_t left)
{
    const uint64_t *words = (const uint64_t *)(record + 1);
    const unsigned before = record->kind == TRACE_NAME ? 2 : 0;

    if (left < sizeof *record || record->words * sizeof *words > left - sizeof *record)
        return false;
    switch (record->kind) {
    case TRACE_CALL:
        return true;
    case TRACE_WORK:
        return record->words * sizeof *words >= sizeof(struct trace_work);
    case TRACE_NAME:
    case TRACE_RANGE:
    case TRACE_MARK:
        return record->words > before &&
               memchr(words + before, '\0', (record->words - before) * sizeof *words);
    default:
        return false;
    }
}

/* Convert a time of a record to one from the start of the trace. */
static uint64_t time_of(const struct trace_reader *reader, uint64_t ns)
{
    return ns > reader->header.began_ns ? ns - reader->header.began_ns : 0;
}

/* Extend the duration of the trace to a time. */
static void reach(struct trace_reader *reader, uint64_t ns)
{
    if (time_of(reader, ns) > reader->duration_ns)
        reader->duration_ns = time_of(reader, ns);
}

/* Add a chunk's records to the last thread. After a damaged record the rest is skipped. */
static void add_records(struct trace_reader *reader, const struct trace_place *place, size_t *room)
{
    struct trace_thread *thread = &reader->threads[reader->thread_count - 1];
    const struct chunk *chunk = place->chunk;
    const struct trace_record *record;

    for (size_t at = 0; at < chunk->head.used;
         at += sizeof *record + record->words * sizeof(uint64_t)) {
        record = (const void *)(chunk->records + at);
        if (!is_whole(record, chunk->head.used - at)) {
            note_damage(reader, place->index, sizeof chunk->head + at);
            return;
        }
        TRACE_ROOM(reader->items, reader->item_count, *room);
        reader->items[reader->item_count++] =
            (struct trace_item){.record = record, .thread = (uint32_t)reader->thread_count - 1};
        thread->count++;
        reach(reader, record->began_ns);
        reach(reader, record->ended_ns);
    }
}

static void read_records(struct trace_reader *reader)
{
    size_t thread_room = 0, room = 0;

    if (reader->header.flags & TRACE_ENDED)
        reach(reader, reader->header.ended_ns);
    for (size_t i = 0; i < reader->place_count; i++) {
        const struct trace_place *place = &reader->places[i];

        if (i == 0 || place->thread != place[-1].thread) {
            TRACE_ROOM(reader->threads, reader->thread_count, thread_room);
            reader->threads[reader->thread_count++] = (struct trace_thread){
                .number = place->chunk->head.thread,
                .system_thread = place->chunk->head.system_thread,
                .first = reader->item_count,
            };
        }
        add_records(reader, place, &room);
    }
}

/* Set the times and positions of all items. Items that have not ended end with the trace. */
static void order_items(struct trace_reader *reader)
{
    struct trace_nesting nesting = {0};
    uint64_t reached = 0;

    reader->order = trace_zeros(reader->item_count, sizeof *reader->order);
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
        reader->order[i] = (struct trace_position){reached, i};
    }
    free(nesting.ends);
    if (reader->thread_count > 1)
        qsort(reader->order, reader->item_count, sizeof *reader->order, trace_by_two);
}

bool trace_reader_open(struct trace_reader *reader, FILE *file, char *why, size_t size)
{
    *reader = (struct trace_reader){0};
    if (!read_header(file, &reader->header, why, size))
        return false;
    read_chunks(reader, file);
    read_records(reader);
    order_items(reader);
    return true;
}

void trace_reader_close(struct trace_reader *reader)
{
    for (size_t i = 0; i < reader->place_count; i++)
        free(reader->places[i].chunk);
    free(reader->places);
    free(reader->threads);
    free(reader->items);
    free(reader->order);
    *reader = (struct trace_reader){0};
}
