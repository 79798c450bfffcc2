/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a device's memory that other processes may map. */
#include <stdlib.h>

#include "src/mock/memory/arena.h"

struct mock_export {
    struct mock_export *next;
    uint64_t start, room; /* of the block */
    char *host;           /* where its bytes are now */
    struct mock_shared_pages shared;
};

static struct mock_export **find(struct mock_arena *arena, uint64_t start)
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

/* What is in a block finds its bytes where they are now. */
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
    struct mock_export **link = find(arena, block->start);

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
    struct mock_export **link = find(arena, block->start), *old = *link;

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
