/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs without misuse: contexts, streams, events, memory, copies, modules, graphs. The
 * program knows which objects exist and which work uses which memory, and orders all work on it:
 * each of its calls is correct and succeeds.
 */
#ifndef CUSHIM_TESTS_CHECK_RANDOM_PROGRAM_H
#define CUSHIM_TESTS_CHECK_RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/table.h>

enum { RANDOM_OBJECTS = 6, RANDOM_CONTEXTS = 3, RANDOM_BYTES = 4096 };

enum random_type {
    RANDOM_STREAM,
    RANDOM_EVENT,
    RANDOM_MEMORY,
    RANDOM_POOLED,     /* stream-ordered memory */
    RANDOM_HOST,       /* page-locked memory */
    RANDOM_REGISTERED, /* the program's own memory, registered */
    RANDOM_MODULE,
    RANDOM_GRAPH,
    RANDOM_EXEC,
    RANDOM_ARRAY,
    RANDOM_POOL,
    RANDOM_TYPES
};

struct random_object {
    bool is_live;
    unsigned context; /* in which it was created */
    uint64_t handle;  /* or its address */
    CUfunction function;
    unsigned flags;
    bool is_recorded;
    /* For memory: work that is queued in this stream may use it. */
    bool is_used;
    CUstream user;
    bool is_user_gone; /* the stream was destroyed */
};

struct random_program {
    uint64_t state; /* of the random number generator */
    unsigned contexts, current;
    CUcontext context[RANDOM_CONTEXTS]; /* the first is the primary context; NULL: there is none */
    struct random_object objects[RANDOM_TYPES][RANDOM_OBJECTS];
};

unsigned random_draw(struct random_program *program, unsigned below);

/* Initialise the driver, and make a context current. */
void random_begin(struct random_program *program, uint64_t seed);

/* Make a few calls. */
void random_step(struct random_program *program);

/* Destroy everything. */
void random_end(struct random_program *program);

/* Replaces random_end() if the context was lost: free the program's own memory. */
void random_abandon(struct random_program *program);

#endif
