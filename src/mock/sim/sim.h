/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The discrete-event simulator: operations queue on streams and are executed in an order that a
 * real device could produce, on a virtual clock.
 *
 * Only the head of a stream is ever considered. It starts when the head before it has ended, what
 * it waits for is done, the legacy default stream allows it and its unit has a free lane; its end
 * is then put into a heap ordered by time. The settings say who pops that heap: explicit steps,
 * calls, or an executor thread.
 */
#ifndef CUSHIM_MOCK_SIM_SIM_H
#define CUSHIM_MOCK_SIM_SIM_H

#include "src/mock/sim/operation.h"

struct mock_stream_group;

CUresult cushim__mock_sim_create(void);

/* Stop threads and drop queued work. Called with the lock held, which is released meanwhile. */
void cushim__mock_sim_destroy(void);

/* Advance the clock by the cost of a call, and execute what is due. No-op in manual mode. */
void cushim__mock_sim_elapse(uint64_t duration_ns);

/*
 * Acquire the threads and the memory that it takes to queue an operation on a stream, while up to
 * `streams` streams become busy. Afterwards, cushim__mock_sim_submit() does not fail.
 */
CUresult cushim__mock_sim_reserve(struct mock_stream *stream, struct mock_operation *operation,
                                  size_t streams);

/* Use the current name of a stream in reports of races. */
void cushim__mock_sim_name(struct mock_stream *stream);

/*
 * Queue an operation, even on a stream that is being captured, where cushim__mock_stream_submit()
 * would capture it. Takes ownership of the operation, also on failure.
 */
CUresult cushim__mock_sim_submit(struct mock_stream *stream, struct mock_operation *operation);

/*
 * Wait, releasing the lock meanwhile. In manual mode, having to wait is a misuse and returns
 * CUDA_ERROR_TIMEOUT. Otherwise CUDA_SUCCESS, or the sticky error that came meanwhile.
 *
 * stream   all work of the stream so far; for the legacy default stream, of all that block it, too
 * group    all work of the streams of a context so far
 * last     the operation that was submitted last to the stream; the program knows that it is
 *          finished if `is_seen`
 * until    anything: `done` is called after every change
 */
CUresult cushim__mock_sim_wait_stream(struct mock_stream *stream);
CUresult cushim__mock_sim_wait_group(struct mock_stream_group *group);
CUresult cushim__mock_sim_wait_last(struct mock_stream *stream, bool is_seen);
CUresult cushim__mock_sim_wait_until(bool (*done)(const void *what), const void *what,
                                     struct mock_stream *forced, uint64_t number);

/* Note as a misuse that a call would have to wait in manual mode, and return the code for it. */
CUresult cushim__mock_sim_wait_refused(void);

/* cushim__mock_sim_wait_until() for something that another process does: `done` is polled. */
CUresult cushim__mock_sim_wait_for_process(bool (*done)(const void *what), const void *what);

/* Wake the calls that wait, because what they wait for may have changed. */
void cushim__mock_sim_changed(void);

/*
 * Whether a stream has pending work. For the legacy default stream, all that block it count, too.
 */
bool cushim__mock_sim_busy(const struct mock_stream *stream);

/*
 * Adversarial mode: whether a call is to report that work which ended at a time is not done, or
 * that an idle stream is not idle. Once a call has reported an end, or the host can see an effect
 * of work, no call does so for what ended before.
 */
bool cushim__mock_sim_delays_answer(uint64_t end_ns);
bool cushim__mock_sim_delays_stream(const struct mock_stream *stream);
void cushim__mock_sim_end_reported(void);   /* a call reports that work has ended */
void cushim__mock_sim_effect_visible(void); /* the host can see what work has done */

/* Consider the head of a stream again, which its class's `ready` has held back. */
void cushim__mock_sim_recheck(struct mock_stream *stream);

/*
 * Number an operation that is never queued, because the call that creates it executes it. Does
 * nothing unless races are detected.
 */
void cushim__mock_sim_number(struct mock_stream *stream, struct mock_operation *operation);

/* The number of the last operation submitted, and whether any work up to a number is pending. */
uint64_t cushim__mock_sim_submitted(void);
bool cushim__mock_sim_pending_until(uint64_t number);

/*
 * How much of its work an operation does in one step: `most`, or in the random schedule and in
 * adversarial mode a random part of it.
 */
uint64_t cushim__mock_sim_share(uint64_t most);

/* How many operations are pending, and how many were executed. */
size_t cushim__mock_sim_pending(void);
uint64_t cushim__mock_sim_executed(void);

/*
 * Force the work of a stream up to a number, because a call waits for it. The lazy schedule, which
 * would start it later, then starts it now.
 */
void cushim__mock_sim_force(struct mock_stream *stream, uint64_t number);

/* Drop all queued work of a stream whose context ends; wait for a host function in progress. */
void cushim__mock_sim_forget(struct mock_stream *stream);

/* The same for all streams of a group. Work in other contexts that waited for it continues. */
void cushim__mock_sim_forget_group(struct mock_stream_group *group);

/* Explicit steps: cushim_mock_advance(), _step() and _drain(). */
void cushim__mock_sim_advance(uint64_t duration_ns);
bool cushim__mock_sim_step(void);

/* Let the operations that hang because of a fault continue. */
void cushim__mock_sim_release_hung(void);

/* Set a sticky error: every later call returns it, and queued work is dropped. */
void cushim__mock_sim_set_sticky_error(CUresult code);

#endif
