/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of work on the device, as calls over any driver ask for it: what the files share that
 * feed the race detector (src/race). All of it is under the layer's lock.
 *
 * What cannot be followed orders everything, so that a race which is reported is one.
 */
#ifndef CUSHIM_CHECK_ORDER_H
#define CUSHIM_CHECK_ORDER_H

#include "src/check/function_rules.h"
#include "src/race/race.h"

/* --- order_objects.c: contexts, streams and events --- */

/* Each is of the handle that it is found by, whose `order` it is. */
struct order_context {
    struct race_group group;
    struct order_stream *own; /* its default streams */
    unsigned owned;           /* how many those are */
};

struct order_stream {
    struct cushim__handle *object; /* NULL: a default stream */
    struct order_context *context;
    struct race_stream race;
    struct order_stream *next; /* of the same context's default streams */
    unsigned thread;           /* of a per-thread default stream; 0: the legacy one */
};

/* How much work of each stream of a capture. Of more streams it is not known. */
enum { ORDER_CAPTURED = 16 };
struct order_captured {
    uint32_t works[ORDER_CAPTURED];
};

struct order_event {
    bool is_known; /* it was seen to be created, and no other process has it */
    unsigned flags;
    uint32_t context; /* number of the one that was current then; 0: not known */
    bool is_recorded; /* a call that was seen has recorded it */
    bool is_clear;    /* `clock` is what the record comes after; false: it is not known */
    struct race_clock *clock;
    uint64_t capture; /* that the last record is in: the call which began it; 0: it is in none */
    struct order_captured behind; /* what that record comes after */
};

struct order_context *cushim__order_context(uint64_t value);
/* NULL: there is no memory. */
struct order_stream *cushim__order_stream_create(struct cushim__handle *object, uint64_t context,
                                                 unsigned flags);
struct order_stream *cushim__order_default_stream(uint64_t context, unsigned thread);
void cushim__order_stream_destroy(struct order_stream *stream);

/* It is added if it is not there, as one that was not seen to be created. NULL: no memory. */
struct order_event *cushim__order_event(struct cushim__handle *object);
void cushim__order_event_record(struct order_event *event, struct race_clock *clock, bool is_clear);

/* The name of a function or kernel; NULL: it is not known. */
void cushim__order_kernel_set(struct cushim__handle *object, const char *name);
const char *cushim__order_kernel(uint64_t value);

/* Nothing is known any more of what records events: graphs may. */
void cushim__order_events_unclear(void);

/* What the handle table no longer knows, and all of it. */
void cushim__order_forget(struct cushim__handle *object);
void cushim__order_objects_clear(void);

/* --- copies.c: the memory of copies and sets --- */

struct order_side {
    CUmemorytype type;         /* as the call has it */
    uint64_t base;             /* the address that is passed */
    struct race_region region; /* of width 0: an array */
    enum order_memory memory;
};

/* The sides of a copy, or of a set, whose `from` is empty. False: it does nothing. */
bool cushim__order_sides(const struct cushim__call *call, struct order_side *to,
                         struct order_side *from);

/* Whether the call returns only when the work is done, as far as it is known. */
bool cushim__order_waits(const struct function_rule *rule, const struct order_side *to,
                         const struct order_side *from);

/* --- order_work.c: what is submitted and waited for --- */

/* False: no memory; end it all the same. */
bool cushim__order_work_begin(void);
void cushim__order_work_end(void);

/* Something is not known: all that is submitted so far comes before what follows. */
void cushim__order_all(void);

/* The host has seen that this is done; NULL: everything may be. */
void cushim__order_see_event(const struct order_event *event);
void cushim__order_see_stream(const struct order_stream *stream);

/* From now on launches may do this, and what is above it. */
enum order_graphs {
    ORDER_GRAPHS_WORK,
    ORDER_GRAPHS_COPY,   /* wait on the host, as for copies of pageable memory */
    ORDER_GRAPHS_WAIT,   /* wait for anything, and let the host know of it */
    ORDER_GRAPHS_RECORD, /* and record any event */
};
void cushim__order_note_graphs(enum order_graphs what);

/* What a call under way frees. */
struct order_freed {
    uint64_t memory;  /* as the detector has it; 0: nothing that is known */
    uint64_t context; /* for whose work it waits; 0: for all */
    bool is_at_once;  /* it does not wait: the memory is a pool's */
};

/* A call has succeeded that is work, or waits for it, outside of captures. */
void cushim__order_apply(const struct cushim__call *call, const struct function_rule *rule,
                         const struct order_freed *freed);

/* The event that is passed, or the one behind it. */
struct order_event *cushim__order_event_of(const struct cushim__call *call,
                                           const struct function_rule *rule, unsigned which);

/* An allocation as the detector has it. */
uint64_t cushim__order_id(const struct cushim__handle *object);

/* The call that has submitted work. */
struct cushim__maker cushim__order_maker(const struct race_access *access);

/* --- capture.c --- */

/* Whether a capture is under way, so that calls need not be work. */
bool cushim__capture_is_under_way(void);

#endif
