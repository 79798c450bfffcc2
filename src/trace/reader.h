/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a trace file, whatever it contains: its process may have been killed or may still write,
 * and the file may be cut off or overwritten. What can be read is read, and damage is described.
 *
 * The records of all threads are merged: calls in the order in which they began, and other records
 * (names, ranges, work) after the call of their thread that they follow.
 */
#ifndef CUSHIM_TRACE_READER_H
#define CUSHIM_TRACE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "src/trace/file.h"

struct trace_thread {
    uint32_t number;
    uint64_t system_thread;
    /* The position of the reader: */
    size_t first_chunk, chunk_count, next_chunk;
    char *data; /* the current chunk */
    size_t data_room, data_size, at;
    uint64_t reached_ns; /* when the last call began */
    uint64_t *ends;      /* when the calls end that are open at that time */
    size_t end_count, end_room;
};

/* Times count from the start of the trace. */
struct trace_item {
    struct trace_record record; /* as it was written */
    const uint64_t *words;      /* valid until the next item is read */
    uint32_t thread;            /* index in `threads` */
    /*
     * Whatever was written, the calls of a thread begin in order, and end within the call that they
     * are nested in. A call that has not returned ends with the trace.
     */
    uint64_t began_ns, ended_ns;
};

struct trace_chunk_place {
    uint64_t offset; /* where its records begin in the file */
    uint64_t system_thread;
    uint32_t thread, size;
};

struct trace_reader {
    struct trace_header header; /* its texts have a NUL */
    struct trace_thread *threads;
    size_t thread_count;
    uint64_t record_count;
    uint64_t duration_ns;
    size_t damage_count; /* chunks that could not be read to their end */
    char damage[200];    /* describes the first damage; "": there is none */
    /* Private: */
    FILE *file;
    struct trace_chunk_place *chunks;
    size_t chunk_count;
    uint32_t *heap; /* threads by `reached_ns` */
    size_t heap_count;
    bool is_scanning;
    bool is_reading; /* the record of the first thread in the heap was returned */
};

/*
 * Look through a whole file, which stays the caller's. False: it cannot be read as a trace, and
 * `why` is a predicate that says so, such as "is no trace".
 */
bool trace_reader_open(struct trace_reader *reader, FILE *file, char *why, size_t size);
void trace_reader_close(struct trace_reader *reader);

/* Go back to the first record. */
void trace_reader_rewind(struct trace_reader *reader);

/* False: there are no more. */
bool trace_reader_next(struct trace_reader *reader, struct trace_item *item);

/* Convert a time of a record to one from the start of the trace. */
uint64_t trace_reader_time(const struct trace_reader *reader, uint64_t ns);

#endif
