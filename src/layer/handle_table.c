/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/handle_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/testing/recording.h>

#include "src/layer/layer.h"

/*
 * How many destroyed objects are remembered, so that a use of one shows which it was. A driver may
 * not reuse a value for a long time, and the mock never does.
 */
enum { DESTROYED_KEPT = 256, DESTROYED_KEPT_LONG = 4096 };

static bool before(const struct cushim__tree_node *a, const struct cushim__tree_node *b)
{
    return ((const struct cushim__handle *)a)->value < ((const struct cushim__handle *)b)->value;
}

static struct cushim__tree trees[CUSHIM__OBJECT_TYPES];
static uint32_t numbers[CUSHIM__OBJECT_TYPES];
static struct cushim__handle *first_destroyed, *last_destroyed;
static size_t destroyed;
/* Set by check. While it is set, more destroyed objects are kept, and memory too. */
static void (*check_forget)(struct cushim__handle *object);

static bool is_memory(enum cushim__object_type type)
{
    return type == CUSHIM__TYPE_MEMORY || type == CUSHIM__TYPE_GLOBAL;
}

static struct cushim__handle *upto(enum cushim__object_type type, uint64_t value)
{
    const struct cushim__handle key = {.value = value};

    trees[type].before = before;
    return (struct cushim__handle *)cushim__tree_upto(&trees[type], &key.node);
}

static struct cushim__handle *find(enum cushim__object_type type, uint64_t value)
{
    struct cushim__handle *object = upto(type, value);

    return object && object->value == value ? object : NULL;
}

/* The mock uses the same tags in its own messages. */
static void report_tag(const struct cushim__handle *object)
{
    const struct cushim__mock_callbacks *mock =
        __atomic_load_n(&cushim__layer_mock, __ATOMIC_ACQUIRE);
    const struct cushim__tag tag = cushim__handle_tag(object);
    char text[CUSHIM_RECORDING_TAG_SIZE];

    if (!mock)
        return;
    cushim__tag_text(&tag, object->value, text, sizeof text);
    mock->set_tag(object->value, object->type, text);
}

static struct cushim__handle *add(enum cushim__object_type type, uint64_t value, uint64_t bytes)
{
    struct cushim__handle *object = calloc(1, sizeof *object);

    if (!object)
        return NULL;
    object->value = value;
    object->bytes = bytes;
    object->type = type;
    object->number = ++numbers[type];
    object->device = -1;
    trees[type].before = before;
    cushim__tree_add(&trees[type], &object->node);
    report_tag(object);
    return object;
}

/* Make the object independent of its owner, so that it is not destroyed with it. */
static void disown(struct cushim__handle *object)
{
    struct cushim__handle *previous = object->previous_owned, *next = object->next_owned;

    if (!object->owner)
        return;
    *(previous ? &previous->next_owned : &object->owner->first_owned) = next;
    if (next)
        next->previous_owned = previous;
    object->owner = object->next_owned = object->previous_owned = NULL;
}

static void unlist(const struct cushim__handle *object)
{
    struct cushim__handle *previous = object->previous_destroyed, *next = object->next_destroyed;

    *(previous ? &previous->next_destroyed : &first_destroyed) = next;
    *(next ? &next->previous_destroyed : &last_destroyed) = previous;
    destroyed--;
}

void cushim__handle_forget(struct cushim__handle *object)
{
    if (check_forget)
        check_forget(object);
    if (object->is_destroyed)
        unlist(object);
    cushim__handle_destroy_owned(object);
    disown(object);
    cushim__tree_remove(&trees[object->type], &object->node);
    free(object);
}

struct cushim__handle *cushim__handle_find(enum cushim__object_type type, uint64_t value,
                                           bool may_add)
{
    struct cushim__handle *object = find(type, value);

    return object || !may_add ? object : add(type, value, 0);
}

/* Whether an object may be gone, because a call is destroying it or one of its owners. */
static bool may_be_gone(const struct cushim__handle *object)
{
    while (object && !object->is_destroyed && !object->is_ending)
        object = object->owner;
    return object;
}

struct cushim__handle *cushim__handle_returned(enum cushim__object_type type, uint64_t value)
{
    struct cushim__handle *object = find(type, value);

    if (object && (object->is_destroyed || may_be_gone(object->owner))) {
        cushim__handle_forget(object);
        object = NULL;
    }
    if (!object)
        object = add(type, value, 0);
    if (object)
        object->is_returned = true;
    return object;
}

static struct cushim__handle *covering(enum cushim__object_type type, uint64_t address)
{
    struct cushim__handle *object = upto(type, address);

    return object && address - object->value < object->bytes ? object : NULL;
}

struct cushim__handle *cushim__handle_at(uint64_t address)
{
    struct cushim__handle *object = covering(CUSHIM__TYPE_MEMORY, address);

    return object ? object : covering(CUSHIM__TYPE_GLOBAL, address);
}

