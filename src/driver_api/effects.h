/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the registry says of the driver's functions (loader/registry/effects.tsv): what they do to
 * objects, what they queue on a stream, what they wait for, and when they may be called.
 */
#ifndef CUSHIM_DRIVER_API_EFFECTS_H
#define CUSHIM_DRIVER_API_EFFECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/symbols.h"
#include "src/driver_api/object_type.h"

enum { CUSHIM__NO_PARAMETER = 255 };

/* --- objects --- */

enum cushim__effect_kind {
    CUSHIM__EFFECT_CREATES,              /* writes the handle or address of a new object */
    CUSHIM__EFFECT_CREATES_IN_CONTEXT,   /* the same for one that is destroyed with the context */
    CUSHIM__EFFECT_CREATES_OR_RETAINS,   /* the same for one that may exist already */
    CUSHIM__EFFECT_REGISTERS_IN_CONTEXT, /* the new object begins at an address that is passed */
    CUSHIM__EFFECT_RETURNS, /* writes the handle or address of an object destroyed with its owner */
    CUSHIM__EFFECT_DESTROYS,
    CUSHIM__EFFECT_RETAINS,
    CUSHIM__EFFECT_RELEASES,
    CUSHIM__EFFECT_MOVES, /* gives references to a graph if the flags say so */
    CUSHIM__EFFECT_TAKES, /* the child in a CUgraphNodeParams becomes a part of the graph, if moved */
    CUSHIM__EFFECT_RETAINS_PRIMARY,
    CUSHIM__EFFECT_RELEASES_PRIMARY,
    CUSHIM__EFFECT_RESETS_PRIMARY,
    CUSHIM__EFFECT_PUSHES, /* makes a context current */
    CUSHIM__EFFECT_POPS,
    CUSHIM__EFFECT_SETS,
};

enum cushim__memory_kind {
    CUSHIM__MEMORY_OTHER, /* not known, or memory that the host and the device access */
    CUSHIM__MEMORY_DEVICE,
    CUSHIM__MEMORY_PAGE_LOCKED,
    CUSHIM__MEMORY_REGISTERED, /* page-locked, and allocated by the program */
    CUSHIM__MEMORY_RESERVED,   /* addresses without memory behind them */
};

/* One effect of one function on one object. The members behind `memory` are parameters. */
struct cushim__object_effect {
    uint8_t kind;   /* enum cushim__effect_kind */
    uint8_t type;   /* enum cushim__object_type */
    uint8_t memory; /* enum cushim__memory_kind */
    uint8_t parameter;
    /* Passed or written: their product is the bytes or references. Or the device. */
    uint8_t amount, times;
    uint8_t owner_type, owner; /* the object that the returned one is a part of */
    uint8_t flags;
    uint8_t name; /* by which the function looks the object up */
};

/* --- work and waits --- */

enum cushim__work {
    CUSHIM__WORK_NONE,
    CUSHIM__WORK_UNKNOWN,
    CUSHIM__WORK_COPY,            /* one row, from `from` to `to`; an array has no parameter */
    CUSHIM__WORK_COPY_2D,         /* parameter 0 is a CUDA_MEMCPY2D * */
    CUSHIM__WORK_COPY_3D,         /* parameter 0 is a CUDA_MEMCPY3D * or CUDA_MEMCPY3D_PEER * */
    CUSHIM__WORK_COPY_BATCH,      /* several copies in an order that the driver chooses */
    CUSHIM__WORK_COPY_ATTRIBUTES, /* a copy whose attributes say when its source is read */
    CUSHIM__WORK_SET,
    CUSHIM__WORK_SET_2D,
    CUSHIM__WORK_KERNEL,
    CUSHIM__WORK_KERNELS, /* on several devices */
    CUSHIM__WORK_GRAPH,
    CUSHIM__WORK_HOST_FUNCTION,
    CUSHIM__WORK_CALLBACK, /* a host function that is called after errors, too */
    CUSHIM__WORK_ALLOCATE,
    CUSHIM__WORK_FREE,
    CUSHIM__WORK_WORK,           /* anything else that stays on the device */
    CUSHIM__WORK_WAIT_OUTSIDE,   /* waits for something that is not queued on a stream */
    CUSHIM__WORK_SIGNAL_OUTSIDE, /* lets something that is not on a stream go on */
    CUSHIM__WORK_OUTSIDE,        /* may do both */
    CUSHIM__WORK_RECORD,         /* of an event */
    CUSHIM__WORK_RECORD_CONTEXT, /* of an event, behind the work of all streams of a context */
    CUSHIM__WORK_WAIT_EVENT,
    CUSHIM__WORK_WAIT_EVENT_CONTEXT,
    CUSHIM__WORK_BEGIN_CAPTURE,
    CUSHIM__WORK_END_CAPTURE,
    CUSHIM__WORK_UPDATE_CAPTURE,
    CUSHIM__WORK_BEGIN_CAPTURE_TO_CIG,
    CUSHIM__WORK_END_CAPTURE_TO_CIG,
    CUSHIM__WORK_ADD_COPY, /* adds a copy to a graph, for which a launch may wait */
    CUSHIM__WORK_ADD_NODE, /* adds a node that records an event, waits or calls the host */
};

