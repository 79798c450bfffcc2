/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Byte strings, each kept once and numbered from 0 in the order in which they came: names, and by
 * their bytes also handles and other keys.
 */
#ifndef CUSHIM_TRACE_SET_H
#define CUSHIM_TRACE_SET_H

#include <stddef.h>
#include <stdint.h>

/* All-zero is an empty set. */
struct trace_set {
    char *bytes; /* one behind the other, each closed by NUL */
    size_t byte_count, byte_room;
    size_t *starts;
    size_t count, room;
    uint32_t *table; /* number + 1 by hash; 0: free */
    size_t table_size;
};

#define TRACE_SET_NONE UINT32_MAX

/* The number of the string; it is added if it is not there. */
uint32_t trace_set_add(struct trace_set *set, const void *bytes, size_t length);
uint32_t trace_set_add_text(struct trace_set *set, const char *text);

/* The same, but TRACE_SET_NONE if it is not there. */
uint32_t trace_set_find(const struct trace_set *set, const void *bytes, size_t length);

/* Until something is added. */
const char *trace_set_at(const struct trace_set *set, uint32_t number);

void trace_set_free(struct trace_set *set);

/*
 * Memory for the command, of zeros: an array of `count` elements, or room for one more element behind
 * `count` in an array that grows. If memory runs out, both print that and end the process.
 */
void *trace_zeros(size_t count, size_t size);
void *trace_room(void *array, size_t count, size_t *room, size_t size);
#define TRACE_ROOM(array, count, room) \
    ((array) = trace_room((array), (count), &(room), sizeof *(array)))

#endif
