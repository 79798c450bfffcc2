/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, as the engine and the calls see them. */
#ifndef CUSHIM_MOCK_STREAM_H
#define CUSHIM_MOCK_STREAM_H

#include "src/layer/fault/rules.h"
#include "src/mock/core/object.h"
#include "src/mock/sim/operation.h"

struct cushim__capture;
struct cushim__captured_stream;
struct cushim__thread;

enum cushim__stream_kind { CUSHIM__CREATED, CUSHIM__LEGACY, CUSHIM__PER_THREAD_DEFAULT };

/* How it stands with the head of a stream. */
enum cushim__stream_state {
    CUSHIM__IDLE,    /* no head, or it was not looked at */
    CUSHIM__BLOCKED, /* the head waits for other work */
    CUSHIM__POLLED,  /* the head waits for something outside the engine: asked again and again */
    CUSHIM__QUEUED,  /* the head waits for a lane of its unit */
    CUSHIM__RUNNING, /* its end, or the start of its host function, stands in the heap */
    CUSHIM__ON_HOST, /* the helper thread executes it */
    CUSHIM__HUNG,    /* it never ends, by a rule of faults */
};

struct cushim__stream {
    struct cushim__object object; /* .context is its context */
    enum cushim__stream_kind kind;
    unsigned flags;
    int priority;
    unsigned long long id;                  /* what cuStreamGetId answers */
    struct cushim__thread *owner;           /* of a per-thread default stream */
    struct cushim__stream *next, *previous; /* in its context */
    struct cushim__stream *next_default;    /* of another thread, in its context */
    bool linked;                            /* it stands there: its context lives */

    /* The engine's. */
    struct cushim__operation *head, *tail;
    size_t pending;
    enum cushim__stream_state state;
    uint64_t free_ns;  /* when the former head ended */
    uint64_t due_ns;   /* of the entry in the heap */
    uint64_t demanded; /* work up to this number is waited for (lazy schedule) */
    const struct cushim__operation *demanded_last; /* how far that was told; NULL: to nobody yet */
    size_t heap_place;
    bool lane;     /* the head has a lane of its unit */
    uint8_t line;  /* in which of its unit's lines it waits */
    bool ordered;  /* the head waits for the legacy default stream, or that one for others */
    unsigned held; /* by whom it may not be freed */
    bool listed;   /* in the list of streams to look at */
    struct cushim__stream *next_listed;
    bool demand_listed; /* in the list of those whose demand is to be passed on */
    struct cushim__stream *next_demanded;
    struct cushim__operation_fault fault; /* of the head, once it has begun */
    struct cushim__stream *next_waiting;  /* for the same record, lane, helper or poll */
    bool destroyed;                       /* by the program: freed once its work has ended */

    struct cushim__stream *next_planned; /* in the same plan (api/stream_plan.h) */

    uint32_t strand; /* of src/race/timeline.h; 0: none */

    /* The capture's (api/capture.h). */
    struct cushim__capture *capture; /* NULL: it is not captured */
    struct cushim__captured_stream *captured;

    /* What StreamSetAttribute keeps: src/mock/api/stream_attribute.c. */
    struct cushim__stream_settings {
        CUsynchronizationPolicy synchronization;
        CUaccessPolicyWindow window;
        int memory_domain;
        unsigned char memory_domain_map[2];
    } settings;
};

/*
 * The stream that a handle means: NULL is the legacy default stream of the current context, or in a
 * per-thread call the calling thread's. INVALID_CONTEXT if a default stream is meant and no context
 * is current; a created stream needs none.
 */
CUresult cushim__stream_find(CUstream handle, struct cushim__stream **stream);

/* Whether a handle means a default stream; and which of a context it means, current or not. */
bool cushim__stream_is_default(CUstream handle);
CUresult cushim__stream_default(CUstream handle, struct cushim__context *context,
                                struct cushim__stream **stream);

/* Whether the legacy default stream and this one wait for each other. */
bool cushim__stream_blocks(const struct cushim__stream *stream);

/* A priority as a stream gets it: within what the device has (statement 50). */
int cushim__stream_priority(int priority);

/* A stream of a context, which has no handle yet. NULL: out of memory. */
struct cushim__stream *cushim__stream_create(struct cushim__context *context,
                                             enum cushim__stream_kind kind, unsigned flags,
                                             int priority);

/* Give it the handle that the program sees. */
CUresult cushim__stream_publish(struct cushim__stream *stream);

/* Nobody submits to it any more: it is freed once its work has ended. */
void cushim__stream_end(struct cushim__stream *stream);

/* Free a stream that has ended and whose work has, unless it is held; the engine's. */
void cushim__stream_free(struct cushim__stream *stream);

/*
 * Between the two it is not freed, whatever happens to it; then it is, if it has ended meanwhile.
 */
void cushim__stream_hold(struct cushim__stream *stream);
void cushim__stream_let_go(struct cushim__stream *stream);

/* A context ends, and its streams are idle: free the default ones, keep those that have handles. */
void cushim__streams_forget(struct cushim__context *context);

#endif
