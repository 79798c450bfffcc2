/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/memory/allocation.h"

#include <stdlib.h>
#include <string.h>

#include "src/mock/api/context.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/arena.h"
#include "src/mock/memory/import.h"
#include "src/mock/memory/pages.h"
#include "src/mock/system.h"
#include "src/race/race_search.h"

/* From this size on page-locked memory is pages of its own. */
enum { PAGES = 64 << 10 };

static bool address_before(const struct cushim__tree_node *a, const struct cushim__tree_node *b)
{
    return ((const struct cushim__span *)a)->start < ((const struct cushim__span *)b)->start;
}

/*
 * What is in no arena, by address: memory that the host can read, and what other processes share.
 */
static struct cushim__tree host_memory = {.before = address_before};

static uint64_t allocations_made;

static struct cushim__arena *arena_at(CUdeviceptr address)
{
    for (unsigned i = 0; i < cushim__world->settings.devices; i++) {
        struct cushim__arena *arena = cushim__world->devices[i].arena;

        if (arena && cushim__arena_covers(arena, address))
            return arena;
    }
    return NULL;
}

bool cushim__allocation_is_device(uint64_t address)
{
    const struct cushim__allocation *allocation;

    if (arena_at(address))
        return true;
    allocation = cushim__allocation_behind(address);
    return allocation && cushim__allocation_place(allocation) == CUSHIM__DEVICE_MEMORY;
}

/* The last allocation in the host's memory that begins at an address or before. */
static struct cushim__allocation *host_upto(uint64_t address)
{
    const struct cushim__span key = {.start = address};

    return (struct cushim__allocation *)cushim__tree_upto(&host_memory, &key.by_address);
}

struct cushim__allocation *cushim__allocation_behind(CUdeviceptr address)
{
    const struct cushim__arena *arena = arena_at(address);
    struct cushim__allocation *allocation;

    if (arena)
        return cushim__arena_at(arena, address);
    allocation = host_upto(address);
    return allocation && address - allocation->span.start < allocation->bytes ? allocation : NULL;
}

struct cushim__allocation *cushim__allocation_at(CUdeviceptr address)
{
    struct cushim__allocation *allocation = cushim__allocation_behind(address);

    return allocation && !allocation->leaving ? allocation : NULL;
}

enum cushim__place cushim__allocation_place(const struct cushim__allocation *allocation)
{
    switch (allocation->origin) {
    case CUSHIM__BY_MANAGED:
        return CUSHIM__MANAGED;
    case CUSHIM__BY_HOST:
    case CUSHIM__BY_REGISTER:
        return CUSHIM__PINNED;
    default:
        return CUSHIM__DEVICE_MEMORY;
    }
}

/* Whether the program made it and has to free it. */
static bool is_counted(const struct cushim__allocation *allocation)
{
    return allocation->origin != CUSHIM__BY_MODULE && allocation->origin != CUSHIM__BY_REGISTER;
}

struct cushim__allocation *cushim__allocation_new(struct cushim__context *context,
                                                  struct cushim__device *device,
                                                  enum cushim__origin origin, size_t bytes)
{
    struct cushim__allocation *allocation = calloc(1, sizeof *allocation);

    if (allocation)
        cushim__allocation_begin(allocation, context, device, origin, bytes);
    return allocation;
}

void cushim__allocation_begin(struct cushim__allocation *allocation,
                              struct cushim__context *context, struct cushim__device *device,
                              enum cushim__origin origin, size_t bytes)
{
    allocation->context = context;
    allocation->device = device;
    allocation->origin = (uint8_t)origin;
    allocation->synchronous = cushim__allocation_place(allocation) == CUSHIM__MANAGED;
    allocation->preferred = allocation->prefetched = CU_DEVICE_INVALID;
    cushim__allocation_renew(allocation, bytes);
}

void cushim__allocation_renew(struct cushim__allocation *allocation, size_t bytes)
{
    if (allocation->id > 0)
        cushim__races_forget(allocation);
    allocation->bytes = bytes;
    allocation->id = ++allocations_made;
    if (is_counted(allocation))
        cushim__world->allocations++;
}

void cushim__allocation_uncount(const struct cushim__allocation *allocation)
{
    if (is_counted(allocation))
        cushim__world->allocations--;
}

struct cushim__arena *cushim__allocation_arena(struct cushim__device *device)
{
    if (!device->arena)
        device->arena = cushim__arena_create(cushim__world->settings.memory_bytes);
    return device->arena;
}

size_t cushim__allocation_left(const struct cushim__device *device)
{
    const struct cushim__arena *arena = device->arena;

    return arena ? arena->budget - arena->used
                 : cushim__arena_budget(cushim__world->settings.memory_bytes);
}

