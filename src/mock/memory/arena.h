/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of a device. Its addresses are a window of pages that nobody can read, so that host
 * code which dereferences one crashes as it does with a GPU. The bytes are at a constant distance
 * from their addresses, unless the system had to move them to let other processes map them.
 *
 * Memory is taken in blocks of 2 MiB. An allocation larger than half a block has blocks of its own;
 * smaller ones share blocks, in units of 512 bytes (driver-semantics.md #91).
 */
#ifndef CUSHIM_MOCK_MEMORY_ARENA_H
#define CUSHIM_MOCK_MEMORY_ARENA_H

#include "src/mock/memory/allocation.h"
#include "src/mock/memory/pages.h"

enum { MOCK_BLOCK = 2 << 20, MOCK_UNIT = 512 };

struct mock_arena {
    uint64_t window;   /* first address */
    uint64_t distance; /* from an address to its byte, modulo 2^64 */
    size_t bytes;      /* size of the window */
    size_t budget, used;
    void *reserved, *backing; /* as the system returned them */
    size_t reserved_bytes;
    struct mock_spans blocks, pieces;
    struct mock_export *exports; /* blocks that other processes may map */
};

/* Round bytes up to whole units of MOCK_UNIT, MOCK_BLOCK or a multiple of one. */
size_t cushim__mock_arena_rounded(size_t bytes, size_t unit);

/* How many of a device's bytes can be allocated. */
size_t cushim__mock_arena_budget(size_t bytes);

/* Create the memory of a device. Returns NULL if there is no room for it. */
struct mock_arena *cushim__mock_arena_create(size_t budget);
void cushim__mock_arena_destroy(struct mock_arena *arena);

/* Find a place for `allocation->bytes`; sets its span and `host`. False if memory runs out. */
bool cushim__mock_arena_take(struct mock_arena *arena, struct mock_allocation *allocation);

/* Free the place, and the memory of the allocation with it. */
void cushim__mock_arena_give(struct mock_arena *arena, struct mock_allocation *allocation);

/* Whether blocks with this room are free. */
bool cushim__mock_arena_has_blocks(const struct mock_arena *arena, size_t room);

/*
 * Take blocks for a pool, which divides them itself, and give them back. The allocations in `parts`
 * are found by their addresses like others; `span` is in memory of its own.
 */
bool cushim__mock_arena_take_blocks(struct mock_arena *arena, size_t room, struct mock_spans *parts,
                                    struct mock_span *span);
void cushim__mock_arena_give_blocks(struct mock_arena *arena, struct mock_span *span);

/* The host's view of an address, valid until its block is exported or freed. */
char *cushim__mock_arena_bytes(const struct mock_arena *arena, uint64_t address);

/* The same for a block that is not exported, and for one that is (NULL if it is not). */
char *cushim__mock_arena_private(const struct mock_arena *arena, uint64_t address);
char *cushim__mock_arena_exported(const struct mock_arena *arena, uint64_t address);

bool cushim__mock_arena_covers(const struct mock_arena *arena, uint64_t address);

/* The allocation that contains an address, or NULL. */
struct mock_allocation *cushim__mock_arena_at(const struct mock_arena *arena, uint64_t address);

/* The block or blocks that contain an allocation. */
struct mock_span *cushim__mock_arena_block(const struct mock_arena *arena,
                                           const struct mock_allocation *allocation);

/*
 * Let other processes map the block of an allocation. Sets where they find it, and the allocation's
 * offset in it. Returns false if the system refuses. The host's view of the block may change.
 */
bool cushim__mock_arena_export(struct mock_arena *arena, struct mock_allocation *allocation,
                               struct mock_shared_pages *shared, size_t *offset);

/* Unshare and empty a block that is given back. Returns false if it was never shared. */
bool cushim__mock_arena_unexport(struct mock_arena *arena, const struct mock_span *block);

/* Unshare all blocks when the arena ends. */
void cushim__mock_arena_unexport_all(struct mock_arena *arena);

/*
 * The allocation after `previous`, or the first one if that is NULL, in no particular order. Those
 * of pools are left out.
 */
struct mock_allocation *cushim__mock_arena_next(const struct mock_arena *arena,
                                                const struct mock_allocation *previous);

#endif
