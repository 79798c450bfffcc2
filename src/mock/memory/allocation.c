/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/memory/allocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/system.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/arena.h"
#include "src/mock/memory/pages.h"
#include "src/mock/memory/virtual.h"
#include "src/race/race.h"

/* Page-locked memory of at least this size has pages of its own. */
enum { PAGES = 64 << 10 };

static bool address_before(const struct cushim__tree_node *a, const struct cushim__tree_node *b)
{
    return ((const struct mock_span *)a)->start < ((const struct mock_span *)b)->start;
}

/* Allocations in no arena, by address: host-readable memory, and what other processes share. */
static struct cushim__tree host_memory = {.before = address_before};

static uint64_t allocations_made;

static struct mock_arena *arena_at(CUdeviceptr address)
{
    for (unsigned i = 0; i < cushim__mock->settings.devices; i++) {
        struct mock_arena *arena = cushim__mock->devices[i].arena;

        if (arena && cushim__mock_arena_covers(arena, address))
            return arena;
    }
    return NULL;
}

/* The last of these allocations that begins at an address or before it. */
static struct mock_allocation *host_upto(uint64_t address)
{
    const struct mock_span key = {.start = address};

    return (struct mock_allocation *)cushim__tree_upto(&host_memory, &key.by_address);
}

struct mock_allocation *cushim__mock_allocation_from(CUdeviceptr address)
{
    const struct mock_span key = {.start = address};

    return (struct mock_allocation *)cushim__tree_from(&host_memory, &key.by_address);
}

static struct mock_allocation *find(CUdeviceptr address)
{
    const struct mock_arena *arena = arena_at(address);
    struct mock_allocation *allocation;

    if (arena)
        return cushim__mock_arena_at(arena, address);
    allocation = host_upto(address);
    return allocation && address - allocation->span.start < allocation->bytes ? allocation : NULL;
}

struct mock_allocation *cushim__mock_allocation_behind(CUdeviceptr address)
{
    struct mock_allocation *allocation = find(address);

    return allocation && !allocation->unmapped ? allocation : NULL;
}

struct mock_allocation *cushim__mock_allocation_known(CUdeviceptr address)
{
    struct mock_allocation *allocation = find(address);

    return allocation && !allocation->leaving ? allocation : NULL;
}

struct mock_allocation *cushim__mock_allocation_at(CUdeviceptr address)
{
    struct mock_allocation *allocation = cushim__mock_allocation_known(address);

    return allocation && !allocation->unlaunched ? allocation : NULL;
}

size_t cushim__mock_allocation_reach(const struct mock_allocation *allocation, CUdeviceptr address)
{
    const struct mock_mapping *mapping = cushim__mock_mapping_of(allocation), *next = mapping;
    CUdeviceptr end = allocation->span.start + allocation->bytes;

    while (next) {
        next = cushim__mock_mapping_of(host_upto(end));
        if (!next || next->allocation.span.start != end ||
            next->reservation != mapping->reservation)
            break;
        end += next->allocation.bytes;
    }
    return end - address;
}

/* The distance between an address and an allocation that does not contain it. */
static uint64_t distance(const struct mock_allocation *allocation, CUdeviceptr address)
{
    const CUdeviceptr start = allocation->span.start;

    return address < start ? start - address : address - start - allocation->bytes;
}

const struct mock_allocation *cushim__mock_allocation_near(CUdeviceptr address)
{
    const struct mock_allocation *near = NULL, *one;

    for (unsigned i = 0; i < cushim__mock->settings.devices; i++) {
        const struct mock_arena *arena = cushim__mock->devices[i].arena;

        for (one = arena ? cushim__mock_arena_next(arena, NULL) : NULL; one;
             one = cushim__mock_arena_next(arena, one)) {
            if (!near || distance(one, address) < distance(near, address))
                near = one;
        }
    }
    for (one = cushim__mock_allocation_next_host(NULL); one;
         one = cushim__mock_allocation_next_host(one)) {
        if (!near || distance(one, address) < distance(near, address))
            near = one;
    }
    return near;
}

static bool is_global(const struct mock_allocation *allocation)
{
    return allocation->origin == MOCK_BY_MODULE || allocation->origin == MOCK_BY_VARIABLE;
}

static bool is_managed(enum mock_origin origin)
{
    return origin == MOCK_BY_MANAGED || origin == MOCK_BY_VARIABLE;
}

