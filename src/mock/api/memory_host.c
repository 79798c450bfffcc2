/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page-locked memory of the host (statements 98 to 102): ordinary memory, found by its addresses.
 */
#include "src/mock/api/api.h"
#include "src/mock/api/capture.h"
#include "src/mock/api/context.h"
#include "src/mock/api/memory.h"
#include "src/mock/memory/allocation.h"

enum {
    ALLOC_FLAGS =
        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED,
    READ_ONLY = 8, /* CU_MEMHOSTREGISTER_READ_ONLY, which old headers lack */
    REGISTER_FLAGS = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | READ_ONLY,
};

static CUresult begin(struct mock_context **context)
{
    CUresult code = cushim__mock_context_current(context);

    if (code == CUDA_SUCCESS && cushim__mock_capture_count > 0)
        code = cushim__mock_capture_unsafe(true);
    return code;
}

/* With unified addresses all of it is mapped into the devices, whatever is asked for. */
static CUresult allocate(void **pp, size_t bytes, unsigned flags)
{
    struct mock_allocation *allocation;
    struct mock_context *context;
    CUresult code = begin(&context);

    if (code)
        return code;
    if (!pp)
        return CUDA_ERROR_INVALID_VALUE;
    *pp = NULL;
    if (flags & ~(unsigned)ALLOC_FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    if (bytes == 0)
        return CUDA_SUCCESS;
    code = cushim__mock_allocation_create_host(context, context->device, MOCK_BY_HOST, NULL, bytes,
                                               flags | CU_MEMHOSTALLOC_DEVICEMAP, &allocation);
    if (code == CUDA_SUCCESS)
        *pp = allocation->host;
    return code;
}

MOCK_EXACT(MemAllocHost_v2)(void **pp, size_t bytesize)
{
    struct mock_context *context;
    CUresult code = cushim__mock_memory_context(&context);

    return code ? code : allocate(pp, bytesize, 0);
}

MOCK_EXACT(MemHostAlloc)(void **pp, size_t bytesize, unsigned int Flags)
{
    return allocate(pp, bytesize, Flags);
}

/* End what begins at `p`. It needs no context, but a current one has to be alive. */
static CUresult end(void *p, enum mock_origin origin, CUresult not_found)
{
    struct mock_allocation *allocation;
    struct mock_context *context;
    CUresult code =
        cushim__mock_context_top() ? cushim__mock_context_current(&context) : CUDA_SUCCESS;

    if (code == CUDA_SUCCESS && cushim__mock_capture_count > 0)
        code = cushim__mock_capture_unsafe(true);
    if (code)
        return code;
    allocation = cushim__mock_allocation_at((uintptr_t)p);
    if (!allocation)
        return not_found;
    if (allocation->host != p || allocation->origin != origin)
        return CUDA_ERROR_INVALID_VALUE;
    return cushim__mock_allocation_end(allocation);
}

MOCK_EXACT(MemFreeHost)(void *p)
{
    return p ? end(p, MOCK_BY_HOST, CUDA_ERROR_INVALID_VALUE) : CUDA_SUCCESS;
}

MOCK_EXACT(MemHostRegister_v2)(void *p, size_t bytesize, unsigned int Flags)
{
    struct mock_allocation *allocation;
    struct mock_context *context;
    CUresult code = begin(&context);

    if (code)
        return code;
    if (!p || (Flags & ~(unsigned)REGISTER_FLAGS))
        return CUDA_ERROR_INVALID_VALUE;
    return cushim__mock_allocation_create_host(
        context, context->device, MOCK_BY_REGISTER, p, bytesize,
        (Flags & CU_MEMHOSTREGISTER_PORTABLE) | CU_MEMHOSTREGISTER_DEVICEMAP, &allocation);
}

MOCK_EXACT(MemHostRegister)(void *p, size_t bytesize, unsigned int Flags)
{
    return cushim__mock_MemHostRegister_v2(p, bytesize, Flags);
}

MOCK_EXACT(MemHostUnregister)(void *p)
{
    return p ? end(p, MOCK_BY_REGISTER, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)
             : CUDA_ERROR_INVALID_VALUE;
}

/* The page-locked memory that an address lies in; NULL: it is something else. */
static struct mock_allocation *find(const void *p)
{
    struct mock_allocation *allocation = cushim__mock_allocation_at((uintptr_t)p);

    return allocation && cushim__mock_allocation_place(allocation) == MOCK_PINNED ? allocation
                                                                                  : NULL;
}

MOCK_EXACT(MemHostGetDevicePointer_v2)(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
    struct mock_context *context;
    CUresult code = cushim__mock_memory_context(&context);

    if (code)
        return code;
    if (!pdptr)
        return CUDA_ERROR_INVALID_VALUE;
    *pdptr = Flags == 0 && find(p) ? (uintptr_t)p : 0;
    return *pdptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

MOCK_EXACT(MemHostGetFlags)(unsigned int *pFlags, void *p)
{
    const struct mock_allocation *allocation = find(p);
    struct mock_context *context;
    CUresult code;

    if (!pFlags)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__mock_context_current(&context);
    if (code)
        return code;
    if (!allocation)
        return CUDA_ERROR_INVALID_VALUE;
    *pFlags = allocation->flags;
    return CUDA_SUCCESS;
}
