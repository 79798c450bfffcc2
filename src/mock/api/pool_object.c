/* SPDX-License-Identifier: Apache-2.0 */
/* Pools: how they begin and end, and the memory that they hold. */
#include <stdlib.h>

#include "src/mock/api/context.h"
#include "src/mock/api/pool.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/memory/arena.h"
#include "src/mock/sim/sim.h"
#include "src/mock/sim/stream.h"
#include "src/race/race_search.h"

/* A pool takes memory from the device in multiples of this. */
enum { CHUNK = 32 << 20 };

struct cushim__pool_chunk {
    struct cushim__span span; /* in the device's arena */
    struct cushim__pool_chunk *next;
};

static struct cushim__pool *pools;

static void give_chunk(struct cushim__pool *pool, struct cushim__pool_chunk **link)
{
    struct cushim__pool_chunk *chunk = *link;

    *link = chunk->next;
    pool->reserved -= chunk->span.room;
    cushim__arena_give_blocks(pool->device->arena, &chunk->span);
}

static void drop(void *object)
{
    struct cushim__pool *pool = object, **link = &pools;

    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
    while (pool->leaving) {
        struct cushim__leave *leave = pool->leaving;

        pool->leaving = leave->next;
        free(leave);
    }
    cushim__spans_clear(&pool->pieces);
    while (pool->chunks)
        give_chunk(pool, &pool->chunks);
    free(pool);
}

/* A pool that was destroyed goes with its last allocation. */
static void drop_if_done(struct cushim__pool *pool)
{
    if (pool->destroyed && !pool->leaving && !cushim__spans_next(&pool->pieces, NULL))
        drop(pool);
}

CUresult cushim__pool_find(CUmemoryPool handle, struct cushim__pool **pool)
{
    CUresult code = cushim__object_find(handle, CUSHIM__POOL, pool);

    return code == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : code;
}

CUmemoryPool cushim__pool_handle(const struct cushim__pool *pool)
{
    return pool ? pool->object.handle : NULL;
}

struct cushim__pool *cushim__pool_create(struct cushim__device *device)
{
    struct cushim__pool *pool = calloc(1, sizeof *pool);

    if (!pool)
        return NULL;
    pool->device = device;
    for (int i = 0; i < CUSHIM__POOL_REUSES; i++)
        pool->reuse[i] = 1;
    cushim__spans_begin(&pool->pieces, 0);
    pool->object.drop = drop;
    if (cushim__object_add(pool, CUSHIM__POOL, NULL) != CUDA_SUCCESS) {
        free(pool);
        return NULL;
    }
    pool->next = pools;
    pools = pool;
    return pool;
}

struct cushim__pool *cushim__pool_default(struct cushim__device *device)
{
    if (!device->default_pool) {
        device->default_pool = cushim__pool_create(device);
        if (device->default_pool)
            device->default_pool->object.internal = true;
    }
    if (!device->pool)
        device->pool = device->default_pool;
    return device->default_pool;
}

void cushim__pool_end(struct cushim__pool *pool)
{
    if (pool->device->pool == pool)
        pool->device->pool = pool->device->default_pool;
    cushim__object_remove(pool);
    pool->destroyed = true;
    drop_if_done(pool);
}

/* Take more memory from the device: as much as is usual, or if that is not there what is needed. */
static bool grow(struct cushim__pool *pool, size_t room)
{
    struct cushim__arena *arena = cushim__allocation_arena(pool->device);
    struct cushim__pool_chunk *chunk = calloc(1, sizeof *chunk);

    if (!arena || !chunk ||
        (!cushim__arena_take_blocks(arena, cushim__arena_rounded(room, CHUNK), &pool->pieces,
                                    &chunk->span) &&
         !cushim__arena_take_blocks(arena, cushim__arena_rounded(room, CUSHIM__BLOCK),
                                    &pool->pieces, &chunk->span))) {
        free(chunk);
        return false;
    }
    if (!cushim__spans_add(&pool->pieces, chunk->span.start, chunk->span.room)) {
        cushim__arena_give_blocks(arena, &chunk->span);
        return false;
    }
    chunk->next = pool->chunks;
    pool->chunks = chunk;
    pool->reserved += chunk->span.room;
    if (pool->reserved_high < pool->reserved)
        pool->reserved_high = pool->reserved;
    return true;
}

/* What the same stream has given back last, if it is as large. */
static struct cushim__allocation *reuse(struct cushim__pool *pool, size_t bytes, size_t room,
                                        unsigned long long stream)
{
    struct cushim__allocation *allocation;

    for (struct cushim__leave *one = pool->leaving; one; one = one->next) {
        allocation = one->allocation;
        if (allocation && one->stream == stream && allocation->span.room == room) {
            one->allocation = NULL;
            allocation->leaving = false;
            cushim__allocation_renew(allocation, bytes);
            return allocation;
        }
    }
    return NULL;
}

