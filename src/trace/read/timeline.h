/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of a trace that all outputs share: the tracks of threads, streams and memory, and names
 * and counts. Times count from the start of the trace.
 */
#ifndef CUSHIM_TRACE_READ_TIMELINE_H
#define CUSHIM_TRACE_READ_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/driver_api/object_type.h"
#include "src/trace/read/reader.h"
#include "src/trace/read/set.h"

enum {
    TRACE_SLOTS = UINT16_MAX + 1,
    TRACE_UNKNOWN_SHOWN = 10, /* how many unknown functions are named */
};

/* A row in the outputs: a number of events, in the order in which they begin. */
struct trace_track {
    enum trace_track_kind {
        TRACE_TRACK_RANGES,         /* of a thread; they nest */
        TRACE_TRACK_CALLS,          /* of a thread; other records lie among its items */
        TRACE_TRACK_PROCESS_RANGES, /* they may overlap */
        TRACE_TRACK_WORK,           /* of a stream */
        TRACE_TRACK_MEMORY,
    } kind;
    uint32_t owner;       /* number of the thread, or index of the stream */
    const char *group;    /* the name of the process or the context */
    size_t first, end;    /* in the array for the kind: items, ranges, works, memory */
    size_t count;         /* of events */
    uint64_t position[2]; /* sort key among the streams */
    char name[96];
};

/* What is known of the calls of a thread while the items are read. */
struct trace_lane {
    size_t call_count;
    uint64_t last_ns; /* when the last call began */
    uint16_t last_slot;
    uint64_t first_call;       /* number of its first call, counted through all threads */
    uint64_t blocked_until_ns; /* end of the last call that may block */
};

struct trace_range {
    uint64_t began_ns, ended_ns;
    uint32_t thread; /* index; the number of threads for process ranges */
    uint32_t name;
    bool is_mark;
};

struct trace_stream {
    uint64_t handle; /* 1: legacy default stream, 2: per-thread default stream of `thread` */
    uint32_t context, thread;
    uint64_t busy_ns;
};

struct trace_context {
    uint64_t handle;
    uint32_t device; /* UINT32_MAX if unknown */
    char name[96];
};

struct trace_shape {
    uint32_t grid[3], block[3], shared_bytes;
};

/* Work whose times are known. Pieces of work of one stream do not overlap. */
struct trace_work_event {
    uint64_t began_ns, ended_ns;
    uint64_t call; /* 1 + the number of the call that queued it; 0 if unknown */
    uint64_t call_ns;
    uint64_t bytes;
    uint32_t stream, name;
    uint32_t symbol; /* the name in the trace, which may be mangled */
    uint32_t thread; /* index */
    uint32_t sequence;
    uint16_t slot;
    uint8_t kind; /* enum trace_work_kind */
    struct trace_shape shape;
};

struct trace_function {
    uint64_t calls, errors, total_ns, blocked_ns, longest_ns;
    uint16_t roles; /* trace_roles_of() */
};

struct trace_error {
    uint64_t count, first_ns;
    uint16_t slot;
    int32_t code;
};

/* How much device memory is allocated from a point in time on. */
struct trace_memory {
    uint64_t time_ns, bytes;
};

struct trace_timeline {
    const struct trace_reader *reader;
    struct trace_set names; /* of all events */
    uint32_t *slot_names;   /* by slot; TRACE_SET_NONE if the function was not called */
    struct trace_function *functions;

    struct trace_track *tracks; /* in the order in which they are shown; a group is contiguous */
    size_t track_count, track_room;
    char process_name[32];

    struct trace_lane *lanes; /* one for each of the reader's threads */
    struct trace_range *ranges;
    size_t range_count, range_room;
    uint64_t call_count, blocked_ns, unfinished_count;

    struct trace_stream *streams;
    size_t stream_count, stream_room;
    struct trace_context *contexts;
    size_t context_count, context_room;
    struct trace_work_event *works; /* sorted by stream and time */
    size_t work_count, work_room;

    struct trace_error *errors;
    size_t error_count, error_room;
    struct trace_memory *memory;
    size_t memory_count, memory_room;
    /* Names of functions that cuGetProcAddress has found but the registry lacks. */
    uint32_t unknown[TRACE_UNKNOWN_SHOWN], unknown_count;

    /* Private: sets for looking up streams and so on, and arrays indexed by their numbers. */
    struct trace_set stream_keys, context_keys, error_keys, handles, named;
    uint32_t *handle_numbers, *named_names, type_counts[CUSHIM__OBJECT_TYPES];
    size_t handle_room, named_room;
    uint8_t *parameter_types;
};

/* The timeline uses the reader, which stays the caller's. */
void trace_timeline_read(struct trace_timeline *timeline, const struct trace_reader *reader);
void trace_timeline_free(struct trace_timeline *timeline);

/* The name that the program gave to something, as a number in `names`, or TRACE_SET_NONE. */
uint32_t trace_name_of(const struct trace_timeline *timeline, enum trace_named what, uint64_t of);

/* Add a track; the name is copied. The pointer is valid until another one is added. */
struct trace_track *trace_track_add(struct trace_timeline *timeline, enum trace_track_kind kind,
                                    uint32_t owner, const char *group, const char *name,
                                    size_t first, size_t end);

const char *trace_slot_name(const struct trace_timeline *timeline, unsigned slot);
const char *trace_kind_name(unsigned kind);

/* The kind of an event in the outputs. */
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

enum trace_class trace_class_of(const struct trace_timeline *timeline,
                                const struct trace_record *call);
enum trace_class trace_class_of_work(const struct trace_work_event *work);

/* Add the name of a function that was called. */
void trace_slot_add_name(struct trace_timeline *timeline, unsigned slot);

/* --- Work: work.c --- */

void trace_work_add(struct trace_timeline *timeline, const struct trace_item *item);

/* To be called when all items are read: sorts the work, names contexts, and adds stream tracks. */
void trace_work_finish(struct trace_timeline *timeline);

/* --- Arguments and results: values.c --- */

/* Returns "CUDA_ERROR_INVALID_VALUE" or the like, or "result 1234" in the buffer. */
enum { TRACE_RESULT_BYTES = 24 };
const char *trace_result_name(int32_t code, char buffer[TRACE_RESULT_BYTES]);

struct trace_argument {
    const char *name;
    char text[48];      /* such as stream#1, 0x7f00, 256 or NULL */
    bool is_number;     /* a number that JSON can hold exactly */
    bool is_handle;     /* `text` is a tag, and `value` the handle */
    bool is_pointer;    /* the text is an address whose contents are not known */
    const char *string; /* the beginning of a text argument, or NULL */
    uint64_t value;
};

/* How many arguments of a call are recorded. */
unsigned trace_argument_count(const struct trace_item *item);

/* Returns false for a struct that is passed by value, which is not shown. */
bool trace_argument_read(const struct trace_timeline *timeline, const struct trace_item *item,
                         unsigned index, struct trace_argument *argument);

/* Handles of a type are numbered in the order in which they appear. */
void trace_handles_begin(struct trace_timeline *timeline);
void trace_handles_number(struct trace_timeline *timeline, const struct trace_item *item);

/* The number of a handle: 1 for the stream whose tag is "stream#1". */
uint32_t trace_handle_number(struct trace_timeline *timeline, enum cushim__object_type type,
                             uint64_t handle);

#endif
