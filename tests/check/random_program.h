/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs without misuse: contexts, streams, events, memory, copies, modules, graphs. The
 * program knows what lives and who uses which memory, and orders all work on it: everything that it
 * calls is right, and answers success.
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
    RANDOM_POOLED,     /* memory of a stream's order */
    RANDOM_HOST,       /* page-locked memory */
    RANDOM_REGISTERED, /* the program's own, registered */
    RANDOM_MODULE,
    RANDOM_GRAPH,
    RANDOM_EXEC,
    RANDOM_ARRAY,
    RANDOM_POOL,
    RANDOM_TYPES
};

struct random_object {
    bool is_live;
    unsigned context; /* that it was made in */
    uint64_t handle;  /* or address */
    CUfunction function;
    unsigned flags;
    bool is_recorded;
    /* Of memory: work may use it that is queued in this stream. */
    bool is_used;
    CUstream user;
    bool is_user_gone; /* the stream was destroyed */
};

struct random_program {
    uint64_t state; /* of the random numbers */
    unsigned contexts, current;
    CUcontext context[RANDOM_CONTEXTS]; /* the first is the primary one; NULL: there is none */
    struct random_object objects[RANDOM_TYPES][RANDOM_OBJECTS];
};

unsigned random_draw(struct random_program *program, unsigned below);

/* Initialise the driver, and make a context current. */
void random_begin(struct random_program *program, uint64_t seed);

/* A few calls. */
void random_step(struct random_program *program);

/* Give everything back. */
void random_end(struct random_program *program);

/* In place of that, if the context was lost: what is the program's own. */
void random_abandon(struct random_program *program);

/* A live object of the current context, made if there is none. */
struct random_object *random_pick(struct random_program *program, enum random_type type);

/* A new one. Some other goes if there is no room. */
struct random_object *random_make(struct random_program *program, enum random_type type);

/* It ends, and everything is done that is right before. */
void random_destroy(struct random_program *program, enum random_type type,
                    struct random_object *object);

/* Memory that was registered, and was the program's own. */
void random_forget(struct random_object *registered);

/* The call that ends a handle of a type, and nothing else. */
CUresult random_call_end(enum random_type type, uint64_t handle);

/* Work that is queued in the stream next may use the memory. */
void random_order(struct random_program *program, struct random_object *memory, CUstream stream);

#endif
