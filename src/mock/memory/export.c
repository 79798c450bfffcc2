/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a device's memory that other processes may map. */
#include <stdlib.h>

#include "src/mock/memory/arena.h"

struct cushim__export {
    struct cushim__export *next;
    uint64_t start; /* of the block */
    struct cushim__shared_pages shared;
};

static struct cushim__export **find(struct cushim__arena *arena, uint64_t start)
{
    struct cushim__export **link = &arena->exports;

    while (*link && (*link)->start != start)
        link = &(*link)->next;
    return link;
}

bool cushim__arena_export(struct cushim__arena *arena, const struct cushim__allocation *allocation,
                          struct cushim__shared_pages *shared, size_t *offset)
{
    const struct cushim__span *block = cushim__arena_block(arena, allocation);
    struct cushim__export **link = find(arena, block->start);

    if (!*link) {
        struct cushim__export *made = calloc(1, sizeof *made);

        if (!made || !cushim__pages_share(cushim__arena_bytes(arena, block->start), block->room,
                                          &made->shared)) {
            free(made);
            return false;
        }
        made->start = block->start;
        *link = made;
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
    cushim__pages_unshare(cushim__arena_bytes(arena, block->start), block->room, &old->shared);
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
