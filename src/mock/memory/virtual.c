/* SPDX-License-Identifier: Apache-2.0 */
/* Physical memory, reserved addresses, and the mappings between them. */
#include "src/mock/memory/virtual.h"

#include <stdlib.h>
#include <string.h>

#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/arena.h"
#include "src/mock/memory/pages.h"
#include "src/race/race.h"

/* --- physical memory --- */

/* The label of a file with physical memory (pages.h). */
struct label {
    char magic[8];
    int32_t device;
    CUmemAllocationProp properties;
};

_Static_assert(sizeof(struct label) <= MOCK_PAGES_LABEL, "it does not fit");

static const char magic[8] = "cuSHIMph";

static void free_physical(struct mock_physical *physical)
{
    if (!physical->imported)
        physical->device->arena->used -= physical->bytes;
    cushim__mock_pages_release(physical->pages, physical->bytes);
    cushim__mock_pages_close(physical->file);
    free(physical);
}

static void end_unused(struct mock_physical *physical)
{
    /* Once the program has released the handle, its object is gone. */
    physical->object.internal = physical->references == 0;
    if (physical->references > 0 || physical->mappings > 0)
        return;
    if (physical->object.handle)
        cushim__mock_object_remove(physical);
    free_physical(physical);
}

/* Called when the mock ends. */
static void drop_physical(void *object)
{
    struct mock_physical *physical = object;

    physical->references = 0;
    if (physical->mappings == 0)
        free_physical(physical);
}

static struct mock_physical *new_physical(struct mock_device *device, size_t bytes)
{
    struct mock_physical *made =
        cushim__mock_object_create(sizeof *made, MOCK_PHYSICAL, NULL, drop_physical);

    if (made) {
        made->device = device;
        made->bytes = bytes;
        made->id = cushim__mock_allocation_number();
        made->references = 1;
        made->file = -1;
    }
    return made;
}

CUresult cushim__mock_physical_create(struct mock_device *device,
                                      const CUmemAllocationProp *properties, size_t bytes,
                                      struct mock_physical **physical)
{
    struct mock_arena *arena = cushim__mock_allocation_arena(device);
    const bool is_shared = properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE;
    struct label label = {.device = device->ordinal, .properties = *properties};
    struct mock_physical *made;

