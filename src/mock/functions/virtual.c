/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual memory: physical memory, addresses for it, mappings and who may access them
 * (driver-semantics.md #212 to #223).
 */
#include <string.h>

#include "src/base/system.h"
#include "src/mock/context/context.h"
#include "src/mock/core/ability.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"
#include "src/mock/memory/arena.h"
#include "src/mock/memory/pages.h"
#include "src/mock/memory/virtual.h"

/* Sizes and addresses are multiples of this. */
enum { GRANULARITY = MOCK_BLOCK };

/* A kind of handle that old headers lack. */
enum { HANDLE_FABRIC = 8 };

static bool is_whole(uint64_t number)
{
    return number % GRANULARITY == 0;
}

/* The driver ignores the properties. */
CUresult cushim__mock_MemGetAllocationGranularity(size_t *granularity,
                                                  CUmemAllocationGranularity_flags option)
{
    if ((unsigned)option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        return CUDA_ERROR_INVALID_VALUE;
    *granularity = GRANULARITY;
    return CUDA_SUCCESS;
}

/* On Windows the mock cannot map pages at two addresses. */
static CUresult check_system(void)
{
    if (!cushim__system_is_windows)
        return CUDA_SUCCESS;
    cushim__mock_log("%s is not implemented on Windows: CUDA_ERROR_NOT_SUPPORTED",
                     cushim__mock_call_name());
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cushim__mock_MemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment,
                                        CUdeviceptr addr, unsigned long long flags)
{
    if (size == 0 || !is_whole(size) || (alignment & (alignment - 1)) != 0 || !is_whole(addr) ||
        flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (check_system())
        return CUDA_ERROR_NOT_SUPPORTED;
    return cushim__mock_reserve(size, alignment > GRANULARITY ? alignment : GRANULARITY, addr, ptr);
}

CUresult cushim__mock_MemAddressFree(CUdeviceptr ptr, size_t size)
{
    struct mock_reservation *reservation = cushim__mock_reservation_at(ptr);

    if (!reservation || reservation->start != ptr || reservation->bytes != size ||
        cushim__mock_mapping_in(ptr, size))
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_reservation_free(reservation);
    return CUDA_SUCCESS;
}

/* Check properties, and find the device that they name. */
static CUresult check_properties(const CUmemAllocationProp *prop, struct mock_device **device)
{
    const int types = (int)prop->requestedHandleTypes, place = (int)prop->location.type;

    if (prop->type != CU_MEM_ALLOCATION_TYPE_PINNED || prop->win32HandleMetaData ||
        prop->allocFlags.compressionType > CU_MEM_ALLOCATION_COMP_GENERIC ||
        !cushim__mock_bytes_are_zero(prop->allocFlags.reserved, sizeof prop->allocFlags.reserved) ||
        types & ~(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | HANDLE_FABRIC))
        return CUDA_ERROR_INVALID_VALUE;
    if (place == CU_MEM_LOCATION_TYPE_HOST || place == CU_MEM_LOCATION_TYPE_HOST_NUMA) {
        cushim__mock_log("%s is not implemented for memory of the host: CUDA_ERROR_NOT_SUPPORTED",
                         cushim__mock_call_name());
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (place != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    if (cushim__mock_device_find(prop->location.id, device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (types & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR &&
        cushim__mock_needs(MOCK_NEEDS_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED))
        return CUDA_ERROR_NOT_SUPPORTED;
    /* Fabric handles need a permission from the system. */
    return types & HANDLE_FABRIC ? CUDA_ERROR_NOT_PERMITTED : CUDA_SUCCESS;
}

CUresult cushim__mock_MemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                                const CUmemAllocationProp *prop, unsigned long long flags)
{
    struct mock_physical *physical;
    struct mock_device *device;
    CUresult code;

    if (size == 0 || !is_whole(size) || flags)
        return CUDA_ERROR_INVALID_VALUE;
    code = check_properties(prop, &device);
    if (code == CUDA_SUCCESS)
        code = check_system();
    if (code == CUDA_SUCCESS)
        code = cushim__mock_physical_create(device, prop, size, &physical);
    if (code == CUDA_SUCCESS)
        *handle = cushim__mock_physical_handle(physical);
    return code;
}

CUresult cushim__mock_MemRelease(CUmemGenericAllocationHandle handle)
{
    struct mock_physical *physical;
    CUresult code = cushim__mock_physical_find(handle, &physical);

    return code ? code : cushim__mock_physical_release(physical);
}

CUresult cushim__mock_MemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr)
{
    struct mock_mapping *mapping = cushim__mock_mapping_at((uintptr_t)addr);

    if (!mapping)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_physical_retain(mapping->physical);
    *handle = cushim__mock_physical_handle(mapping->physical);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_MemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                                           CUmemGenericAllocationHandle handle)
{
    struct mock_physical *physical;
    CUresult code = cushim__mock_physical_find(handle, &physical);

    if (code == CUDA_SUCCESS)
        *prop = physical->properties;
    return code;
}

CUresult cushim__mock_MemMap(CUdeviceptr ptr, size_t size, size_t offset,
                             CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    struct mock_reservation *reservation = cushim__mock_reservation_at(ptr);
    struct mock_physical *physical;
    CUresult code;

    if (size == 0 || !is_whole(ptr) || flags || !reservation)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_physical_find(handle, &physical);
    if (code)
        return code;
    /* Only the whole can be mapped. */
    if (size != physical->bytes || offset != 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (size > reservation->bytes - (ptr - reservation->start) ||
        cushim__mock_mapping_in(ptr, size))
        return CUDA_ERROR_INVALID_VALUE;
    return cushim__mock_map(reservation, ptr, size, physical);
}

static CUdeviceptr end_of(const struct mock_mapping *mapping)
{
    return mapping->allocation.span.start + mapping->allocation.bytes;
}

/* Whether a range is reserved and cuts no mapping in two. It may have gaps. */
static bool is_whole_mappings(CUdeviceptr ptr, size_t size)
{
    const struct mock_mapping *first, *last;
    const CUdeviceptr end = ptr + size;

    if (size == 0 || end < ptr || !cushim__mock_reservation_at(ptr) ||
        !cushim__mock_reservation_at(end - 1))
        return false;
    first = cushim__mock_mapping_at(ptr);
    last = cushim__mock_mapping_at(end - 1);
    return (!first || first->allocation.span.start == ptr) && (!last || end_of(last) == end);
}

CUresult cushim__mock_MemUnmap(CUdeviceptr ptr, size_t size)
{
    struct mock_mapping *mapping;

    if (!is_whole(ptr) || !is_whole(size) || !is_whole_mappings(ptr, size))
        return CUDA_ERROR_INVALID_VALUE;
    while ((mapping = cushim__mock_mapping_in(ptr, size)))
        cushim__mock_unmap(mapping);
    return CUDA_SUCCESS;
}

static CUresult check_access(const CUmemAccessDesc *desc)
{
    struct mock_device *device;

    if ((int)desc->location.type == CU_MEM_LOCATION_TYPE_HOST ||
        (int)desc->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (desc->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        cushim__mock_device_find(desc->location.id, &device))
        return CUDA_ERROR_INVALID_VALUE;
    return desc->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                   desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
                   desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult cushim__mock_MemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc,
                                   size_t count)
{
    const CUdeviceptr end = ptr + size;
    struct mock_mapping *mapping;
    CUresult code = CUDA_SUCCESS;

    if (!desc || count == 0 || !is_whole_mappings(ptr, size) || !cushim__mock_mapping_at(ptr) ||
        !cushim__mock_mapping_at(end - 1))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && code == CUDA_SUCCESS; i++)
        code = check_access(&desc[i]);
    if (code)
        return code;
    /* The driver stops at a gap, and reports nothing. */
    for (; ptr < end && (mapping = cushim__mock_mapping_at(ptr)); ptr = end_of(mapping)) {
        for (size_t i = 0; i < count; i++)
            mapping->access[desc[i].location.id] = (uint8_t)desc[i].flags;
    }
    return CUDA_SUCCESS;
}

/* The host has the access of the memory's own device. Unmapped memory has no access. */
CUresult cushim__mock_MemGetAccess(unsigned long long *flags, const CUmemLocation *location,
                                   CUdeviceptr ptr)
{
    const struct mock_mapping *mapping = cushim__mock_mapping_at(ptr);
    const int place = (int)location->type;
    struct mock_device *device = NULL;

    if (place != CU_MEM_LOCATION_TYPE_HOST && place != CU_MEM_LOCATION_TYPE_HOST_NUMA &&
        (place != CU_MEM_LOCATION_TYPE_DEVICE || cushim__mock_device_find(location->id, &device)))
        return CUDA_ERROR_INVALID_DEVICE;
    if (ptr == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (place == CU_MEM_LOCATION_TYPE_HOST && mapping)
        device = mapping->physical->device;
    *flags = mapping && device ? mapping->access[device->ordinal] : 0;
    return cushim__mock_allocation_at(ptr) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Memory that processes share by file descriptor. */

CUresult cushim__mock_MemExportToShareableHandle(void *shareableHandle,
                                                 CUmemGenericAllocationHandle handle,
                                                 CUmemAllocationHandleType handleType,
                                                 unsigned long long flags)
{
    struct mock_physical *physical;
    CUresult code = cushim__mock_physical_find(handle, &physical);
    int file;

    if (code)
        return code;
    if (handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags ||
        !((int)physical->properties.requestedHandleTypes & (int)handleType))
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_physical_export(physical, &file);
    if (code == CUDA_SUCCESS)
        memcpy(shareableHandle, &file, sizeof file);
    return code;
}

CUresult cushim__mock_MemImportFromShareableHandle(CUmemGenericAllocationHandle *handle,
                                                   void *osHandle,
                                                   CUmemAllocationHandleType shHandleType)
{
    struct mock_physical *physical;
    CUresult code;

    if ((int)shHandleType == CU_MEM_HANDLE_TYPE_WIN32 || (int)shHandleType == HANDLE_FABRIC)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_physical_import((int)(intptr_t)osHandle, &physical);
    if (code == CUDA_SUCCESS)
        *handle = cushim__mock_physical_handle(physical);
    return code;
}

/* Whether a range is memory of a device from its start to its end. */
static bool is_device_memory(CUdeviceptr start, size_t bytes)
{
    const struct mock_allocation *allocation = cushim__mock_allocation_at(start);
    CUdeviceptr first;
    size_t room;

    if (!allocation || cushim__mock_allocation_place(allocation) != MOCK_DEVICE_MEMORY)
        return false;
    cushim__mock_allocation_mapping(allocation, &first, &room);
    return bytes <= room - (start - first) ||
           bytes <= cushim__mock_allocation_reach(allocation, start);
}

/* The file has the right size, but not the bytes: no other device could use it here. */
CUresult cushim__mock_MemGetHandleForAddressRange(void *handle, CUdeviceptr dptr, size_t size,
                                                  CUmemRangeHandleType handleType,
                                                  unsigned long long flags)
{
    enum { DMA_BUF = 1, OVER_PCIE = 1, PAGE = 4096 };
    static const char label[8] = "cuSHIMdm";
    struct mock_context *context;
    CUresult code;
    int file = -1;
    void *pages;

    if (!handle || (int)handleType != DMA_BUF || flags > OVER_PCIE || dptr == 0 || size == 0 ||
        dptr % PAGE != 0 || size % PAGE != 0)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_memory_context(&context);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_needs(MOCK_NEEDS_DMA_BUF_SUPPORTED);
    if (code)
        return code;
    if (flags != 0)
        code = CUDA_ERROR_NOT_SUPPORTED;
    else if (!is_device_memory(dptr, size))
        code = CUDA_ERROR_INVALID_VALUE;
    else if (!(pages = cushim__mock_pages_take_many(size, label, sizeof label, &file)))
        code = CUDA_ERROR_OUT_OF_MEMORY;
    else
        cushim__mock_pages_release(pages, size);
    memcpy(handle, &file, sizeof file);
    return code;
}

/* Multicast objects (memory on several devices that a switch connects): arguments are checked. */

CUresult cushim__mock_MulticastGetGranularity(size_t *granularity,
                                              CUmulticastGranularity_flags option)
{
    if ((unsigned)option > 1)
        return CUDA_ERROR_INVALID_VALUE;
    *granularity = GRANULARITY;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_MulticastCreate(const CUmulticastObjectProp *prop)
{
    if (prop->numDevices < 2 || prop->size == 0 || !is_whole(prop->size))
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_log("%s is not implemented: CUDA_ERROR_NOT_SUPPORTED", cushim__mock_call_name());
    return CUDA_ERROR_NOT_SUPPORTED;
}
