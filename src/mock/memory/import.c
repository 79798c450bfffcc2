/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/memory/import.h"

#include <errno.h>
#include <stdlib.h>

#include "src/mock/api/context.h"
#include "src/mock/memory/pages.h"

struct import {
    struct mock_allocation allocation; /* first member */
    struct mock_shared_pages shared;
    size_t offset, room; /* where the allocation is in the pages, and how many these are */
    unsigned uses;
};

static struct import *import_of(struct mock_allocation *allocation)
{
    return (struct import *)allocation;
}

static struct mock_allocation *find(const struct mock_shared_pages *shared, size_t offset)
{
    struct mock_allocation *one = NULL;

    while ((one = cushim__mock_allocation_next_host(one))) {
        if (one->origin == MOCK_BY_IMPORT && import_of(one)->offset == offset &&
            cushim__mock_pages_same(&import_of(one)->shared, shared))
            return one;
    }
    return NULL;
}

static CUresult map(struct mock_context *context, const struct mock_shared_pages *shared,
                    size_t offset, size_t bytes, struct mock_allocation **allocation)
{
    struct import *import = calloc(1, sizeof *import);
    char *window, *pages = NULL;

    if (!import)
        return CUDA_ERROR_OUT_OF_MEMORY;
    errno = 0;
    pages = cushim__mock_pages_find(shared, &import->room);
    if (!pages && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
        free(import);
        return CUDA_ERROR_MAP_FAILED;
    }
    if (!pages || bytes == 0 || offset > import->room || bytes > import->room - offset) {
        if (pages)
            cushim__mock_pages_lose(pages, import->room);
        free(import);
        return CUDA_ERROR_INVALID_VALUE;
    }
    window = cushim__mock_pages_reserve(import->room);
    if (!window) {
        cushim__mock_pages_lose(pages, import->room);
        free(import);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    import->shared = *shared;
    import->offset = offset;
    import->uses = 1;
    *allocation = &import->allocation;
    (*allocation)->span.start = (uintptr_t)window + offset;
    (*allocation)->host = pages + offset;
    cushim__mock_allocation_begin(*allocation, context, context->device, MOCK_BY_IMPORT, bytes);
    cushim__mock_allocation_list(*allocation);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_import_open(struct mock_context *context,
                                  const struct mock_shared_pages *shared, size_t offset,
                                  size_t bytes, struct mock_allocation **allocation)
{
    *allocation = find(shared, offset);
    if (!*allocation)
        return map(context, shared, offset, bytes, allocation);
    import_of(*allocation)->uses++;
    return CUDA_SUCCESS;
}

bool cushim__mock_import_close(struct mock_allocation *allocation)
{
    return --import_of(allocation)->uses == 0;
}

void cushim__mock_import_free(struct mock_allocation *allocation)
{
    const struct import *import = import_of(allocation);

    cushim__mock_pages_lose(allocation->host - import->offset, import->room);
    cushim__mock_pages_release((char *)(uintptr_t)allocation->span.start - import->offset,
                               import->room);
    free(allocation);
}
