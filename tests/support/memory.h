/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of this process: addresses that are not mapped, and buffers that end at an unmapped page.
 */
#ifndef CUSHIM_TESTS_SUPPORT_MEMORY_H
#define CUSHIM_TESTS_SUPPORT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* An address at which nothing is ever mapped. */
void *memory_nowhere(void);

/* Whether a byte can be read. On POSIX, a child process tries it. */
bool memory_is_readable(const volatile void *address);

/*
 * A copy of `size` bytes that ends where nothing can be read. Unmap it with `map`. NULL: out of
 * memory.
 */
struct memory_map {
    void *start;
    size_t bytes;
};
unsigned char *memory_at_an_end(const void *bytes, size_t size, struct memory_map *map);
void memory_free(const struct memory_map *map);

#endif
