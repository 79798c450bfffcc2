/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a trace file, whatever is in it: its process may have been killed, it may have been cut off
 * or overwritten, and may still be written. What can be read is read; what is wrong is said.
 *
 * The records of all threads come merged: calls in the order of their begin, and what has no place
 * in that order of its own (names, ranges, work) behind the call of its thread that precedes it.
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
    /* Where the reader is: */
    size_t first_chunk, chunk_count, next_chunk;
    char *data; /* the chunk that is read */
    size_t data_room, data_size, at;
    uint64_t reached_ns; /* calls begin in order */
    uint64_t *ends;      /* of the calls that are open there */
    size_t end_count, end_room;
};

/* Times count from the begin of the trace. */
struct trace_item {
    struct trace_record record; /* as it was written */
    const uint64_t *words;      /* until the next item is read */
    uint32_t thread;            /* index in `threads` */
    /*
     * Calls of a thread begin one after the other and end within the call that they are inside of,
     * whatever was written. One that has not returned ends with the trace.
     */
    uint64_t began_ns, ended_ns;
};

struct trace_chunk_place {
    uint64_t offset; /* of the records */
    uint64_t system_thread;
    uint32_t thread, size;
};

struct trace_reader {
    struct trace_header header; /* its texts are closed */
    struct trace_thread *threads;
    size_t thread_count;
    uint64_t record_count;
    uint64_t duration_ns;
    size_t damage_count; /* chunks of which not everything could be read */
    char damage[200];    /* a sentence on the first of them; "": there is none */
    /* Its own: */
    FILE *file;
    struct trace_chunk_place *chunks;
    size_t chunk_count;
    uint32_t *heap; /* threads by `reached_ns` */
    size_t heap_count;
    bool is_scanning;
    bool is_reading; /* the first of the heap has a record that was returned */
};

/*
 * Look through a whole file, which stays the caller's. False: it is no trace that can be read, and
 * `why` says so, without a subject.
 */
bool trace_reader_open(struct trace_reader *reader, FILE *file, char *why, size_t size);
void trace_reader_close(struct trace_reader *reader);

/* Begin with the first record again. */
void trace_reader_rewind(struct trace_reader *reader);

/* False: there are no more. */
bool trace_reader_next(struct trace_reader *reader, struct trace_item *item);

/* A time of a record, from the begin of the trace. */
uint64_t trace_reader_time(const struct trace_reader *reader, uint64_t ns);

#endif
