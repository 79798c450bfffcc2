/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file that a traced process writes: a header, then chunks of records.
 *
 * The process maps the file and writes records into it as its calls begin and end, so nothing is
 * lost if the process is killed. A thread owns its chunk: no other thread adds records to it. The
 * file is sparse: chunks that no thread has taken occupy no space. All numbers are in the byte
 * order of the machine.
 *
 * Within a chunk, records follow one another. `used` is stored after the record that it covers, so
 * a reader may look at any time. The record of a call is written when the call begins, and
 * completed when it ends. Any thread may complete the times of work and of process ranges.
 */
#ifndef CUSHIM_TRACE_FILE_H
#define CUSHIM_TRACE_FILE_H

#include <stdint.h>

#define TRACE_MAGIC "cushim-trace"

enum {
    TRACE_VERSION = 1,
    TRACE_HEADER_BYTES = 8192, /* the first chunk begins here */
    TRACE_CHUNK_BYTES = 16384,
    TRACE_TEXT_BYTES = 2048, /* room of each text in the header */
};

/* Flags of the header. */
enum {
    TRACE_ENDED = 1,         /* the process ended the trace: it did not crash, and is not running */
    TRACE_VIRTUAL_CLOCK = 2, /* times are those of a mock's clock */
    TRACE_DEVICE_TIMES = 4,  /* the device's work was timed */
};

struct trace_header {
    char magic[16]; /* TRACE_MAGIC */
    uint32_t version, header_bytes, chunk_bytes, flags;
    uint32_t driver_version; /* as cuDriverGetVersion returns it; 0 if unknown */
    uint32_t process;
    uint64_t chunk_limit;           /* how many chunks the file has room for */
    uint64_t chunk_count;           /* chunks that threads have asked for, even beyond the limit */
    uint64_t lost_calls, lost_work; /* calls and work that there was no room for */
    uint64_t untimed_work;          /* pieces of work whose times could not be read */
    uint64_t unknown_functions;     /* found by cuGetProcAddress but not in the registry */
    uint64_t began_ns, ended_ns;    /* on the trace's clock */
    uint64_t began_unix_ns;         /* `began_ns` as the time of day, since 1970 */
    uint64_t call_cost_ns;          /* measured time that recording adds to a call */
    uint64_t event_cost_ns;         /* measured time of two events, subtracted from durations */
    char program[TRACE_TEXT_BYTES]; /* the command line, cut to fit */
    char driver[TRACE_TEXT_BYTES];  /* the path of the driver, or the identity of the mock */
};

struct trace_chunk {
    uint32_t thread;        /* threads are numbered from 1 in the order of first calls */
    uint32_t used;          /* size of the records that follow this struct, in bytes */
    uint64_t system_thread; /* the operating system's number of the thread */
};

enum trace_kind {
    TRACE_CALL = 1, /* words: the arguments, see below */
    TRACE_WORK,     /* words: a struct trace_work, what the device did for a call */
    TRACE_NAME,     /* word 0: enum trace_named, word 1: what is named; then the name with NUL */
    TRACE_RANGE,    /* an NVTX range; the words are its name with NUL */
    TRACE_MARK,     /* an NVTX mark; the words are its name with NUL */
};

/*
 * A record; its words follow it. A call that has not returned has `ended_ns` 0. The words of a call
 * are its arguments in order, as the registry describes them. Once the call has succeeded, what the
 * driver wrote through a pointer (a handle, an address, a number) stands in place of the pointer,
 * and TRACE_ARGUMENT_WRITTEN(index) in `flags` says so. The words after the last argument are the
 * beginning of the call's first text argument, with a NUL.
 */
struct trace_record {
    uint8_t kind;
    uint8_t words;
    uint16_t slot; /* CALL and WORK: the function that was called */
    int32_t code;  /* CALL: the result */
    uint64_t began_ns, ended_ns;
    uint32_t flags;
};

#define TRACE_ARGUMENT_WRITTEN(index) (1u << (index))
#define TRACE_INJECTED (1u << 31) /* CALL: a fault rule chose the result */
#define TRACE_PROCESS_RANGE 1u    /* RANGE: it may overlap others, and any thread may end it */

enum trace_work_kind {
    TRACE_KERNEL = 1,
    TRACE_COPY_TO_DEVICE,
    TRACE_COPY_TO_HOST,
    TRACE_COPY_ON_DEVICE,
    TRACE_COPY_BETWEEN_DEVICES,
    TRACE_COPY, /* the call does not say in which direction */
    TRACE_SET,
    TRACE_GRAPH,
    TRACE_HOST_FUNCTION,
};

/*
 * The words of work, which was queued by the last call before it in the same thread. The times of
 * its record are those of the device on the trace's clock, or 0 if they could not be read.
 */
struct trace_work {
    uint32_t kind;            /* enum trace_work_kind */
    uint32_t device;          /* number of the device; UINT32_MAX if unknown */
    uint64_t context, stream; /* handles; a stream may be NULL, 1 (legacy) or 2 (per thread) */
    uint64_t object;          /* handle of the function or graph, or 0 */
    uint64_t bytes;           /* how many are copied or set; 0 if unknown */
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
};

/* What a name belongs to. */
enum trace_named {
    TRACE_NAME_FUNCTION,         /* a kernel, by its CUfunction or CUkernel */
    TRACE_NAME_THREAD,           /* a thread, by the operating system's number */
    TRACE_NAME_UNKNOWN_FUNCTION, /* a function that the registry lacks, by its address */
};

_Static_assert(sizeof(struct trace_header) <= TRACE_HEADER_BYTES, "the header has its room");
_Static_assert(sizeof(struct trace_record) == 32, "records are read as they were written");
_Static_assert(sizeof(struct trace_work) % 8 == 0, "work fills whole words");

#endif
