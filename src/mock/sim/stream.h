/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams as the simulator sees them, and what it keeps for all streams of a context. A few members
 * belong to the functions of the driver; stream/stream.h says what a handle means.
 */
#ifndef CUSHIM_MOCK_SIM_STREAM_H
#define CUSHIM_MOCK_SIM_STREAM_H

#include "src/layer/mock_interface.h"
#include "src/mock/core/object.h"
#include "src/mock/sim/operation.h"
#include "src/race/race.h"

struct mock_capture;
struct mock_helper;
struct mock_captured_stream;
struct mock_thread;

enum mock_stream_kind { MOCK_CREATED, MOCK_LEGACY, MOCK_PER_THREAD_DEFAULT };

/* The state of the head of a stream. */
enum mock_stream_state {
    MOCK_IDLE,    /* no head, or it was not looked at */
    MOCK_BLOCKED, /* the head waits for other work */
    MOCK_POLLED,  /* the head is polled for whether it can start; see `ready` */
    MOCK_QUEUED,  /* the head waits for a lane of its unit */
    MOCK_RUNNING, /* its end, or the start of its host function, is in the heap */
    MOCK_ON_HOST, /* the helper thread executes it */
    MOCK_HUNG,    /* a fault rule keeps it from ending */
};

/* The streams of a context. */
struct mock_stream_group {
    struct mock_stream_group *next, *previous; /* in the simulator's list */
    unsigned device;                           /* the number of the device that executes them */
    struct mock_stream *streams;               /* all of them, in order of creation */
    struct mock_stream *last_stream;
    struct mock_stream *legacy;  /* the legacy default stream; NULL until it is used */
    struct mock_stream *awaited; /* the streams before it have nothing that precedes ... */
    uint64_t awaited_number;     /* ... this operation of the legacy stream; see schedule.c */
    struct mock_helper *helper;  /* executes host functions; NULL until there are some */
    unsigned waiting_calls;      /* calls that will use the group again after they have waited */
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
    struct mock_stream *next_default;    /* that of another thread in the context */
    bool linked;                         /* it is in its group's list */

    /* Members of the simulator. */
    struct mock_operation *head, *tail;
    size_t pending;
    enum mock_stream_state state;
    uint64_t free_ns; /* when the previous head ended */
    uint64_t due_ns;  /* of the entry in the heap */
    uint64_t forced;  /* work up to this number is forced: a call waits for it (lazy schedule) */
    const struct mock_operation *forced_last; /* how far dependencies are forced; or NULL */
    size_t heap_place;
    bool has_lane;          /* the head has a lane of its unit */
    uint8_t priority_queue; /* the queue of its unit that it waits in (MOCK_QUEUED) */
    bool ordered;           /* the head waits for the legacy default stream, or in it for others */
    unsigned retain_count;  /* it is freed only at 0 */
    bool runnable;          /* in the list of streams whose heads may start */
    struct mock_stream *next_runnable;
    bool forced_listed; /* in the list of streams whose dependencies are to be forced */
    struct mock_stream *next_forced;
    struct cushim__operation_fault fault; /* of the head, once it has begun */
    struct mock_stream *next_waiting;     /* also waits for its record, lane, helper or poll */
    bool destroyed;                       /* by the program: freed once its work has ended */

    struct mock_stream *next_planned; /* in the same plan (stream/stream.h) */

    struct race_stream race;

    /* Members of the capture (stream/capture.h). */
    struct mock_capture *capture; /* NULL if it is not being captured */
    struct mock_captured_stream *captured;

    /* Attributes that cuStreamSetAttribute has set: functions/stream.c. */
    struct mock_stream_settings {
        CUsynchronizationPolicy synchronization;
        CUaccessPolicyWindow window;
        int memory_domain;
        unsigned char memory_domain_map[2];
    } settings;
};

/* Begin and end the streams of a context. A group that ends has none left. */
void cushim__mock_group_begin(struct mock_stream_group *group, unsigned device);
void cushim__mock_group_end(struct mock_stream_group *group);

/* Add a stream to its group, which is its member `group`, or remove it, if it was added. */
void cushim__mock_group_add(struct mock_stream *stream);
void cushim__mock_group_remove(struct mock_stream *stream);

/* Whether the legacy default stream and this one wait for each other. */
bool cushim__mock_stream_blocks(const struct mock_stream *stream);

/* End a stream, to which nothing more is submitted. It is freed once its work has ended. */
void cushim__mock_stream_end(struct mock_stream *stream);

/* Free a stream that has ended and has no work left, unless it is retained. */
void cushim__mock_stream_free(struct mock_stream *stream);

/* Keep a stream from being freed; release() frees it if it has ended meanwhile. */
void cushim__mock_stream_retain(struct mock_stream *stream);
void cushim__mock_stream_release(struct mock_stream *stream);

#endif
