/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of handles. From the top, a handle has 16 bits with which no address begins, 5 of the
 * kind, 19 of the generation and 24 of the place. A place whose generations are used up is never
 * used again, so a handle means one object for the life of the table. If the program has left
 * objects when a mock ends, the next mock continues with later generations, until half of them are
 * used up, so that the program's old handles are invalid there. Otherwise each mock gives the same
 * handles, so that the runs of a sweep are alike.
 */
#include "src/mock/core/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/name.h"
#include "src/mock/core/state.h"

enum {
    TAG = 0x6d63,
    KIND_BITS = 5,
    GENERATION_BITS = 19,
    PLACE_BITS = 24,
    LAST_GENERATION = (1 << GENERATION_BITS) - 1,
    PLACES = 1 << PLACE_BITS,
    CHUNK = 4096,
    NOWHERE = 0, /* the first place stays empty */
};

_Static_assert(MOCK_KINDS <= 1 << KIND_BITS, "kinds no longer fit a handle");

struct place {
    struct mock_object *object; /* NULL if the place is free */
    uint32_t generation;        /* of its object, or of the last one */
    uint32_t next, previous;    /* of its kind, in creation order; `next` also links free places */
    uint32_t number;            /* of its kind, in creation order, from 1 */
    char *tag;                  /* set by the layer; NULL for the type's word and the number */
};

static struct place *chunks[PLACES / CHUNK];
static uint32_t used = 1;
static uint32_t free_first, free_last; /* the place that has been free longest is used next */
static uint32_t first[MOCK_KINDS], last[MOCK_KINDS];
static uint32_t numbers[MOCK_KINDS]; /* objects of each kind so far */
static uint32_t former_generation;   /* the highest one of earlier mocks */
static uint32_t newest_generation;   /* the highest one so far */

/* The type that the tag of an object is for, and what messages call it. */
static const struct {
    enum cushim__object_type type;
    const char *name;
} kinds[MOCK_KINDS] = {
    [MOCK_CONTEXT] = {CUSHIM__TYPE_CONTEXT, "a context"},
    [MOCK_STREAM] = {CUSHIM__TYPE_STREAM, "a stream"},
    [MOCK_EVENT] = {CUSHIM__TYPE_EVENT, "an event"},
    [MOCK_MODULE] = {CUSHIM__TYPE_MODULE, "a module"},
    [MOCK_FUNCTION] = {CUSHIM__TYPE_FUNCTION, "a function"},
    [MOCK_LIBRARY] = {CUSHIM__TYPE_LIBRARY, "a library"},
    [MOCK_KERNEL] = {CUSHIM__TYPE_KERNEL, "a kernel"},
    [MOCK_LINK] = {CUSHIM__TYPE_LINK, "a linker"},
    [MOCK_GRAPH] = {CUSHIM__TYPE_GRAPH, "a graph"},
    [MOCK_NODE] = {CUSHIM__TYPE_NODE, "a graph's node"},
    [MOCK_EXEC] = {CUSHIM__TYPE_EXEC, "an executable graph"},
    [MOCK_POOL] = {CUSHIM__TYPE_POOL, "a memory pool"},
    [MOCK_USER_OBJECT] = {CUSHIM__TYPE_USER_OBJECT, "a user object"},
    [MOCK_ARRAY] = {CUSHIM__TYPE_ARRAY, "an array"},
    [MOCK_MIPMAP] = {CUSHIM__TYPE_MIPMAPPED_ARRAY, "a mipmapped array"},
    [MOCK_DESCRIPTION] = {CUSHIM__TYPE_DESCRIPTION, "a description of resources"},
    [MOCK_EXTERNAL] = {CUSHIM__TYPE_EXTERNAL_MEMORY, "external memory"},
    [MOCK_TEXTURE] = {CUSHIM__TYPE_TEXTURE, "a texture or surface"},
    [MOCK_PHYSICAL] = {CUSHIM__TYPE_PHYSICAL_MEMORY, "physical memory"},
};

static struct place *place_at(uint32_t index)
{
    return &chunks[index / CHUNK][index % CHUNK];
}

static void *handle_of(uint32_t index, enum mock_kind kind, uint32_t generation)
{
    const uint64_t bits = (uint64_t)TAG << (KIND_BITS + GENERATION_BITS + PLACE_BITS) |
                          (uint64_t)kind << (GENERATION_BITS + PLACE_BITS) |
                          (uint64_t)generation << PLACE_BITS | index;

    return (void *)(uintptr_t)bits;
}

