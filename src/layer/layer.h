/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one layer of this process: a table whose functions hand each call on to another table, and
 * the subscribers that see the calls.
 *
 * The function of each slot is generated (loader/generator/layer.py). While nobody subscribes to
 * its slot it hands the call on at once. Else it passes the arguments, as 64-bit values, to the
 * subscribers of the slot before the call and after it:
 *
 *     cushim__layer_call_begin()   subscribers: started(), then before()
 *     the next table's function    unless a subscriber has answered in its place
 *     cushim__layer_call_end()   subscribers: after() in reverse order, then ended()
 */
#ifndef CUSHIM_LAYER_LAYER_H
#define CUSHIM_LAYER_LAYER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cushim/testing/layer.h>

#include "loader/symbols.h"
#include "src/base/layer_host.h"
#include "src/base/lock.h"
#include "src/layer/arguments.h"
#include "src/layer/trace.h"

struct cushim_layer {
    struct cushim__lock lock; /* protects what the layer and its subscribers keep */
    const struct cushim_table *wrapped;
    const struct cushim_table *former; /* current before the layer was installed */
    void (*put_back)(const struct cushim_table *former); /* NULL: the layer is not installed */
    uint64_t serial;                                     /* number of the layer in this process */
    uint64_t calls;                                      /* that subscribers have seen */
    unsigned threads;
};

/* NULL: there is none. */
extern struct cushim_layer *cushim__layer;

/* The message for a program that passes a layer which does not exist. */
extern const char cushim__layer_ended[];

/*
 * Whether `layer` is the one that exists: a pointer to one that was destroyed is not followed. The
 * second takes its lock, too, if so.
 */
bool cushim__layer_exists(const struct cushim_layer *layer);
bool cushim__layer_lock(struct cushim_layer *layer);

/* The layer's tables: the one that it calls, and its own. */
extern struct cushim_table cushim__layer_next;
extern const struct cushim_table cushim__layer_table;

/*
 * A call that has subscribers. It lives on the stack of the layer's function, which sets
 * `function`.
 */
struct cushim__call {
    uintptr_t function; /* the layer's function whose frame this is in */
    unsigned slot;
    unsigned subscribers;   /* of the slot when the call began, as bits */
    const uint64_t *values; /* the arguments in order, as cushim__parameters describes them */
    bool is_watched;        /* subscribers see its end; false: the layer has ended meanwhile */
    uint64_t number;   /* of calls that the layer's lock was taken for, from 1; 0: it was not */
    uint64_t nested;   /* number of the call of the same thread that makes this one; 0: none does */
    unsigned thread;   /* numbered in the order of their first calls with subscribers, from 1 */
    uint64_t began_ns; /* virtual time; 0 without a mock */
    uint64_t context;  /* current as it began; 0: none, or nobody wants to know */
    bool is_injected;  /* a subscriber gave the answer */
    bool is_refused;   /* by check: the driver would crash, and is not called */
    struct cushim__caller outer_caller; /* of the thread, before this call */
    CUresult replaced; /* by a sweep: the answer although the call is made; CUDA_SUCCESS: its own */
    struct cushim__traced traced;
    struct cushim__arguments arguments;
};

/* Who sees calls, in order. A subscriber may leave out any of its functions. */
enum cushim__subscription {
    CUSHIM__TRACE,  /* sees what the program gets, at the time when it gets it */
    CUSHIM__LOOKUP, /* always: what cuGetProcAddress answers leads to the layer */
    CUSHIM__CHECK,  /* sees what the program asks before anything changes it */
    CUSHIM__SWEEP,
    CUSHIM__FAULT,
    CUSHIM__TRACKER, /* wants handles and allocations to be followed, and nothing else */
    CUSHIM__RECORDING,
    CUSHIM__EXPECTATION,
    CUSHIM__SUBSCRIPTIONS
};

struct cushim__subscriber {
    /* Under the layer's lock, as the call begins. The arguments have been decoded. */
    void (*started)(struct cushim__call *call);
    /* Without it. False: the call is not made, and `*answer` is what it answers. */
    bool (*before)(struct cushim__call *call, CUresult *answer);
    /* Without it: returns what the call answers. */
    CUresult (*after)(struct cushim__call *call, CUresult answer);
    /* Under it: the program gets `answer`, and results have been decoded. */
    void (*ended)(struct cushim__call *call, CUresult answer);
    /* Without it, as the last. */
    void (*left)(void);
    /* Under it, in the child of a fork. */
    void (*begin_child)(void);
    /* The layer is destroyed. */
    void (*destroy)(void);
};
extern const struct cushim__subscriber cushim__trace, cushim__lookup, cushim__fault,
    cushim__recording, cushim__expectation;

/* How often cuGetProcAddress has answered with a function that no slot has. */
extern uint64_t cushim__unknown_functions;

/* Sweeps and check are no part of the layer: they name their subscriber themselves. */
void cushim__subscriber_set(enum cushim__subscription subscription,
                            const struct cushim__subscriber *subscriber);

/* Subscribe to a slot or to all, or end that. */
void cushim__subscribe(enum cushim__subscription subscription, unsigned slot, bool is_wanted);
void cushim__subscribe_all(enum cushim__subscription subscription, bool is_wanted);

/* The subscribers of each slot, as bits. Read without the lock. */
extern uint8_t cushim__subscribed[CUSHIM__SYMBOL_COUNT];

/* A layer begins, with LOOKUP's subscription alone; and ends, with all of them. */
void cushim__subscriptions_begin(void);
void cushim__subscriptions_end(void);

/* In the child of a fork, under the lock. */
void cushim__subscribers_begin_child(void);

/*
 * cushim_recording_start(), not under the lock; `is_asked` says whether lost calls are a failure
 * even if the program does not read the recording.
 */
CUresult cushim__recording_start(struct cushim_layer *layer, size_t capacity, bool is_asked);

/* Print that calls were lost which the program wants. Under the layer's lock. */
void cushim__recording_print_lost(struct cushim__text *text);

/* Begin a call. False: it is not made, and `*answer` is what it answers. */
bool cushim__layer_call_begin(struct cushim__call *call, unsigned slot, const uint64_t *values,
                              CUresult *answer);

/* End it: `answer` is its own or a subscriber's. Returns what the caller gets. */
CUresult cushim__layer_call_end(struct cushim__call *call, CUresult answer);

/*
 * For the generated functions: that which passes arguments to subscribers is a function of its own,
 * as its frame would else be made for calls without subscribers, too.
 */
#define CUSHIM__APART __attribute__((noinline, cold))

static inline bool cushim__is_unwatched(unsigned slot)
{
    return __builtin_expect(__atomic_load_n(&cushim__subscribed[slot], __ATOMIC_RELAXED) == 0, 1);
}

static inline uint64_t cushim__value_of_float(float number)
{
    uint32_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

#endif
