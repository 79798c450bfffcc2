/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A random program on the mock, and a model of its objects that knows nothing of the mock's
 * internals: which handles are live or dead, what memory contains, and which context is current.
 */
#ifndef CUSHIM_TESTS_FUZZ_CALLS_H
#define CUSHIM_TESTS_FUZZ_CALLS_H

#include <cuda.h>

#include <cushim/table.h>
#include <cushim/testing/mock.h>

#include "tests/fuzz/fuzz.h"

enum {
    CALLS_OBJECTS = 8, /* the most live objects of each type; the slot of a dead one is reused */
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
    CALLS_DEAD, /* using it is a misuse, but contexts and memory are looked up first */
    CALLS_GONE, /* its context is destroyed: an error, but no misuse */
};

struct calls_object {
    enum calls_state state;
    uint64_t handle;
    const struct calls_object *context; /* NULL: none */
    const struct calls_object *parent;  /* the module of a function, or the graph of a node */
    /* For memory: its expected contents where they are known, and the stream that used it last. */
    size_t bytes;
    uint8_t shadow[CALLS_SHADOW];
    bool is_known[CALLS_SHADOW];
    uint64_t user;
    bool is_used, is_pooled;
    bool is_touched; /* work that uses it was queued */
    bool is_faulty;  /* for a function: executing it causes a fault */
    /* For an event: a wait for the stream followed its record. */
    uint64_t recorded_on;
    bool is_recorded, is_done;
};

/* Work on memory that has not been waited for. */
struct calls_work {
    uint64_t stream;                    /* 0: a default stream, or captured */
    const struct calls_object *context; /* NULL: captured, so every launch executes the work */
    uint64_t from, to;                  /* the addresses that it reads and writes; 0: none */
    size_t bytes;
    bool is_from_freed, is_to_freed; /* the memory was freed after the work was queued */
};

struct calls {
    struct fuzz_input input;
    struct cushim_mock *mock;
    const struct cushim_table *driver;
    bool is_manual, is_adversarial;
    bool may_fault;    /* work whose execution may fault was queued or captured */
    bool is_faulted;   /* a fault has occurred: from now on, every call may fail */
    bool is_suspected; /* a call has returned a code that is possible only after a fault */
    unsigned captures; /* captures that have begun and not ended: their work is not executed yet */
    bool has_bad;      /* the next call has a dead or invalid handle */
    bool has_null;     /* or a NULL handle */
    bool has_graph;    /* or a graph, whose events may have been destroyed */
    size_t misuses;
    uint64_t now_ns;
    uint64_t digest; /* of all results */
    unsigned primary_count;
    struct calls_object *stack[CALLS_STACK];
    unsigned depth;
    uint64_t host_functions;            /* host functions that were queued */
    uint8_t host[2 * CALLS_SHADOW + 2]; /* the source of uploads */
    struct calls_work work[CALLS_STEPS];
    unsigned works;
    struct calls_object objects[CALLS_TYPES][CALLS_OBJECTS];
    struct calls_object primary;
};

/*
 * Pick a handle for the next call: usually a live one, or, depending on the input, a dead or
 * invalid one, but at most one of these in a call. `object` receives the live object, or NULL.
 */
uint64_t calls_pick(struct calls *calls, enum calls_type type, struct calls_object **object);

/* Convert a handle to the driver's type. */
#define CALLS_HANDLE(type, number) ((type)(uintptr_t)(number))

/* Forget the picked handles, because their call is not made. */
void calls_drop(struct calls *calls);

/* A slot for a new object of a type; NULL: there are as many live objects as possible. */
struct calls_object *calls_room(struct calls *calls, enum calls_type type);

/* The object is live from now on, in the current context. */
void calls_made(struct calls *calls, struct calls_object *object, uint64_t handle);

/* The current context in the model, or NULL. */
struct calls_object *calls_current(const struct calls *calls);

/*
 * The object is no longer live. If work uses memory and executes after the memory's end, that is a
 * fault.
 */
void calls_end(struct calls *calls, struct calls_object *object, enum calls_state state);

/* A context is destroyed, with everything in it. */
void calls_end_context(struct calls *calls, struct calls_object *context);

/* The children of an object are destroyed with it. */
void calls_end_children(struct calls *calls, enum calls_type type,
                        const struct calls_object *parent);

/*
 * Check the result of a call: it counts a misuse if and only if it had an invalid handle or would
 * have to wait in manual mode, and time does not go back. Returns the result.
 */
CUresult calls_judge(struct calls *calls, CUresult answer);

/*
 * Whether a call on live objects may return this code: success, or any error after a fault. The
 * first call after a fault need not report it: if the current context is destroyed, the call
 * returns 709.
 */
bool calls_allows(struct calls *calls, CUresult answer);

/* Add a number to the digest, which is compared between two runs. */
void calls_note(struct calls *calls, uint64_t number);

/* Make one call of each kind; the input selects it. */
void calls_step_context(struct calls *calls);
void calls_step_stream(struct calls *calls);
void calls_step_event(struct calls *calls);
void calls_step_memory(struct calls *calls);
void calls_step_graph(struct calls *calls);
void calls_step_kernel(struct calls *calls);

/* After a wait for the stream, memory contains what was written to it. */
void calls_compare_memory(struct calls *calls, uint64_t stream);

/*
 * Work was queued that copies memory or writes to it (`from` is 0). `stream` is NULL for the
 * default stream.
 */
void calls_queue(struct calls *calls, const struct calls_object *stream, uint64_t from, uint64_t to,
                 size_t bytes);

/*
 * Whether the next work on a stream reads from a byte what was written there last, because no other
 * stream's work writes to it. With NULL, whether that holds for every stream.
 */
bool calls_is_known(const struct calls *calls, const struct calls_object *stream, uint64_t address);

/* All work of a stream, or of a context, has been waited for. */
void calls_wait_stream(struct calls *calls, uint64_t stream);
void calls_wait_context(struct calls *calls, const struct calls_object *context);

/* The work of a destroyed context may or may not execute. */
void calls_drop_work(struct calls *calls, const struct calls_object *context);

/*
 * Memory was allocated, on a stream or (NULL) without one. It may reuse the addresses of freed
 * memory. The work that used the freed memory is then complete, or precedes in the same stream.
 */
void calls_take_memory(struct calls *calls, const struct calls_object *memory,
                       const struct calls_object *stream);

/*
 * Memory was freed: by cuMemFree, which waits for the work of its context or, for memory of a pool,
 * delays its reuse until pending work has ended; on a stream; or with its context.
 */
void calls_free_memory(struct calls *calls, const struct calls_object *memory);
void calls_free_memory_async(struct calls *calls, const struct calls_object *memory,
                             const struct calls_object *stream);
void calls_lose_memory(struct calls *calls, const struct calls_object *memory);

#endif
