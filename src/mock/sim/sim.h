/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The discrete-event simulator: operations queue on streams and are executed in an order that a
 * real device could produce, on a virtual clock.
 *
 * Only the head of a stream is ever considered. It starts when the head before it has ended, what
 * it waits for is done, the legacy default stream allows it and its unit has a free lane; its end
 * then stands in a heap ordered by time. Settings say who pops that heap: explicit steps, calls, or
 * an executor thread.
 */
#ifndef CUSHIM_MOCK_SIM_SIM_H
#define CUSHIM_MOCK_SIM_SIM_H

#include "src/mock/sim/operation.h"

struct mock_stream_group;

CUresult cushim__mock_sim_create(void);

/* Stop threads, drop queued work. Called with the lock held, which is given up meanwhile. */
void cushim__mock_sim_destroy(void);

/* Move the clock on by what a call costs, and execute what is due. Manual mode: nothing happens. */
void cushim__mock_sim_elapse(uint64_t duration_ns);

/*
 * Have all that it takes to queue an operation, on one of so many streams that nothing is queued
 * on: cushim__mock_sim_submit() does not fail afterwards.
 */
CUresult cushim__mock_sim_reserve(struct mock_stream *stream, struct mock_operation *operation,
                                  size_t streams);

/* Have reports of races name a stream as it is called now. */
void cushim__mock_sim_name(struct mock_stream *stream);

/*
 * Queue an operation, also on a stream that is being captured, where cushim__mock_stream_submit()
 * would capture it. Takes the operation over in any case.
 */
CUresult cushim__mock_sim_submit(struct mock_stream *stream, struct mock_operation *operation);

/*
 * Wait, giving up the lock meanwhile. In manual mode what would have to wait is a misuse and
 * returns CUDA_ERROR_TIMEOUT. Otherwise CUDA_SUCCESS, or the sticky error that came meanwhile.
 *
 * stream   all work of the stream so far; of the legacy default stream: and of all that block it
 * group    all work of the streams of a context so far
 * last     the operation that was submitted last to the stream
 * until    anything: `done` is asked after every change
 */
CUresult cushim__mock_sim_wait_stream(struct mock_stream *stream);
CUresult cushim__mock_sim_wait_group(struct mock_stream_group *group);
CUresult cushim__mock_sim_wait_last(struct mock_stream *stream);
CUresult cushim__mock_sim_wait_until(bool (*done)(const void *what), const void *what,
                                     struct mock_stream *forced, uint64_t number);

/* What a call returns that would have to wait in manual mode: a misuse. */
CUresult cushim__mock_sim_wait_refused(void);

/* The same for something that another process does: it is asked again and again. */
CUresult cushim__mock_sim_wait_for_process(bool (*done)(const void *what), const void *what);

/* What calls may wait for has changed. */
void cushim__mock_sim_changed(void);

/* Whether work is queued or under way; of the legacy default stream: also in all that block it. */
bool cushim__mock_sim_busy(const struct mock_stream *stream);

/*
 * Adversarial mode: whether a call is to report that work which ended at a time is not done, or
 * that an idle stream is not idle. Once a call has reported an end, or work has done something that
 * the host can see, no call does so for what ended before.
 */
bool cushim__mock_sim_delays_answer(uint64_t end_ns);
bool cushim__mock_sim_delays_stream(const struct mock_stream *stream);
void cushim__mock_sim_end_reported(void);   /* a call reports that work has ended */
void cushim__mock_sim_effect_visible(void); /* the host can see what work has done */

/* The head of a stream, which was not ready (`ready` of its class), may have become so. */
void cushim__mock_sim_recheck(struct mock_stream *stream);

/*
 * An operation is executed in the call that makes it, and never queued: where races are looked for
 * it gets a number like others.
 */
void cushim__mock_sim_number(struct mock_stream *stream, struct mock_operation *operation);

/* The number of the operation that was submitted last, and whether any work up to one is pending. */
uint64_t cushim__mock_sim_submitted(void);
bool cushim__mock_sim_pending_until(uint64_t number);

/*
 * How much of its work an operation does in one step, at most so much: all of it, or, where the
 * schedule is left to chance, less.
 */
uint64_t cushim__mock_sim_share(uint64_t most);

/* How many operations are pending, and how many were executed. */
size_t cushim__mock_sim_pending(void);
uint64_t cushim__mock_sim_executed(void);

/*
 * Force work of a stream up to a number, for a call waits for it: the lazy schedule, which starts
 * nothing before, starts it now.
 */
void cushim__mock_sim_force(struct mock_stream *stream, uint64_t number);

/* Drop all queued work of a stream that ends with its context; a host function is waited for. */
void cushim__mock_sim_forget(struct mock_stream *stream);

/* The same of all streams of a group. What waited for their work in other contexts goes on. */
void cushim__mock_sim_forget_group(struct mock_stream_group *group);

/* Explicit steps: cushim_mock_advance(), _step() and _drain(). */
void cushim__mock_sim_advance(uint64_t duration_ns);
bool cushim__mock_sim_step(void);

/* End the operations that hang by a fault. */
void cushim__mock_sim_release_hung(void);

/* A sticky error: every later call returns it, queued work is dropped. */
void cushim__mock_sim_set_sticky_error(CUresult code);

#endif