CUresult cushim__allocation_create(struct cushim__context *context, enum cushim__origin origin,
                                   size_t bytes, struct cushim__allocation **allocation)
{
    struct cushim__arena *arena = cushim__allocation_arena(context->device);
    struct cushim__allocation *made;

    if (bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!arena)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made = cushim__allocation_new(context, context->device, origin, bytes);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!cushim__arena_take(arena, made)) {
        cushim__allocation_uncount(made);
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *allocation = made;
    return CUDA_SUCCESS;
}

static void *take_host(enum cushim__origin origin, size_t bytes)
{
    const size_t whole = cushim__arena_rounded(bytes, CUSHIM__UNIT);
    void *memory;

    if (origin == CUSHIM__BY_MANAGED || bytes >= PAGES)
        return bytes <= cushim__pages_lockable() ? cushim__pages_take(bytes) : NULL;
    memory = cushim__host_memory(CUSHIM__UNIT, whole);
    return memory ? memset(memory, 0, whole) : NULL;
}

static void give_host(const struct cushim__allocation *allocation)
{
    if (allocation->origin == CUSHIM__BY_MANAGED || allocation->bytes >= PAGES)
        cushim__pages_release(allocation->host, allocation->bytes);
    else
        cushim__host_memory_free(allocation->host);
}

/* Whether memory may be registered as page-locked. */
static CUresult check_registered(const void *memory, size_t bytes)
{
    const uint64_t start = (uintptr_t)memory, last = start + bytes - 1;
    const struct cushim__allocation *other;

    if (last < start || arena_at(start) || arena_at(last))
        return CUDA_ERROR_INVALID_VALUE;
    other = host_upto(last);
    if (other && other->span.start + other->bytes > start)
        return other->origin == CUSHIM__BY_REGISTER ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
                                                    : CUDA_ERROR_INVALID_VALUE;
    return cushim__pages_mapped(memory, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void cushim__allocation_list(struct cushim__allocation *allocation)
{
    allocation->span.room = allocation->bytes;
    cushim__tree_add(&host_memory, &allocation->span.by_address);
}

CUresult cushim__allocation_create_host(struct cushim__context *context, enum cushim__origin origin,
                                        void *memory, size_t bytes, unsigned flags,
                                        struct cushim__allocation **allocation)
{
    struct cushim__allocation *made;
    CUresult code;

    if (bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (origin == CUSHIM__BY_REGISTER) {
        code = check_registered(memory, bytes);
        if (code)
            return code;
    } else {
        memory = take_host(origin, bytes);
    }
    made = memory ? cushim__allocation_new(context, context->device, origin, bytes) : NULL;
    if (!made) {
        if (memory && origin != CUSHIM__BY_REGISTER)
            give_host(&(struct cushim__allocation){
                .host = memory, .bytes = bytes, .origin = (uint8_t)origin});
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->host = memory;
    made->flags = flags;
    made->span.start = (uintptr_t)memory;
    cushim__allocation_list(made);
    *allocation = made;
    return CUDA_SUCCESS;
}

void cushim__allocation_destroy(struct cushim__allocation *allocation)
{
    cushim__allocation_uncount(allocation);
    cushim__allocation_drop(allocation);
}

/* Whether it is a part of a device's memory. */
static bool in_arena(const struct cushim__allocation *allocation)
{
    return allocation->origin != CUSHIM__BY_IMPORT &&
           cushim__allocation_place(allocation) == CUSHIM__DEVICE_MEMORY;
}

void cushim__allocation_drop(struct cushim__allocation *allocation)
{
    cushim__races_forget(allocation);
    if (in_arena(allocation)) {
        cushim__arena_give(allocation->device->arena, allocation);
        return;
    }
    cushim__tree_remove(&host_memory, &allocation->span.by_address);
    if (allocation->origin == CUSHIM__BY_IMPORT) {
        cushim__import_free(allocation);
        return;
    }
    if (allocation->origin != CUSHIM__BY_REGISTER)
        give_host(allocation);
    free(allocation);
}

void cushim__allocation_mapping(const struct cushim__allocation *allocation, CUdeviceptr *start,
                                size_t *bytes)
{
    const struct cushim__span *block = &allocation->span;

    if (in_arena(allocation))
        block = cushim__arena_block(allocation->device->arena, allocation);
    *start = block->start;
    *bytes = block->room;
    /* What the driver takes for the host it maps in such blocks as well (statement 191). */
    if (allocation->origin == CUSHIM__BY_HOST || allocation->origin == CUSHIM__BY_MANAGED)
        *bytes = cushim__arena_rounded(*bytes, CUSHIM__BLOCK);
}

struct cushim__allocation *cushim__allocation_next_host(const struct cushim__allocation *previous)
{
    return (struct cushim__allocation *)cushim__tree_after(
        &host_memory, previous ? &previous->span.by_address : NULL);
}
