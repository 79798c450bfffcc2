/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A random program on the mock, and a model of what it has made that knows nothing of the mock's
 * insides: which handles live, which are dead, what is in memory, what is current.
 */
#ifndef CUSHIM_TESTS_FUZZ_CALLS_H
#define CUSHIM_TESTS_FUZZ_CALLS_H

#include <cuda.h>

#include <cushim/table.h>
#include <cushim/testing/mock.h>

#include "tests/fuzz/fuzz.h"

enum {
    CALLS_OBJECTS = 8, /* of each type at once; the place of a dead one is taken again */
    CALLS_SHADOW = 512,
    CALLS_STACK = 16,
    CALLS_STEPS = 96,
};

enum calls_type {
    CALLS_CONTEXT,
    CALLS_STREAM,
    CALLS_EVENT,
    CALLS_MEMORY,
    CALLS_GRAPH,
    CALLS_NODE,
    CALLS_EXEC,
    CALLS_MODULE,
    CALLS_FUNCTION,
    CALLS_TYPES
};

enum calls_state {
    CALLS_NEVER,
    CALLS_LIVE,
    CALLS_DEAD, /* to use it is a misuse, but for contexts and memory, which are looked up */
    CALLS_GONE, /* its context has ended: an error, and no misuse */
};

struct calls_object {
    enum calls_state state;
    uint64_t handle;
    const struct calls_object *context; /* NULL: it has none */
    const struct calls_object *parent;  /* a function's module, a node's graph */
    /* Of memory: what has to be in it, where that is known, and the stream that used it last. */
    size_t bytes;
    uint8_t shadow[CALLS_SHADOW];
    bool is_known[CALLS_SHADOW];
    uint64_t user;
    bool is_used, is_pooled;
    bool is_touched; /* work was queued that uses it */
    bool is_faulty;  /* of a function: what it executes is a fault */
    /* Of an event: it was recorded on a stream that has been waited for since. */
    uint64_t recorded_on;
    bool is_recorded, is_done;
};

/* Work on memory that nobody has waited for. */
struct calls_work {
    uint64_t stream; /* 0: of none that is known: of a default stream, or captured */
    const struct calls_object *context; /* NULL: it was captured, and every launch executes it */
    uint64_t from, to;                  /* the addresses that it reads and writes; 0: none */
    size_t bytes;
    bool is_from_freed, is_to_freed; /* the memory was freed behind it */
};

struct calls {
    struct fuzz_input input;
    struct cushim_mock *mock;
    const struct cushim_table *driver;
    bool is_manual, is_adversarial;
    bool may_fault;    /* work was queued, or captured, whose execution can be a fault */
    bool is_faulted;   /* it was executed: every call may answer an error from now on */
    bool is_suspected; /* a call has answered what it can only answer after a fault */
    unsigned captures; /* that have begun and not ended: what is done in them is not done yet */
    bool has_bad;      /* the call to come has a handle that is dead or garbage */
    bool has_null;     /* or one that is NULL */
    bool has_graph;    /* or a graph, whose events may have been destroyed since */
    size_t misuses;
    uint64_t now_ns;
    uint64_t digest; /* of all answers */
    unsigned primary_count;
    struct calls_object *stack[CALLS_STACK];
    unsigned depth;
    uint64_t host_functions;            /* that were queued */
    uint8_t host[2 * CALLS_SHADOW + 2]; /* where uploads come from */
    struct calls_work work[CALLS_STEPS];
    unsigned works;
    struct calls_object objects[CALLS_TYPES][CALLS_OBJECTS];
    struct calls_object primary;
};

/*
 * A handle for the next call: of one that lives, or by the input's will of one that does not, or of
 * none at all, but no more than one such in a call. `object` receives what lives; NULL: none.
 */
uint64_t calls_pick(struct calls *calls, enum calls_type type, struct calls_object **object);

/* The same as a handle of the driver's type. */
#define CALLS_HANDLE(type, number) ((type)(uintptr_t)(number))

/* The call for which handles were picked is not made. */
void calls_drop(struct calls *calls);

/* Where the next object of a type goes; NULL: as many live as there is room for. */
struct calls_object *calls_room(struct calls *calls, enum calls_type type);

/* It lives from now on, in the current context. */
void calls_made(struct calls *calls, struct calls_object *object, uint64_t handle);

/* What is current, as the model has it; NULL: nothing. */
struct calls_object *calls_current(const struct calls *calls);

/* It lives no longer. Work that uses memory and is executed after the end of that is a fault. */
void calls_end(struct calls *calls, struct calls_object *object, enum calls_state state);

/* A context has ended with all that was in it. */
void calls_end_context(struct calls *calls, struct calls_object *context);

/* What has a parent dies with it. */
void calls_end_children(struct calls *calls, enum calls_type type,
                        const struct calls_object *parent);

/*
 * Judge what a call has answered: misuses are counted if and only if it had a bad handle or
 * would have to wait in manual mode, and time does not go back. Returns the answer.
 */
CUresult calls_judge(struct calls *calls, CUresult answer);

/*
 * Whether a call on what lives may answer this: success, or any error after a fault. The first that
 * meets the fault need not name it: with a current context that has ended it answers that (709).
 */
bool calls_allows(struct calls *calls, CUresult answer);

/* Number answers that are compared between two runs. */
void calls_note(struct calls *calls, uint64_t number);

/* One call of each kind; the input says which of them. */
void calls_step_context(struct calls *calls);
void calls_step_stream(struct calls *calls);
void calls_step_event(struct calls *calls);
void calls_step_memory(struct calls *calls);
void calls_step_graph(struct calls *calls);
void calls_step_kernel(struct calls *calls);

/* The stream has been waited for: what is in memory is what was written there. */
void calls_compare_memory(struct calls *calls, uint64_t stream);

/*
 * Work was queued that copies memory or writes it (`from` is 0). `stream` is NULL for the default
 * stream.
 */
void calls_queue(struct calls *calls, const struct calls_object *stream, uint64_t from, uint64_t to,
                 size_t bytes);

/*
 * Whether work on a stream that is queued next finds in a byte what was written there last: no work
 * elsewhere writes it. NULL: whether everybody does.
 */
bool calls_is_known(const struct calls *calls, const struct calls_object *stream, uint64_t address);

/* All work of a stream, or of a context, has been waited for. */
void calls_wait_stream(struct calls *calls, uint64_t stream);
void calls_wait_context(struct calls *calls, const struct calls_object *context);

/* Work of a context that ends is executed or not. */
void calls_drop_work(struct calls *calls, const struct calls_object *context);

/*
 * Memory was allocated, on a stream or (NULL) on none. Where other memory was, what has used that
 * before it was freed has ended, but for work of the same stream, which comes before anyhow.
 */
void calls_take_memory(struct calls *calls, const struct calls_object *memory,
                       const struct calls_object *stream);

/*
 * Memory was freed: by cuMemFree, which waits for the work of its context, or (of a pool) gives the
 * memory to nobody before pending work has ended; on a stream; or with its context.
 */
void calls_free_memory(struct calls *calls, const struct calls_object *memory);
void calls_free_memory_async(struct calls *calls, const struct calls_object *memory,
                             const struct calls_object *stream);
void calls_lose_memory(struct calls *calls, const struct calls_object *memory);

#endif