/* A mapping has the name of its reservation. */
void cushim__mock_allocation_tag(CUdeviceptr start, char *text, size_t size)
{
    const struct mock_allocation *allocation = find(start);
    const struct mock_reservation *reservation = cushim__mock_reservation_at(start);
    const char *tag = reservation ? reservation->tag : allocation ? allocation->tag : "";

    if (tag[0])
        snprintf(text, size, "%s", tag);
    else if (reservation)
        snprintf(text, size, "memory#%u", reservation->number);
    else
        snprintf(text, size, "%s#%u", allocation && is_global(allocation) ? "global" : "memory",
                 allocation ? allocation->number : 0);
}

void cushim__mock_allocation_set_tag(CUdeviceptr start, const char *tag)
{
    struct mock_allocation *allocation = find(start);
    struct mock_reservation *reservation = cushim__mock_reservation_at(start);

    if (reservation && reservation->start == start)
        snprintf(reservation->tag, sizeof reservation->tag, "%s", tag);
    else if (!reservation && allocation && allocation->span.start == start)
        snprintf(allocation->tag, sizeof allocation->tag, "%s", tag);
}

enum mock_place cushim__mock_allocation_place(const struct mock_allocation *allocation)
{
    switch (allocation->origin) {
    case MOCK_BY_MANAGED:
    case MOCK_BY_VARIABLE:
        return MOCK_MANAGED;
    case MOCK_BY_HOST:
    case MOCK_BY_REGISTER:
        return MOCK_PINNED;
    default:
        return MOCK_DEVICE_MEMORY;
    }
}

/* Whether the program has to free an allocation. A graph's counts while it is live. */
static bool is_counted(const struct mock_allocation *allocation)
{
    return !is_global(allocation) && allocation->origin != MOCK_BY_REGISTER &&
           allocation->origin != MOCK_BY_KERNEL && allocation->origin != MOCK_BY_GRAPH;
}

uint64_t cushim__mock_allocation_number(void)
{
    return ++allocations_made;
}

struct mock_allocation *cushim__mock_allocation_new(struct mock_context *context,
                                                    struct mock_device *device,
                                                    enum mock_origin origin, size_t bytes)
{
    struct mock_allocation *allocation = calloc(1, sizeof *allocation);

    if (allocation)
        cushim__mock_allocation_begin(allocation, context, device, origin, bytes);
    return allocation;
}

void cushim__mock_allocation_begin(struct mock_allocation *allocation, struct mock_context *context,
                                   struct mock_device *device, enum mock_origin origin,
                                   size_t bytes)
{
    allocation->context = context;
    allocation->device = device;
    allocation->origin = (uint8_t)origin;
    allocation->synchronous = cushim__mock_allocation_place(allocation) == MOCK_MANAGED;
    cushim__mock_allocation_renew(allocation, bytes);
}

void cushim__mock_allocation_renew(struct mock_allocation *allocation, size_t bytes)
{
    if (allocation->id > 0)
        cushim__race_forget(allocation->id);
    allocation->bytes = bytes;
    allocation->id = cushim__mock_allocation_number();
    if (allocation->origin != MOCK_BY_MAP)
        allocation->number =
            is_global(allocation) ? ++cushim__mock->globals_made : ++cushim__mock->memory_made;
    allocation->tag[0] = '\0';
    if (is_counted(allocation))
        cushim__mock->allocations++;
}

void cushim__mock_allocation_uncount(const struct mock_allocation *allocation)
{
    if (is_counted(allocation))
        cushim__mock->allocations--;
}

struct mock_arena *cushim__mock_allocation_arena(struct mock_device *device)
{
    if (!device->arena)
        device->arena = cushim__mock_arena_create(cushim__mock->settings.memory_bytes);
    return device->arena;
}

size_t cushim__mock_allocation_left(const struct mock_device *device)
{
    const struct mock_arena *arena = device->arena;

    return arena ? arena->budget - arena->used
                 : cushim__mock_arena_budget(cushim__mock->settings.memory_bytes);
}

CUresult cushim__mock_allocation_create(struct mock_context *context, struct mock_device *device,
                                        enum mock_origin origin, size_t bytes,
                                        struct mock_allocation **allocation)
{
    struct mock_arena *arena = cushim__mock_allocation_arena(device);
    struct mock_allocation *made;

    if (bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!arena)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made = cushim__mock_allocation_new(context, device, origin, bytes);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!cushim__mock_arena_take(arena, made)) {
        cushim__mock_allocation_uncount(made);
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *allocation = made;
    return CUDA_SUCCESS;
}

