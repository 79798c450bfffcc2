/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory and managed memory (driver-semantics.md #90 to #96). */

#include <string.h>

#include "src/mock/context/context.h"
#include "src/mock/core/ability.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"
#include "src/mock/graph_exec/memory.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/memory/arena.h"
#include "src/mock/memory/pool.h"
#include "src/mock/sim/sim.h"
#include "src/mock/stream/capture.h"

/* Rows of cuMemAllocPitch begin at multiples of this. */
enum { PITCH = 512 };

/*
 * Wait for the work of the allocation's context so far, and end the allocation. Returns
 * INVALID_VALUE if another thread ended it meanwhile.
 */
static CUresult end_allocation(struct mock_allocation *allocation)
{
    const uint64_t start = allocation->span.start, id = allocation->id;
    CUresult code = cushim__mock_sim_wait_group(&allocation->context->group);

    if (code)
        return code;
    allocation = cushim__mock_allocation_at(start);
    if (!allocation || allocation->id != id)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_allocation_destroy(allocation);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_MemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
    struct mock_allocation *allocation;
    struct mock_context *context;
    CUresult code = cushim__mock_memory_context(&context);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_capture_unsafe();
    if (!dptr)
        return code ? code : CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        code = cushim__mock_allocation_create(context, context->device, MOCK_BY_ALLOC, bytesize,
                                              &allocation);
    if (code == CUDA_SUCCESS)
        *dptr = allocation->span.start;
    return code;
}

CUresult cushim__mock_MemAllocPitch_v2(struct mock_context *current, CUdeviceptr *dptr,
                                       size_t *pPitch, size_t WidthInBytes, size_t Height,
                                       unsigned int ElementSizeBytes)
{
    struct mock_allocation *allocation;
    size_t pitch, bytes;
    CUresult code;

    if ((ElementSizeBytes != 4 && ElementSizeBytes != 8 && ElementSizeBytes != 16) ||
        WidthInBytes == 0 || Height == 0)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_capture_unsafe();
    if (code)
        return code;
    if (__builtin_add_overflow(WidthInBytes, PITCH - 1, &pitch))
        return CUDA_ERROR_OUT_OF_MEMORY;
    pitch = pitch / PITCH * PITCH;
    if (__builtin_mul_overflow(pitch, Height, &bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    code =
        cushim__mock_allocation_create(current, current->device, MOCK_BY_ALLOC, bytes, &allocation);
    if (code)
        return code;
    *dptr = allocation->span.start;
    *pPitch = pitch;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_MemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
    struct mock_allocation *allocation;
    struct mock_context *context;
    CUresult code;

    if (!dptr || bytesize == 0 || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_memory_context(&context);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_capture_unsafe();
    if (code == CUDA_SUCCESS)
        code = cushim__mock_needs(MOCK_NEEDS_MANAGED_MEMORY);
    if (code == CUDA_SUCCESS)
        code = cushim__mock_allocation_create_host(context, context->device, MOCK_BY_MANAGED, NULL,
                                                   bytesize, flags, &allocation);
    if (code == CUDA_SUCCESS)
        *dptr = allocation->span.start;
    return code;
}

CUresult cushim__mock_MemFree_v2(CUdeviceptr dptr)
{
    struct mock_allocation *allocation;
    struct mock_context *context;
    CUresult code = CUDA_SUCCESS;

    if (dptr == 0)
        return CUDA_SUCCESS;
    /* The call needs no context, but a current one has to be of this ABI. */
    if (cushim__mock_context_top())
        code = cushim__mock_memory_context(&context);
    if (code)
        return code;
    allocation = cushim__mock_allocation_at(dptr);
    if (!allocation || allocation->span.start != dptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (allocation->pool)
        return cushim__mock_pool_free(allocation);
    if (allocation->graph) {
        cushim__mock_memory_free_now(allocation);
        return CUDA_SUCCESS;
    }
    if (allocation->origin != MOCK_BY_ALLOC && allocation->origin != MOCK_BY_MANAGED &&
        allocation->origin != MOCK_BY_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    return end_allocation(allocation);
}

CUresult cushim__mock_MemGetInfo_v2(size_t *free, size_t *total)
{
    struct mock_context *context;
    CUresult code = cushim__mock_memory_context(&context);

    if (code)
        return code;
    cushim__mock_pools_collect();
    if (free)
        *free = cushim__mock_allocation_left(context->device);
    if (total)
        *total = cushim__mock->settings.memory_bytes;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_MemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
    const struct mock_allocation *allocation;
    struct mock_context *context;
    CUresult code;

    if (!pbase && !psize)
        return CUDA_SUCCESS;
    code = cushim__mock_memory_context(&context);
    if (code)
        return code;
    allocation = cushim__mock_allocation_at(dptr);
    if (allocation && !cushim__mock_context_reaches(context, allocation))
        allocation = NULL;
    if (!allocation || !cushim__mock_memory_allows(dptr, 1, false))
        return CUDA_ERROR_NOT_FOUND;
    if (pbase)
        *pbase = allocation->span.start;
    if (psize)
        *psize = allocation->bytes;
    return CUDA_SUCCESS;
}

/*
 * Page-locked memory of the host (driver-semantics.md #98 to #102): ordinary memory, found by its
 * addresses.
 */

enum {
    ALLOC_FLAGS =
        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED,
    REGISTER_FLAGS = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | MOCK_READ_ONLY,
};

/* With unified addresses all page-locked memory is mapped into the devices, whatever the flags. */
CUresult cushim__mock_MemHostAlloc(struct mock_context *current, void **pp, size_t bytesize,
                                   unsigned int Flags)
{
    struct mock_allocation *allocation;
    CUresult code;

    if (Flags & ~(unsigned)ALLOC_FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    *pp = NULL;
    if (bytesize == 0)
        return CUDA_SUCCESS;
    code =
        cushim__mock_allocation_create_host(current, current->device, MOCK_BY_HOST, NULL, bytesize,
                                            Flags | CU_MEMHOSTALLOC_DEVICEMAP, &allocation);
    if (code == CUDA_SUCCESS)
        *pp = allocation->host;
    return code;
}

CUresult cushim__mock_MemAllocHost_v2(struct mock_context *current, void **pp, size_t bytesize)
{
    return cushim__mock_MemHostAlloc(current, pp, bytesize, 0);
}

/* End the allocation that begins at `p`. Needs no context, but a current one has to be alive. */
static CUresult end(void *p, enum mock_origin origin, CUresult not_found)
{
    struct mock_allocation *allocation;
    struct mock_context *context;
    CUresult code =
        cushim__mock_context_top() ? cushim__mock_context_current(&context) : CUDA_SUCCESS;

    if (code == CUDA_SUCCESS)
        code = cushim__mock_capture_unsafe();
    if (code)
        return code;
    allocation = cushim__mock_allocation_at((uintptr_t)p);
    if (!allocation)
        return not_found;
    if (allocation->host != p || allocation->origin != origin)
        return CUDA_ERROR_INVALID_VALUE;
    return end_allocation(allocation);
}

CUresult cushim__mock_MemFreeHost(void *p)
{
    return p ? end(p, MOCK_BY_HOST, CUDA_ERROR_INVALID_VALUE) : CUDA_SUCCESS;
}

/* Also cuMemHostRegister. */
CUresult cushim__mock_MemHostRegister_v2(struct mock_context *current, void *p, size_t bytesize,
                                         unsigned int Flags)
{
    struct mock_allocation *allocation;
    CUresult code;

    if (!p || (Flags & ~(unsigned)REGISTER_FLAGS))
        return CUDA_ERROR_INVALID_VALUE;
    code = Flags & MOCK_READ_ONLY ? cushim__mock_needs(MOCK_NEEDS_READ_ONLY_HOST_REGISTER_SUPPORTED)
                                  : CUDA_SUCCESS;
    if (code)
        return code;
    return cushim__mock_allocation_create_host(
        current, current->device, MOCK_BY_REGISTER, p, bytesize,
        (Flags & (CU_MEMHOSTREGISTER_PORTABLE | MOCK_READ_ONLY)) | CU_MEMHOSTREGISTER_DEVICEMAP,
        &allocation);
}

CUresult cushim__mock_MemHostUnregister(void *p)
{
    return p ? end(p, MOCK_BY_REGISTER, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)
             : CUDA_ERROR_INVALID_VALUE;
}

/* The page-locked memory that an address lies in, or NULL. */
static struct mock_allocation *find(const void *p)
{
    struct mock_allocation *allocation = cushim__mock_allocation_at((uintptr_t)p);

    return allocation && cushim__mock_allocation_place(allocation) == MOCK_PINNED ? allocation
                                                                                  : NULL;
}

CUresult cushim__mock_MemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
    *pdptr = Flags == 0 && find(p) ? (uintptr_t)p : 0;
    return *pdptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cushim__mock_MemHostGetFlags(unsigned int *pFlags, void *p)
{
    const struct mock_allocation *allocation = find(p);

    if (!allocation)
        return CUDA_ERROR_INVALID_VALUE;
    *pFlags = allocation->flags & ~(unsigned)MOCK_READ_ONLY;
    return CUDA_SUCCESS;
}

/* Device memory that processes share (driver-semantics.md #86 and #87). */

/* The contents of a CUipcMemHandle. */
struct handle {
    char magic[8];
    struct mock_shared_pages shared;
    uint64_t offset, bytes;
};

_Static_assert(sizeof(struct handle) <= sizeof(CUipcMemHandle), "it does not fit");

static const char magic[8] = "cuSHIMem";

/* Every allocation of cuMemAlloc() can be shared, found by any address in it. */
CUresult cushim__mock_IpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr)
{
    struct handle handle = {.bytes = 0};
    struct mock_allocation *allocation;
    size_t offset;

    allocation = cushim__mock_allocation_at(dptr);
    if (!allocation || allocation->origin != MOCK_BY_ALLOC)
        return CUDA_ERROR_INVALID_VALUE;
    if (!cushim__mock_arena_export(allocation->device->arena, allocation, &handle.shared, &offset))
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(handle.magic, magic, sizeof magic);
    handle.offset = offset;
    handle.bytes = allocation->bytes;
    memset(pHandle, 0, sizeof *pHandle);
    memcpy(pHandle, &handle, sizeof handle);
    return CUDA_SUCCESS;
}

/* Also cuIpcOpenMemHandle. */
CUresult cushim__mock_IpcOpenMemHandle_v2(struct mock_context *current, CUdeviceptr *pdptr,
                                          CUipcMemHandle handle, unsigned int Flags)
{
    struct mock_allocation *allocation;
    struct handle known;
    CUresult code;

    memcpy(&known, &handle, sizeof known);
    if (Flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS ||
        memcmp(known.magic, magic, sizeof magic) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (cushim__mock_pages_are_own(&known.shared))
        return CUDA_ERROR_INVALID_CONTEXT;
    code = cushim__mock_import_open(current, current->device, &known.shared, known.offset,
                                    known.bytes, &allocation);
    if (code == CUDA_SUCCESS)
        *pdptr = allocation->span.start;
    return code;
}

CUresult cushim__mock_IpcCloseMemHandle(CUdeviceptr dptr)
{
    struct mock_allocation *allocation;

    allocation = cushim__mock_allocation_at(dptr);
    if (!allocation || allocation->origin != MOCK_BY_IMPORT || allocation->pool ||
        allocation->span.start != dptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (!cushim__mock_import_close(allocation))
        return CUDA_SUCCESS;
    return end_allocation(allocation);
}
