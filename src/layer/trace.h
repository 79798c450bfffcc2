/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace: a record of every call, and of the work that the device does for it, written into a
 * mapped file as it happens (src/trace/file.h). No call waits for another one to be recorded.
 */
#ifndef CUSHIM_LAYER_TRACE_H
#define CUSHIM_LAYER_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "src/trace/file.h"
#include "src/trace/options.h"

struct cushim_layer;
struct cushim__call;
struct trace_context;

/* What the trace keeps of a call while it is under way. */
struct cushim__traced {
    struct trace_record *record;   /* NULL: the call is not traced */
    struct trace_record *work;     /* NULL: it is no work, or there was no room */
    struct trace_context *context; /* whose events time the work; NULL: it is not timed */
    CUevent start, end;
    CUstream stream;
    uint64_t base; /* number of the base event before them */
};

/*
 * Begin to trace; the file is made at the first call, and again in each child that a fork makes.
 * ALREADY_ACQUIRED: there is a trace. OUT_OF_MEMORY.
 */
CUresult cushim__trace_begin(const struct trace_options *options);

/*
 * End it as the process ends: the times of work that is done are read, and the file gets its final
 * size. Other threads may be in calls, and go on to write.
 */
void cushim__trace_end(void);

/*
 * trace_ranges.c: what the program names by NVTX. Pushed ranges belong to a thread, and those of
 * one domain nest. Push and pop return the depth that NVTX specifies.
 */
void cushim__trace_mark(const char *name);
int cushim__trace_push(const void *domain, const char *name);
int cushim__trace_pop(const void *domain);

/* A range that overlaps others, and that any thread may end by its id, which is never 0. */
uint64_t cushim__trace_range_start(const char *name);
void cushim__trace_range_end(uint64_t id);

void cushim__trace_name_thread(uint64_t system_thread, const char *name);

/* A function that the driver has and the registry does not. */
void cushim__trace_name_unknown(const char *name, const void *function);

/* --- what the files of the trace share --- */

/*
 * trace_file.c: the file of this process. NULL: it cannot be made, and errno says why. Close: it
 * stays mapped for threads that still write to their chunks, unless this one is alone. Forget: in
 * the child of a fork, whose parent goes on to write to it.
 */
struct trace_header *cushim__trace_file_create(const struct trace_options *options);
void cushim__trace_file_close(bool is_alone);
void cushim__trace_file_forget(void);

/*
 * Room for a record of this thread with so many words, whose kind and times are 0; a reader sees it
 * when it is published, and that is before the next one is reserved. NULL: the file is full.
 */
struct trace_record *cushim__trace_reserve(size_t words);
void cushim__trace_publish(const struct trace_record *record);

/* The number of this thread, once it has reserved a record. */
unsigned cushim__trace_thread(void);

/* A record of a kind with these words, and a text behind them; not published. */
struct trace_record *cushim__trace_text(enum trace_kind kind, const uint64_t *words, size_t count,
                                        const char *text);

void cushim__trace_name(enum trace_named named, uint64_t of, const char *name);

/* trace_work.c: what a call is to the device, from the registry. */
void cushim__trace_works_prepare(void);
bool cushim__trace_is_work(unsigned slot);

/* Describe the work of a call, but for its context, thread and time. */
void cushim__trace_work_describe(const struct cushim__call *call, struct trace_work *work);

/*
 * trace_time.c: when the device did the work. Over a real driver events on the same stream say so,
 * which are read later; a mock says so itself.
 */
bool cushim__trace_times_begin(void); /* false: no memory */
void cushim__trace_time_start(struct cushim__traced *traced, struct trace_work *work);
void cushim__trace_time_queue(struct trace_record *work); /* NULL: the call's work is not traced */
void cushim__trace_time_end(struct cushim__call *call, CUresult answer);

/* Any call may be the beginning of a capture, or the end of a context. */
void cushim__trace_times_note_before(const struct cushim__call *call);

/* Whether calls of a function change how work is timed. */
bool cushim__trace_time_needs(unsigned slot);

/*
 * Read what is done, and write what could not be timed into the header; NULL: there is no file.
 * Alone, no call is under way and the driver is there: events are destroyed.
 */
void cushim__trace_times_finish(struct trace_header *header, bool is_alone);

/* In the child of a fork: the events are the parent's. */
void cushim__trace_times_forget(void);

/* trace.c */
uint64_t cushim__trace_now(void);

/* Whether calls and ranges are recorded at this moment; makes the file if there is none. */
bool cushim__trace_is_recording(void);

/* Changes with each file, so that nobody completes a record of a former one; 0: there is no file. */
uint64_t cushim__trace_file_number(void);

void cushim__trace_begin_child(void);

#endif