static void *take_host(enum mock_origin origin, size_t bytes)
{
    const size_t whole = cushim__mock_arena_rounded(bytes, MOCK_UNIT);
    void *memory;

    if (is_managed(origin) || bytes >= PAGES)
        return bytes <= cushim__mock_pages_lockable() ? cushim__mock_pages_take(bytes) : NULL;
    memory = cushim__system_allocate(MOCK_UNIT, whole);
    return memory ? memset(memory, 0, whole) : NULL;
}

static void give_host(const struct mock_allocation *allocation)
{
    if (is_managed((enum mock_origin)allocation->origin) || allocation->bytes >= PAGES)
        cushim__mock_pages_release(allocation->host, allocation->bytes);
    else
        cushim__system_free(allocation->host);
}

/* Check that memory may be page-locked; it must be writable unless READ_ONLY is asked for. */
static CUresult check_registered(const void *memory, size_t bytes, bool writable)
{
    const uint64_t start = (uintptr_t)memory, last = start + bytes - 1;
    const struct mock_allocation *other;
    bool lacks = false;

    if (last < start || arena_at(start) || arena_at(last))
        return CUDA_ERROR_INVALID_VALUE;
    other = host_upto(last);
    if (other && other->span.start + other->bytes > start)
        return other->origin == MOCK_BY_REGISTER ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
                                                 : CUDA_ERROR_INVALID_VALUE;
    if (cushim__mock_pages_mapped(memory, bytes, writable, &lacks))
        return CUDA_SUCCESS;
    return lacks ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
}

void cushim__mock_allocation_list(struct mock_allocation *allocation)
{
    allocation->span.room = allocation->bytes;
    cushim__tree_add(&host_memory, &allocation->span.by_address);
}

CUresult cushim__mock_allocation_create_host(struct mock_context *context,
                                             struct mock_device *device, enum mock_origin origin,
                                             void *memory, size_t bytes, unsigned flags,
                                             struct mock_allocation **allocation)
{
    struct mock_allocation *made;
    CUresult code;

