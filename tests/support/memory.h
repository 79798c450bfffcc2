/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of this process: where there is some, and where it ends. */
#ifndef CUSHIM_TESTS_SUPPORT_MEMORY_H
#define CUSHIM_TESTS_SUPPORT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* A page on which there never is any. */
void *memory_nowhere(void);

/* Whether a byte can be read, or who tries dies of it. */
bool memory_is_readable(const volatile void *address);

/* A copy of `size` bytes behind which nothing can be read. Free `map`. NULL: out of memory. */
struct memory_map {
    void *start;
    size_t bytes;
};
unsigned char *memory_at_an_end(const void *bytes, size_t size, struct memory_map *map);
void memory_free(const struct memory_map *map);

#endif
