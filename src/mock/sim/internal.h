/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the sim share. */
#ifndef CUSHIM_MOCK_SIM_INTERNAL_H
#define CUSHIM_MOCK_SIM_INTERNAL_H

#include <stdbool.h>

#include <cuda.h>

#include "src/mock/core/state.h"
#include "src/mock/sim/sim.h"
#include "src/mock/sim/stream.h"

/* Streams in the order in which they came, through their member `next_waiting`. */
struct mock_queue {
    struct mock_stream *first, *last;
};

/* Queues of streams that wait for a unit, by priority; the last is for all lower ones too. */
enum { MOCK_PRIORITY_QUEUES = 16 };

/* One unit of one device: how many operations it executes at once, and who waits for it. */
struct mock_lanes {
    unsigned free;
    struct mock_queue waiting[MOCK_PRIORITY_QUEUES];
};

struct mock_sim {
    struct mock_stream_group *groups, *last_group;
    uint64_t submitted, executed;
    uint64_t steps, offered; /* parts of operations, and how many when the lock was offered last */
    size_t pending, active;  /* operations, and streams that have any */
    uint64_t random;
    uint64_t delay_random;                       /* the same, for answers that are delayed */
    uint64_t end_reported_ns, effect_visible_ns; /* see cushim__mock_sim_delays_answer() */
    unsigned delayed_answers;                    /* in a row */

    struct mock_stream **heap; /* by due_ns, then by the head's number */
    size_t heap_size, heap_room;

    struct mock_stream *runnable, *last_runnable; /* whose heads may be able to start */
    struct mock_queue polled;
    struct mock_stream *forced, *last_forced; /* what their work waits for is to be forced, too */
    bool forcing;                             /* and somebody does so */
    struct mock_lanes lanes[MOCK_DEVICES_MAX][MOCK_UNITS];

    struct cushim__condition changed; /* something ended */
    unsigned waiters;                 /* threads that wait for that */
    unsigned on_host;                 /* streams whose head a helper executes */
    size_t pending_for_executor;      /* operations of which `needs_executor` is set */
    unsigned process_waiters;         /* calls that wait for what another process does */

    struct cushim__condition work; /* for the executor */
    struct cushim__host_thread executor;
    bool has_executor, executor_sleeps, stop;
};

/* A time so much later: the end of time, if it would be beyond. */
static inline uint64_t cushim__mock_time_after(uint64_t time_ns, uint64_t duration_ns)
{
    return time_ns > UINT64_MAX - duration_ns ? UINT64_MAX : time_ns + duration_ns;
}

static inline struct mock_sim *cushim__mock_sim(void)
{
    return cushim__mock->sim;
}

/* stream_queues.c: streams by when they are due. */
bool cushim__mock_heap_reserve(size_t room);
void cushim__mock_heap_push(struct mock_stream *stream);
void cushim__mock_heap_moved(struct mock_stream *stream); /* due_ns has changed */
void cushim__mock_heap_remove(struct mock_stream *stream);
struct mock_stream *cushim__mock_heap_first(void); /* NULL: empty */

/* stream_queues.c: queues of streams. */
void cushim__mock_queue_add(struct mock_queue *queue, struct mock_stream *stream);
struct mock_stream *cushim__mock_queue_take(struct mock_queue *queue);
void cushim__mock_queue_remove(struct mock_queue *queue, struct mock_stream *stream);

/* schedule.c: room on a device's unit. */
void cushim__mock_lanes_create(void);
bool cushim__mock_lane_take(struct mock_stream *stream); /* false: the stream waits for one */
void cushim__mock_lane_leave(struct mock_stream *stream);

/* schedule.c: when the head of a stream ends that could start now. */
uint64_t cushim__mock_schedule_end(const struct mock_stream *stream);
uint64_t cushim__mock_schedule_part(uint64_t duration_ns); /* how long a part of it takes */
uint64_t cushim__mock_random_number(uint64_t *state);

/* schedule.c: the legacy default stream. */
bool cushim__mock_order_allows(const struct mock_stream *stream);
void cushim__mock_order_ended(struct mock_stream *stream);

/*
 * run.c: note that the head of a stream may be able to start, start what can of these, and work off
 * what is due. To clear is to start none: the sim ends; those that have ended themselves are freed.
 */
void cushim__mock_run_make_runnable(struct mock_stream *stream);
void cushim__mock_run_start(void);
void cushim__mock_run_clear(void);
void cushim__mock_run_polled(void);      /* ask all that are polled */
void cushim__mock_run_polled_some(void); /* ask a few, in turn */
void cushim__mock_run_offer(void);       /* let others have the lock after a part of the work */
bool cushim__mock_run_next(void);        /* what is due first, whenever that is; false: nothing */
void cushim__mock_run_until(uint64_t time_ns);
void cushim__mock_run_end(struct mock_stream *stream); /* the head has ended */

/* threads.c: `operation` is queued, and may need the thread that lets time pass. */
CUresult cushim__mock_executor_start(const struct mock_operation *operation);
void cushim__mock_executor_wake(void);
void cushim__mock_executor_stop(void);

/* wait.c: sleep until something has ended, or a moment if somebody must be polled. */
void cushim__mock_wait_for_change(void);

/* The threads that execute host functions. */

/*
 * Have a thread for the streams of a context. OPERATING_SYSTEM: there is none to be had; or
 * OUT_OF_MEMORY.
 */
CUresult cushim__mock_helper_start(struct mock_stream_group *group);

/* Hand over the head of a stream: the sim goes on with cushim__mock_run_end(). */
void cushim__mock_helper_give(struct mock_stream *stream);

/* Whether the head of a stream is under way at this moment. */
bool cushim__mock_helper_executes(const struct mock_stream *stream);

/* Take back the head of a stream that was handed over and is not under way. */
void cushim__mock_helper_forget(struct mock_stream *stream);

/* End a context's thread; gives up the lock meanwhile. */
void cushim__mock_helper_stop(struct mock_stream_group *group);

#endif