    if (bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (origin == MOCK_BY_REGISTER) {
        code = check_registered(memory, bytes, !(flags & MOCK_READ_ONLY));
        if (code)
            return code;
    } else {
        memory = take_host(origin, bytes);
    }
    made = memory ? cushim__mock_allocation_new(context, device, origin, bytes) : NULL;
    if (!made) {
        if (memory && origin != MOCK_BY_REGISTER)
            give_host(&(struct mock_allocation){
                .host = memory, .bytes = bytes, .origin = (uint8_t)origin});
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->host = memory;
    made->flags = flags;
    made->span.start = (uintptr_t)memory;
    cushim__mock_allocation_list(made);
    *allocation = made;
    return CUDA_SUCCESS;
}

void cushim__mock_allocation_destroy(struct mock_allocation *allocation)
{
    cushim__mock_allocation_uncount(allocation);
    cushim__mock_allocation_drop(allocation);
}

static bool is_import(const struct mock_allocation *allocation)
{
    return allocation->origin == MOCK_BY_IMPORT || allocation->origin == MOCK_BY_EXTERNAL;
}

/* Whether an allocation is a part of a device's memory. */
static bool in_arena(const struct mock_allocation *allocation)
{
    return !is_import(allocation) && allocation->origin != MOCK_BY_MAP &&
           cushim__mock_allocation_place(allocation) == MOCK_DEVICE_MEMORY;
}

void cushim__mock_allocation_drop(struct mock_allocation *allocation)
{
    cushim__race_forget(allocation->id);
    if (in_arena(allocation)) {
        cushim__mock_arena_give(allocation->device->arena, allocation);
        return;
    }
    cushim__tree_remove(&host_memory, &allocation->span.by_address);
    if (is_import(allocation)) {
        cushim__mock_import_free(allocation);
        return;
    }
    if (allocation->origin != MOCK_BY_REGISTER && allocation->origin != MOCK_BY_MAP)
        give_host(allocation);
    free(allocation->hints);
    free(allocation);
}

void cushim__mock_allocation_mapping(const struct mock_allocation *allocation, CUdeviceptr *start,
                                     size_t *bytes)
{
    const struct mock_span *block = &allocation->span;

    if (allocation->origin == MOCK_BY_IMPORT) {
        cushim__mock_import_mapping(allocation, start, bytes);
        return;
    }
    if (in_arena(allocation))
        block = cushim__mock_arena_block(allocation->device->arena, allocation);
    *start = block->start;
    *bytes = block->room;
    /*
     * The driver maps host memory that it allocates in such blocks, too (driver-semantics.md #191).
     */
    if (allocation->origin == MOCK_BY_HOST || is_managed((enum mock_origin)allocation->origin))
        *bytes = cushim__mock_arena_rounded(*bytes, MOCK_BLOCK);
}

struct mock_allocation *cushim__mock_allocation_next_host(const struct mock_allocation *previous)
{
    return (struct mock_allocation *)cushim__tree_after(
        &host_memory, previous ? &previous->span.by_address : NULL);
}

/* For the race detector a reservation is one memory, as mappings side by side are used as one. */
struct race_memory cushim__mock_allocation_race(const struct mock_allocation *allocation)
{
    const struct mock_mapping *mapping = cushim__mock_mapping_of(allocation);

    if (mapping)
        return (struct race_memory){mapping->reservation->id, mapping->reservation->start,
                                    mapping->reservation->bytes};
    return (struct race_memory){allocation->id, allocation->span.start, allocation->bytes};
}

bool cushim__mock_memory_is_device(CUdeviceptr address)
{
    const struct mock_allocation *allocation;

    if (arena_at(address) || cushim__mock_reservation_at(address))
        return true;
    allocation = find(address);
    return allocation && cushim__mock_allocation_place(allocation) == MOCK_DEVICE_MEMORY;
}

bool cushim__mock_memory_allows(CUdeviceptr address, size_t bytes, bool is_written)
{
    const unsigned wanted =
        is_written ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_READ;
    const struct mock_mapping *mapping = cushim__mock_mapping_at(address);
    const CUdeviceptr end = address + bytes;

    for (; mapping && address < end; mapping = cushim__mock_mapping_at(address)) {
        if ((cushim__mock_mapping_access(mapping, NULL) & wanted) != wanted)
            return false;
        address = mapping->allocation.span.start + mapping->allocation.bytes;
    }
    return true;
}

void *cushim__mock_memory_host(CUdeviceptr address, size_t bytes)
{
    const struct mock_allocation *allocation = cushim__mock_allocation_behind(address);

    if (!allocation || bytes > cushim__mock_allocation_reach(allocation, address) ||
        !cushim__mock_memory_allows(address, bytes, false))
        return NULL;
    return allocation->host + (address - allocation->span.start);
}

void *cushim__mock_memory_fill(CUdeviceptr address, const void *initial, size_t bytes)
{
    void *host = cushim__mock_memory_host(address, bytes);

    if (host && initial)
        memcpy(host, initial, bytes);
    else if (host)
        memset(host, 0, bytes);
    return host;
}

CUresult cushim__mock_memory_allocate(struct mock_context *context, struct mock_device *device,
                                      size_t bytes, CUdeviceptr *address)
{
    struct mock_allocation *allocation;
    CUresult code =
        cushim__mock_allocation_create(context, device, MOCK_BY_MODULE, bytes, &allocation);

    if (code == CUDA_SUCCESS)
        *address = allocation->span.start;
    return code;
}

CUresult cushim__mock_memory_free(CUdeviceptr address)
{
    struct mock_allocation *allocation = cushim__mock_allocation_at(address);

    if (!allocation || allocation->span.start != address || !is_global(allocation))
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_allocation_destroy(allocation);
    return CUDA_SUCCESS;
}

void cushim__mock_memory_forget(const struct mock_context *context,
                                const struct mock_device *device)
{
    const struct mock_arena *arena = device->arena;
    struct mock_allocation *one, *next;

    for (one = arena ? cushim__mock_arena_next(arena, NULL) : NULL; one; one = next) {
        next = cushim__mock_arena_next(arena, one);
        /* A stream frees what is leaving, and the stream may be of another context. */
        if (one->context == context && !one->leaving)
            cushim__mock_allocation_destroy(one);
    }
    for (one = cushim__mock_allocation_next_host(NULL); one; one = next) {
        next = cushim__mock_allocation_next_host(one);
        if (one->context == context)
            cushim__mock_allocation_destroy(one);
    }
}

void cushim__mock_memory_clear(void)
{
    struct mock_allocation *one;

    cushim__mock_virtual_clear();
    while ((one = cushim__mock_allocation_next_host(NULL)))
        cushim__mock_allocation_destroy(one);
    for (unsigned i = 0; cushim__mock->devices && i < cushim__mock->settings.devices; i++) {
        cushim__mock_arena_destroy(cushim__mock->devices[i].arena);
        cushim__mock->devices[i].arena = NULL;
    }
    cushim__mock->allocations = 0;
}

size_t cushim__mock_memory_used(void)
{
    size_t used = 0;

    for (unsigned i = 0; i < cushim__mock->settings.devices; i++) {
        if (cushim__mock->devices[i].arena)
            used += cushim__mock->devices[i].arena->used;
    }
    return used;
}
