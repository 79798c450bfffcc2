/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all outputs share: the threads and their calls, the streams and their work, names, and what
 * is counted. It is made in one pass over the file; the outputs that want the calls' arguments read
 * it once more. Times count from the begin of the trace.
 */
#ifndef CUSHIM_TRACE_TIMELINE_H
#define CUSHIM_TRACE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/trace/reader.h"
#include "src/trace/set.h"

enum { TRACE_SLOTS = UINT16_MAX + 1 };

/* Of the call that work belongs to, no more is kept. */
struct trace_call {
    uint64_t began_ns;
    uint16_t slot;
    bool is_linked; /* some work is linked to it */
};

struct trace_lane {
    uint32_t number;
    uint64_t system_thread;
    struct trace_call *calls;
    size_t call_count, room;
    uint64_t first_call; /* calls are numbered from 0 through all threads */
    size_t linked;       /* the call that was linked last */
    uint64_t blocked_until_ns;
    size_t first_range, range_count; /* in `ranges` */
};

struct trace_range {
    uint64_t began_ns, ended_ns;
    uint32_t lane, name;
    bool is_mark;
};

struct trace_stream {
    uint64_t handle; /* 1: legacy default stream, 2: that of `thread` */
    uint32_t context, thread;
    size_t first_work, work_count;
    uint64_t busy_ns;
    char name[48];
};

struct trace_context {
    uint64_t handle;
    uint32_t device; /* UINT32_MAX: not known */
    char name[96];
};

/* Work whose times are known. Of one stream it follows one another. */
struct trace_work_event {
    uint64_t began_ns, ended_ns;
    uint64_t call; /* 1 + the number of its call; 0: not known */
    uint64_t bytes;
    uint32_t stream, name;
    uint32_t symbol; /* the name as the trace has it */
    uint32_t shape;  /* in `shapes`; of kernels */
    uint32_t thread;
    uint32_t sequence;
    uint16_t slot;
    uint8_t kind; /* enum trace_work_kind */
};

struct trace_shape {
    uint32_t grid[3], block[3], shared_bytes;
};

struct trace_function {
    uint64_t calls, errors, total_ns, blocked_ns, longest_ns;
};

struct trace_error {
    uint64_t count, first_ns;
    uint16_t slot;
    int32_t code;
};

/* Device memory that allocations hold from then on. */
struct trace_memory {
    uint64_t time_ns, bytes;
};

struct trace_timeline {
    struct trace_reader *reader;
    struct trace_set names; /* of all events */
    uint32_t *slot_names;   /* of TRACE_SLOTS; TRACE_SET_NONE: not called */
    struct trace_function *functions;

    /* One for each of the reader's threads, and a last one for the ranges of the process. */
    struct trace_lane *lanes;
    struct trace_range *ranges;
    size_t range_count, range_room;
    uint64_t call_count, blocked_ns, unfinished_count;

    struct trace_stream *streams;
    size_t stream_count, stream_room;
    uint32_t *order; /* of streams: those of one context together */
    struct trace_context *contexts;
    size_t context_count, context_room;
    struct trace_work_event *works; /* stream after stream */
    size_t work_count, work_room;
    struct trace_set shapes; /* struct trace_shape */

    struct trace_error *errors;
    size_t error_count, error_room;
    struct trace_memory *memory;
    size_t memory_count, memory_room;

    /* Its own: sets by which streams and so on are found, and what belongs to their elements. */
    struct trace_set stream_keys, context_keys, error_keys, handles, named, types;
    uint32_t *handle_numbers, *named_names, *type_counts;
    size_t handle_room, named_room, type_room;
    uint16_t *parameter_types;
};

/* Read all of it. The reader stays the caller's. */
void trace_timeline_read(struct trace_timeline *timeline, struct trace_reader *reader);
void trace_timeline_free(struct trace_timeline *timeline);

/* What the program calls it, as an index of `names`; TRACE_SET_NONE: nothing. */
uint32_t trace_name_of(const struct trace_timeline *timeline, enum trace_named what, uint64_t of);

/*
 * Functions that the program has looked up and the registry does not have, in the order in which
 * they were found. NULL: there are no more.
 */
const char *trace_unknown_function(const struct trace_timeline *timeline, size_t index);

/* "Thread 1", with the name that the program or system gives it. */
void trace_thread_name(const struct trace_timeline *timeline, uint32_t thread, char *text,
                       size_t size);

const char *trace_slot_name(const struct trace_timeline *timeline, unsigned slot);
const char *trace_kind_name(unsigned kind);
struct trace_shape trace_shape_of(const struct trace_timeline *timeline,
                                  const struct trace_work_event *work);

/* What an event is shown as. */
enum trace_class {
    TRACE_CLASS_CALL,
    TRACE_CLASS_BLOCKED, /* the call may have waited for the device */
    TRACE_CLASS_ERROR,
    TRACE_CLASS_UNFINISHED,
    TRACE_CLASS_KERNEL,
    TRACE_CLASS_COPY,
    TRACE_CLASS_SET,
    TRACE_CLASS_GRAPH,
    TRACE_CLASS_HOST_FUNCTION,
    TRACE_CLASS_RANGE,
    TRACE_CLASS_MARK,
    TRACE_CLASS_OTHER,
    TRACE_CLASSES
};
extern const char *const trace_class_names[TRACE_CLASSES];

enum trace_class trace_class_of(const struct trace_record *call);
enum trace_class trace_class_of_work(const struct trace_work_event *work);

/* The function of a slot has been called: it has a name. */
void trace_slot_see(struct trace_timeline *timeline, unsigned slot);

/* --- Work: work.c --- */

void trace_work_add(struct trace_timeline *timeline, const struct trace_item *item);

/* All calls and work are known: link, sort and name them. */
void trace_work_finish(struct trace_timeline *timeline);

/* --- Arguments and results: values.c --- */

/* `CUDA_ERROR_INVALID_VALUE`, or `result 1234` in the buffer. */
enum { TRACE_RESULT_BYTES = 24 };
const char *trace_result_name(int32_t code, char buffer[TRACE_RESULT_BYTES]);

struct trace_argument {
    const char *name;
    char text[48];      /* `stream#1`, `0x7f00`, `256`, `NULL` */
    bool is_number;     /* that JSON can hold */
    bool is_handle;     /* then `value` is what the text stands for */
    bool is_pointer;    /* to something that is not known */
    const char *string; /* what a text argument begins with, if that is known; else NULL */
    uint64_t value;
};

/* How many arguments a call has. */
unsigned trace_argument_count(const struct trace_item *item);

/* False: nothing is known of it. */
bool trace_argument_read(const struct trace_timeline *timeline, const struct trace_item *item,
                         unsigned index, struct trace_argument *argument);

/* Handles are numbered in the order in which they are seen. */
void trace_handles_begin(struct trace_timeline *timeline);
void trace_handles_see(struct trace_timeline *timeline, const struct trace_item *item);

/* `stream#1`, of a C type such as "CUstream". */
void trace_handle_tag(struct trace_timeline *timeline, const char *type, uint64_t handle,
                      char *text, size_t size);

#endif
