/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of a device. Its addresses are a window of pages that nobody can read, so that a host
 * that follows one crashes as it does with a GPU; the bytes are at a constant distance from it,
 * unless the system had to move them to let other processes map them.
 *
 * Memory is taken in blocks of 2 MiB. What is larger than half of one has blocks of its own; what
 * is not shares blocks, in units of 512 bytes (driver-semantics.md #91).
 */
#ifndef CUSHIM_MOCK_MEMORY_ARENA_H
#define CUSHIM_MOCK_MEMORY_ARENA_H

#include "src/mock/memory/allocation.h"
#include "src/mock/memory/pages.h"

enum { MOCK_BLOCK = 2 << 20, MOCK_UNIT = 512 };

struct mock_arena {
    uint64_t window;   /* first address */
    uint64_t distance; /* from an address to its byte, modulo 2^64 */
    size_t bytes;      /* of the window */
    size_t budget, used;
    void *reserved, *backing; /* as the system gave them */
    size_t reserved_bytes;
    struct mock_spans blocks, pieces;
    struct mock_export *exports; /* blocks that other processes may map */
};

/* So many bytes in whole units of MOCK_UNIT, MOCK_BLOCK or a multiple of one. */
size_t cushim__mock_arena_rounded(size_t bytes, size_t unit);

/* How much of so many bytes can be allocated. */
size_t cushim__mock_arena_budget(size_t bytes);

/* Memory of so many bytes. NULL: there is no room for it. */
struct mock_arena *cushim__mock_arena_create(size_t budget);
void cushim__mock_arena_destroy(struct mock_arena *arena);

/* Find a place for `allocation->bytes`: sets its span and `host`. False: out of memory. */
bool cushim__mock_arena_take(struct mock_arena *arena, struct mock_allocation *allocation);

/* Give the place back, and the allocation's own memory with it. */
void cushim__mock_arena_give(struct mock_arena *arena, struct mock_allocation *allocation);

/*
 * Blocks for a pool, which divides them by itself, and back. The allocations in `parts` are found
 * by their addresses as others are; `span` is in memory of its own.
 */
bool cushim__mock_arena_take_blocks(struct mock_arena *arena, size_t room, struct mock_spans *parts,
                                    struct mock_span *span);
void cushim__mock_arena_give_blocks(struct mock_arena *arena, struct mock_span *span);

/* The host's view of an address, until cushim__mock_arena_export() or its end. */
char *cushim__mock_arena_bytes(const struct mock_arena *arena, uint64_t address);

/* The same where no other process may map it, and where one may; NULL: none may. */
char *cushim__mock_arena_private(const struct mock_arena *arena, uint64_t address);
char *cushim__mock_arena_exported(const struct mock_arena *arena, uint64_t address);

bool cushim__mock_arena_covers(const struct mock_arena *arena, uint64_t address);

/* The allocation that an address lies in; NULL: none. */
struct mock_allocation *cushim__mock_arena_at(const struct mock_arena *arena, uint64_t address);

/* The block or blocks that an allocation lies in. */
struct mock_span *cushim__mock_arena_block(const struct mock_arena *arena,
                                           const struct mock_allocation *allocation);

/*
 * Let other processes map the block that an allocation lies in: where they find it, and where the
 * allocation is in it. False: the system refuses. The host's view of what is in the block may be
 * another afterwards.
 */
bool cushim__mock_arena_export(struct mock_arena *arena, struct mock_allocation *allocation,
                               struct mock_shared_pages *shared, size_t *offset);

/* A block is given back: it is shared no more, and empty. False: it never was. */
bool cushim__mock_arena_unexport(struct mock_arena *arena, const struct mock_span *block);

/* The arena ends. */
void cushim__mock_arena_unexport_all(struct mock_arena *arena);

/*
 * Every allocation that is not a pool's, in no order that matters: the one after `previous` (NULL:
 * the first).
 */
struct mock_allocation *cushim__mock_arena_next(const struct mock_arena *arena,
                                                const struct mock_allocation *previous);

#endif
