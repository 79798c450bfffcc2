/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of work on the device, as calls over any driver ask for it: what the files share that
 * feed the race detector (src/race). All of it is under the layer's lock.
 *
 * What cannot be followed orders everything, so that a race which is reported is one.
 */
#ifndef CUSHIM_CHECK_ORDER_H
#define CUSHIM_CHECK_ORDER_H

#include "src/base/tree.h"
#include "src/check/check.h"
#include "src/layer/leak_tracker.h"
#include "src/race/race.h"

/* --- order_rules.c: what each function does to the order --- */

enum order_action {
    ORDER_NOTHING,
    /* Work, whose memory is known or does not count. */
    ORDER_COPY,
    ORDER_COPY_2D,
    ORDER_COPY_3D, /* peer copies too: the structs differ in their contexts alone */
    ORDER_SET,
    ORDER_SET_2D,
    ORDER_KERNEL,
    ORDER_GRAPH,
    ORDER_WORK,
    ORDER_ALLOCATE,
    ORDER_FREE_ASYNC,
    /* Work that waits for what is outside of the streams, or that the host may learn from. */
    ORDER_WAIT_OUTSIDE,
    ORDER_SIGNAL,
    ORDER_UNKNOWN, /* it may do either */
    /* Events and waits. */
    ORDER_RECORD,
    ORDER_CONTEXT_RECORD, /* an event is recorded behind more than a stream */
    ORDER_WAIT_EVENT,
    ORDER_SEE_EVENT,
    ORDER_SEE_STREAM,
    ORDER_SEE_CONTEXT,
    ORDER_CONTEXT_WAIT_EVENT,
    ORDER_ELAPSED,
    ORDER_EVERYTHING, /* it may wait for anything */
    ORDER_FREE,
    /* The life of objects. */
    ORDER_CREATE_STREAM,
    ORDER_CREATE_EVENT,
    ORDER_DESTROY_STREAM,
    ORDER_DESTROY_EVENT,
    ORDER_DESTROY_EXEC,
    ORDER_DESTROY_CONTEXT,
    ORDER_BEGIN_CAPTURE,
    ORDER_END_CAPTURE,
    ORDER_UPDATE_CAPTURE,
    ORDER_MAKE_COPY, /* a graph gets a copy, which a launch may wait for */
    ORDER_MAKE_NODE, /* a graph gets a node that records an event, waits or calls the host */
    ORDER_SET_POINTER,
};

struct order_rule {
    uint8_t action;                  /* enum order_action */
    uint8_t stream, event, function; /* parameters, or CUSHIM__NO_PARAMETER; so are these: */
    uint8_t to, from, bytes;         /* of a copy in one row; those that are no arrays */
    uint8_t unit;                    /* bytes of an element of a set */
    bool is_asynchronous;
    bool is_per_thread; /* a default stream is that of the thread */
    bool is_peer;
    bool is_unified; /* the addresses of a copy in one row may be the host's, too */
};
void cushim__order_rules_prepare(void);
const struct order_rule *cushim__order_rule(unsigned slot);

/* The struct that a kernel is launched by; NULL: the call is not of that kind, or has none. */
const struct cushim__launch_config *cushim__order_launch_config(const struct cushim__call *call);

/*
 * The stream that a call is given: CU_STREAM_PER_THREAD if it is the default stream of the thread;
 * 0 if it is the legacy one, or there is none. Its number in the handle table; 0: it has none.
 */
uint64_t cushim__order_stream_value(const struct cushim__call *call);
uint32_t cushim__order_stream_number(const struct cushim__call *call);

/* --- order_objects.c: contexts, streams and events --- */

struct order_context {
    struct cushim__tree_node node; /* first member; by number of the handle */
    uint32_t number;
    struct race_group group;
    struct order_stream *own; /* its default streams */
};

struct order_stream {
    struct cushim__tree_node node; /* first member; by number of the handle */
    uint32_t number;               /* 0: a default stream */
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
    struct cushim__tree_node node; /* first member; by number of the handle */
    uint32_t number;
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
struct order_stream *cushim__order_stream_create(uint32_t number, uint64_t context, unsigned flags);
/* NULL: it was not seen to be created, or there is no memory. */
struct order_stream *cushim__order_stream(uint32_t number);
struct order_stream *cushim__order_default_stream(uint64_t context, unsigned thread);
void cushim__order_stream_destroy(struct order_stream *stream);
void cushim__order_context_destroy(uint32_t number);

/* The event is added if it is not there, as one that was not seen to be created. */
struct order_event *cushim__order_event(uint32_t number);
void cushim__order_event_record(struct order_event *event, struct race_clock *clock, bool is_clear);
void cushim__order_event_destroy(uint32_t number);

/* The launches of an executable graph, which come one after the other, as an event behind them. */
struct order_event *cushim__order_launches(uint32_t exec);
void cushim__order_exec_destroy(uint32_t number);

/* Nothing is known any more of what records events: graphs may. */
void cushim__order_events_unclear(void);
void cushim__order_objects_clear(void);

/* --- order_uses.c: the memory of copies and sets --- */

enum order_memory {
    ORDER_OTHER_MEMORY, /* it is not known, or both sides reach it */
    ORDER_DEVICE_MEMORY,
    ORDER_PAGE_LOCKED,
    ORDER_PAGEABLE,
};

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
bool cushim__order_waits(const struct order_rule *rule, const struct order_side *to,
                         const struct order_side *from);

/* Synchronous work may wait where it would not else. */
void cushim__order_note_sync_memory(bool exists);

/* --- order_work.c: what is submitted and waited for --- */

/* False: no memory; end it all the same. */
bool cushim__order_work_begin(void);
void cushim__order_work_end(void);

/* Something is not known: all that is submitted so far comes before what follows. */
void cushim__order_all(void);

/* The host has seen that this is done; NULL: everything may be. */
void cushim__order_see_event(const struct order_event *event);
void cushim__order_see_stream(const struct order_stream *stream);

/* From now on launches may do this besides their work. */
enum order_graphs {
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
void cushim__order_apply(const struct cushim__call *call, const struct order_rule *rule,
                         const struct order_freed *freed);

/* The event that is passed, or the one behind it. */
struct order_event *cushim__order_event_of(const struct cushim__call *call,
                                           const struct order_rule *rule, unsigned which);

/* An allocation as the detector has it. */
uint64_t cushim__order_id(const struct cushim__handle *object);

/* The call that has submitted work. */
struct cushim__maker cushim__order_maker(const struct race_access *access);

/* --- pending.c --- */

/* Whether the driver has said that this address, which a call under way passes, is pageable. */
bool cushim__pending_is_pageable(const struct cushim__call *call, uint64_t address);

/* --- capture.c --- */

/* Whether a capture is under way, so that calls need not be work. */
bool cushim__capture_is_under_way(void);

#endif
