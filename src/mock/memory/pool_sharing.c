/* SPDX-License-Identifier: Apache-2.0 */
/* Pools and allocations in them, exported to and imported from other processes. */
#include <string.h>

#include "src/base/system.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/memory/arena.h"
#include "src/mock/memory/pages.h"
#include "src/mock/memory/pool.h"

/* The label of the file of an exported pool (pages.h), whose one page is not used. */
struct label {
    char magic[8];
    uint64_t key[2];
    int32_t device;
};

/* The contents of a CUmemPoolPtrExportData. */
struct pointer {
    char magic[8];
    uint64_t key[2]; /* of the pool */
    struct mock_shared_pages shared;
    uint32_t offset; /* in a chunk of the pool */
    uint64_t bytes;
};

_Static_assert(sizeof(struct pointer) <= sizeof(CUmemPoolPtrExportData), "it does not fit");

static const char pool_magic[8] = "cuSHIMpl", pointer_magic[8] = "cuSHIMpp";

CUresult cushim__mock_pool_export(struct mock_pool *pool, int *file)
{
    struct label label = {.device = pool->device->ordinal};
    const size_t bytes = cushim__mock_pages_size();
    void *pages;

    if (!pool->exported) {
        pool->key[0] = cushim__system_process_id();
        pool->key[1] = cushim__mock_allocation_number();
    }
    memcpy(label.magic, pool_magic, sizeof label.magic);
    memcpy(label.key, pool->key, sizeof label.key);
    pages = cushim__mock_pages_take_many(bytes, &label, sizeof label, file);
    if (!pages)
        return CUDA_ERROR_OUT_OF_MEMORY;
    cushim__mock_pages_release(pages, bytes);
    pool->exported = true;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_pool_import(int file, struct mock_pool **pool)
{
    struct mock_device *device;
    struct label label;
    size_t bytes;
    void *pages;

    if (!cushim__mock_pages_open(file, &label, sizeof label, &pages, &bytes))
        return CUDA_ERROR_UNKNOWN;
    if (!pages)
        return CUDA_ERROR_OUT_OF_MEMORY;
    cushim__mock_pages_release(pages, bytes);
    if (memcmp(label.magic, pool_magic, sizeof label.magic) != 0 ||
        cushim__mock_device_find(label.device, &device))
        return CUDA_ERROR_UNKNOWN;
    *pool = cushim__mock_pool_imported(label.key);
    if (*pool)
        return CUDA_SUCCESS;
    *pool = cushim__mock_pool_default(device) ? cushim__mock_pool_create(device) : NULL;
    if (!*pool)
        return CUDA_ERROR_OUT_OF_MEMORY;
    (*pool)->imported = true;
    memcpy((*pool)->key, label.key, sizeof label.key);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_pool_export_pointer(struct mock_allocation *allocation,
                                          CUmemPoolPtrExportData *data)
{
    struct pointer pointer = {.bytes = allocation->bytes};
    size_t offset;

    if (allocation->origin != MOCK_BY_POOL || !allocation->pool->exported)
        return CUDA_ERROR_INVALID_VALUE;
    if (!cushim__mock_arena_export(allocation->device->arena, allocation, &pointer.shared, &offset))
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(pointer.magic, pointer_magic, sizeof pointer.magic);
    memcpy(pointer.key, allocation->pool->key, sizeof pointer.key);
    pointer.offset = (uint32_t)(offset / MOCK_UNIT);
    memset(data, 0, sizeof *data);
    memcpy(data, &pointer, sizeof pointer);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_pool_import_pointer(struct mock_pool *pool,
                                          const CUmemPoolPtrExportData *data, CUdeviceptr *address)
{
    struct mock_allocation *allocation;
    struct pointer pointer;
    CUresult code;

    memcpy(&pointer, data, sizeof pointer);
    if (!pool->imported || memcmp(pointer.magic, pointer_magic, sizeof pointer.magic) != 0 ||
        memcmp(pointer.key, pool->key, sizeof pointer.key) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_import_open(NULL, pool->device, &pointer.shared,
                                    (size_t)pointer.offset * MOCK_UNIT, pointer.bytes, &allocation);
    if (code)
        return code;
    /* Importing an allocation again gives the same one, which is freed once. */
    if (!allocation->pool) {
        allocation->pool = pool;
        pool->used += allocation->bytes;
    }
    *address = allocation->span.start;
    return CUDA_SUCCESS;
}
