/* SPDX-License-Identifier: Apache-2.0 */
#include "src/layer/tag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/layer/layer.h"

enum { NAME_SIZE = 32 };

struct name {
    struct name *next;
    enum cushim__noun noun;
    uint32_t number;
    char text[NAME_SIZE];
};

/* The last given first, as a name may be given again once what had it is destroyed. */
static struct name *names;

static const char *name_of(const struct cushim__tag *tag)
{
    for (const struct name *name = names; name; name = name->next) {
        if ((uint8_t)name->noun == tag->noun && name->number == tag->number)
            return name->text;
    }
    return NULL;
}

/* Values that stand for no object of the program. */
static const char *fixed(enum cushim__noun noun, uint64_t value)
{
    if (value == 0)
        return "NULL";
    if (noun == CUSHIM__NOUN_STREAM && value == (uintptr_t)CU_STREAM_LEGACY)
        return "CU_STREAM_LEGACY";
    if (noun == CUSHIM__NOUN_STREAM && value == (uintptr_t)CU_STREAM_PER_THREAD)
        return "CU_STREAM_PER_THREAD";
    return noun == CUSHIM__NOUN_MEMORY ? "address?" : "handle?";
}

void cushim__tag_text(const struct cushim__tag *tag, uint64_t value, char *text, size_t size)
{
    const enum cushim__noun noun = (enum cushim__noun)tag->noun;
    const char *name = tag->number ? name_of(tag) : fixed(noun, value);
    char offset[24] = "";

    if (tag->offset)
        snprintf(offset, sizeof offset, "+%llu", (unsigned long long)tag->offset);
    if (name)
        snprintf(text, size, "%s%s%s", tag->is_destroyed ? "destroyed " : "", name, offset);
    else
        snprintf(text, size, "%s%s#%u%s", tag->is_destroyed ? "destroyed " : "",
                 cushim__noun_word(noun), tag->number, offset);
}

/* Give something known a name. False: no memory. */
static bool give_name(const struct cushim__known *known, const char *text)
{
    struct name *name = malloc(sizeof *name);

    if (!name)
        return false;
    *name = (struct name){.next = names, .noun = known->noun, .number = known->number};
    snprintf(name->text, sizeof name->text, "%s", text);
    names = name;
    return true;
}

static bool is_alive(enum cushim__noun noun, uint32_t number)
{
    const struct cushim__known *known = NULL;

    while ((known = cushim__known_next(noun, known)) != NULL) {
        if (known->number == number)
            return !known->is_gone;
    }
    return false;
}

/* The tag that a name stands for; false: nothing that lives has it. */
static bool find_named(const char *text, struct cushim__tag *tag)
{
    for (const struct name *name = names; name; name = name->next) {
        if (strcmp(name->text, text) == 0 && is_alive(name->noun, name->number)) {
            *tag = (struct cushim__tag){.noun = (uint8_t)name->noun, .number = name->number};
            return true;
        }
    }
    return false;
}

void cushim__tags_clear(void)
{
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

/* Of any noun: no two objects of a driver have the same bits at the same time. */
static struct cushim__known *any(const void *handle)
{
    const uint64_t value = (uintptr_t)handle;

    for (unsigned noun = 0; noun < CUSHIM__NOUN_MEMORY; noun++) {
        struct cushim__known *known = cushim__known_handle((enum cushim__noun)noun, value, false);

        if (known && !known->is_gone)
            return known;
    }
    return cushim__known_memory(value);
}

CUresult cushim_tag_name(struct cushim_layer *layer, const void *handle, const char *name)
{
    const struct cushim__known *known;
    struct cushim__tag tag;
    CUresult code = CUDA_SUCCESS;

    if (!cushim__layer_exists(layer) || !handle || !name || !is_name(name))
        return CUDA_ERROR_INVALID_VALUE;
    cushim__lock_take(&layer->lock);
    known = any(handle);
    if (!known)
        code = CUDA_ERROR_NOT_FOUND;
    else if (find_named(name, &tag))
        code = CUDA_ERROR_ALREADY_ACQUIRED;
    else if (!give_name(known, name))
        code = CUDA_ERROR_OUT_OF_MEMORY;
    cushim__lock_release(&layer->lock);
    return code;
}

CUresult cushim_tag_get(struct cushim_layer *layer, const void *handle, char *buffer, size_t size)
{
    const uint64_t value = (uintptr_t)handle;
    const struct cushim__known *known;
    struct cushim__tag tag;
    char text[CUSHIM_TAG_SIZE];

    if (!cushim__layer_exists(layer) || !handle || !buffer)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__lock_take(&layer->lock);
    known = any(handle);
    if (known) {
        tag = cushim__known_tag(known);
        tag.offset = value - known->value;
        cushim__tag_text(&tag, value, text, sizeof text);
    }
    cushim__lock_release(&layer->lock);
    if (!known)
        return CUDA_ERROR_NOT_FOUND;
    if (strlen(text) >= size)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(buffer, text, strlen(text) + 1);
    return CUDA_SUCCESS;
}
