/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/memory/arena.h"

#include <stdlib.h>

#include "src/mock/memory/pages.h"

/*
 * Addresses are plenty on a GPU, and what is free in between does not keep a large allocation from
 * its place. So the window is larger than what can be allocated.
 */
enum { WINDOW_FACTOR = 2, WINDOW_SLACK = 32 };

size_t cushim__arena_rounded(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

size_t cushim__arena_budget(size_t bytes)
{
    return bytes / CUSHIM__BLOCK * CUSHIM__BLOCK;
}

struct cushim__arena *cushim__arena_create(size_t budget)
{
    struct cushim__arena *arena = calloc(1, sizeof *arena);

    if (!arena)
        return NULL;
    arena->budget = cushim__arena_budget(budget);
    arena->bytes = WINDOW_FACTOR * arena->budget + WINDOW_SLACK * (size_t)CUSHIM__BLOCK;
    arena->reserved_bytes = arena->bytes + CUSHIM__BLOCK;
    arena->reserved = cushim__pages_reserve(arena->reserved_bytes);
    arena->backing = cushim__pages_room(arena->bytes);
    cushim__spans_begin(&arena->blocks, 0);
    cushim__spans_begin(&arena->pieces, CUSHIM__BLOCK);
    if (arena->reserved) {
        arena->window = cushim__arena_rounded((uintptr_t)arena->reserved, CUSHIM__BLOCK);
        arena->distance = (uintptr_t)arena->backing - arena->window;
    }
    if (arena->reserved && arena->backing &&
        cushim__spans_add(&arena->blocks, arena->window, arena->bytes))
        return arena;
    cushim__arena_destroy(arena);
    return NULL;
}

void cushim__arena_destroy(struct cushim__arena *arena)
{
    if (!arena)
        return;
    cushim__arena_unexport_all(arena);
    cushim__spans_clear(&arena->pieces);
    cushim__spans_clear(&arena->blocks);
    if (arena->backing)
        cushim__pages_release(arena->backing, arena->bytes);
    if (arena->reserved)
        cushim__pages_release(arena->reserved, arena->reserved_bytes);
    free(arena);
}

char *cushim__arena_private(const struct cushim__arena *arena, uint64_t address)
{
    return (char *)(uintptr_t)(address + arena->distance);
}

char *cushim__arena_bytes(const struct cushim__arena *arena, uint64_t address)
{
    char *moved = arena->exports ? cushim__arena_exported(arena, address) : NULL;

    return moved ? moved : cushim__arena_private(arena, address);
}

bool cushim__arena_take_blocks(struct cushim__arena *arena, size_t room,
                               struct cushim__spans *parts, struct cushim__span *span)
{
    uint64_t start;
    char *private;

    if (room > arena->budget - arena->used ||
        !cushim__spans_find(&arena->blocks, room, CUSHIM__BLOCK, &start))
        return false;
    private = cushim__arena_private(arena, start);
    if (!cushim__pages_back(private, room))
        return false;
    if (!cushim__spans_take(&arena->blocks, room, CUSHIM__BLOCK, span)) {
        cushim__pages_empty(private, room);
        return false;
    }
    span->parts = parts;
    arena->used += room;
    return true;
}

void cushim__arena_give_blocks(struct cushim__arena *arena, struct cushim__span *span)
{
    if (!arena->exports || !cushim__arena_unexport(arena, span))
        cushim__pages_empty(cushim__arena_private(arena, span->start), span->room);
    arena->used -= span->room;
    cushim__spans_give(&arena->blocks, span);
}

/* One more block to be shared. */
static bool divide_block(struct cushim__arena *arena)
{
    struct cushim__span *block = calloc(1, sizeof *block);

    if (!block || !cushim__arena_take_blocks(arena, CUSHIM__BLOCK, &arena->pieces, block)) {
        free(block);
        return false;
    }
    if (cushim__spans_add(&arena->pieces, block->start, CUSHIM__BLOCK))
        return true;
    cushim__arena_give_blocks(arena, block);
    return false;
}

static struct cushim__span *block_of(const struct cushim__arena *arena, uint64_t address)
{
    return cushim__spans_at(&arena->blocks, address);
}

bool cushim__arena_take(struct cushim__arena *arena, struct cushim__allocation *allocation)
{
    struct cushim__span *span = &allocation->span;
    size_t room;

    if (allocation->bytes > arena->budget)
        return false;
    if (allocation->bytes > CUSHIM__BLOCK / 2) {
        if (!cushim__arena_take_blocks(
                arena, cushim__arena_rounded(allocation->bytes, CUSHIM__BLOCK), NULL, span))
            return false;
    } else {
        room = cushim__arena_rounded(allocation->bytes, CUSHIM__UNIT);
        if (!cushim__spans_take(&arena->pieces, room, CUSHIM__UNIT, span) &&
            !(divide_block(arena) && cushim__spans_take(&arena->pieces, room, CUSHIM__UNIT, span)))
            return false;
    }
    allocation->host = cushim__arena_bytes(arena, span->start);
    return true;
}

void cushim__arena_give(struct cushim__arena *arena, struct cushim__allocation *allocation)
{
    struct cushim__span *block = block_of(arena, allocation->span.start), *piece;

    if (!block->parts) {
        cushim__arena_give_blocks(arena, &allocation->span);
        return;
    }
    piece = cushim__spans_give(&arena->pieces, &allocation->span);
    if (piece->room == CUSHIM__BLOCK) {
        cushim__spans_remove(&arena->pieces, piece);
        cushim__arena_give_blocks(arena, block);
    }
}

bool cushim__arena_covers(const struct cushim__arena *arena, uint64_t address)
{
    return address - arena->window < arena->bytes;
}

struct cushim__allocation *cushim__arena_at(const struct cushim__arena *arena, uint64_t address)
{
    struct cushim__span *span = block_of(arena, address);
    struct cushim__allocation *allocation;

    if (span && span->parts)
        span = cushim__spans_at(span->parts, address);
    allocation = (struct cushim__allocation *)span;
    return allocation && address - span->start < allocation->bytes ? allocation : NULL;
}

struct cushim__span *cushim__arena_block(const struct cushim__arena *arena,
                                         const struct cushim__allocation *allocation)
{
    return block_of(arena, allocation->span.start);
}

static bool is_large(const struct cushim__allocation *allocation)
{
    return allocation->bytes > CUSHIM__BLOCK / 2;
}

struct cushim__allocation *cushim__arena_next(const struct cushim__arena *arena,
                                              const struct cushim__allocation *previous)
{
    const struct cushim__span *span = previous ? &previous->span : NULL;

    if (!previous || !is_large(previous)) {
        span = cushim__spans_next(&arena->pieces, span);
        if (span)
            return (struct cushim__allocation *)span;
    }
    do
        span = cushim__spans_next(&arena->blocks, span);
    while (span && span->parts);
    return (struct cushim__allocation *)span;
}
