/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory that processes share: blocks that others may map, and blocks of others that are
 * mapped here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/mock/memory/arena.h"
#include "src/mock/memory/pages.h"

struct mock_export {
    struct mock_export *next;
    uint64_t start, room; /* of the block */
    char *host;           /* where its bytes are now */
    struct mock_shared_pages shared;
};

static struct mock_export **find_export(struct mock_arena *arena, uint64_t start)
{
    struct mock_export **link = &arena->exports;

    while (*link && (*link)->start != start)
        link = &(*link)->next;
    return link;
}

char *cushim__mock_arena_exported(const struct mock_arena *arena, uint64_t address)
{
    for (const struct mock_export *one = arena->exports; one; one = one->next) {
        if (address - one->start < one->room)
            return one->host + (address - one->start);
    }
    return NULL;
}

/* Update the host's view of what is in a block after its bytes have moved. */
static void follow(const struct mock_arena *arena, struct mock_span *block)
{
    struct mock_span *span = block->parts ? NULL : block;

    if (span) {
        ((struct mock_allocation *)span)->host = cushim__mock_arena_bytes(arena, span->start);
        return;
    }
    while ((span = cushim__mock_spans_next(block->parts, span))) {
        if (span->start - block->start < block->room)
            ((struct mock_allocation *)span)->host = cushim__mock_arena_bytes(arena, span->start);
    }
}

bool cushim__mock_arena_export(struct mock_arena *arena, struct mock_allocation *allocation,
                               struct mock_shared_pages *shared, size_t *offset)
{
    struct mock_span *block = cushim__mock_arena_block(arena, allocation);
    struct mock_export **link = find_export(arena, block->start);

    if (!*link) {
        char *private = cushim__mock_arena_private(arena, block->start);
        struct mock_export *made = calloc(1, sizeof *made);

        if (made)
            made->host = cushim__mock_pages_share(private, block->room, &made->shared);
        if (!made || !made->host) {
            free(made);
            return false;
        }
        made->start = block->start;
        made->room = block->room;
        *link = made;
        if (made->host != private)
            follow(arena, block);
    }
    *shared = (*link)->shared;
    *offset = allocation->span.start - block->start;
    return true;
}

bool cushim__mock_arena_unexport(struct mock_arena *arena, const struct mock_span *block)
{
    struct mock_export **link = find_export(arena, block->start), *old = *link;

    if (!old)
        return false;
    *link = old->next;
    cushim__mock_pages_unshare(cushim__mock_arena_private(arena, block->start), old->host,
                               block->room, &old->shared);
    free(old);
    return true;
}

void cushim__mock_arena_unexport_all(struct mock_arena *arena)
{
    while (arena->exports) {
        const struct mock_span *block =
            cushim__mock_spans_at(&arena->blocks, arena->exports->start);

        cushim__mock_arena_unexport(arena, block);
    }
}

struct import {
    struct mock_allocation allocation; /* first member */
    struct mock_shared_pages shared;
    size_t offset, room; /* where the allocation is in the pages, and their size */
    unsigned uses;
};

static struct import *import_of(struct mock_allocation *allocation)
{
    return (struct import *)allocation;
}

static struct mock_allocation *find_import(const struct mock_shared_pages *shared, size_t offset)
{
    struct mock_allocation *one = NULL;

    while ((one = cushim__mock_allocation_next_host(one))) {
        if (one->origin == MOCK_BY_IMPORT && import_of(one)->offset == offset &&
            memcmp(import_of(one)->shared.key, shared->key, sizeof shared->key) == 0)
            return one;
    }
    return NULL;
}

/* Give device addresses, which the host cannot read, to pages; on success, own the pages. */
static CUresult place(struct import *import, struct mock_context *context,
                      struct mock_device *device, enum mock_origin origin, char *pages,
                      size_t bytes)
{
    struct mock_allocation *allocation = &import->allocation;
    char *window = cushim__mock_pages_reserve(import->room);

    if (!window)
        return CUDA_ERROR_OUT_OF_MEMORY;
    import->uses = 1;
    allocation->span.start = (uintptr_t)window + import->offset;
    allocation->host = pages + import->offset;
    cushim__mock_allocation_begin(allocation, context, device, origin, bytes);
    cushim__mock_allocation_list(allocation);
    return CUDA_SUCCESS;
}

static CUresult map(struct mock_context *context, struct mock_device *device,
                    const struct mock_shared_pages *shared, size_t offset, size_t bytes,
                    struct mock_allocation **allocation)
{
    struct import *import = calloc(1, sizeof *import);
    char *pages = NULL;
    CUresult code;

    if (!import)
        return CUDA_ERROR_OUT_OF_MEMORY;
    errno = 0;
    pages = cushim__mock_pages_find(shared, &import->room, NULL);
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
    import->shared = *shared;
    import->offset = offset;
    code = place(import, context, device, MOCK_BY_IMPORT, pages, bytes);
    if (code) {
        cushim__mock_pages_lose(pages, import->room);
        free(import);
        return code;
    }
    *allocation = &import->allocation;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_import_external(struct mock_context *context, struct mock_device *device,
                                      void *pages, size_t room, size_t offset, size_t bytes,
                                      struct mock_allocation **allocation)
{
    struct import *import = calloc(1, sizeof *import);
    CUresult code;

    if (!import)
        return CUDA_ERROR_OUT_OF_MEMORY;
    import->room = room;
    import->offset = offset;
    code = place(import, context, device, MOCK_BY_EXTERNAL, pages, bytes);
    if (code)
        free(import);
    else
        *allocation = &import->allocation;
    return code;
}

CUresult cushim__mock_import_open(struct mock_context *context, struct mock_device *device,
                                  const struct mock_shared_pages *shared, size_t offset,
                                  size_t bytes, struct mock_allocation **allocation)
{
    *allocation = find_import(shared, offset);
    if (!*allocation)
        return map(context, device, shared, offset, bytes, allocation);
    import_of(*allocation)->uses++;
    return CUDA_SUCCESS;
}

bool cushim__mock_import_close(struct mock_allocation *allocation)
{
    return --import_of(allocation)->uses == 0;
}

void cushim__mock_import_mapping(const struct mock_allocation *allocation, CUdeviceptr *start,
                                 size_t *bytes)
{
    const struct import *import = (const struct import *)allocation;

    *start = allocation->span.start - import->offset;
    *bytes = import->room;
}

void cushim__mock_import_free(struct mock_allocation *allocation)
{
    const struct import *import = import_of(allocation);

    cushim__mock_pages_lose(allocation->host - import->offset, import->room);
    cushim__mock_pages_release((char *)(uintptr_t)allocation->span.start - import->offset,
                               import->room);
    free(allocation);
}
