/* SPDX-License-Identifier: Apache-2.0 */
/* Pools: how they begin and end, and the memory that they hold. */
#include <stdlib.h>
#include <string.h>

#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/memory/arena.h"
#include "src/mock/memory/pool.h"
#include "src/mock/sim/sim.h"
#include "src/race/race.h"

/* A pool takes memory from the device in multiples of this. */
enum { CHUNK = 32 << 20 };

struct mock_pool_chunk {
    struct mock_span span; /* in the device's arena */
    struct mock_pool_chunk *next;
};

static struct mock_pool *pools;

static void give_chunk(struct mock_pool *pool, struct mock_pool_chunk **link)
{
    struct mock_pool_chunk *chunk = *link;

    *link = chunk->next;
    pool->reserved -= chunk->span.room;
    cushim__mock_arena_give_blocks(pool->device->arena, &chunk->span);
}

static void drop(void *object)
{
    struct mock_pool *pool = object, **link = &pools;

    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
    while (pool->leaving) {
        struct mock_leave *leave = pool->leaving;

        pool->leaving = leave->next;
        free(leave);
    }
    cushim__mock_spans_clear(&pool->pieces);
    while (pool->chunks)
        give_chunk(pool, &pool->chunks);
    free(pool);
}

/* A destroyed pool is freed with its last allocation. */
static void drop_if_done(struct mock_pool *pool)
{
    if (pool->destroyed && !pool->leaving && !cushim__mock_spans_next(&pool->pieces, NULL))
        drop(pool);
}

CUresult cushim__mock_pool_find(CUmemoryPool handle, struct mock_pool **pool)
{
    CUresult code = cushim__mock_object_find(handle, MOCK_POOL, pool);

    return code == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : code;
}

struct mock_pool *cushim__mock_pool_create(struct mock_device *device)
{
    struct mock_pool *pool = cushim__mock_object_create(sizeof *pool, MOCK_POOL, NULL, drop);

    if (!pool)
        return NULL;
    pool->device = device;
    for (int i = 0; i < MOCK_POOL_REUSES; i++)
        pool->reuse[i] = 1;
    cushim__mock_spans_begin(&pool->pieces, 0);
    pool->next = pools;
    pools = pool;
    return pool;
}

struct mock_pool *cushim__mock_pool_default(struct mock_device *device)
{
    if (!device->default_pool) {
        device->default_pool = cushim__mock_pool_create(device);
        if (device->default_pool)
            device->default_pool->object.internal = true;
    }
    if (!device->pool)
        device->pool = device->default_pool;
    return device->default_pool;
}

void cushim__mock_pool_end(struct mock_pool *pool)
{
    if (pool->device->pool == pool)
        pool->device->pool = pool->device->default_pool;
    cushim__mock_object_remove(pool);
    pool->destroyed = true;
    drop_if_done(pool);
}

/* A device that has no room is tried with other sizes; a host that lacks memory is not. */
enum taken { TAKEN, NO_ROOM, NO_MEMORY };

static enum taken take_chunk(struct mock_pool *pool, size_t room)
{
    struct mock_arena *arena = cushim__mock_allocation_arena(pool->device);
    struct mock_pool_chunk *chunk;

    if (arena && !cushim__mock_arena_has_blocks(arena, room))
        return NO_ROOM;
    chunk = calloc(1, sizeof *chunk);
    if (!arena || !chunk ||
        !cushim__mock_arena_take_blocks(arena, room, &pool->pieces, &chunk->span)) {
        free(chunk);
        return NO_MEMORY;
    }
    if (!cushim__mock_spans_add(&pool->pieces, chunk->span.start, chunk->span.room)) {
        cushim__mock_arena_give_blocks(arena, &chunk->span);
        return NO_MEMORY;
    }
    chunk->next = pool->chunks;
    pool->chunks = chunk;
    pool->reserved += chunk->span.room;
    return TAKEN;
}

/* Take chunks until there is room, which may begin in an earlier one. */
static enum taken extend(struct mock_pool *pool, size_t room)
{
    enum taken code = TAKEN;
    size_t taken = 0;
    uint64_t start;

    while (taken * CHUNK < room && (code = take_chunk(pool, CHUNK)) == TAKEN) {
        taken++;
        if (cushim__mock_spans_find(&pool->pieces, room, MOCK_UNIT, &start))
            return TAKEN;
    }
    for (; taken > 0; taken--) {
        const struct mock_span *span = &pool->chunks->span;

        if (cushim__mock_spans_drop(&pool->pieces, span->start, span->room))
            give_chunk(pool, &pool->chunks);
    }
    return code == TAKEN ? NO_ROOM : code;
}

/* Take more memory from the device: whole chunks, or if there is no room as much as is needed. */
static bool grow(struct mock_pool *pool, size_t room)
{
    enum taken code = extend(pool, room);

    if (code == NO_ROOM)
        code = take_chunk(pool, cushim__mock_arena_rounded(room, CHUNK));
    if (code == NO_ROOM)
        code = take_chunk(pool, cushim__mock_arena_rounded(room, MOCK_BLOCK));
    if (code != TAKEN)
        return false;
    if (pool->reserved_high < pool->reserved)
        pool->reserved_high = pool->reserved;
    return true;
}

/* Reuse the allocation of this size that the same stream has freed last, if there is one. */
static struct mock_allocation *reuse(struct mock_pool *pool, size_t bytes, size_t room,
                                     unsigned long long stream)
{
    struct mock_allocation *allocation;

    for (struct mock_leave *one = pool->leaving; one; one = one->next) {
        allocation = one->allocation;
        if (allocation && one->stream == stream && allocation->span.room == room) {
            one->allocation = NULL;
            allocation->leaving = false;
            cushim__mock_allocation_renew(allocation, bytes);
            return allocation;
        }
    }
    return NULL;
}

