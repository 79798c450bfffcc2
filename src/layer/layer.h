/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one layer of this process: a table whose functions hand each call on to another table, and
 * the subscribers that see the calls.
 *
 * The function of each slot is generated (loader/generator/layer.py). While its slot has no
 * subscribers, it hands the call on at once. Otherwise it passes the arguments, as 64-bit values,
 * to the subscribers before the call and after it:
 *
 *     cushim__layer_call_begin()   subscribers: started(), then before()
 *     the next table's function    unless a subscriber has answered in its place
 *     cushim__layer_call_end()     subscribers: after() in reverse order, then ended()
 */
#ifndef CUSHIM_LAYER_LAYER_H
#define CUSHIM_LAYER_LAYER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cushim/testing/layer.h>

#include "loader/symbols.h"
#include "src/base/call_site.h"
#include "src/base/lock.h"
#include "src/layer/arguments.h"
#include "src/layer/mock_interface.h"

struct trace_record;
struct trace_context;

struct cushim_layer {
    struct cushim__lock lock; /* protects what the layer and its subscribers keep */
    const struct cushim_table *wrapped;
    const struct cushim_table *former; /* current before the layer was installed */
    void (*put_back)(const struct cushim_table *former); /* NULL if the layer is not installed */
    uint64_t serial;                                     /* number of the layer in this process */
    uint64_t calls;                                      /* calls that subscribers have seen */
    unsigned threads;
};

/* The layer, or NULL if there is none. */
extern struct cushim_layer *cushim__layer;

/* The message to a program that passes a layer that no longer exists. */
extern const char cushim__layer_ended[];

/*
 * Whether `layer` is the one that exists. The pointer is not followed, so the layer may have been
 * destroyed. The second function also takes the lock of the layer if it exists.
 */
bool cushim__layer_exists(const struct cushim_layer *layer);
bool cushim__layer_lock(struct cushim_layer *layer);

/* The layer's tables: the one that it calls, and its own. */
extern struct cushim_table cushim__layer_next;
extern const struct cushim_table cushim__layer_table;

/* What the trace, which is not part of the layer, keeps of a call that has not returned. */
struct cushim__traced {
    struct trace_record *record;   /* NULL if the call is not traced */
    struct trace_record *work;     /* NULL if the call queues no work, or the file is full */
    struct trace_context *context; /* whose events time the work; NULL if it is not timed */
    CUevent start, end;
    CUstream stream;
    uint64_t base; /* number of the base event that `start` is measured from */
};

/*
 * A call that has subscribers. It lives on the stack of the layer's function, which sets
 * `function`.
 */
struct cushim__call {
    uintptr_t function; /* the layer's function whose frame this is in */
    unsigned slot;
    unsigned subscribers;   /* bits: subscribers of the slot when the call began */
    const uint64_t *values; /* the arguments in order, as cushim__parameters describes them */
    bool is_watched;        /* subscribers see its end; false if the layer has ended meanwhile */
    uint64_t number;   /* counts calls that take the layer's lock, from 1; 0 if this one does not */
    uint64_t nested;   /* number of the call within which this thread makes it; 0 if none */
    unsigned thread;   /* numbered from 1, in the order of first calls with subscribers */
    uint64_t began_ns; /* virtual time; 0 without a mock */
    uint64_t context;  /* current when the call began; 0 if none, or if no subscriber asks */
    bool is_injected;  /* a subscriber gave the answer */
    bool is_refused;   /* check does not call the driver, which would crash */
    struct cushim__caller outer_caller; /* the thread's caller before this call */
    CUresult replaced; /* a sweep's answer to a call that is made all the same, or CUDA_SUCCESS */
    struct cushim__traced traced;
    struct cushim__arguments arguments;
};