/* What the host waits for in a call. Compared with > and >=, so the order counts. */
enum cushim__waits {
    CUSHIM__WAITS_NO,
    CUSHIM__WAITS_MAY,    /* perhaps for work of any kind */
    CUSHIM__WAITS_COPY,   /* its own copy */
    CUSHIM__WAITS_MEMORY, /* all work of the context that the memory belongs to */
    CUSHIM__WAITS_ALL,    /* all work of a context that ends, or of those that code was loaded in */
    CUSHIM__WAITS_EVENT,
    CUSHIM__WAITS_STREAM,
    CUSHIM__WAITS_CONTEXT,
};

/* What a call reports that does nothing else. Compared with >, so the order counts. */
enum cushim__asks {
    CUSHIM__ASKS_NO,
    CUSHIM__ASKS_YES,     /* about the state of the driver or of an object */
    CUSHIM__ASKS_LIBRARY, /* about what the driver library contains */
    CUSHIM__ASKS_EVENT,   /* whether an event has completed */
    CUSHIM__ASKS_STREAM,  /* whether all work of a stream has completed */
    CUSHIM__ASKS_ELAPSED, /* about the time between two events that have completed */
};

/* Whether a function takes memory or another resource, or returns some. */
enum cushim__resource { CUSHIM__RESOURCE_NO, CUSHIM__RESOURCE_TAKES, CUSHIM__RESOURCE_RETURNS };

/* --- when a function may be called --- */

enum cushim__call_fact {
    CUSHIM__CALL_UNKNOWN,
    CUSHIM__CALL_NO,
    CUSHIM__CALL_YES,
    CUSHIM__CALL_ARGUMENTS, /* before cuInit: no, but wrong arguments are reported first */
    CUSHIM__CALL_UNSAFE,    /* a capture forbids it, by its mode and thread */
    CUSHIM__CALL_REFUSED,   /* a stream that is captured does not take it */
};

/* --- what a failing call leaves where it writes its results --- */

enum cushim__failure {
    CUSHIM__FAILURE_UNKNOWN, /* or it has no results */
    CUSHIM__FAILURE_UNTOUCHED,
    CUSHIM__FAILURE_ZERO,      /* 0, or NULL */
    CUSHIM__FAILURE_MINUS_ONE, /* unless an argument was wrong */
};

/* --- a function --- */

struct cushim__effects {
    uint16_t first;   /* its first effect on an object, in cushim__object_effects */
    uint8_t objects;  /* how many it has */
    uint8_t work;     /* enum cushim__work */
    uint8_t waits;    /* enum cushim__waits */
    uint8_t asks;     /* enum cushim__asks */
    uint8_t resource; /* enum cushim__resource */
    uint8_t init, callback, sticky, fork, capture; /* enum cushim__call_fact */
    uint8_t failure;                               /* enum cushim__failure */
    /* Parameters, or CUSHIM__NO_PARAMETER. */
    uint8_t stream, event, function, exec, mode, context_flags;
    uint8_t config, arguments;                       /* of a launch */
    uint8_t resource_desc, node_params, kernel_node; /* structs */
    uint8_t to, from, bytes, rows;                   /* of a copy or a set */
    uint8_t listed, listed_count; /* an array of handles that it writes, and their number */
    uint8_t listed_type;          /* enum cushim__object_type */
    uint8_t unit;                 /* bytes of an element of `bytes` */
    bool is_per_thread;           /* stream 0 is the per-thread default stream */
    bool is_narrow;               /* its addresses have 32 bits: an ABI that is not followed */
    bool is_peer;
    bool is_unified;             /* the addresses of a copy may be of host memory */
    bool concerns_other_context; /* its INVALID_CONTEXT is not about the current context */
};

/* Generated, in slot order. */
extern const struct cushim__object_effect cushim__object_effects[];
extern const struct cushim__effects cushim__effects[CUSHIM__SYMBOL_COUNT];

/* The effects of a slot on objects, one after the other; NULL if there are no more. */
static inline const struct cushim__object_effect *cushim__effect_first(unsigned slot)
{
    const struct cushim__effects *effects = &cushim__effects[slot];

    return effects->objects && !effects->is_narrow ? &cushim__object_effects[effects->first] : NULL;
}

static inline const struct cushim__object_effect *
cushim__effect_next(unsigned slot, const struct cushim__object_effect *effect)
{
    const struct cushim__effects *effects = &cushim__effects[slot];

    return effect + 1 < &cushim__object_effects[effects->first + effects->objects] ? effect + 1
                                                                                   : NULL;
}

/*
 * Whether a function that returns this code writes what its `failure` says. A driver that lacks the
 * function, and the stub library, write nothing.
 */
static inline bool cushim__failure_is_written(unsigned slot, CUresult code)
{
    return code != CUDA_SUCCESS && cushim__effects[slot].failure >= CUSHIM__FAILURE_ZERO &&
           code != CUDA_ERROR_STUB_LIBRARY && code != CUSHIM__REQUIRES_NEWER_DRIVER &&
           !(cushim__effects[slot].failure == CUSHIM__FAILURE_MINUS_ONE &&
             code == CUDA_ERROR_INVALID_VALUE);
}

/* Whether a function gives up an object, possibly memory, or a reference to one. */
static inline bool cushim__effect_ends(const struct cushim__object_effect *effect)
{
    return effect->kind == CUSHIM__EFFECT_DESTROYS || effect->kind == CUSHIM__EFFECT_RELEASES ||
           effect->kind == CUSHIM__EFFECT_RELEASES_PRIMARY ||
           effect->kind == CUSHIM__EFFECT_RESETS_PRIMARY;
}

#endif
