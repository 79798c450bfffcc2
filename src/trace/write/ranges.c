/* SPDX-License-Identifier: Apache-2.0 */
/* The marks, ranges and thread names of NVTX (src/library/nvtx.c). */
#include "src/trace/write/writer.h"

#include <string.h>

enum { RANGES = 64 };

/*
 * The pushed ranges of this thread, of all domains. Ranges deeper than the array are only counted.
 */
static _Thread_local struct open_range {
    const void *domain;
    uint64_t id; /* of its record */
} ranges[RANGES];
static _Thread_local unsigned range_depth;

/* Returns the id of the record; 0 if nothing is recorded at the moment, or the file is full. */
static uint64_t begin_named(enum trace_kind kind, uint32_t flags, const char *name)
{
    struct trace_record *record =
        cushim__trace_is_recording() ? cushim__trace_text(kind, NULL, 0, name ? name : "") : NULL;

    if (!record)
        return 0;
    record->flags = flags;
    record->began_ns = cushim__trace_now();
    record->ended_ns = kind == TRACE_MARK ? record->began_ns : 0;
    cushim__trace_publish(record);
    return cushim__trace_record_id(record);
}

void cushim__trace_mark(const char *name)
{
    begin_named(TRACE_MARK, 0, name);
}

static int count_ranges(const void *domain)
{
    int count = 0;

    for (unsigned i = 0; i < range_depth && i < RANGES; i++)
        count += ranges[i].domain == domain;
    return count;
}

int cushim__trace_push(const void *domain, const char *name)
{
    const int count = count_ranges(domain);

    if (range_depth < RANGES)
        ranges[range_depth] = (struct open_range){domain, begin_named(TRACE_RANGE, 0, name)};
    range_depth++;
    return count;
}

int cushim__trace_pop(const void *domain)
{
    uint64_t id = 0;
    unsigned i = range_depth;

    if (i <= RANGES) {
        while (i > 0 && ranges[i - 1].domain != domain)
            i--;
        if (i == 0)
            return -1;
        id = ranges[i - 1].id;
        memmove(&ranges[i - 1], &ranges[i], (range_depth - i) * sizeof *ranges);
    }
    range_depth--;
    cushim__trace_range_end(id);
    return count_ranges(domain);
}

uint64_t cushim__trace_range_start(const char *name)
{
    const uint64_t id = begin_named(TRACE_RANGE, TRACE_PROCESS_RANGE, name);

    return id ? id : UINT64_MAX;
}

/* Complete a record, unless its file was closed by a fork or by the end of the trace. */
void cushim__trace_range_end(uint64_t id)
{
    struct trace_record *record = cushim__trace_record_of(id);

    if (record && record->kind == TRACE_RANGE && record->ended_ns == 0)
        __atomic_store_n(&record->ended_ns, cushim__trace_now(), __ATOMIC_RELEASE);
}

void cushim__trace_name_thread(uint32_t system_thread, const char *name)
{
    if (cushim__trace_is_recording())
        cushim__trace_name(TRACE_NAME_THREAD, system_thread, name ? name : "");
}
