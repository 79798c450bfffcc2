/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order that calls impose on work on the device, which copies.c and order*.c pass on to the
 * race detector (src/race). All of it is under the layer's lock.
 *
 * A synchronisation that cannot be followed is taken to order everything, so there are no false
 * reports.
 */
#ifndef CUSHIM_CHECK_ORDER_H
#define CUSHIM_CHECK_ORDER_H

#include "src/check/action.h"
#include "src/race/race.h"

/* --- order_objects.c: contexts, streams and events --- */

/* Each is the member `order` of a handle (src/layer/handle_table.h). */
struct order_context {
    struct race_group group;
    struct order_stream *own; /* its default streams */
    unsigned owned;           /* their number */
};

struct order_stream {
    struct cushim__handle *object; /* NULL for a default stream */
    struct order_context *context;
    struct race_stream race;
    struct order_stream *next; /* of the same context's default streams */
    unsigned thread;           /* of a per-thread default stream; 0 for the legacy one */
};

/* How much work a capture has on each of its streams; further streams are not followed. */
enum { ORDER_CAPTURED = 16 };
struct order_captured {
    uint32_t works[ORDER_CAPTURED];
};

struct order_event {
    bool is_known; /* its creation was seen, and no other process uses it */
    unsigned flags;
    uint32_t context; /* number of the context in which it was created; 0 if not known */
    bool is_recorded; /* a record of it was seen */
    bool is_clear;    /* `clock` is what the last record comes after; otherwise not known */
    struct race_clock *clock;
    uint64_t capture; /* the call that began the capture of the last record; 0 if outside */
    struct order_captured behind; /* what a captured record comes after */
};

struct order_context *cushim__order_context(uint64_t value);
/* NULL if memory runs out, or for a stream of a green context. */
struct order_stream *cushim__order_stream_create(struct cushim__handle *object, uint64_t context,
                                                 unsigned flags);
struct order_stream *cushim__order_default_stream(uint64_t context, unsigned thread);
void cushim__order_stream_destroy(struct order_stream *stream);

/* Adds the event, as one whose creation was not seen, if it is new. NULL if memory runs out. */
struct order_event *cushim__order_event(struct cushim__handle *object);
void cushim__order_event_record(struct order_event *event, struct race_clock *clock, bool is_clear);

/* The name of a function or kernel; NULL if it is not known. */
void cushim__order_kernel_set(struct cushim__handle *object, const char *name);
const char *cushim__order_kernel(uint64_t value);

/* Assume that any event may be recorded unseen from now on, as graphs do. */
void cushim__order_events_unclear(void);

/* Forget the state of an object that the handle table forgets, or of all objects. */
void cushim__order_forget(struct cushim__handle *object);
void cushim__order_objects_clear(void);

/* --- copies.c: the memory of copies and sets --- */

struct order_side {
    CUmemorytype type;         /* as the call has it */
    uint64_t base;             /* the address that the call passes */
    struct race_region region; /* of width 0 for an array */
    enum order_memory memory;
};

/* The sides of a copy, or of a set, whose `from` is an array. False if it moves no bytes. */
bool cushim__order_sides(const struct cushim__call *call, struct order_side *to,
                         struct order_side *from);

/* Whether the call is known to return only when the work is done. */
bool cushim__order_waits(const struct cushim__call *call, const struct order_side *to,
                         const struct order_side *from);

/* --- order_work.c: what is submitted and waited for --- */

/* False if memory runs out; cushim__order_work_end() must be called even then. */
bool cushim__order_work_begin(void);
void cushim__order_work_end(void);

/* Assume that all work so far comes before all later work, because a call cannot be followed. */
void cushim__order_all(void);

/* Note that the host has seen an event or a stream to be done; NULL stands for any. */
void cushim__order_see_event(const struct order_event *event);
void cushim__order_see_stream(const struct order_stream *stream);

/* What launches of graphs may do; each value includes those before it. */
enum order_graphs {
    ORDER_GRAPHS_WORK,
    ORDER_GRAPHS_COPY,   /* let the host wait, as copies of pageable memory do */
    ORDER_GRAPHS_WAIT,   /* wait for anything, and signal it to the host */
    ORDER_GRAPHS_RECORD, /* record any event */
};
void cushim__order_note_graphs(enum order_graphs what);

/* What a call frees. */
struct order_freed {
    uint64_t memory;  /* the detector's id of it; 0 if not known */
    uint64_t context; /* the context for whose work it waits; 0 for all contexts */
    bool is_at_once;  /* it does not wait, because the memory is a pool's */
};

/* Apply a successful call outside of captures that is work or waits for it. */
void cushim__order_apply(const struct cushim__call *call, const struct cushim__effects *effects,
                         const struct order_freed *freed);

/* The first event that a call passes, or, if `which` is 1, the second. */
struct order_event *cushim__order_event_of(const struct cushim__call *call,
                                           const struct cushim__effects *effects, unsigned which);

/* The detector's id of an allocation. */
uint64_t cushim__order_id(const struct cushim__handle *object);

/* The call that has submitted work. */
struct cushim__maker cushim__order_maker(const struct race_access *access);

/* --- capture.c --- */

/* Whether a capture is under way, so that calls may be captured instead of executed. */
bool cushim__capture_is_under_way(void);

#endif
