/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file that a traced process writes: a header, then chunks of records.
 *
 * The process maps the file and writes records into it as its calls begin and end, so that all of
 * it is there if the process is killed. A thread owns the chunk that it writes to: no other thread
 * touches it. The file is sparse: chunks that no thread has taken occupy nothing. All numbers are
 * in the byte order of the machine.
 *
 * Within a chunk, records follow one another. `used` is stored after the record that it
 * covers, so that a reader may look at any time. A call's record is written when the call begins,
 * and completed when it ends.
 */
#ifndef CUSHIM_TRACE_FILE_H
#define CUSHIM_TRACE_FILE_H

#include <stdint.h>

#define TRACE_MAGIC "cushim-trace"

enum {
    TRACE_VERSION = 1,
    TRACE_HEADER_BYTES = 8192, /* the first chunk begins here */
    TRACE_CHUNK_BYTES = 16384,
    TRACE_TEXT_BYTES = 2048, /* of the texts of the header */
};

/* Flags of the header. */
enum {
    TRACE_ENDED = 1,         /* the process ended the trace; else it crashed or was killed */
    TRACE_VIRTUAL_CLOCK = 2, /* times are those of a mock's clock */
    TRACE_DEVICE_TIMES = 4,  /* the device's work was timed */
};

struct trace_header {
    char magic[16]; /* TRACE_MAGIC */
    uint32_t version, header_bytes, chunk_bytes, flags;
    uint32_t driver_version; /* as cuDriverGetVersion counts; 0: not known */
    uint32_t process;
    uint64_t chunk_limit;           /* there is room for so many */
    uint64_t chunk_count;           /* taken by threads; beyond the limit there are none */
    uint64_t lost_calls, lost_work; /* there was no room for */
    uint64_t untimed_work;          /* no device time could be read of */
    uint64_t unknown_functions;     /* of cuGetProcAddress that the registry does not have */
    uint64_t began_ns, ended_ns;    /* of the trace's clock */
    uint64_t began_unix_ns;         /* the same moment, as the time of day */
    uint64_t call_cost_ns;          /* what the trace itself adds to each, as measured */
    uint64_t event_cost_ns;         /* of a pair of events: taken off each work's duration */
    char program[TRACE_TEXT_BYTES]; /* the command line, as far as it fits */
    char driver[TRACE_TEXT_BYTES];  /* where the driver was loaded from, or what it is */
};

struct trace_chunk {
    uint32_t thread;        /* numbered from 1 in the order of their first call */
    uint32_t used;          /* bytes of records that follow this struct */
    uint64_t system_thread; /* the number that the system gives the thread */
};

enum trace_kind {
    TRACE_CALL = 1, /* words: the arguments, see below */
    TRACE_WORK,     /* struct trace_work in the words: what the device did for a call */
    TRACE_NAME,     /* word 0: enum trace_named, word 1: of what; then the name, closed by NUL */
    TRACE_RANGE,    /* a range that the program names: word 0: its thread's depth; then the name */
    TRACE_MARK,     /* a moment that the program names; then the name */
};

/*
 * A record; its words follow it. A call that has not returned has `ended_ns` 0. The words of a call
 * are its arguments in order, as the registry describes them. What the driver writes through a
 * pointer - a handle, an address, a number - stands in place of the pointer once the call has
 * succeeded, and TRACE_ARGUMENT_WRITTEN(index) in `flags` says so. The words after the last argument
 * are the beginning of the call's first text argument, closed by NUL.
 */
struct trace_record {
    uint8_t kind;
    uint8_t words;
    uint16_t slot; /* of CALL and WORK: the function that was called */
    int32_t code;  /* of CALL: its result */
    uint64_t began_ns, ended_ns;
    uint32_t flags;
    uint32_t depth; /* of CALL: how many calls of the same thread it is inside of */
};

#define TRACE_ARGUMENT_WRITTEN(index) (1u << (index))
#define TRACE_INJECTED (1u << 31) /* of CALL: a fault rule gave the result */
#define TRACE_PROCESS_RANGE 1u    /* of RANGE: it overlaps others, and any thread may end it */

enum trace_work_kind {
    TRACE_KERNEL = 1,
    TRACE_COPY_TO_DEVICE,
    TRACE_COPY_TO_HOST,
    TRACE_COPY_ON_DEVICE,
    TRACE_COPY_BETWEEN_DEVICES,
    TRACE_COPY, /* of a direction that the call does not say */
    TRACE_SET,
    TRACE_GRAPH,
    TRACE_HOST_FUNCTION,
};

/*
 * The words of work. Its record's times are the device's, on the trace's clock; both are 0 if they
 * could not be read. The call is the one of thread `thread` that began at `call_ns`.
 */
struct trace_work {
    uint32_t kind; /* enum trace_work_kind */
    uint32_t thread;
    uint64_t call_ns;
    uint64_t context, stream; /* handles; a stream may be NULL, 1 (legacy) or 2 (per thread) */
    uint64_t object;          /* the function or graph; 0: none */
    uint64_t bytes;           /* that are copied or set; 0: not known */
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    uint32_t device; /* number of the device; UINT32_MAX: not known */
};

/* What a name is of. */
enum trace_named {
    TRACE_NAME_FUNCTION,         /* a kernel's handle: CUfunction or CUkernel */
    TRACE_NAME_THREAD,           /* a thread, by the system's number */
    TRACE_NAME_UNKNOWN_FUNCTION, /* by its address: cuGetProcAddress found it, the registry not */
};

_Static_assert(sizeof(struct trace_header) <= TRACE_HEADER_BYTES, "the header has its room");
_Static_assert(sizeof(struct trace_record) == 32, "records are read as they were written");
_Static_assert(sizeof(struct trace_work) % 8 == 0, "work fills whole words");

#endif
