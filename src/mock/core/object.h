/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles. A handle looks like a pointer and is none: it holds its kind, a place in a table and
 * that place's generation, so that one that was destroyed or never existed is recognised without
 * touching memory.
 */
#ifndef CUSHIM_MOCK_CORE_OBJECT_H
#define CUSHIM_MOCK_CORE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

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
    MOCK_TEXTURE,
    MOCK_KINDS
};

struct mock_context;

/* First member of everything that has a handle. */
struct mock_object {
    void *handle;
    struct mock_context *context; /* NULL: belongs to none */
    enum mock_kind kind;
    bool gone;     /* its context was destroyed: calls return CUDA_ERROR_CONTEXT_IS_DESTROYED */
    bool internal; /* the mock's own, as a primary context nobody retains: not counted */
    /* Frees the object when it has lost its handle with its context or the mock; NULL: free(). */
    void (*drop)(void *object);
};

/*
 * Give an object its handle. `drop` and `internal` are the caller's, the rest of the head is
 * filled. CUDA_SUCCESS or OUT_OF_MEMORY.
 */
CUresult cushim__mock_object_add(void *object, enum mock_kind kind, struct mock_context *context);

/* A zeroed object of so many bytes, with its handle. NULL: out of memory. */
void *cushim__mock_object_create(size_t bytes, enum mock_kind kind, struct mock_context *context,
                                 void (*drop)(void *object));

/* Take the handle away; the memory stays the caller's. */
void cushim__mock_object_remove(void *object);

/*
 * Find what a handle stands for. NULL: INVALID_HANDLE, or INVALID_VALUE of a graph, what is in one
 * or made of one, and a user object. Destroyed, garbage or of another kind: INVALID_HANDLE, and a
 * misuse is noted. Its context was destroyed: CONTEXT_IS_DESTROYED, and `*object` is set all the
 * same.
 */
CUresult cushim__mock_object_find(const void *handle, enum mock_kind kind, void *object);

/* The same without a misuse: NULL if there is none. For calls that refuse a wrong handle safely. */
void *cushim__mock_object_lookup(const void *handle, enum mock_kind kind);

/*
 * How messages name the object of a handle, also one that was destroyed: `event#2`, the second of
 * its kind, or the tag that the layer has given it. Empty: it is too long ago.
 */
enum { MOCK_TAG_SIZE = 64 };
void cushim__mock_object_tag(const void *handle, char *text, size_t size);
void cushim__mock_object_set_tag(const void *handle, const char *tag);

/* Every object of a kind in order of creation: the one after `previous` (NULL: the first). */
void *cushim__mock_object_next(enum mock_kind kind, const void *previous);

/* How many handles are in use that the program made. */
size_t cushim__mock_object_count(void);

/* Mark everything that belongs to a context as gone: the context was destroyed. */
void cushim__mock_object_orphan(const struct mock_context *context);

/*
 * Drop everything that belongs to a context, and the context: the handles are from now on those of
 * objects that were destroyed.
 */
void cushim__mock_object_drop_all(const struct mock_context *context);

/*
 * Drop the whole table and every object in it, contexts last: the mock ends. `drop` sees the object
 * without its handle, and may take the handles of others away.
 */
void cushim__mock_object_clear(void);

#endif
