/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of byte strings, which are numbered from 0 in the order in which they were added. They are
 * names, or the bytes of handles and other keys.
 */
#ifndef CUSHIM_TRACE_READ_SET_H
#define CUSHIM_TRACE_READ_SET_H

#include <stddef.h>
#include <stdint.h>

/* An all-zero struct is an empty set. */
struct trace_set {
    char *bytes; /* all strings, each with a NUL */
    size_t byte_count, byte_room;
    size_t *starts;
    size_t count, room;
    uint32_t *table; /* hash table of number + 1, or 0 if free */
    size_t table_size;
};

#define TRACE_SET_NONE UINT32_MAX

/* Returns the number of the string, which is added if the set does not have it. */
uint32_t trace_set_add(struct trace_set *set, const void *bytes, size_t length);
uint32_t trace_set_add_text(struct trace_set *set, const char *text);

/* Returns the number of the string, or TRACE_SET_NONE. */
uint32_t trace_set_find(const struct trace_set *set, const void *bytes, size_t length);

/* The string of a number; the pointer is valid until a string is added. */
const char *trace_set_at(const struct trace_set *set, uint32_t number);

void trace_set_free(struct trace_set *set);

/* Compare structs that begin with two 64-bit numbers, for qsort(). */
int trace_by_two(const void *one, const void *other);

/*
 * Memory for the command, filled with zeros: an array of `count` elements, or an array that grows
 * until it has room for one more than `count`. If memory runs out, both end the process.
 */
void *trace_zeros(size_t count, size_t size);
void *trace_room(void *array, size_t count, size_t *room, size_t size);
#define TRACE_ROOM(array, count, room) \
    ((array) = trace_room((array), (count), &(room), sizeof *(array)))

#endif
