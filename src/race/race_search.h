/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for missing waits: whether anything orders two operations on the same memory.
 *
 * Every operation gets a clock (clock.h) of what comes before it: in its stream, through records
 * that its stream waits for, through the legacy default stream, and through what the host has seen
 * to be finished when it was submitted. Two operations of which neither comes before the other and
 * of which one writes what the other reads or writes are a race, in whatever order they happen to
 * be executed. So only what calls ask for counts here, and not what the engine does when, with two
 * exceptions where nothing else is known: values in memory that are waited for, and host functions.
 *
 * Where it cannot be known, two operations are taken to be ordered: a race that is reported is one.
 * Unless the setting `races` asks for the search, `cushim__mock->races` is NULL, and each function
 * of this header looks at that alone.
 */
#ifndef CUSHIM_MOCK_RACES_H
#define CUSHIM_MOCK_RACES_H

#include "src/mock/sim/operation.h"
#include "src/race/region.h"

struct mock_allocation;
struct race_clock;
struct mock_context;
struct mock_stream;
struct race_submission;

/* CUDA_SUCCESS or OUT_OF_MEMORY. */
CUresult cushim__race_create(void);
void cushim__race_destroy(void);

/* --- from the engine --- */

/* An operation has its number, and goes to a stream. */
void cushim__race_submit(struct mock_stream *stream, struct mock_operation *operation);

/* Nobody submits to a stream any more. */
void cushim__race_stream_gone(struct mock_stream *stream);

/*
 * What is submitted so far: of the stream, with those that block it if it is the legacy default
 * stream; of the stream up to its last operation; of a context. To be released by races_saw().
 */
struct race_clock *cushim__race_stream(const struct mock_stream *stream);
struct race_clock *cushim__race_last(const struct mock_stream *stream);
struct race_clock *cushim__race_context(const struct mock_context *context);

/* The host has seen that all of this is finished, or, if not `finished`, it has not. */
void cushim__race_saw(struct race_clock *clock, bool finished);

/*
 * The same of an operation under way, and of everything: where it is not known what was waited for,
 * and around copies between contexts, of which it was not measured what they wait for.
 */
void cushim__race_saw_operation(const struct mock_operation *operation);
void cushim__race_saw_all(void);

/* --- from calls --- */

/* A stream waits for this, or for all that is submitted so far. */
void cushim__race_wait(struct mock_stream *stream, struct race_clock *clock);
void cushim__race_wait_all(struct mock_stream *stream);

/* An operation that waited for a value in memory is executed or dropped. */
void cushim__race_released(const struct mock_operation *operation);

/* What is submitted until the end belongs to a graph that is launched on this stream. */
void cushim__race_launch_begin(const struct mock_stream *stream);
void cushim__race_launch_end(void);

/* Memory gets another use, or none. */
void cushim__race_forget(const struct mock_allocation *allocation);

/* --- from operations: what they do, told while they are submitted (class->touch) --- */

/* How an operation uses memory. */
enum race_use {
    RACE_READS,
    RACE_WRITES,
    RACE_MAY_WRITE, /* nobody has said what it does: two of these are no race */
    RACE_ALLOCATES,
    RACE_FREES,
};

/* It uses memory that an address leads to; what is in no allocation does not count. */
void cushim__race_submission_touch(struct race_submission *submission,
                                   const struct race_region *region, enum race_use use);

/* It uses so many bytes from an address, 0: up to the end of the allocation. */
void cushim__race_submission_touch_from(struct race_submission *submission, uint64_t address,
                                        size_t bytes, enum race_use use);

/* It uses all of an allocation. */
void cushim__race_submission_whole(struct race_submission *submission,
                                   const struct mock_allocation *allocation, enum race_use use);

/* Which one of its kind it is: the name of a kernel; copied. */
void cushim__race_submission_name(struct race_submission *submission, const char *name);

#endif
