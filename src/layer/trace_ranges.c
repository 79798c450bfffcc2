/* SPDX-License-Identifier: Apache-2.0 */
/* Marks, ranges and thread names, which the program gives by NVTX (src/library/nvtx.c). */
#include "src/layer/trace.h"

#include <string.h>

enum { RANGES = 64, PROCESS_RANGES = 4096 };

struct open_range {
    const void *domain;
    struct trace_record *record; /* NULL: the range is not recorded */
    uint64_t file;               /* number of the file that the record is in */
};

/*
 * The pushed ranges of this thread, of all domains. Ranges deeper than the array are only counted.
 */
static _Thread_local struct open_range ranges[RANGES];
static _Thread_local unsigned range_depth;

/* The open ranges of the process. The thread that takes an entry sets its id, and 0 frees it. */
static struct process_range {
    uint64_t id;
    struct open_range range;
} process_ranges[PROCESS_RANGES];
static uint64_t last_id;

/* NULL: nothing is recorded at the moment, or the file is full. */
static struct trace_record *begin_named(enum trace_kind kind, uint32_t flags, const char *name)
{
    struct trace_record *record =
        cushim__trace_is_recording() ? cushim__trace_text(kind, NULL, 0, name ? name : "") : NULL;

    if (!record)
        return NULL;
    record->flags = flags;
    record->began_ns = cushim__trace_now();
    cushim__trace_publish(record);
    return record;
}

/* Complete a record, unless its file was closed: by a fork or by the end of the trace. */
static void end_range(const struct open_range *range)
{
    if (range->record && range->file == cushim__trace_file_number())
        __atomic_store_n(&range->record->ended_ns, cushim__trace_now(), __ATOMIC_RELEASE);
}

void cushim__trace_mark(const char *name)
{
    struct trace_record *record = begin_named(TRACE_MARK, 0, name);

    if (record)
        record->ended_ns = record->began_ns;
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
        ranges[range_depth] = (struct open_range){domain, begin_named(TRACE_RANGE, 0, name),
                                                  cushim__trace_file_number()};
    range_depth++;
    return count;
}

int cushim__trace_pop(const void *domain)
{
    struct open_range range = {0};
    unsigned i = range_depth;

    if (i <= RANGES) {
        while (i > 0 && ranges[i - 1].domain != domain)
            i--;
        if (i == 0)
            return -1;
        range = ranges[i - 1];
        memmove(&ranges[i - 1], &ranges[i], (range_depth - i) * sizeof *ranges);
    }
    range_depth--;
    end_range(&range);
    return count_ranges(domain);
}

/*
 * An id has the same entry as the one PROCESS_RANGES before it. If that range is still open, the
 * new one is not recorded.
 */
uint64_t cushim__trace_range_start(const char *name)
{
    const uint64_t id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
    struct process_range *entry = &process_ranges[id % PROCESS_RANGES];
    uint64_t none = 0;

    if (__atomic_compare_exchange_n(&entry->id, &none, id, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
        entry->range = (struct open_range){
            NULL, begin_named(TRACE_RANGE, TRACE_PROCESS_RANGE, name), cushim__trace_file_number()};
    return id;
}

void cushim__trace_range_end(uint64_t id)
{
    struct process_range *entry = &process_ranges[id % PROCESS_RANGES];

    if (id == 0 || __atomic_load_n(&entry->id, __ATOMIC_ACQUIRE) != id)
        return;
    end_range(&entry->range);
    __atomic_store_n(&entry->id, 0, __ATOMIC_RELEASE);
}

void cushim__trace_name_thread(uint32_t system_thread, const char *name)
{
    if (cushim__trace_is_recording())
        cushim__trace_name(TRACE_NAME_THREAD, system_thread, name ? name : "");
}
