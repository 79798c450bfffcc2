/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/mock/system.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/mock/name.h"

const bool cushim__mock_is_windows = false;
const char cushim__host_separators[] = "/";

uint64_t cushim__host_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

FILE *cushim__host_file(const char *path)
{
    return fopen(path, "rbe");
}

FILE *cushim__host_new_file(const char *path)
{
    return fopen(path, "w");
}

bool cushim__host_path_is_rooted(const char *path, size_t length)
{
    return length > 0 && path[0] == '/';
}

void *cushim__host_memory(size_t alignment, size_t bytes)
{
    return aligned_alloc(alignment, bytes);
}

void cushim__host_memory_free(void *memory)
{
    free(memory);
}

static bool copy(const char *text, char **value)
{
    *value = text ? cushim__name_copy(text, strlen(text)) : NULL;
    return !text || *value;
}

bool cushim__variable(const char *name, char **value)
{
    return copy(getenv(name), value);
}

bool cushim__variable_trusted(const char *name, char **value)
{
    const char *text = secure_getenv(name);

    return copy(text && text[0] ? text : NULL, value);
}