/* The subscribers in the order in which they see calls. Any of their functions may be NULL. */
enum cushim__subscription {
    CUSHIM__TRACE,  /* sees what the program gets, when it gets it */
    CUSHIM__LOOKUP, /* always subscribed: makes cuGetProcAddress return functions of the layer */
    CUSHIM__CHECK,  /* sees what the program asks for before anything changes it */
    CUSHIM__SWEEP,
    CUSHIM__FAULT,
    CUSHIM__TRACKER, /* only makes the layer follow handles and allocations */
    CUSHIM__RECORDING,
    CUSHIM__EXPECTATION,
    CUSHIM__SUBSCRIPTIONS
};

struct cushim__subscriber {
    /* When a call begins, under the layer's lock. The arguments have been decoded. */
    void (*started)(struct cushim__call *call);
    /* Not under the lock. If false, the call is not made, and `*answer` is its answer. */
    bool (*before)(struct cushim__call *call, CUresult *answer);
    /* Not under the lock. Returns what the call is to answer. */
    CUresult (*after)(struct cushim__call *call, CUresult answer);
    /* Under the lock. The program gets `answer`. The results have been decoded. */
    void (*ended)(struct cushim__call *call, CUresult answer);
    /* After all others have seen the end of the call; not under the lock. */
    void (*left)(void);
    /*
     * A look-up has returned a function that no slot has. Not under the lock, and for each
     * subscriber, whatever it has subscribed to.
     */
    void (*found_unknown)(const char *name, const void *function);
    /* In the child of a fork, under the lock. */
    void (*begin_child)(void);
    /* When the layer is destroyed. */
    void (*destroy)(void);
};
extern const struct cushim__subscriber cushim__lookup, cushim__fault, cushim__recording,
    cushim__expectation;

/* How often cuGetProcAddress has returned a function that no slot has. */
extern uint64_t cushim__unknown_functions;

/* For the trace, check and sweeps, which are not part of the layer. */
void cushim__subscriber_set(enum cushim__subscription subscription,
                            const struct cushim__subscriber *subscriber);

/* Subscribe to a slot or to all slots; unsubscribe if not `is_wanted`. */
void cushim__subscribe(enum cushim__subscription subscription, unsigned slot, bool is_wanted);
void cushim__subscribe_all(enum cushim__subscription subscription, bool is_wanted);

/* The subscribers of each slot, as bits. Read without the lock. */
extern uint8_t cushim__subscribed[CUSHIM__SYMBOL_COUNT];

/* Subscribe LOOKUP alone when a layer begins; destroy all subscribers when it ends. */
void cushim__subscriptions_begin(void);
void cushim__subscriptions_end(void);

/* In the child of a fork, under the lock. */
void cushim__subscribers_begin_child(void);

/* See found_unknown(). */
void cushim__subscribers_found_unknown(const char *name, const void *function);

/*
 * The work of cushim_recording_start(); not under the lock. If `is_asked`, lost calls are a failure
 * even if the program does not read the recording.
 */
CUresult cushim__recording_start(struct cushim_layer *layer, size_t capacity, bool is_asked);

/* Print that the recording has lost calls that the program wants. Under the layer's lock. */
void cushim__recording_print_lost(struct cushim__text *text);

/* Whether a rule of faults has begun a sticky error in this layer. */
extern bool cushim__fault_is_sticky;

/*
 * Print each rule of faults that never fired, except those that hide symbols, because not every
 * look-up of a symbol is counted. Prints nothing if a call holds the layer's lock and does not
 * release it.
 */
void cushim__faults_print_unused(void (*print)(const char *line));

/* Begin a call. If this returns false, the call is not made, and `*answer` is its answer. */
bool cushim__layer_call_begin(struct cushim__call *call, unsigned slot, const uint64_t *values,
                              CUresult *answer);

/* End a call. `answer` is the driver's or a subscriber's. Returns what the caller gets. */
CUresult cushim__layer_call_end(struct cushim__call *call, CUresult answer);

/*
 * For the generated functions. The part that passes arguments to subscribers is a separate
 * function, because its stack frame would otherwise be set up for calls without subscribers, too.
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
