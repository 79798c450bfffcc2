/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/read/set.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int trace_by_two(const void *one, const void *other)
{
    const uint64_t *a = one, *b = other;

    if (a[0] != b[0])
        return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

static void *check_memory(void *memory)
{
    if (memory)
        return memory;
    fputs("cushim: out of memory\n", stderr);
    exit(1);
}

void *trace_zeros(size_t count, size_t size)
{
    return check_memory(calloc(count ? count : 1, size));
}

void *trace_room(void *array, size_t count, size_t *room, size_t size)
{
    const size_t wanted = *room ? *room + *room / 2 + 1 : 16;
    char *moved;

    if (count < *room)
        return array;
    moved = check_memory(wanted < SIZE_MAX / size ? realloc(array, wanted * size) : NULL);
    memset(moved + *room * size, 0, (wanted - *room) * size);
    *room = wanted;
    return moved;
}

static uint64_t hash_of(const void *bytes, size_t length)
{
    const unsigned char *next = bytes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ length;

    for (; length >= 8; length -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    for (; length; length--, next++)
        hash = (hash ^ *next) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

static size_t length_of(const struct trace_set *set, uint32_t number)
{
    const size_t end = number + 1 < set->count ? set->starts[number + 1] : set->byte_count;

    return end - set->starts[number] - 1;
}

/* The index in the table that the string has, or would have. */
static size_t place_of(const struct trace_set *set, const void *bytes, size_t length)
{
    size_t place = (size_t)hash_of(bytes, length) & (set->table_size - 1);

    for (; set->table[place]; place = (place + 1) & (set->table_size - 1)) {
        const uint32_t number = set->table[place] - 1;
        if (length_of(set, number) == length &&
            memcmp(set->bytes + set->starts[number], bytes, length) == 0)
            break;
    }
    return place;
}

static void grow_table(struct trace_set *set)
{
    free(set->table);
    set->table_size = set->table_size ? 2 * set->table_size : 64;
    set->table = trace_zeros(set->table_size, sizeof *set->table);
    for (uint32_t i = 0; i < set->count; i++)
        set->table[place_of(set, set->bytes + set->starts[i], length_of(set, i))] = i + 1;
}

uint32_t trace_set_find(const struct trace_set *set, const void *bytes, size_t length)
{
    return set->count ? set->table[place_of(set, bytes, length)] - 1 : TRACE_SET_NONE;
}

uint32_t trace_set_add(struct trace_set *set, const void *bytes, size_t length)
{
    size_t place;

    if (2 * set->count >= set->table_size)
        grow_table(set);
    place = place_of(set, bytes, length);
    if (set->table[place])
        return set->table[place] - 1;
    while (set->byte_room - set->byte_count < length + 1)
        TRACE_ROOM(set->bytes, set->byte_room, set->byte_room);
    TRACE_ROOM(set->starts, set->count, set->room);
    set->starts[set->count] = set->byte_count;
    memcpy(set->bytes + set->byte_count, bytes, length);
    set->bytes[set->byte_count + length] = '\0';
    set->byte_count += length + 1;
    set->table[place] = (uint32_t)++set->count;
    return (uint32_t)(set->count - 1);
}

uint32_t trace_set_add_text(struct trace_set *set, const char *text)
{
    return trace_set_add(set, text, strlen(text));
}

const char *trace_set_at(const struct trace_set *set, uint32_t number)
{
    return set->bytes + set->starts[number];
}

void trace_set_free(struct trace_set *set)
{
    free(set->bytes);
    free(set->starts);
    free(set->table);
    *set = (struct trace_set){0};
}
