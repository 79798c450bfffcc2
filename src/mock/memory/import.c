/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/memory/import.h"

#include <errno.h>
#include <stdlib.h>

#include "src/mock/api/context.h"
#include "src/mock/memory/pages.h"

struct import {
    struct cushim__allocation allocation; /* first member */
    struct cushim__shared_pages shared;
    size_t offset, room; /* where the allocation is in the pages, and how many these are */
    unsigned uses;
};

static struct import *import_of(struct cushim__allocation *allocation)
{
    return (struct import *)allocation;
}

static struct cushim__allocation *find(const struct cushim__shared_pages *shared, size_t offset)
{
    struct cushim__allocation *one = NULL;

    while ((one = cushim__allocation_next_host(one))) {
        if (one->origin == CUSHIM__BY_IMPORT && import_of(one)->offset == offset &&
            cushim__pages_same(&import_of(one)->shared, shared))
            return one;
    }
    return NULL;
}

static CUresult map(struct cushim__context *context, const struct cushim__shared_pages *shared,
                    size_t offset, size_t bytes, struct cushim__allocation **allocation)
{
    struct import *import = calloc(1, sizeof *import);
    char *window, *pages = NULL;

    if (!import)
        return CUDA_ERROR_OUT_OF_MEMORY;
    errno = 0;
    pages = cushim__pages_find(shared, &import->room);
    if (!pages && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
        free(import);
        return CUDA_ERROR_MAP_FAILED;
    }
    if (!pages || bytes == 0 || offset > import->room || bytes > import->room - offset) {
        if (pages)
            cushim__pages_lose(pages, import->room);
        free(import);
        return CUDA_ERROR_INVALID_VALUE;
    }
    window = cushim__pages_reserve(import->room);
    if (!window) {
        cushim__pages_lose(pages, import->room);
        free(import);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    import->shared = *shared;
    import->offset = offset;
    import->uses = 1;
    *allocation = &import->allocation;
    (*allocation)->span.start = (uintptr_t)window + offset;
    (*allocation)->host = pages + offset;
    cushim__allocation_begin(*allocation, context, context->device, CUSHIM__BY_IMPORT, bytes);
    cushim__allocation_list(*allocation);
    return CUDA_SUCCESS;
}

CUresult cushim__import_open(struct cushim__context *context,
                             const struct cushim__shared_pages *shared, size_t offset, size_t bytes,
                             struct cushim__allocation **allocation)
{
    *allocation = find(shared, offset);
    if (!*allocation)
        return map(context, shared, offset, bytes, allocation);
    import_of(*allocation)->uses++;
    return CUDA_SUCCESS;
}

bool cushim__import_close(struct cushim__allocation *allocation)
{
    return --import_of(allocation)->uses == 0;
}

void cushim__import_free(struct cushim__allocation *allocation)
{
    const struct import *import = import_of(allocation);

    cushim__pages_lose(allocation->host - import->offset, import->room);
    cushim__pages_release((char *)(uintptr_t)allocation->span.start - import->offset, import->room);
    free(allocation);
}
