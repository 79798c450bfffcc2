/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams, as the simulator sees them, and what it keeps for all those of a context. The functions
 * of the driver have a few members of their own in them; what a handle means is in api/stream.h.
 */
#ifndef CUSHIM_MOCK_SIM_STREAM_H
#define CUSHIM_MOCK_SIM_STREAM_H

#include "src/base/layer_host.h"
#include "src/mock/core/object.h"
#include "src/mock/sim/operation.h"
#include "src/race/race.h"

struct mock_capture;
struct mock_helper;
struct mock_captured_stream;
struct mock_thread;

enum mock_stream_kind { MOCK_CREATED, MOCK_LEGACY, MOCK_PER_THREAD_DEFAULT };

/* How it stands with the head of a stream. */
enum mock_stream_state {
    MOCK_IDLE,    /* no head, or it was not looked at */
    MOCK_BLOCKED, /* the head waits for other work */
    MOCK_POLLED,  /* the head is asked again and again whether it can start: see `ready` */
    MOCK_QUEUED,  /* the head waits for a lane of its unit */
    MOCK_RUNNING, /* its end, or the start of its host function, stands in the heap */
    MOCK_ON_HOST, /* the helper thread executes it */
    MOCK_HUNG,    /* it never ends, by a rule of faults */
};

/* The streams of a context. */
struct mock_stream_group {
    struct mock_stream_group *next, *previous; /* in the simulator */
    unsigned device;                           /* the number of the device that executes them */
    struct mock_stream *streams;               /* every one, in order of creation */
    struct mock_stream *last_stream;
    struct mock_stream *legacy;  /* the legacy default stream; NULL until it is used */
    struct mock_stream *awaited; /* those before it have nothing that is before ... */
    uint64_t awaited_number;     /* ... this operation of the legacy stream: see schedule.c */
    struct mock_helper *helper;  /* the thread that executes host functions; NULL: none yet */
    unsigned waiting_calls;      /* they look at the group once more when they go on */
    struct race_group race;
};

struct mock_stream {
    struct mock_object object; /* .context is its context */
    struct mock_stream_group *group;
    enum mock_stream_kind kind;
    unsigned flags;
    int priority;
    unsigned long long id;               /* what cuStreamGetId returns */
    struct mock_thread *owner;           /* of a per-thread default stream */
    struct mock_stream *next, *previous; /* in its group */
    struct mock_stream *next_default;    /* of another thread, in its context */
    bool linked;                         /* it stands in its group */

    /* The simulator's. */
    struct mock_operation *head, *tail;
    size_t pending;
    enum mock_stream_state state;
    uint64_t free_ns; /* when the former head ended */
    uint64_t due_ns;  /* of the entry in the heap */
    uint64_t forced;  /* work up to this number is forced: a call waits for it (lazy schedule) */
    const struct mock_operation *forced_last; /* how far that was passed on; NULL: not yet */
    size_t heap_place;
    bool has_lane;          /* the head has a lane of its unit */
    uint8_t priority_queue; /* the queue of its unit that it waits in (MOCK_QUEUED) */
    bool ordered; /* the head waits for the legacy default stream, or that one for others */
    unsigned retain_count; /* it is freed only at 0 */
    bool runnable;         /* in the list of streams whose heads may start */
    struct mock_stream *next_runnable;
    bool forced_listed; /* in the list of streams that force what they wait for */
    struct mock_stream *next_forced;
    struct cushim__operation_fault fault; /* of the head, once it has begun */
    struct mock_stream *next_waiting;     /* for the same record, lane, helper or poll */
    bool destroyed;                       /* by the program: freed once its work has ended */

    struct mock_stream *next_planned; /* in the same plan (api/stream.h) */

    struct race_stream race;

    /* The capture's (api/capture.h). */
    struct mock_capture *capture; /* NULL: it is not captured */
    struct mock_captured_stream *captured;

    /* What StreamSetAttribute keeps: src/mock/api/stream.c. */
    struct mock_stream_settings {
        CUsynchronizationPolicy synchronization;
        CUaccessPolicyWindow window;
        int memory_domain;
        unsigned char memory_domain_map[2];
    } settings;
};

/* Begin and end the streams of a context; a group that ends has none. */
void cushim__mock_group_begin(struct mock_stream_group *group, unsigned device);
void cushim__mock_group_end(struct mock_stream_group *group);

/* A stream joins its group, whose member `group` says which; and leaves it, if it is there. */
void cushim__mock_group_add(struct mock_stream *stream);
void cushim__mock_group_remove(struct mock_stream *stream);

/* Whether the legacy default stream and this one wait for each other. */
bool cushim__mock_stream_blocks(const struct mock_stream *stream);

/* Nobody submits to it any more: it is freed once its work has ended. */
void cushim__mock_stream_end(struct mock_stream *stream);

/* Free a stream that has ended and whose work has, unless it is retained. */
void cushim__mock_stream_free(struct mock_stream *stream);

/*
 * Between the two it is not freed, whatever happens to it; then it is, if it has ended meanwhile.
 */
void cushim__mock_stream_retain(struct mock_stream *stream);
void cushim__mock_stream_release(struct mock_stream *stream);

#endif
