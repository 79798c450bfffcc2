/* SPDX-License-Identifier: Apache-2.0 */
/* What check knows of each function of the driver: function_rules.tsv, and its parameters. */
#ifndef CUSHIM_CHECK_FUNCTION_RULES_H
#define CUSHIM_CHECK_FUNCTION_RULES_H

#include "src/check/check.h"
#include "src/layer/leak_tracker.h"

/* What it does to the order of work on the device. */
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
    ORDER_BEGIN_CAPTURE,
    ORDER_END_CAPTURE,
    ORDER_UPDATE_CAPTURE,
    ORDER_MAKE_COPY, /* a graph gets a copy, which a launch may wait for */
    ORDER_MAKE_NODE, /* a graph gets a node that records an event, waits or calls the host */
};

enum order_memory {
    ORDER_OTHER_MEMORY, /* it is not known, or both the host and the device reach it */
    ORDER_DEVICE_MEMORY,
    ORDER_PAGE_LOCKED,
    ORDER_PAGEABLE,
};

struct function_rule {
    uint8_t action; /* enum order_action */
    uint8_t memory; /* enum order_memory: what it allocates or registers */
    /* Parameters, or CUSHIM__NO_PARAMETER. */
    uint8_t stream, event, mode, context_flags;
    uint8_t function, arguments; /* of a launch */
    uint8_t to, from, bytes;     /* of a copy in one row; those that are no arrays */
    uint8_t unit;                /* bytes of an element of a set */
    bool is_asynchronous;
    bool is_per_thread; /* a default stream is that of the thread */
    bool is_peer;
    bool is_unified; /* the addresses of a copy in one row may be the host's, too */
    bool is_of_unknown_size;
    bool is_about_another_context; /* without a current one it is refused for another reason */
};
const struct function_rule *cushim__function_rule(unsigned slot);

/* The struct that a kernel is launched by; NULL: the call is not of that kind, or has none. */
const struct cushim__launch_config *cushim__function_launch_config(const struct cushim__call *call);

/*
 * The stream that a call is given: CU_STREAM_PER_THREAD if it is the default stream of the thread;
 * 0 if it is the legacy one, or there is none. And its object; NULL: it has none.
 */
uint64_t cushim__function_stream_value(const struct cushim__call *call);
struct cushim__handle *cushim__function_stream(const struct cushim__call *call);

/*
 * The object whose handle a call is given or has returned in a parameter; NULL: a driver has given
 * the same value to another one since.
 */
struct cushim__handle *cushim__function_object(const struct cushim__call *call,
                                               enum cushim__object_type type, unsigned parameter);

#endif