static uint32_t index_of(const void *handle)
{
    return (uint32_t)(uintptr_t)handle & (PLACES - 1);
}

static uint32_t generation_of(const void *handle)
{
    return (uint32_t)((uintptr_t)handle >> PLACE_BITS) & LAST_GENERATION;
}

static unsigned kind_of(const void *handle)
{
    return (unsigned)((uintptr_t)handle >> (GENERATION_BITS + PLACE_BITS)) & ((1 << KIND_BITS) - 1);
}

/* The place of a handle, or NULL if it never was a handle. */
static struct place *place_of(const void *handle)
{
    const uint32_t index = index_of(handle);
    struct place *place;

    if ((uintptr_t)handle >> (KIND_BITS + GENERATION_BITS + PLACE_BITS) != TAG ||
        index == NOWHERE || index >= used || !kinds[kind_of(handle) % MOCK_KINDS].name ||
        kind_of(handle) >= MOCK_KINDS)
        return NULL;
    place = place_at(index);
    return generation_of(handle) <= place->generation ? place : NULL;
}

static uint32_t take_place(void)
{
    const uint32_t index = free_first;

    if (index != NOWHERE) {
        free_first = place_at(index)->next;
        if (free_first == NOWHERE)
            free_last = NOWHERE;
        return index;
    }
    if (used == PLACES)
        return NOWHERE;
    if (!chunks[used / CHUNK]) {
        chunks[used / CHUNK] = calloc(CHUNK, sizeof(struct place));
        if (!chunks[used / CHUNK])
            return NOWHERE;
    }
    place_at(used)->generation = former_generation;
    return used++;
}

CUresult cushim__mock_object_add(void *object, enum mock_kind kind, struct mock_context *context)
{
    struct mock_object *head = object;
    const uint32_t index = take_place();
    struct place *place;

    if (index == NOWHERE)
        return CUDA_ERROR_OUT_OF_MEMORY;
    place = place_at(index);
    place->object = head;
    place->generation++;
    if (place->generation > newest_generation)
        newest_generation = place->generation;
    place->next = NOWHERE;
    place->previous = last[kind];
    place->number = ++numbers[kind];
    free(place->tag);
    place->tag = NULL;
    *(last[kind] == NOWHERE ? &first[kind] : &place_at(last[kind])->next) = index;
    last[kind] = index;

    head->handle = handle_of(index, kind, place->generation);
    head->context = context;
    head->kind = kind;
    head->gone = false;
    return CUDA_SUCCESS;
}

void *cushim__mock_object_create(size_t bytes, enum mock_kind kind, struct mock_context *context,
                                 void (*drop)(void *object))
{
    struct mock_object *made = calloc(1, bytes);

    if (!made || cushim__mock_object_add(made, kind, context) != CUDA_SUCCESS) {
        free(made);
        return NULL;
    }
    made->drop = drop;
    return made;
}

void cushim__mock_object_remove(void *object)
{
    struct mock_object *head = object;
    const enum mock_kind kind = head->kind;
    const uint32_t index = index_of(head->handle);
    struct place *place = place_at(index);

    *(place->previous == NOWHERE ? &first[kind] : &place_at(place->previous)->next) = place->next;
    *(place->next == NOWHERE ? &last[kind] : &place_at(place->next)->previous) = place->previous;
    place->object = NULL;
    place->next = NOWHERE;
    head->handle = NULL;
    if (place->generation == LAST_GENERATION)
        return;
    *(free_last == NOWHERE ? &free_first : &place_at(free_last)->next) = index;
    free_last = index;
}

void *cushim__mock_object_lookup(const void *handle, enum mock_kind kind)
{
    const struct place *place = place_of(handle);

    return place && place->object && place->object->handle == handle && kind_of(handle) == kind
               ? place->object
               : NULL;
}

/* The place of a handle, unless it never was one or another object has the place by now. */
static struct place *own_place(const void *handle)
{
    struct place *place = place_of(handle);

    return place && place->generation == generation_of(handle) ? place : NULL;
}

static void format_tag(const struct place *place, const void *handle, char *text, size_t size)
{
    snprintf(text, size, "%s#%u", cushim__object_names[kinds[kind_of(handle)].type].word,
             place->number);
}

void cushim__mock_object_tag(const void *handle, char *text, size_t size)
{
    const struct place *place = own_place(handle);

    text[0] = '\0';
    if (place && place->tag)
        snprintf(text, size, "%s", place->tag);
    else if (place)
        format_tag(place, handle, text, size);
}

