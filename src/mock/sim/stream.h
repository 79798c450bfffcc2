/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, as the engine and the calls see them. */
#ifndef CUSHIM_MOCK_STREAM_H
#define CUSHIM_MOCK_STREAM_H

#include "src/base/layer_host.h"
#include "src/mock/core/object.h"
#include "src/mock/sim/operation.h"

struct mock_capture;
struct mock_captured_stream;
struct mock_thread;

enum mock_stream_kind { MOCK_CREATED, MOCK_LEGACY, MOCK_PER_THREAD_DEFAULT };

/* How it stands with the head of a stream. */
enum mock_stream_state {
    MOCK_IDLE,    /* no head, or it was not looked at */
    MOCK_BLOCKED, /* the head waits for other work */
    MOCK_POLLED,  /* the head waits for something outside the engine: asked again and again */
    MOCK_QUEUED,  /* the head waits for a lane of its unit */
    MOCK_RUNNING, /* its end, or the start of its host function, stands in the heap */
    MOCK_ON_HOST, /* the helper thread executes it */
    MOCK_HUNG,    /* it never ends, by a rule of faults */
};

struct mock_stream {
    struct mock_object object; /* .context is its context */
    enum mock_stream_kind kind;
    unsigned flags;
    int priority;
    unsigned long long id;               /* what cuStreamGetId answers */
    struct mock_thread *owner;           /* of a per-thread default stream */
    struct mock_stream *next, *previous; /* in its context */
    struct mock_stream *next_default;    /* of another thread, in its context */
    bool linked;                         /* it stands there: its context lives */

    /* The engine's. */
    struct mock_operation *head, *tail;
    size_t pending;
    enum mock_stream_state state;
    uint64_t free_ns;  /* when the former head ended */
    uint64_t due_ns;   /* of the entry in the heap */
    uint64_t demanded; /* work up to this number is waited for (lazy schedule) */
    const struct mock_operation *demanded_last; /* how far that was told; NULL: to nobody yet */
    size_t heap_place;
    bool lane;     /* the head has a lane of its unit */
    uint8_t line;  /* in which of its unit's lines it waits */
    bool ordered;  /* the head waits for the legacy default stream, or that one for others */
    unsigned held; /* by whom it may not be freed */
    bool listed;   /* in the list of streams to look at */
    struct mock_stream *next_listed;
    bool demand_listed; /* in the list of those whose demand is to be passed on */
    struct mock_stream *next_demanded;
    struct cushim__operation_fault fault; /* of the head, once it has begun */
    struct mock_stream *next_waiting;     /* for the same record, lane, helper or poll */
    bool destroyed;                       /* by the program: freed once its work has ended */

    struct mock_stream *next_planned; /* in the same plan (api/stream_plan.h) */

    uint32_t strand; /* of src/race/timeline.h; 0: none */

    /* The capture's (api/capture.h). */
    struct mock_capture *capture; /* NULL: it is not captured */
    struct mock_captured_stream *captured;

    /* What StreamSetAttribute keeps: src/mock/api/stream_attribute.c. */
    struct mock_stream_settings {
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
CUresult cushim__mock_stream_find(CUstream handle, struct mock_stream **stream);

/* Whether a handle means a default stream; and which of a context it means, current or not. */
bool cushim__mock_stream_is_default(CUstream handle);
CUresult cushim__mock_stream_default(CUstream handle, struct mock_context *context,
                                     struct mock_stream **stream);

/* Whether the legacy default stream and this one wait for each other. */
bool cushim__mock_stream_blocks(const struct mock_stream *stream);

/* A priority as a stream gets it: within what the device has (statement 50). */
int cushim__mock_stream_priority(int priority);

/* A stream of a context, which has no handle yet. NULL: out of memory. */
struct mock_stream *cushim__mock_stream_create(struct mock_context *context,
                                               enum mock_stream_kind kind, unsigned flags,
                                               int priority);

/* Give it the handle that the program sees. */
CUresult cushim__mock_stream_publish(struct mock_stream *stream);

/* Nobody submits to it any more: it is freed once its work has ended. */
void cushim__mock_stream_end(struct mock_stream *stream);

/* Free a stream that has ended and whose work has, unless it is held; the engine's. */
void cushim__mock_stream_free(struct mock_stream *stream);

/*
 * Between the two it is not freed, whatever happens to it; then it is, if it has ended meanwhile.
 */
void cushim__mock_stream_hold(struct mock_stream *stream);
void cushim__mock_stream_release(struct mock_stream *stream);

/* A context ends, and its streams are idle: free the default ones, keep those that have handles. */
void cushim__mock_streams_forget(struct mock_context *context);

#endif