/* Free what the program has given back and the device has finished with. */
static void collect(struct mock_pool *pool)
{
    struct mock_leave *next;

    for (struct mock_leave *one = pool->leaving; one; one = next) {
        next = one->next;
        if ((one->stream == 0 || one->late) && !cushim__mock_sim_pending_until(one->number))
            cushim__mock_pool_left(one);
    }
}

void cushim__mock_pools_collect(void)
{
    struct mock_pool *next;

    for (struct mock_pool *pool = pools; pool; pool = next) {
        next = pool->next;
        collect(pool);
    }
}

static struct mock_allocation *take(struct mock_pool *pool, size_t bytes, size_t room)
{
    struct mock_allocation *allocation =
        cushim__mock_allocation_new(NULL, pool->device, MOCK_BY_POOL, bytes);

    if (!allocation)
        return NULL;
    if (!cushim__mock_spans_take(&pool->pieces, room, MOCK_UNIT, &allocation->span) &&
        !(grow(pool, room) &&
          cushim__mock_spans_take(&pool->pieces, room, MOCK_UNIT, &allocation->span))) {
        cushim__mock_allocation_uncount(allocation);
        free(allocation);
        return NULL;
    }
    allocation->host = cushim__mock_arena_bytes(pool->device->arena, allocation->span.start);
    allocation->pool = pool;
    return allocation;
}

CUresult cushim__mock_pool_allocate(struct mock_pool *pool, size_t bytes, unsigned long long stream,
                                    CUdeviceptr *address)
{
    const size_t limit = pool->limit ? pool->limit : cushim__mock->settings.memory_bytes;
    struct mock_allocation *allocation;
    size_t room;

    *address = 0;
    if (bytes == 0)
        return CUDA_SUCCESS;
    cushim__mock_pools_collect();
    if (bytes > limit || pool->taken > limit - bytes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    room = cushim__mock_arena_rounded(bytes, MOCK_UNIT);
    allocation = reuse(pool, bytes, room, stream);
    if (!allocation)
        allocation = take(pool, bytes, room);
    if (!allocation)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pool->taken += bytes;
    pool->used += bytes;
    if (pool->used_high < pool->used)
        pool->used_high = pool->used;
    *address = allocation->span.start;
    return CUDA_SUCCESS;
}

struct mock_leave *cushim__mock_pool_leave(struct mock_allocation *allocation,
                                           unsigned long long stream)
{
    struct mock_leave *leave = calloc(1, sizeof *leave);

    if (!leave)
        return NULL;
    leave->allocation = allocation;
    leave->stream = stream;
    leave->number = cushim__mock_sim_submitted();
    leave->pool = allocation->pool;
    allocation->leaving = true;
    cushim__mock_allocation_uncount(allocation);
    if (leave->pool) {
        leave->pool->taken -= allocation->bytes;
        leave->pool->used -= allocation->bytes;
        leave->next = leave->pool->leaving;
        leave->pool->leaving = leave;
    }
    return leave;
}

static void unlink_leave(struct mock_leave *leave)
{
    struct mock_leave **link = &leave->pool->leaving;

    while (*link != leave)
        link = &(*link)->next;
    *link = leave->next;
}

void cushim__mock_pool_left(struct mock_leave *leave)
{
    struct mock_allocation *allocation = leave->allocation;
    struct mock_pool *pool = leave->pool;

    if (pool && allocation && cushim__mock_sim_pending_until(leave->number)) {
        leave->late = true;
        return;
    }
    if (pool)
        unlink_leave(leave);
    free(leave);
    if (!allocation)
        return;
    if (!pool) {
        cushim__mock_allocation_drop(allocation);
        return;
    }
    if (allocation->origin == MOCK_BY_IMPORT) {
        cushim__mock_allocation_drop(allocation);
    } else {
        cushim__race_forget(allocation->id);
        cushim__mock_spans_give(&pool->pieces, &allocation->span);
        cushim__mock_pool_trim(pool, pool->threshold);
    }
    drop_if_done(pool);
}

CUresult cushim__mock_pool_free(struct mock_allocation *allocation)
{
    struct mock_pool *pool = allocation->pool;
    const size_t bytes = allocation->bytes;

    if (!cushim__mock_pool_leave(allocation, 0))
        return CUDA_ERROR_OUT_OF_MEMORY;
    pool->used += bytes; /* the driver does not count this end (driver-semantics.md #125) */
    collect(pool);
    return CUDA_SUCCESS;
}

void cushim__mock_pool_trim(struct mock_pool *pool, uint64_t kept)
{
    struct mock_pool_chunk **link = &pool->chunks;

    /* Whole chunks are kept (driver-semantics.md #127). */
    if (kept < pool->reserved)
        kept = cushim__mock_arena_rounded(kept, CHUNK);

    while (*link) {
        const struct mock_span *span = &(*link)->span;

        if (pool->reserved > kept && pool->reserved - kept >= span->room &&
            cushim__mock_spans_drop(&pool->pieces, span->start, span->room))
            give_chunk(pool, link);
        else
            link = &(*link)->next;
    }
}

struct mock_pool *cushim__mock_pool_imported(const uint64_t key[2])
{
    struct mock_pool *pool = pools;

    while (pool &&
           (!pool->imported || pool->destroyed || memcmp(pool->key, key, sizeof pool->key) != 0))
        pool = pool->next;
    return pool;
}

void cushim__mock_pools_clear(void)
{
    while (pools)
        drop(pools);
}
