/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a device's memory that other processes may map. */
#include <stdlib.h>

#include "src/mock/memory/arena.h"

struct cushim__export {
    struct cushim__export *next;
    uint64_t start, room; /* of the block */
    char *host;           /* where its bytes are now */
    struct cushim__shared_pages shared;
};

static struct cushim__export **find(struct cushim__arena *arena, uint64_t start)
{
    struct cushim__export **link = &arena->exports;

    while (*link && (*link)->start != start)
        link = &(*link)->next;
    return link;
}

char *cushim__arena_exported(const struct cushim__arena *arena, uint64_t address)
{
    for (const struct cushim__export *one = arena->exports; one; one = one->next) {
        if (address - one->start < one->room)
            return one->host + (address - one->start);
    }
    return NULL;
}

/* What is in a block finds its bytes where they are now. */
static void follow(const struct cushim__arena *arena, struct cushim__span *block)
{
    struct cushim__span *span = block->parts ? NULL : block;

    if (span) {
        ((struct cushim__allocation *)span)->host = cushim__arena_bytes(arena, span->start);
        return;
    }
    while ((span = cushim__spans_next(block->parts, span))) {
        if (span->start - block->start < block->room)
            ((struct cushim__allocation *)span)->host = cushim__arena_bytes(arena, span->start);
    }
}

bool cushim__arena_export(struct cushim__arena *arena, struct cushim__allocation *allocation,
                          struct cushim__shared_pages *shared, size_t *offset)
{
    struct cushim__span *block = cushim__arena_block(arena, allocation);
    struct cushim__export **link = find(arena, block->start);

    if (!*link) {
        char *private = cushim__arena_private(arena, block->start);
        struct cushim__export *made = calloc(1, sizeof *made);

        if (made)
            made->host = cushim__pages_share(private, block->room, &made->shared);
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

bool cushim__arena_unexport(struct cushim__arena *arena, const struct cushim__span *block)
{
    struct cushim__export **link = find(arena, block->start), *old = *link;

    if (!old)
        return false;
    *link = old->next;
    cushim__pages_unshare(cushim__arena_private(arena, block->start), old->host, block->room,
                          &old->shared);
    free(old);
    return true;
}

void cushim__arena_unexport_all(struct cushim__arena *arena)
{
    while (arena->exports) {
        const struct cushim__span *block = cushim__spans_at(&arena->blocks, arena->exports->start);

        cushim__arena_unexport(arena, block);
    }
}