/* Forget objects in a range where a new one begins: they no longer exist. */
static void clear_range(enum cushim__object_type type, uint64_t start, uint64_t bytes)
{
    struct cushim__handle *object;

    while ((object = upto(type, start + (bytes ? bytes - 1 : 0))) != NULL &&
           object->value + object->bytes > start)
        cushim__handle_forget(object);
}

static struct cushim__handle *after(enum cushim__object_type type, uint64_t value)
{
    const struct cushim__handle key = {.value = value};

    return cushim__handle_next(type, &key);
}

void cushim__handle_forget_destroyed(uint64_t start)
{
    static const enum cushim__object_type types[] = {CUSHIM__TYPE_MEMORY, CUSHIM__TYPE_GLOBAL};
    uint64_t end = UINT64_MAX;
    struct cushim__handle *object;

    for (unsigned i = 0; i < 2; i++) {
        object = after(types[i], start);
        while (object && object->is_destroyed)
            object = after(types[i], object->value);
        if (object && object->value < end)
            end = object->value;
    }
    for (unsigned i = 0; i < 2; i++) {
        object = covering(types[i], start);
        if (object && object->is_destroyed)
            cushim__handle_forget(object);
        while ((object = after(types[i], start)) != NULL && object->value < end)
            cushim__handle_forget(object);
    }
}

struct cushim__handle *cushim__handle_create(enum cushim__object_type type, uint64_t value,
                                             uint64_t bytes)
{
    struct cushim__handle *object;

    if (is_memory(type)) {
        clear_range(CUSHIM__TYPE_MEMORY, value, bytes);
        clear_range(CUSHIM__TYPE_GLOBAL, value, bytes);
    }
    object = find(type, value);
    if (object)
        cushim__handle_forget(object);
    object = add(type, value, bytes);
    if (object)
        object->is_returned = true;
    return object;
}

void cushim__handle_own(struct cushim__handle *owner, struct cushim__handle *owned)
{
    disown(owned);
    if (!owner || owner == owned)
        return;
    owned->owner = owner;
    owned->next_owned = owner->first_owned;
    if (owned->next_owned)
        owned->next_owned->previous_owned = owned;
    owner->first_owned = owned;
}

void cushim__handle_destroy(struct cushim__handle *object)
{
    if (is_memory(object->type) && !check_forget) {
        cushim__handle_forget(object);
        return;
    }
    cushim__handle_destroy_owned(object);
    disown(object);
    object->is_live = false;
    object->is_destroyed = true;
    object->is_ending = false;
    object->next_destroyed = NULL;
    object->previous_destroyed = last_destroyed;
    *(last_destroyed ? &last_destroyed->next_destroyed : &first_destroyed) = object;
    last_destroyed = object;
    if (++destroyed > (check_forget ? DESTROYED_KEPT_LONG : DESTROYED_KEPT))
        cushim__handle_forget(first_destroyed);
}

void cushim__handle_destroy_owned(const struct cushim__handle *owner)
{
    struct cushim__handle *object;

    while ((object = owner->first_owned) != NULL) {
        object->ender = owner->ender;
        object->ended_with = owner->ended_with ? owner->ended_with : (uint8_t)owner->type;
        cushim__handle_destroy(object); /* which removes it from the list */
    }
}

struct cushim__handle *cushim__handle_of_primary(int device)
{
    struct cushim__handle *object = cushim__handle_next(CUSHIM__TYPE_CONTEXT, NULL);

    while (object && object->device != device)
        object = cushim__handle_next(CUSHIM__TYPE_CONTEXT, object);
    return object;
}

struct cushim__handle *cushim__handle_next(enum cushim__object_type type,
                                           const struct cushim__handle *previous)
{
    trees[type].before = before;
    return (struct cushim__handle *)cushim__tree_after(&trees[type],
                                                       previous ? &previous->node : NULL);
}

struct cushim__tag cushim__handle_tag(const struct cushim__handle *object)
{
    return (struct cushim__tag){.type = (uint8_t)object->type,
                                .number = object->number,
                                .is_destroyed = object->is_destroyed};
}

enum { NAME_SIZE = 32 };

struct name {
    struct name *next;
    enum cushim__object_type type;
    uint32_t number;
    char text[NAME_SIZE];
};

/* The latest first, because a name may be reused once the object that had it is destroyed. */
static struct name *names;

static const char *name_of(const struct cushim__tag *tag)
{
    for (const struct name *name = names; name; name = name->next) {
        if ((uint8_t)name->type == tag->type && name->number == tag->number)
            return name->text;
    }
    return NULL;
}

/* How a value that is no known object of the program is named. */
static const char *fixed(enum cushim__object_type type, uint64_t value)
{
    if (value == 0)
        return "NULL";
    if (type == CUSHIM__TYPE_STREAM && value == (uintptr_t)CU_STREAM_LEGACY)
        return "CU_STREAM_LEGACY";
    if (type == CUSHIM__TYPE_STREAM && value == (uintptr_t)CU_STREAM_PER_THREAD)
        return "CU_STREAM_PER_THREAD";
    return type == CUSHIM__TYPE_MEMORY ? "address?" : "handle?";
}

