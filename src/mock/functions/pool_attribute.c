/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls that create, read and set memory pools (driver-semantics.md #120, #126 to #128 and
 * #190).
 */
#include <string.h>

#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"
#include "src/mock/memory/pages.h"
#include "src/mock/memory/pool.h"

/* Kinds of handles and memory that old headers lack, and an attribute. */
enum {
    HANDLE_FABRIC = 8,
    HANDLE_TYPES = 119, /* CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES */
    TYPE_MANAGED = 2,
};

/* Find the device of a location. INVALID_VALUE if it is not a device that the program sees. */
static CUresult find_device(const CUmemLocation *location, struct mock_device **device)
{
    if (!location || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
        cushim__mock_device_find(location->id, device) != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* Return the pool that a device begins with, or the one that it has now. */
static CUresult get_pool(struct mock_device *device, bool is_default, struct mock_pool **pool)
{
    *pool = cushim__mock_pool_default(device);
    if (*pool && !is_default)
        *pool = device->pool;
    return *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Also cuDeviceGetMemPool. */
CUresult cushim__mock_DeviceGetDefaultMemPool(struct mock_pool **pool, struct mock_device *device,
                                              unsigned slot)
{
    return get_pool(device, slot == CUSHIM__SLOT(DeviceGetDefaultMemPool), pool);
}

static CUresult set_pool(CUmemoryPool handle, struct mock_device *device)
{
    struct mock_pool *pool;
    CUresult code = cushim__mock_pool_find(handle, &pool);

    if (code)
        return code;
    if (pool->device != device || pool->imported)
        return CUDA_ERROR_INVALID_VALUE;
    device->pool = pool;
    return cushim__mock_pool_default(device) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cushim__mock_DeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
    struct mock_device *device;

    if (cushim__mock_device_find(dev, &device))
        return CUDA_ERROR_INVALID_VALUE;
    return set_pool(pool, device);
}

/* Find the device whose pools a location has. Neither the host nor managed memory has pools. */
static CUresult find_pools(const CUmemLocation *location, CUmemAllocationType type,
                           struct mock_device **device)
{
    if (!location || ((int)type != CU_MEM_ALLOCATION_TYPE_PINNED && (int)type != TYPE_MANAGED))
        return CUDA_ERROR_INVALID_VALUE;
    if ((int)type == TYPE_MANAGED)
        return CUDA_ERROR_NOT_SUPPORTED;
    if ((int)location->type != CU_MEM_LOCATION_TYPE_DEVICE &&
        (int)location->type != CU_MEM_LOCATION_TYPE_INVALID)
        return CUDA_ERROR_NOT_SUPPORTED;
    return find_device(location, device);
}

/* Also cuMemGetMemPool. */
CUresult cushim__mock_MemGetDefaultMemPool(struct mock_pool **pool, CUmemLocation *location,
                                           CUmemAllocationType type, unsigned slot)
{
    struct mock_device *device;
    CUresult code = find_pools(location, type, &device);

    return code ? code : get_pool(device, slot == CUSHIM__SLOT(MemGetDefaultMemPool), pool);
}

/* Whether memory is not a device's own. There are only pools of devices, for their own memory. */
static bool is_for_others(const CUmemLocation *location, CUmemAllocationType type)
{
    return (int)type == TYPE_MANAGED ||
           (location && ((int)location->type == CU_MEM_LOCATION_TYPE_HOST ||
                         (int)location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA));
}

CUresult cushim__mock_MemSetMemPool(CUmemLocation *location, CUmemAllocationType type,
                                    CUmemoryPool pool)
{
    struct mock_device *device;
    CUresult code = is_for_others(location, type) ? CUDA_ERROR_INVALID_VALUE
                                                  : find_pools(location, type, &device);

    return code ? code : set_pool(pool, device);
}

/*
 * The end of the properties: 64 reserved bytes in CUDA 11.2, of which later versions use the first
 * for a limit, and the next two for a usage.
 */
static const char *tail_of(const CUmemPoolProps *props)
{
    return (const char *)(&props->win32SecurityAttributes + 1);
}

/* Whether the reserved bytes are zero. */
static bool is_clean(const CUmemPoolProps *props)
{
    const char *reserved = tail_of(props) + sizeof(size_t) + sizeof(uint16_t);

    return cushim__mock_bytes_are_zero(reserved, (size_t)((const char *)(props + 1) - reserved));
}

/* Whether pools can be made for handles of a type: of none, or of one that the device has. */
static bool has_handles(int type)
{
    const struct mock_profile *profile = &cushim__mock->settings.profile;
    const int types = profile->has_attribute[HANDLE_TYPES]
                          ? profile->attributes[HANDLE_TYPES]
                          : CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | HANDLE_FABRIC;

    return type == CU_MEM_HANDLE_TYPE_NONE ||
           (type > 0 && (type & (type - 1)) == 0 && type & types);
}

static CUresult check(const CUmemPoolProps *props, struct mock_device **device)
{
    const int type = (int)props->allocType;
    const int place = (int)props->location.type;

    if ((type != CU_MEM_ALLOCATION_TYPE_PINNED && type != TYPE_MANAGED) ||
        !has_handles((int)props->handleTypes) || !is_clean(props))
        return CUDA_ERROR_INVALID_VALUE;
    if (place == CU_MEM_LOCATION_TYPE_HOST || place == CU_MEM_LOCATION_TYPE_HOST_NUMA)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (find_device(&props->location, device))
        return CUDA_ERROR_INVALID_VALUE;
    return type == TYPE_MANAGED ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

CUresult cushim__mock_MemPoolCreate(struct mock_pool **pool, const CUmemPoolProps *poolProps)
{
    struct mock_device *device;
    CUresult code = check(poolProps, &device);

    if (code)
        return code;
    *pool = cushim__mock_pool_default(device) ? cushim__mock_pool_create(device) : NULL;
    if (!*pool)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(&(*pool)->limit, tail_of(poolProps), sizeof(*pool)->limit);
    (*pool)->handle_type = (int)poolProps->handleTypes;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_MemPoolDestroy(struct mock_pool *pool)
{
    if (pool == pool->device->default_pool || (pool->imported && pool->used > 0))
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_pool_end(pool);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_MemPoolTrimTo(struct mock_pool *pool, size_t minBytesToKeep)
{
    if (pool->imported)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_pools_collect();
    cushim__mock_pool_trim(pool, minBytesToKeep);
    return CUDA_SUCCESS;
}

/*
 * The counter of an attribute: CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, or one of those that follow it,
 * which CUDA 11.2 lacks.
 */
static uint64_t *counter_of(struct mock_pool *pool, int attribute)
{
    uint64_t *const counters[] = {&pool->threshold, &pool->reserved, &pool->reserved_high,
                                  &pool->used, &pool->used_high};
    const int index = attribute - CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;

    return index >= 0 && index < (int)(sizeof counters / sizeof *counters) ? counters[index] : NULL;
}

static int *reuse_of(struct mock_pool *pool, int attribute)
{
    const int index = attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES;

    return index >= 0 && index < MOCK_POOL_REUSES ? &pool->reuse[index] : NULL;
}

CUresult cushim__mock_MemPoolGetAttribute(struct mock_pool *pool, CUmemPool_attribute attr,
                                          void *value)
{
    const uint64_t *counter = counter_of(pool, (int)attr);
    const int *reuse = reuse_of(pool, (int)attr);

    cushim__mock_pools_collect();
    if (!value || (!counter && !reuse) || pool->imported)
        return CUDA_ERROR_INVALID_VALUE;
    if (counter)
        memcpy(value, counter, sizeof *counter);
    else
        memcpy(value, reuse, sizeof *reuse);
    return CUDA_SUCCESS;
}

/* Only the threshold can be set; the `_high` counters can be reset to the current values. */
CUresult cushim__mock_MemPoolSetAttribute(struct mock_pool *pool, CUmemPool_attribute attr,
                                          void *value)
{
    uint64_t *counter = counter_of(pool, (int)attr), wide;
    int *reuse = reuse_of(pool, (int)attr);

    if (!value || (!counter && !reuse) || pool->imported)
        return CUDA_ERROR_INVALID_VALUE;
    if (reuse) {
        memcpy(reuse, value, sizeof *reuse);
        *reuse = *reuse != 0;
        return CUDA_SUCCESS;
    }
    memcpy(&wide, value, sizeof wide);
    if (counter == &pool->threshold)
        *counter = wide;
    else if (wide == 0 && counter == &pool->reserved_high)
        *counter = pool->reserved;
    else if (wide == 0 && counter == &pool->used_high)
        *counter = pool->used;
    else
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_MemPoolSetAccess(struct mock_pool *pool, const CUmemAccessDesc *map,
                                       size_t count)
{
    struct mock_device *device;

    if (count == 0 || !map)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        const unsigned flags = (unsigned)map[i].flags;

        if (flags != CU_MEM_ACCESS_FLAGS_PROT_NONE && flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
            flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return CUDA_ERROR_INVALID_VALUE;
        if (find_device(&map[i].location, &device))
            return CUDA_ERROR_INVALID_DEVICE;
        if (flags == CU_MEM_ACCESS_FLAGS_PROT_READ)
            return CUDA_ERROR_NOT_SUPPORTED;
        /* A device cannot be denied access to its own memory. */
        if (device == pool->device && flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return CUDA_ERROR_INVALID_DEVICE;
    }
    for (size_t i = 0; i < count; i++)
        pool->access[map[i].location.id] = (uint8_t)map[i].flags;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_MemPoolGetAccess(CUmemAccess_flags *flags, struct mock_pool *pool,
                                       CUmemLocation *location)
{
    struct mock_device *device;

    if (!flags || find_device(location, &device))
        return CUDA_ERROR_INVALID_VALUE;
    *flags = device == pool->device ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                    : (CUmemAccess_flags)pool->access[device->ordinal];
    return CUDA_SUCCESS;
}

/* Pools that processes share (driver-semantics.md #224 and #225). */

CUresult cushim__mock_MemPoolExportToShareableHandle(void *handle_out, struct mock_pool *pool,
                                                     CUmemAllocationHandleType handleType,
                                                     unsigned long long flags)
{
    CUresult code;
    int file;

    if (handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags ||
        pool->handle_type != (int)handleType)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_pool_export(pool, &file);
    if (code == CUDA_SUCCESS)
        memcpy(handle_out, &file, sizeof file);
    return code;
}

CUresult cushim__mock_MemPoolImportFromShareableHandle(struct mock_pool **pool, void *handle,
                                                       CUmemAllocationHandleType handleType,
                                                       unsigned long long flags)
{
    if ((int)handleType == CU_MEM_HANDLE_TYPE_WIN32)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags)
        return CUDA_ERROR_INVALID_VALUE;
    return cushim__mock_pool_import((int)(intptr_t)handle, pool);
}