/* Whether any work up to a number is pending. */
static bool is_pending(uint64_t number)
{
    struct cushim__context *context = NULL;

    while ((context = cushim__object_next(CUSHIM__CONTEXT, context))) {
        for (const struct cushim__stream *one = context->streams; one; one = one->next) {
            if (one->head && one->head->number <= number)
                return true;
        }
    }
    return false;
}

/* Free what was given back, and the device now has too. */
static void collect(struct cushim__pool *pool)
{
    struct cushim__leave *next;

    for (struct cushim__leave *one = pool->leaving; one; one = next) {
        next = one->next;
        if ((one->stream == 0 || one->late) && !is_pending(one->number))
            cushim__pool_left(one);
    }
}

void cushim__pools_collect(void)
{
    struct cushim__pool *next;

    for (struct cushim__pool *pool = pools; pool; pool = next) {
        next = pool->next;
        collect(pool);
    }
}

static struct cushim__allocation *take(struct cushim__pool *pool, size_t bytes, size_t room)
{
    struct cushim__allocation *allocation =
        cushim__allocation_new(NULL, pool->device, CUSHIM__BY_POOL, bytes);

    if (!allocation)
        return NULL;
    if (!cushim__spans_take(&pool->pieces, room, CUSHIM__UNIT, &allocation->span) &&
        !(grow(pool, room) &&
          cushim__spans_take(&pool->pieces, room, CUSHIM__UNIT, &allocation->span))) {
        cushim__allocation_uncount(allocation);
        free(allocation);
        return NULL;
    }
    allocation->host = cushim__arena_bytes(pool->device->arena, allocation->span.start);
    allocation->pool = pool;
    return allocation;
}

CUresult cushim__pool_allocate(struct cushim__pool *pool, size_t bytes, unsigned long long stream,
                               CUdeviceptr *address)
{
    const size_t limit = pool->limit ? pool->limit : cushim__world->settings.memory_bytes;
    struct cushim__allocation *allocation;
    size_t room;

    *address = 0;
    if (bytes == 0)
        return CUDA_SUCCESS;
    cushim__pools_collect();
    if (bytes > limit || pool->used > limit - bytes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    room = cushim__arena_rounded(bytes, CUSHIM__UNIT);
    allocation = reuse(pool, bytes, room, stream);
    if (!allocation)
        allocation = take(pool, bytes, room);
    if (!allocation)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pool->used += bytes;
    if (pool->used_high < pool->used)
        pool->used_high = pool->used;
    *address = allocation->span.start;
    return CUDA_SUCCESS;
}

struct cushim__leave *cushim__pool_leave(struct cushim__allocation *allocation,
                                         unsigned long long stream)
{
    struct cushim__leave *leave = calloc(1, sizeof *leave);

    if (!leave)
        return NULL;
    leave->allocation = allocation;
    leave->stream = stream;
    leave->number = cushim__engine_submitted();
    leave->pool = allocation->pool;
    allocation->leaving = true;
    cushim__allocation_uncount(allocation);
    if (leave->pool) {
        leave->pool->used -= allocation->bytes;
        leave->next = leave->pool->leaving;
        leave->pool->leaving = leave;
    }
    return leave;
}

static void unlink_leave(struct cushim__leave *leave)
{
    struct cushim__leave **link = &leave->pool->leaving;

    while (*link != leave)
        link = &(*link)->next;
    *link = leave->next;
}

void cushim__pool_left(struct cushim__leave *leave)
{
    struct cushim__allocation *allocation = leave->allocation;
    struct cushim__pool *pool = leave->pool;

    if (pool && allocation && is_pending(leave->number)) {
        leave->late = true;
        return;
    }
    if (pool)
        unlink_leave(leave);
    free(leave);
    if (!allocation)
        return;
    if (!pool) {
        cushim__allocation_drop(allocation);
        return;
    }
    cushim__races_forget(allocation);
    cushim__spans_give(&pool->pieces, &allocation->span);
    cushim__pool_trim(pool, pool->threshold);
    drop_if_done(pool);
}

CUresult cushim__pool_free(struct cushim__allocation *allocation)
{
    struct cushim__pool *pool = allocation->pool;

    if (!cushim__pool_leave(allocation, 0))
        return CUDA_ERROR_OUT_OF_MEMORY;
    collect(pool);
    return CUDA_SUCCESS;
}

void cushim__pool_trim(struct cushim__pool *pool, uint64_t kept)
{
    struct cushim__pool_chunk **link = &pool->chunks;

    while (*link) {
        const struct cushim__span *span = &(*link)->span;

        if (pool->reserved > kept && cushim__spans_drop(&pool->pieces, span->start, span->room))
            give_chunk(pool, link);
        else
            link = &(*link)->next;
    }
}

void cushim__pools_clear(void)
{
    while (pools)
        drop(pools);
}
