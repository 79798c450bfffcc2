/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of a device. Its addresses are a window of pages that nobody can read, so that a host
 * that follows one crashes as it does with a GPU; the bytes are at a constant distance from it,
 * unless the system had to move them to let other processes map them.
 *
 * Memory is taken in blocks of 2 MiB. What is larger than half of one has blocks of its own; what
 * is not shares blocks, in units of 512 bytes (statement 91).
 */
#ifndef CUSHIM_MOCK_ARENA_H
#define CUSHIM_MOCK_ARENA_H

#include "src/mock/memory/allocation.h"
#include "src/mock/memory/shared_pages.h"

enum { CUSHIM__BLOCK = 2 << 20, CUSHIM__UNIT = 512 };

struct cushim__arena {
    uint64_t window;   /* first address */
    uint64_t distance; /* from an address to its byte, modulo 2^64 */
    size_t bytes;      /* of the window */
    size_t budget, used;
    void *reserved, *backing; /* as the system gave them */
    size_t reserved_bytes;
    struct cushim__spans blocks, pieces;
    struct cushim__export *exports; /* blocks that other processes may map */
};

/* So many bytes in whole units of CUSHIM__UNIT, CUSHIM__BLOCK or a multiple of one. */
size_t cushim__arena_rounded(size_t bytes, size_t unit);

/* How much of so many bytes can be allocated. */
size_t cushim__arena_budget(size_t bytes);

/* Memory of so many bytes. NULL: there is no room for it. */
struct cushim__arena *cushim__arena_create(size_t budget);
void cushim__arena_destroy(struct cushim__arena *arena);

/* Find a place for `allocation->bytes`: sets its span and `host`. False: out of memory. */
bool cushim__arena_take(struct cushim__arena *arena, struct cushim__allocation *allocation);

/* Give the place back, and the allocation's own memory with it. */
void cushim__arena_give(struct cushim__arena *arena, struct cushim__allocation *allocation);

/*
 * Blocks for a pool, which divides them by itself, and back. The allocations in `parts` are found
 * by their addresses as others are; `span` is in memory of its own.
 */
bool cushim__arena_take_blocks(struct cushim__arena *arena, size_t room,
                               struct cushim__spans *parts, struct cushim__span *span);
void cushim__arena_give_blocks(struct cushim__arena *arena, struct cushim__span *span);

/* The host's view of an address, until cushim__arena_export() or its end. */
char *cushim__arena_bytes(const struct cushim__arena *arena, uint64_t address);

/* The same where no other process may map it, and where one may; NULL: none may. */
char *cushim__arena_private(const struct cushim__arena *arena, uint64_t address);
char *cushim__arena_exported(const struct cushim__arena *arena, uint64_t address);

bool cushim__arena_covers(const struct cushim__arena *arena, uint64_t address);

/* The allocation that an address lies in; NULL: none. */
struct cushim__allocation *cushim__arena_at(const struct cushim__arena *arena, uint64_t address);

/* The block or blocks that an allocation lies in. */
struct cushim__span *cushim__arena_block(const struct cushim__arena *arena,
                                         const struct cushim__allocation *allocation);

/*
 * Let other processes map the block that an allocation lies in: where they find it, and where the
 * allocation is in it. False: the system refuses. The host's view of what is in the block may be
 * another afterwards.
 */
bool cushim__arena_export(struct cushim__arena *arena, struct cushim__allocation *allocation,
                          struct cushim__shared_pages *shared, size_t *offset);

/* A block is given back: it is shared no more, and empty. False: it never was. */
bool cushim__arena_unexport(struct cushim__arena *arena, const struct cushim__span *block);

/* The arena ends. */
void cushim__arena_unexport_all(struct cushim__arena *arena);

/*
 * Every allocation that is not a pool's, in no order that matters: the one after `previous` (NULL:
 * the first).
 */
struct cushim__allocation *cushim__arena_next(const struct cushim__arena *arena,
                                              const struct cushim__allocation *previous);

#endif
