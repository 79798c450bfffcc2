/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/memory/arena.h"

#include <stdlib.h>

#include "src/mock/memory/pages.h"

/*
 * Addresses are plentiful on a GPU, and free gaps between allocations do not keep a large one from
 * finding a place. So the window is larger than what can be allocated.
 */
enum { WINDOW_FACTOR = 2, WINDOW_SLACK = 32 };

size_t cushim__mock_arena_rounded(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

size_t cushim__mock_arena_budget(size_t bytes)
{
    return bytes / MOCK_BLOCK * MOCK_BLOCK;
}

struct mock_arena *cushim__mock_arena_create(size_t budget)
{
    struct mock_arena *arena = calloc(1, sizeof *arena);

    if (!arena)
        return NULL;
    arena->budget = cushim__mock_arena_budget(budget);
    arena->bytes = WINDOW_FACTOR * arena->budget + WINDOW_SLACK * (size_t)MOCK_BLOCK;
    arena->reserved_bytes = arena->bytes + MOCK_BLOCK;
    arena->reserved = cushim__mock_pages_reserve(arena->reserved_bytes);
    arena->backing = cushim__mock_pages_room(arena->bytes);
    cushim__mock_spans_begin(&arena->blocks, 0);
    cushim__mock_spans_begin(&arena->pieces, MOCK_BLOCK);
    if (arena->reserved) {
        arena->window = cushim__mock_arena_rounded((uintptr_t)arena->reserved, MOCK_BLOCK);
        arena->distance = (uintptr_t)arena->backing - arena->window;
    }
    if (arena->reserved && arena->backing &&
        cushim__mock_spans_add(&arena->blocks, arena->window, arena->bytes))
        return arena;
    cushim__mock_arena_destroy(arena);
    return NULL;
}

void cushim__mock_arena_destroy(struct mock_arena *arena)
{
    if (!arena)
        return;
    cushim__mock_arena_unexport_all(arena);
    cushim__mock_spans_clear(&arena->pieces);
    cushim__mock_spans_clear(&arena->blocks);
    if (arena->backing)
        cushim__mock_pages_release(arena->backing, arena->bytes);
    if (arena->reserved)
        cushim__mock_pages_release(arena->reserved, arena->reserved_bytes);
    free(arena);
}

char *cushim__mock_arena_private(const struct mock_arena *arena, uint64_t address)
{
    return (char *)(uintptr_t)(address + arena->distance);
}

char *cushim__mock_arena_bytes(const struct mock_arena *arena, uint64_t address)
{
    char *moved = arena->exports ? cushim__mock_arena_exported(arena, address) : NULL;

    return moved ? moved : cushim__mock_arena_private(arena, address);
}

bool cushim__mock_arena_has_blocks(const struct mock_arena *arena, size_t room)
{
    uint64_t start;

    return room <= arena->budget - arena->used &&
           cushim__mock_spans_find(&arena->blocks, room, MOCK_BLOCK, &start);
}

bool cushim__mock_arena_take_blocks(struct mock_arena *arena, size_t room, struct mock_spans *parts,
                                    struct mock_span *span)
{
    uint64_t start;
    char *private;

    if (room > arena->budget - arena->used ||
        !cushim__mock_spans_find(&arena->blocks, room, MOCK_BLOCK, &start))
        return false;
    private = cushim__mock_arena_private(arena, start);
    if (!cushim__mock_pages_back(private, room))
        return false;
    if (!cushim__mock_spans_take(&arena->blocks, room, MOCK_BLOCK, span)) {
        cushim__mock_pages_empty(private, room);
        return false;
    }
    span->parts = parts;
    arena->used += room;
    return true;
}

void cushim__mock_arena_give_blocks(struct mock_arena *arena, struct mock_span *span)
{
    if (!arena->exports || !cushim__mock_arena_unexport(arena, span))
        cushim__mock_pages_empty(cushim__mock_arena_private(arena, span->start), span->room);
    arena->used -= span->room;
    cushim__mock_spans_give(&arena->blocks, span);
}

/* Take one more block for small allocations to share. */
static bool divide_block(struct mock_arena *arena)
{
    struct mock_span *block = calloc(1, sizeof *block);

    if (!block || !cushim__mock_arena_take_blocks(arena, MOCK_BLOCK, &arena->pieces, block)) {
        free(block);
        return false;
    }
    if (cushim__mock_spans_add(&arena->pieces, block->start, MOCK_BLOCK))
        return true;
    cushim__mock_arena_give_blocks(arena, block);
    return false;
}

static struct mock_span *block_of(const struct mock_arena *arena, uint64_t address)
{
    return cushim__mock_spans_at(&arena->blocks, address);
}

bool cushim__mock_arena_take(struct mock_arena *arena, struct mock_allocation *allocation)
{
    struct mock_span *span = &allocation->span;
    size_t room;

    if (allocation->bytes > arena->budget)
        return false;
    if (allocation->bytes > MOCK_BLOCK / 2) {
        if (!cushim__mock_arena_take_blocks(
                arena, cushim__mock_arena_rounded(allocation->bytes, MOCK_BLOCK), NULL, span))
            return false;
    } else {
        room = cushim__mock_arena_rounded(allocation->bytes, MOCK_UNIT);
        if (!cushim__mock_spans_take(&arena->pieces, room, MOCK_UNIT, span) &&
            !(divide_block(arena) &&
              cushim__mock_spans_take(&arena->pieces, room, MOCK_UNIT, span)))
            return false;
    }
    allocation->host = cushim__mock_arena_bytes(arena, span->start);
    return true;
}

void cushim__mock_arena_give(struct mock_arena *arena, struct mock_allocation *allocation)
{
    struct mock_span *block = block_of(arena, allocation->span.start), *piece;

    if (!block->parts) {
        cushim__mock_arena_give_blocks(arena, &allocation->span);
        return;
    }
    piece = cushim__mock_spans_give(&arena->pieces, &allocation->span);
    if (piece->room == MOCK_BLOCK) {
        cushim__mock_spans_remove(&arena->pieces, piece);
        cushim__mock_arena_give_blocks(arena, block);
    }
}

bool cushim__mock_arena_covers(const struct mock_arena *arena, uint64_t address)
{
    return address - arena->window < arena->bytes;
}

struct mock_allocation *cushim__mock_arena_at(const struct mock_arena *arena, uint64_t address)
{
    struct mock_span *span = block_of(arena, address);
    struct mock_allocation *allocation;

    if (span && span->parts)
        span = cushim__mock_spans_at(span->parts, address);
    allocation = (struct mock_allocation *)span;
    return allocation && address - span->start < allocation->bytes ? allocation : NULL;
}

struct mock_span *cushim__mock_arena_block(const struct mock_arena *arena,
                                           const struct mock_allocation *allocation)
{
    return block_of(arena, allocation->span.start);
}

static bool is_large(const struct mock_allocation *allocation)
{
    return allocation->bytes > MOCK_BLOCK / 2;
}

struct mock_allocation *cushim__mock_arena_next(const struct mock_arena *arena,
                                                const struct mock_allocation *previous)
{
    const struct mock_span *span = previous ? &previous->span : NULL;

    if (!previous || !is_large(previous)) {
        span = cushim__mock_spans_next(&arena->pieces, span);
        if (span)
            return (struct mock_allocation *)span;
    }
    do
        span = cushim__mock_spans_next(&arena->blocks, span);
    while (span && span->parts);
    return (struct mock_allocation *)span;
}
