/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory and managed memory (statements 90 to 96). */
#include "src/mock/api/memory.h"

#include "src/mock/api/api.h"
#include "src/mock/api/capture.h"
#include "src/mock/api/context.h"
#include "src/mock/api/pool.h"
#include "src/mock/api/stream.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/memory/arena.h"

/* Rows of cuMemAllocPitch begin at multiples of this. */
enum { PITCH = 512 };

/* From this version on addresses have 64 bits, as cuCtxGetApiVersion counts. */
enum { WIDE_ABI = 3020 };

CUresult cushim__mock_memory_context(struct mock_context **context)
{
    CUresult code = cushim__mock_context_current(context);

    if (code == CUDA_SUCCESS && (*context)->api_version < WIDE_ABI)
        code = CUDA_ERROR_INVALID_CONTEXT;
    return code;
}

CUresult cushim__mock_allocation_end(struct mock_allocation *allocation)
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

/* What every call that allocates begins with. */
static CUresult begin(struct mock_context **context)
{
    CUresult code = cushim__mock_memory_context(context);

    if (code == CUDA_SUCCESS && cushim__mock_capture_count > 0)
        code = cushim__mock_capture_unsafe(true);
    return code;
}

MOCK_EXACT(MemAlloc_v2)(CUdeviceptr *dptr, size_t bytesize)
{
    struct mock_allocation *allocation;
    struct mock_context *context;
    CUresult code = begin(&context);

    if (code && dptr)
        *dptr = 0; /* as the driver does: statement 15 */
    if (code)
        return code;
    if (!dptr)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_allocation_create(context, context->device, MOCK_BY_ALLOC, bytesize,
                                          &allocation);
    *dptr = code ? 0 : allocation->span.start;
    return code;
}

MOCK_EXACT(MemAllocPitch_v2)
(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
 unsigned int ElementSizeBytes)
{
    struct mock_allocation *allocation;
    struct mock_context *context;
    CUresult code = begin(&context);
    size_t pitch, bytes;

    if (code)
        return code;
    if (!dptr || !pPitch)
        return CUDA_ERROR_INVALID_VALUE;
    *dptr = 0;
    *pPitch = 0;
    if ((ElementSizeBytes != 4 && ElementSizeBytes != 8 && ElementSizeBytes != 16) ||
        WidthInBytes == 0 || Height == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (__builtin_add_overflow(WidthInBytes, PITCH - 1, &pitch))
        return CUDA_ERROR_OUT_OF_MEMORY;
    pitch = pitch / PITCH * PITCH;
    if (__builtin_mul_overflow(pitch, Height, &bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    code =
        cushim__mock_allocation_create(context, context->device, MOCK_BY_ALLOC, bytes, &allocation);
    if (code)
        return code;
    *dptr = allocation->span.start;
    *pPitch = pitch;
    return CUDA_SUCCESS;
}

MOCK_EXACT(MemAllocManaged)(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
    struct mock_allocation *allocation;
    struct mock_context *context;
    CUresult code;

    if (!dptr || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    code = begin(&context);
    if (code)
        return code;
    code = cushim__mock_allocation_create_host(context, context->device, MOCK_BY_MANAGED, NULL,
                                               bytesize, flags, &allocation);
    if (code == CUDA_SUCCESS)
        *dptr = allocation->span.start;
    return code;
}

MOCK_EXACT(MemFree_v2)(CUdeviceptr dptr)
{
    struct mock_allocation *allocation;
    struct mock_context *context;
    CUresult code =
        cushim__mock_capture_count > 0 ? cushim__mock_capture_unsafe(true) : CUDA_SUCCESS;

    if (code || dptr == 0)
        return code;
    /* It needs no context, but a current one has to be of this ABI. */
    if (cushim__mock_context_top())
        code = cushim__mock_memory_context(&context);
    if (code)
        return code;
    allocation = cushim__mock_allocation_at(dptr);
    if (!allocation || allocation->span.start != dptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (allocation->origin == MOCK_BY_POOL)
        return cushim__mock_pool_free(allocation);
    if (allocation->origin != MOCK_BY_ALLOC && allocation->origin != MOCK_BY_MANAGED)
        return CUDA_ERROR_INVALID_VALUE;
    return cushim__mock_allocation_end(allocation);
}

MOCK_EXACT(MemGetInfo_v2)(size_t *free, size_t *total)
{
    struct mock_context *context;
    CUresult code = cushim__mock_memory_context(&context);

    cushim__mock_pools_collect();
    if (free)
        *free = code ? 0 : cushim__mock_allocation_left(context->device);
    if (total)
        *total = code ? 0 : cushim__mock->settings.memory_bytes;
    return code;
}

MOCK_EXACT(MemGetAddressRange_v2)(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
    const struct mock_allocation *allocation;
    struct mock_context *context;
    CUresult code;

    if (!pbase && !psize)
        return CUDA_SUCCESS;
    code = cushim__mock_memory_context(&context);
    allocation = code ? NULL : cushim__mock_allocation_at(dptr);
    if (pbase)
        *pbase = allocation ? allocation->span.start : 0;
    if (psize)
        *psize = allocation ? allocation->bytes : 0;
    return code || allocation ? code : CUDA_ERROR_NOT_FOUND;
}
