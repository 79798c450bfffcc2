/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of the simulator share. */
#ifndef CUSHIM_MOCK_SIM_INTERNAL_H
#define CUSHIM_MOCK_SIM_INTERNAL_H

#include <stdbool.h>

#include <cuda.h>

#include "src/base/lock.h"
#include "src/mock/core/state.h"
#include "src/mock/sim/sim.h"
#include "src/mock/sim/stream.h"

/* A first-in, first-out queue of streams, linked by their member `next_waiting`. */
struct mock_queue {
    struct mock_stream *first, *last;
};

/* Queues of streams that wait for a unit, by priority; the last one also has all lower ones. */
enum { MOCK_PRIORITY_QUEUES = 16 };

/* One unit of one device: its free lanes, and the streams that wait for one. */
struct mock_lanes {
    unsigned free;
    struct mock_queue waiting[MOCK_PRIORITY_QUEUES];
};

struct mock_sim {
    struct mock_stream_group *groups, *last_group;
    uint64_t submitted, executed;
    uint64_t steps, offered; /* parts of operations; their count at the last offer of the lock */
    size_t pending, active;  /* operations, and streams that have any */
    uint64_t random;
    uint64_t delay_random;                       /* the random state of delayed answers */
    uint64_t end_reported_ns, effect_visible_ns; /* see cushim__mock_sim_delays_answer() */
    unsigned delayed_answers;                    /* in a row */

    struct mock_stream **heap; /* ordered by due_ns, then by the head's number */
    size_t heap_size, heap_room;

    struct mock_stream *runnable, *last_runnable; /* streams whose heads may be able to start */
    struct mock_queue polled;
    struct mock_stream *forced, *last_forced; /* streams whose dependencies are to be forced */
    bool forcing;                             /* a call is working through that list */
    struct mock_lanes lanes[MOCK_DEVICES_MAX][MOCK_UNITS];

    struct cushim__condition changed; /* something ended */
    unsigned waiters;                 /* threads that wait for `changed` */
    unsigned on_host;                 /* streams whose head a helper thread has */
    size_t pending_for_executor;      /* operations of which `needs_executor` is set */
    unsigned process_waiters;         /* calls that wait for another process */

    struct cushim__condition work; /* wakes the executor */
    struct cushim__thread executor;
    bool has_executor, executor_sleeps, stop;
};

/* Add a duration to a time; UINT64_MAX on overflow. */
static inline uint64_t cushim__mock_time_after(uint64_t time_ns, uint64_t duration_ns)
{
    return time_ns > UINT64_MAX - duration_ns ? UINT64_MAX : time_ns + duration_ns;
}

static inline struct mock_sim *cushim__mock_sim(void)
{
    return cushim__mock->sim;
}

/* stream.c: the heap, which orders streams by when they are due. */
bool cushim__mock_heap_reserve(size_t room);
void cushim__mock_heap_push(struct mock_stream *stream);
void cushim__mock_heap_moved(struct mock_stream *stream); /* due_ns has changed */
void cushim__mock_heap_remove(struct mock_stream *stream);
struct mock_stream *cushim__mock_heap_first(void); /* NULL if it is empty */

/* stream.c: queues of streams. */
void cushim__mock_queue_add(struct mock_queue *queue, struct mock_stream *stream);
struct mock_stream *cushim__mock_queue_take(struct mock_queue *queue);
void cushim__mock_queue_remove(struct mock_queue *queue, struct mock_stream *stream);

/* schedule.c: the lanes of a device's units. */
void cushim__mock_lanes_create(void);
bool cushim__mock_lane_take(struct mock_stream *stream); /* false if the stream has to wait */
void cushim__mock_lane_leave(struct mock_stream *stream);

/* schedule.c: when the head of a stream ends if it can start now. */
uint64_t cushim__mock_schedule_end(const struct mock_stream *stream);
uint64_t cushim__mock_schedule_part(uint64_t duration_ns); /* how long a part of it takes */
uint64_t cushim__mock_random_number(uint64_t *state);

/* schedule.c: the order between the legacy default stream and others. */
bool cushim__mock_order_allows(const struct mock_stream *stream);
void cushim__mock_order_ended(struct mock_stream *stream);

/*
 * run.c: note that the head of a stream may be able to start, start those heads that can, and
 * execute what is due. cushim__mock_run_clear() starts none because the simulator ends; it frees
 * the streams that have ended.
 */
void cushim__mock_run_make_runnable(struct mock_stream *stream);
void cushim__mock_run_start(void);
void cushim__mock_run_clear(void);
void cushim__mock_run_polled(void);      /* poll all that wait for it */
void cushim__mock_run_polled_some(void); /* poll a few, in turn */
void cushim__mock_run_offer(void);       /* let others take the lock after a part of the work */
bool cushim__mock_run_next(void);        /* execute the next head that is due; false if none is */
void cushim__mock_run_until(uint64_t time_ns);
void cushim__mock_run_end(struct mock_stream *stream); /* the head has ended */

/* threads.c: the executor, which lets time pass. Fails with OPERATING_SYSTEM. */
CUresult cushim__mock_executor_start(void);
void cushim__mock_executor_stop(void);
static inline void cushim__mock_executor_wake(void)
{
    if (cushim__mock_sim()->executor_sleeps)
        cushim__condition_signal(&cushim__mock_sim()->work);
}

/* wait.c: sleep until something has ended, or only for a moment if something must be polled. */
void cushim__mock_wait_for_change(void);

/* The helper threads, which execute host functions. */

/*
 * Start the thread of a context, unless it has one. Returns OPERATING_SYSTEM if no thread can be
 * started, or OUT_OF_MEMORY.
 */
CUresult cushim__mock_helper_start(struct mock_stream_group *group);

/* Hand over the head of a stream. When it has ended, the thread calls cushim__mock_run_end(). */
void cushim__mock_helper_give(struct mock_stream *stream);

/* Whether the thread is executing the head of a stream at this moment. */
bool cushim__mock_helper_executes(const struct mock_stream *stream);

/* Take back the head of a stream that was handed over but has not begun. */
void cushim__mock_helper_forget(struct mock_stream *stream);

/* End a context's thread; releases the lock meanwhile. */
void cushim__mock_helper_stop(struct mock_stream_group *group);

#endif