void cushim__mock_object_set_tag(const void *handle, enum cushim__object_type type, const char *tag)
{
    struct place *place = own_place(handle);
    char own[MOCK_TAG_SIZE];

    if (!place || kinds[kind_of(handle)].type != type)
        return;
    free(place->tag);
    place->tag = NULL;
    format_tag(place, handle, own, sizeof own);
    if (strcmp(own, tag) != 0)
        place->tag = cushim__name_copy(tag, strlen(tag));
}

CUresult cushim__mock_object_find(const void *handle, enum mock_kind kind, void *object)
{
    struct mock_object *found;

    if (!handle)
        return kind == MOCK_GRAPH || kind == MOCK_NODE || kind == MOCK_EXEC ||
                       kind == MOCK_USER_OBJECT
                   ? CUDA_ERROR_INVALID_VALUE
                   : CUDA_ERROR_INVALID_HANDLE;
    found = cushim__mock_object_lookup(handle, kind);
    if (!found) {
        cushim__mock_misuse(CUSHIM__MOCK_FOUND_HANDLE, "0x%llx is not the handle of %s%s",
                            (unsigned long long)(uintptr_t)handle, kinds[kind].name,
                            cushim__mock_call_doubt());
        return CUDA_ERROR_INVALID_HANDLE;
    }
    memcpy(object, &found, sizeof found);
    return found->gone ? CUDA_ERROR_CONTEXT_IS_DESTROYED : cushim__mock_call.refusal;
}

void *cushim__mock_object_next(enum mock_kind kind, const void *previous)
{
    const struct mock_object *before = previous;
    const uint32_t index = before ? place_at(index_of(before->handle))->next : first[kind];

    return index == NOWHERE ? NULL : place_at(index)->object;
}

size_t cushim__mock_object_count(void)
{
    size_t count = 0;

    for (unsigned kind = 0; kind < MOCK_KINDS; kind++) {
        /* These are freed with the object that they are part of. */
        if (kind == MOCK_FUNCTION || kind == MOCK_KERNEL || kind == MOCK_NODE)
            continue;
        for (uint32_t index = first[kind]; index != NOWHERE; index = place_at(index)->next)
            count += !place_at(index)->object->gone && !place_at(index)->object->internal;
    }
    return count;
}

void cushim__mock_object_orphan(const struct mock_context *context)
{
    for (unsigned kind = MOCK_CONTEXT + 1; kind < MOCK_KINDS; kind++) {
        for (uint32_t index = first[kind]; index != NOWHERE; index = place_at(index)->next) {
            if (place_at(index)->object->context == context)
                place_at(index)->object->gone = true;
        }
    }
}

static void drop(struct mock_object *object)
{
    void (*own_drop)(void *) = object->drop ? object->drop : free;

    cushim__mock_object_remove(object);
    own_drop(object);
}

void cushim__mock_object_drop_all(const struct mock_context *context)
{
    for (unsigned kind = MOCK_KINDS; kind-- > 0;) {
        uint32_t index = first[kind];

        while (index != NOWHERE) {
            struct mock_object *object = place_at(index)->object;

            index = place_at(index)->next;
            if (object->context == context) {
                drop(object);
                index = first[kind]; /* it may have dropped others, too */
            }
        }
    }
}

/* Whether the program has left an object that it should have destroyed. */
static bool is_any_left(void)
{
    for (unsigned kind = 0; kind < MOCK_KINDS; kind++) {
        for (uint32_t index = first[kind]; index != NOWHERE; index = place_at(index)->next) {
            const struct mock_object *object = place_at(index)->object;

            /* A context that is gone was destroyed by the program; what was in it was not. */
            if (!object->internal && (kind != MOCK_CONTEXT || !object->gone))
                return true;
        }
    }
    return false;
}

void cushim__mock_object_clear(void)
{
    if (is_any_left())
        former_generation = newest_generation < LAST_GENERATION / 2 ? newest_generation : 0;
    newest_generation = former_generation;
    for (unsigned kind = MOCK_KINDS; kind-- > 0;) {
        while (first[kind] != NOWHERE)
            drop(place_at(first[kind])->object);
    }
    for (uint32_t index = 1; index < used; index++)
        free(place_at(index)->tag);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        free(chunks[i]);
        chunks[i] = NULL;
    }
    used = 1;
    free_first = free_last = NOWHERE;
    memset(first, 0, sizeof first);
    memset(last, 0, sizeof last);
    memset(numbers, 0, sizeof numbers);
}
