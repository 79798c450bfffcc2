/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a trace file, whatever it contains: its process may have been killed or may still be
 * writing, and the file may be cut off or overwritten. Everything that can be read is read.
 */
#ifndef CUSHIM_TRACE_READ_READER_H
#define CUSHIM_TRACE_READ_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "src/trace/file.h"

/*
 * A record, with times that count from the start of the trace. Whatever was written, the calls of a
 * thread begin in order, and end within the call that they are nested in. Records that have not
 * ended end with the trace.
 */
struct trace_item {
    const struct trace_record *record;
    uint32_t thread; /* index in `threads` */
    uint64_t began_ns, ended_ns;
};

struct trace_thread {
    uint32_t number;
    uint64_t system_thread;
    size_t first, count; /* its items, in the order in which they were written */
};

struct trace_position {
    uint64_t after_ns; /* when the last call of the thread began */
    uint64_t item;
};

struct trace_reader {
    struct trace_header header; /* its texts end with a NUL */
    struct trace_thread *threads;
    size_t thread_count;
    struct trace_item *items; /* grouped by thread */
    size_t item_count;
    /*
     * The items of all threads: calls in the order in which they began, and other records (names,
     * ranges, work) after the call of their thread that they follow.
     */
    struct trace_position *order;
    uint64_t duration_ns;
    char damage[80];            /* says where the first damage is; empty if there is none */
    struct trace_place *places; /* the chunks, which hold the records, grouped by thread */
    size_t place_count;
};

/*
 * Read a whole file, which stays the caller's. Returns false if it cannot be read as a trace; `why`
 * is then a predicate that says so, such as "is no trace".
 */
bool trace_reader_open(struct trace_reader *reader, FILE *file, char *why, size_t size);
void trace_reader_close(struct trace_reader *reader);

static inline const uint64_t *trace_words(const struct trace_item *item)
{
    return (const uint64_t *)(item->record + 1);
}

/* The ends of the open spans, each of which has to end within the one around it. */
struct trace_nesting {
    uint64_t *ends;
    size_t count, room;
};

/* Add a span that does not begin before the former ones. Returns its end, which may be cut. */
uint64_t trace_nest(struct trace_nesting *nesting, uint64_t began_ns, uint64_t ended_ns);

#endif