void cushim__tag_text(const struct cushim__tag *tag, uint64_t value, char *text, size_t size)
{
    const enum cushim__object_type type = (enum cushim__object_type)tag->type;
    const char *name = tag->number ? name_of(tag) : fixed(type, value);
    char offset[24] = "";

    if (tag->offset)
        snprintf(offset, sizeof offset, "+%llu", (unsigned long long)tag->offset);
    if (name)
        snprintf(text, size, "%s%s%s", tag->is_destroyed ? "destroyed " : "", name, offset);
    else
        snprintf(text, size, "%s%s#%u%s", tag->is_destroyed ? "destroyed " : "",
                 cushim__object_names[type].word, tag->number, offset);
}

/* Returns false if memory runs out. */
static bool give_name(const struct cushim__handle *object, const char *text)
{
    struct name *name = malloc(sizeof *name);

    if (!name)
        return false;
    *name = (struct name){.next = names, .type = object->type, .number = object->number};
    snprintf(name->text, sizeof name->text, "%s", text);
    names = name;
    report_tag(object);
    return true;
}

static bool is_alive(enum cushim__object_type type, uint32_t number)
{
    const struct cushim__handle *object = NULL;

    while ((object = cushim__handle_next(type, object)) != NULL) {
        if (object->number == number)
            return !object->is_destroyed;
    }
    return false;
}

/* Find the tag that a name means. Returns false if no object that exists has the name. */
static bool find_named(const char *text, struct cushim__tag *tag)
{
    for (const struct name *name = names; name; name = name->next) {
        if (strcmp(name->text, text) == 0 && is_alive(name->type, name->number)) {
            *tag = (struct cushim__tag){.type = (uint8_t)name->type, .number = name->number};
            return true;
        }
    }
    return false;
}

void cushim__handles_keep(void (*forget)(struct cushim__handle *object))
{
    check_forget = forget;
}

void cushim__handles_clear(void)
{
    for (unsigned type = 0; type < CUSHIM__OBJECT_TYPES; type++) {
        struct cushim__handle *object;

        while ((object = cushim__handle_next((enum cushim__object_type)type, NULL)) != NULL) {
            object->first_owned = object->owner = NULL; /* all are forgotten */
            object->is_destroyed = false;
            cushim__handle_forget(object);
        }
        numbers[type] = 0;
    }
    first_destroyed = last_destroyed = NULL;
    destroyed = 0;
    while (names) {
        struct name *next = names->next;

        free(names);
        names = next;
    }
}

static bool is_name(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789_-.";
    const size_t length = strlen(text);

    return length > 0 && length < NAME_SIZE && strspn(text, letters) == length;
}

/* Find an object of any type: no two of a driver have the same value at the same time. */
static struct cushim__handle *any(const void *handle)
{
    const uint64_t value = (uintptr_t)handle;
    struct cushim__handle *object;

    for (unsigned type = 0; type < CUSHIM__TYPE_MEMORY; type++) {
        object = cushim__handle_find((enum cushim__object_type)type, value, false);
        if (object && !object->is_destroyed)
            return object;
    }
    object = cushim__handle_at(value);
    return object && !object->is_destroyed ? object : NULL;
}

CUresult cushim_recording_set_tag(struct cushim_layer *layer, const void *handle, const char *name)
{
    const struct cushim__handle *object;
    struct cushim__tag tag;
    CUresult code = CUDA_SUCCESS;

    if (!handle || !name || !is_name(name) || !cushim__layer_lock(layer))
        return CUDA_ERROR_INVALID_VALUE;
    object = any(handle);
    if (!object)
        code = CUDA_ERROR_NOT_FOUND;
    else if (find_named(name, &tag))
        code = CUDA_ERROR_ALREADY_ACQUIRED;
    else if (!give_name(object, name))
        code = CUDA_ERROR_OUT_OF_MEMORY;
    cushim__lock_release(&layer->lock);
    return code;
}

CUresult cushim_recording_get_tag(struct cushim_layer *layer, const void *handle, char *buffer,
                                  size_t size)
{
    const uint64_t value = (uintptr_t)handle;
    const struct cushim__handle *object;
    struct cushim__tag tag;
    char text[CUSHIM_RECORDING_TAG_SIZE];

    if (!handle || !buffer || !cushim__layer_lock(layer))
        return CUDA_ERROR_INVALID_VALUE;
    object = any(handle);
    if (object) {
        tag = cushim__handle_tag(object);
        tag.offset = value - object->value;
        cushim__tag_text(&tag, value, text, sizeof text);
    }
    cushim__lock_release(&layer->lock);
    if (!object)
        return CUDA_ERROR_NOT_FOUND;
    if (strlen(text) >= size)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(buffer, text, strlen(text) + 1);
    return CUDA_SUCCESS;
}
