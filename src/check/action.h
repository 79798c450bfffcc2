/* SPDX-License-Identifier: Apache-2.0 */
/* How calls affect the order of work, derived from the registry (src/driver_api/effects.h). */
#ifndef CUSHIM_CHECK_ACTION_H
#define CUSHIM_CHECK_ACTION_H

#include "src/check/check.h"
#include "src/driver_api/effects.h"
#include "src/layer/leak_tracker.h"

enum order_action {
    ORDER_NOTHING,
    /* Work whose memory is known or does not matter. */
    ORDER_COPY,
    ORDER_COPY_2D,
    ORDER_COPY_3D,
    ORDER_SET,
    ORDER_SET_2D,
    ORDER_KERNEL,
    ORDER_GRAPH,
    ORDER_WORK,
    ORDER_ALLOCATE,
    ORDER_FREE_ASYNC,
    ORDER_WAIT_OUTSIDE, /* waits for something that is not queued on a stream */
    ORDER_SIGNAL,       /* lets the host see how far the stream is */
    ORDER_UNKNOWN,      /* may wait outside and signal */
    /* Events and waits. */
    ORDER_RECORD,
    ORDER_CONTEXT_RECORD, /* records an event after the work of several streams */
    ORDER_WAIT_EVENT,
    ORDER_SEE_EVENT,
    ORDER_SEE_STREAM,
    ORDER_SEE_CONTEXT,
    ORDER_CONTEXT_WAIT_EVENT,
    ORDER_ELAPSED,
    ORDER_EVERYTHING, /* may wait for anything */
    ORDER_FREE,
    /* The life of objects. */
    ORDER_CREATE_STREAM,
    ORDER_CREATE_EVENT,
    ORDER_DESTROY_STREAM,
    ORDER_BEGIN_CAPTURE,
    ORDER_END_CAPTURE,
    ORDER_UPDATE_CAPTURE,
    ORDER_MAKE_COPY, /* adds a copy to a graph, for which a launch may wait */
    ORDER_MAKE_NODE, /* adds a node that records an event, waits or calls the host */
};

enum order_action cushim__order_action(unsigned slot);

enum order_memory {
    ORDER_OTHER_MEMORY, /* not known, or memory that both the host and the device access */
    ORDER_DEVICE_MEMORY,
    ORDER_PAGE_LOCKED,
    ORDER_PAGEABLE,
};

/* What memory the call of a slot allocates or registers. */
enum order_memory cushim__order_memory_of(unsigned slot);

/* Whether a call of the slot returns memory whose size its arguments do not say. */
bool cushim__is_of_unknown_size(unsigned slot);

static inline bool cushim__is_asynchronous(const struct cushim__effects *effects)
{
    return effects->stream != CUSHIM__NO_PARAMETER;
}

/* The struct by which a call launches a kernel; NULL if it does not, or passes NULL. */
const struct cushim__launch_config *cushim__function_launch_config(const struct cushim__call *call);

/*
 * The stream that a call passes: CU_STREAM_PER_THREAD for the per-thread default stream, 0 for the
 * legacy default stream or none. And its object, NULL for default streams and unknown ones.
 */
uint64_t cushim__function_stream_value(const struct cushim__call *call);
struct cushim__handle *cushim__function_stream(const struct cushim__call *call);

/*
 * What distinguishes the stream that a call passes from others of the same value: each context has
 * default streams, each of its threads a per-thread one, and a driver reuses the handles of
 * destroyed streams.
 */
struct stream_identity {
    uint64_t value;   /* as above */
    uint32_t number;  /* in the handle table; 0 for a default stream, or if it is not known */
    uint32_t context; /* number of a default stream's context; otherwise 0 */
    unsigned thread;  /* of a per-thread default stream; otherwise 0 */
};
struct stream_identity cushim__function_stream_identity(const struct cushim__call *call);
bool cushim__stream_is_same(const struct stream_identity *one, const struct stream_identity *other);

/* The number of the context that was current when a call began; 0 if there was none. */
uint32_t cushim__function_context_number(const struct cushim__call *call);

/*
 * The object whose handle a call passes or returns in a parameter; NULL if the driver has given the
 * same value to another object since.
 */
struct cushim__handle *cushim__function_object(const struct cushim__call *call,
                                               enum cushim__object_type type, unsigned parameter);

#endif