    if (!arena || bytes > arena->budget - arena->used)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made = new_physical(device, bytes);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(label.magic, magic, sizeof magic);
    made->pages =
        cushim__mock_pages_take_many(bytes, is_shared ? &label : NULL, sizeof label, &made->file);
    if (!made->pages) {
        cushim__mock_object_remove(made);
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->properties = *properties;
    arena->used += bytes;
    *physical = made;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_physical_find(CUmemGenericAllocationHandle handle,
                                    struct mock_physical **physical)
{
    CUresult code =
        cushim__mock_object_find((const void *)(uintptr_t)handle, MOCK_PHYSICAL, physical);

    return code ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUmemGenericAllocationHandle cushim__mock_physical_handle(const struct mock_physical *physical)
{
    return (uintptr_t)physical->object.handle;
}

void cushim__mock_physical_retain(struct mock_physical *physical)
{
    physical->references++;
    physical->object.internal = false;
}

CUresult cushim__mock_physical_release(struct mock_physical *physical)
{
    if (physical->references == 0)
        return CUDA_ERROR_INVALID_VALUE;
    physical->references--;
    end_unused(physical);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_physical_export(const struct mock_physical *physical, int *file)
{
    const int made = cushim__mock_pages_descriptor(physical->file);

    if (made < 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *file = made;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_physical_import(int file, struct mock_physical **physical)
{
    struct mock_device *device;
    struct mock_physical *made;
    struct label label;
    size_t bytes;
    void *pages;

    if (!cushim__mock_pages_open(file, &label, sizeof label, &pages, &bytes))
        return CUDA_ERROR_UNKNOWN;
    if (!pages)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (memcmp(label.magic, magic, sizeof magic) != 0 ||
        cushim__mock_device_find(label.device, &device)) {
        cushim__mock_pages_release(pages, bytes);
        return CUDA_ERROR_UNKNOWN;
    }
    made = new_physical(device, bytes);
    if (!made) {
        cushim__mock_pages_release(pages, bytes);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->pages = pages;
    made->file = cushim__mock_pages_descriptor(file);
    made->properties = label.properties;
    made->properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_NONE;
    made->imported = true;
    *physical = made;
    return CUDA_SUCCESS;
}

/* --- reserved addresses --- */

static struct mock_reservation *reservations;

/* Reserve addresses at a multiple of the alignment. Returns 0 if there is no room. */
static CUdeviceptr reserve_aligned(size_t bytes, size_t alignment)
{
    size_t with_slack, before;
    char *reserved;

    if (__builtin_add_overflow(bytes, alignment, &with_slack))
        return 0;
    reserved = cushim__mock_pages_reserve(with_slack);
    if (!reserved)
        return 0;
    before = (alignment - (uintptr_t)reserved % alignment) % alignment;
    if (before > 0)
        cushim__mock_pages_release(reserved, before);
    cushim__mock_pages_release(reserved + before + bytes, alignment - before);
    return (uintptr_t)reserved + before;
}

CUresult cushim__mock_reserve(size_t bytes, size_t alignment, CUdeviceptr hint,
                              CUdeviceptr *address)
{
    struct mock_reservation *made = calloc(1, sizeof *made);

    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->host = cushim__mock_pages_reserve(bytes);
    if (made->host && hint && hint % alignment == 0 &&
        cushim__mock_pages_reserve_at((void *)(uintptr_t)hint, bytes))
        made->start = hint;
    else if (made->host)
        made->start = reserve_aligned(bytes, alignment);
    if (!made->start) {
        if (made->host)
            cushim__mock_pages_release(made->host, bytes);
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->bytes = bytes;
    made->id = cushim__mock_allocation_number();
    made->number = ++cushim__mock->memory_made;
    made->next = reservations;
    reservations = made;
    *address = made->start;
    return CUDA_SUCCESS;
}

struct mock_reservation *cushim__mock_reservation_at(CUdeviceptr address)
{
    struct mock_reservation *one = reservations;

    while (one && address - one->start >= one->bytes)
        one = one->next;
    return one;
}

void cushim__mock_reservation_free(struct mock_reservation *reservation)
{
    struct mock_reservation **link = &reservations;

    while (*link != reservation)
        link = &(*link)->next;
    *link = reservation->next;
    cushim__race_forget(reservation->id);
    cushim__mock_pages_release((void *)(uintptr_t)reservation->start, reservation->bytes);
    cushim__mock_pages_release(reservation->host, reservation->bytes);
    free(reservation);
}

/* --- mappings --- */

struct mock_mapping *cushim__mock_mapping_of(const struct mock_allocation *allocation)
{
    return allocation && allocation->origin == MOCK_BY_MAP ? (struct mock_mapping *)allocation
                                                           : NULL;
}

struct mock_mapping *cushim__mock_mapping_at(CUdeviceptr address)
{
    return cushim__mock_mapping_of(cushim__mock_allocation_at(address));
}

struct mock_mapping *cushim__mock_mapping_in(CUdeviceptr address, size_t bytes)
{
    struct mock_allocation *first = cushim__mock_allocation_at(address);

    if (!first)
        first = cushim__mock_allocation_from(address);
    return first && (first->span.start < address || first->span.start - address < bytes)
               ? cushim__mock_mapping_of(first)
               : NULL;
}

CUresult cushim__mock_map(struct mock_reservation *reservation, CUdeviceptr address, size_t bytes,
                          struct mock_physical *physical)
{
    struct mock_mapping *made = calloc(1, sizeof *made);
    char *host = reservation->host + (address - reservation->start);

    if (!made || !cushim__mock_pages_put(physical->pages, bytes, host)) {
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->reservation = reservation;
    made->physical = physical;
    made->allocation.span.start = address;
    made->allocation.host = host;
    cushim__mock_allocation_begin(&made->allocation, NULL, physical->device, MOCK_BY_MAP, bytes);
    cushim__mock_allocation_list(&made->allocation);
    physical->mappings++;
    return CUDA_SUCCESS;
}

void cushim__mock_unmap(struct mock_mapping *mapping)
{
    struct mock_physical *physical = mapping->physical;

    cushim__race_forget(mapping->reservation->id);
    cushim__mock_pages_remove(mapping->allocation.host, mapping->allocation.bytes);
    cushim__mock_allocation_destroy(&mapping->allocation);
    physical->mappings--;
    end_unused(physical);
}

unsigned cushim__mock_mapping_access(const struct mock_mapping *mapping,
                                     const struct mock_device *device)
{
    unsigned access = 0;

    for (int i = 0; i < MOCK_DEVICES_MAX; i++)
        access |= !device || device->ordinal == i ? mapping->access[i] : 0u;
    return access;
}

void cushim__mock_virtual_clear(void)
{
    struct mock_allocation *one = NULL, *next;

    for (one = cushim__mock_allocation_next_host(NULL); one; one = next) {
        next = cushim__mock_allocation_next_host(one);
        if (one->origin == MOCK_BY_MAP)
            cushim__mock_unmap(cushim__mock_mapping_of(one));
    }
    while (reservations)
        cushim__mock_reservation_free(reservations);
}
