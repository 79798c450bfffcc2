/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that processes share (statements 86 and 87). */
#include <string.h>

#include "src/mock/api/api.h"
#include "src/mock/api/context.h"
#include "src/mock/api/memory.h"
#include "src/mock/core/device.h"
#include "src/mock/memory/arena.h"

/* What a CUipcMemHandle holds. */
struct handle {
    char magic[8];
    struct mock_shared_pages shared;
    uint64_t offset, bytes;
};

_Static_assert(sizeof(struct handle) <= sizeof(CUipcMemHandle), "it does not fit");

static const char magic[8] = "cuSHIMem";

/* Every allocation of cuMemAlloc() can be shared, found by any address in it. */
MOCK_EXACT(IpcGetMemHandle)(CUipcMemHandle *pHandle, CUdeviceptr dptr)
{
    struct handle handle = {.bytes = 0};
    struct mock_allocation *allocation;
    struct mock_context *context;
    size_t offset;
    CUresult code;

    if (!pHandle)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_memory_context(&context);
    if (code)
        return code;
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

MOCK_EXACT(IpcOpenMemHandle_v2)(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags)
{
    struct mock_allocation *allocation;
    struct mock_context *context;
    struct handle known;
    CUresult code;

    if (!pdptr)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_memory_context(&context);
    if (code)
        return code;
    memcpy(&known, &handle, sizeof known);
    if (Flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS ||
        memcmp(known.magic, magic, sizeof magic) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (cushim__mock_pages_are_own(&known.shared))
        return CUDA_ERROR_INVALID_CONTEXT;
    code = cushim__mock_import_open(context, context->device, &known.shared, known.offset,
                                    known.bytes, &allocation);
    if (code == CUDA_SUCCESS)
        *pdptr = allocation->span.start;
    return code;
}

MOCK_EXACT(IpcOpenMemHandle)(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags)
{
    return cushim__mock_IpcOpenMemHandle_v2(pdptr, handle, Flags);
}

MOCK_EXACT(IpcCloseMemHandle)(CUdeviceptr dptr)
{
    struct mock_allocation *allocation;
    struct mock_context *context;
    CUresult code = cushim__mock_memory_context(&context);

    if (code)
        return code;
    allocation = cushim__mock_allocation_at(dptr);
    if (!allocation || allocation->origin != MOCK_BY_IMPORT || allocation->span.start != dptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (!cushim__mock_import_close(allocation))
        return CUDA_SUCCESS;
    return cushim__mock_allocation_end(allocation);
}
