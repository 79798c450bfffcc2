/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles. A handle looks like a pointer, but holds the kind of its object, a place in a table and
 * that place's generation. So a handle that was destroyed or never existed is recognised without
 * touching the memory at that address.
 */
#ifndef CUSHIM_MOCK_CORE_OBJECT_H
#define CUSHIM_MOCK_CORE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "src/driver_api/object_type.h"

enum mock_kind {
    MOCK_CONTEXT = 1,
    MOCK_STREAM,
    MOCK_EVENT,
    MOCK_MODULE,
    MOCK_FUNCTION,
    MOCK_LIBRARY,
    MOCK_KERNEL,
    MOCK_LINK,
    MOCK_GRAPH,
    MOCK_NODE,
    MOCK_EXEC,
    MOCK_POOL,
    MOCK_USER_OBJECT,
    MOCK_ARRAY,
    MOCK_MIPMAP,
    MOCK_DESCRIPTION,
    MOCK_EXTERNAL,
    MOCK_TEXTURE,
    MOCK_PHYSICAL,
    MOCK_KINDS
};

struct mock_context;

/* The first member of every object that has a handle. */
struct mock_object {
    void *handle;
    struct mock_context *context; /* NULL if it belongs to none */
    enum mock_kind kind;
    bool gone;     /* its context was destroyed: calls return CUDA_ERROR_CONTEXT_IS_DESTROYED */
    bool internal; /* the mock's own, such as a primary context that nobody retains; not counted */
    /*
     * Frees the object when its context or the mock ends, after it has lost its handle. NULL means
     * free().
     */
    void (*drop)(void *object);
};

/*
 * Give an object its handle and fill its head, except `drop` and `internal`, which the caller sets.
 * CUDA_SUCCESS or OUT_OF_MEMORY.
 */
CUresult cushim__mock_object_add(void *object, enum mock_kind kind, struct mock_context *context);

/* Create a zeroed object with its handle. Returns NULL if memory runs out. */
void *cushim__mock_object_create(size_t bytes, enum mock_kind kind, struct mock_context *context,
                                 void (*drop)(void *object));

/* Remove the handle; the memory stays the caller's. */
void cushim__mock_object_remove(void *object);

/*
 * Find the object of a handle. A NULL handle returns INVALID_HANDLE, or INVALID_VALUE if `kind` is
 * a graph, a node, an executable graph or a user object. A handle that is destroyed, garbage or of
 * another kind returns INVALID_HANDLE, and a misuse is noted. If the object's context was
 * destroyed, the code is CONTEXT_IS_DESTROYED, but `*object` is set.
 */
CUresult cushim__mock_object_find(const void *handle, enum mock_kind kind, void *object);

/* The same, but a wrong handle gives NULL and is no misuse: for calls that safely refuse one. */
void *cushim__mock_object_lookup(const void *handle, enum mock_kind kind);

/*
 * The name of a handle's object in messages, even of a destroyed one: `event#2` for the second of
 * its kind, or the tag that the layer has given it. Empty if it was destroyed too long ago. A tag for
 * another type is ignored: a program may pass a handle of the wrong kind.
 */
enum { MOCK_TAG_SIZE = 64 };
void cushim__mock_object_tag(const void *handle, char *text, size_t size);
void cushim__mock_object_set_tag(const void *handle, enum cushim__object_type type,
                                 const char *tag);

/* The object of a kind that was created next after `previous`, or the first one if that is NULL. */
void *cushim__mock_object_next(enum mock_kind kind, const void *previous);

/* The number of handles in use that the program created. */
size_t cushim__mock_object_count(void);

/* Mark everything that belongs to a context as gone, because the context was destroyed. */
void cushim__mock_object_orphan(const struct mock_context *context);

/* Drop a context and everything that belongs to it. Their handles then count as destroyed. */
void cushim__mock_object_drop_all(const struct mock_context *context);

/*
 * Drop every object, contexts last, and the table, when the mock ends. `drop` is called after the
 * object has lost its handle, and may remove the handles of others.
 */
void cushim__mock_object_clear(void);

#endif
