/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace: a record of every call, and of the work that the device does for it, written into a
 * mapped file as it happens (src/trace/file.h). Recording takes no lock; timing the work over a
 * real driver takes one for each context.
 */
#ifndef CUSHIM_TRACE_WRITE_WRITER_H
#define CUSHIM_TRACE_WRITE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "src/trace/file.h"
#include "src/trace/options.h"

struct cushim_layer;
struct cushim__call;
struct cushim__traced;

/*
 * Begin to trace. The first call creates the file, and each child of a fork creates its own.
 * Returns ALREADY_ACQUIRED if there is a trace, INVALID_VALUE if `calls` names no function, or
 * OUT_OF_MEMORY.
 */
CUresult cushim__trace_begin(const struct trace_options *options);

/*
 * End the trace as the process ends: read the times of completed work, and cut the file to its
 * final size. Other threads may still be in calls, and write to their chunks.
 */
void cushim__trace_end(void);

/*
 * ranges.c: what the program names with NVTX; NULL is an empty name. Pushed ranges belong to
 * a thread, and those of one domain nest. Push and pop return the depth that NVTX specifies.
 */
void cushim__trace_mark(const char *name);
int cushim__trace_push(const void *domain, const char *name);
int cushim__trace_pop(const void *domain);

/* A range that overlaps others, and that any thread may end by its id, which is never 0. */
uint64_t cushim__trace_range_start(const char *name);
void cushim__trace_range_end(uint64_t id);

void cushim__trace_name_thread(uint32_t system_thread, const char *name);

/* --- between the source files of the trace --- */

/* chunks.c: create the file of this process. If it returns NULL, errno says why. */
struct trace_header *cushim__trace_file_create(const struct trace_options *options);

/* Unless `is_alone`, the file stays mapped for threads that still write to their chunks. */
void cushim__trace_file_close(bool is_alone);

/* Unmap the file without closing it: in the child of a fork it is the parent's. */
void cushim__trace_file_unmap(void);

/*
 * Reserve room for a record of this thread with `words` words; its other bytes are zero. A reader
 * sees the record once it is published; publish it before you reserve another one. Returns
 * NULL if the file is full.
 */
struct trace_record *cushim__trace_reserve(size_t words);
void cushim__trace_publish(const struct trace_record *record);

/* Ids of published records, never 0. NULL if an id is wrong, or its file is closed. */
uint64_t cushim__trace_record_id(const struct trace_record *record);
struct trace_record *cushim__trace_record_of(uint64_t id);

/* Reserve a record and copy words and a text into it, but do not publish it. NULL as above. */
struct trace_record *cushim__trace_text(enum trace_kind kind, const uint64_t *words, size_t count,
                                        const char *text);

/* names.c: record the name of a kernel that is launched, or that a call has looked up. */
void cushim__trace_name_kernel(uint64_t function);
void cushim__trace_name_found(const struct cushim__call *call);
void cushim__trace_name(enum trace_named what, uint64_t of, const char *name);

/* Record the name of a function that the driver has and the registry does not. */
void cushim__trace_name_unknown(const char *name, const void *function);

/* Forget which names are recorded: handles may be reused, or a new file begins. */
void cushim__trace_names_forget(void);

/* work.c: which calls queue work, by the registry. */
void cushim__trace_works_prepare(void);
bool cushim__trace_is_work(unsigned slot);

/* Describe the work that a call queues, except for its context, thread and times. */
void cushim__trace_work_describe(const struct cushim__call *call, struct trace_work *work);

/*
 * device_times.c: when the device did the work. `roles` are those that trace_roles_of() returns for
 * the function.
 */
bool cushim__trace_times_begin(void); /* false if memory runs out */
void cushim__trace_time_before(const struct cushim__call *call, unsigned roles);
void cushim__trace_time_start(struct cushim__traced *traced, struct trace_work *work);
void cushim__trace_time_queue(struct trace_record *work); /* NULL if the work has no record */
void cushim__trace_time_end(struct cushim__call *call, unsigned roles, CUresult answer);

/*
 * Read the times of completed work, and set in the header, unless NULL, how much work has no times.
 * If `is_alone`, no call is in progress, and the events are destroyed as well.
 */
void cushim__trace_times_finish(struct trace_header *header, bool is_alone);

/* Forget the events in the child of a fork, where they are the parent's. */
void cushim__trace_times_forget(void);

/*
 * events.c: pairs of events around work over a real driver. While a stream is captured, no
 * event may be recorded and none read.
 */
void cushim__trace_pair_start(struct cushim__traced *traced, struct trace_work *work);
void cushim__trace_pair_end(const struct cushim__traced *traced, CUresult answer);

/* The program has waited for the device: read the times of work in the current context. */
void cushim__trace_pairs_read(void);

/* Before the primary context may end, read its times; afterwards, find out whether it has ended. */
void cushim__trace_primary_releasing(CUdevice device);
void cushim__trace_primary_released(CUdevice device);

/* Before a context ends, and its events with it: read their times if `may_read`. */
void cushim__trace_context_destroyed(CUcontext handle, bool may_read);
void cushim__trace_primary_retained(CUdevice device, CUcontext handle);
void cushim__trace_count_untimed(uint64_t count);
void cushim__trace_events_finish(struct trace_header *header, bool may_read, bool is_alone);
void cushim__trace_events_forget(void);

/* writer.c */
uint64_t cushim__trace_now(void);

/* Whether there is a file, and whether calls and ranges are recorded at this moment. */
bool cushim__trace_has_file(void);
bool cushim__trace_is_recording(void);

#endif
