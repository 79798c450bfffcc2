/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the engine share. */
#ifndef CUSHIM_MOCK_STATE_H
#define CUSHIM_MOCK_STATE_H

#include "src/mock/core/state.h"
#include "src/mock/sim/sim.h"
#include "src/mock/sim/stream.h"

/* Streams in the order in which they came, through their member `next_waiting`. */
struct cushim__queue {
    struct cushim__stream *first, *last;
};

/* Lines of streams that wait for a unit, by priority; the last one is for all lower ones too. */
enum { CUSHIM__LINES = 16 };

/* One unit of one device: how many operations it executes at once, and who waits for it. */
struct cushim__lanes {
    unsigned free;
    struct cushim__queue waiting[CUSHIM__LINES];
};

struct cushim__engine {
    uint64_t now_ns;  /* the clock */
    uint64_t time_ns; /* the instant that is being worked on: never later than the clock */
    uint64_t submitted, executed;
    size_t pending, active; /* operations, and streams that have any */
    uint64_t random;
    uint64_t mood;              /* the same, for what hostility tells */
    uint64_t told_ns, shown_ns; /* see cushim__engine_hides() */
    unsigned lies;              /* in a row */

    struct cushim__stream **heap; /* by due_ns, then by the head's number */
    size_t heap_size, heap_room;

    struct cushim__stream *listed, *last_listed; /* whose heads are to be looked at */
    struct cushim__queue polled;
    struct cushim__stream *demanded, *last_demanded; /* whose demand is to be passed on */
    bool demanding;                                  /* and somebody does so */
    struct cushim__lanes lanes[CUSHIM__DEVICES_MAX][CUSHIM__UNITS];

    struct cushim__condition changed; /* something ended */
    unsigned waiters;                 /* threads that wait for that */
    unsigned on_host;                 /* streams whose head a helper executes */
    size_t outside_queued;            /* operations that somebody outside may wait for: `outside` */
    unsigned outside;                 /* calls that wait for what another process does */

    struct cushim__condition work; /* for the executor */
    struct cushim__runner executor;
    bool has_executor, executor_sleeps, stop;
};

/* A time so much later: the end of time, if it would be beyond. */
static inline uint64_t cushim__time_after(uint64_t time_ns, uint64_t duration_ns)
{
    return time_ns > UINT64_MAX - duration_ns ? UINT64_MAX : time_ns + duration_ns;
}

static inline struct cushim__engine *cushim__engine(void)
{
    return cushim__world->engine;
}

/* heap.c: streams by when they are due. */
bool cushim__heap_reserve(size_t room);
void cushim__heap_push(struct cushim__stream *stream);
void cushim__heap_moved(struct cushim__stream *stream); /* due_ns has changed */
void cushim__heap_remove(struct cushim__stream *stream);
struct cushim__stream *cushim__heap_first(void); /* NULL: empty */

/* queue.c */
void cushim__queue_add(struct cushim__queue *queue, struct cushim__stream *stream);
struct cushim__stream *cushim__queue_take(struct cushim__queue *queue);
void cushim__queue_remove(struct cushim__queue *queue, struct cushim__stream *stream);

/* lane.c: room on a device's unit. */
void cushim__lanes_create(void);
bool cushim__lane_take(struct cushim__stream *stream); /* false: the stream waits for one */
void cushim__lane_leave(struct cushim__stream *stream);

/* schedule.c: when the head of a stream ends that could start now. */
uint64_t cushim__schedule_end(const struct cushim__stream *stream);
bool cushim__schedule_unlimited(void); /* lanes do not matter */
uint64_t cushim__random_number(uint64_t *state);

/* order.c: the legacy default stream. */
bool cushim__order_allows(const struct cushim__stream *stream);
void cushim__order_ended(struct cushim__stream *stream);

/* run.c: look at streams, and work off what is due. */
void cushim__run_list(struct cushim__stream *stream);
void cushim__run_listed(void);

/* Look at none of them: the engine ends. Those that have ended themselves are freed. */
void cushim__run_forget_listed(void);
void cushim__run_polled(void);      /* ask all that are polled */
void cushim__run_polled_some(void); /* ask a few, in turn */
bool cushim__run_next(void);        /* what is due first, whenever that is; false: nothing */
void cushim__run_until(uint64_t time_ns);
void cushim__run_end(struct cushim__stream *stream); /* the head has ended */

/*
 * operation_fault.c: an operation begins by the rules of faults; false: it hangs. And it ends with
 * what stream->fault says.
 */
bool cushim__fault_begin(struct cushim__stream *stream);
CUresult cushim__fault_strike(const struct cushim__stream *stream);

/* executor.c: `operation` is queued, and may need the thread that lets time pass. */
CUresult cushim__executor_start(const struct cushim__operation *operation);
void cushim__executor_wake(void);
void cushim__executor_stop(void);

/* wait.c: sleep until something has ended, or a moment if somebody must be polled. */
void cushim__wait_for_change(void);

#endif
