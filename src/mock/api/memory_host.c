/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page-locked memory of the host (statements 98 to 102): ordinary memory, found by its addresses.
 */
#include "src/mock/api/capture.h"
#include "src/mock/api/context.h"
#include "src/mock/api/memory.h"
#include "src/mock/call.h"
#include "src/mock/memory/allocation.h"

enum {
    ALLOC_FLAGS =
        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED,
    READ_ONLY = 8, /* CU_MEMHOSTREGISTER_READ_ONLY, which old headers lack */
    REGISTER_FLAGS = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | READ_ONLY,
};

static CUresult begin(struct cushim__context **context)
{
    CUresult code = cushim__context_current(context);

    if (code == CUDA_SUCCESS && cushim__capture_count > 0)
        code = cushim__capture_unsafe(true);
    return code;
}

/* With unified addresses all of it is mapped into the devices, whatever is asked for. */
static CUresult allocate(void **pp, size_t bytes, unsigned flags)
{
    struct cushim__allocation *allocation;
    struct cushim__context *context;
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
    code = cushim__allocation_create_host(context, CUSHIM__BY_HOST, NULL, bytes,
                                          flags | CU_MEMHOSTALLOC_DEVICEMAP, &allocation);
    if (code == CUDA_SUCCESS)
        *pp = allocation->host;
    return code;
}

CUSHIM__EXACT(MemAllocHost_v2)(void **pp, size_t bytesize)
{
    struct cushim__context *context;
    CUresult code = cushim__memory_context(&context);

    return code ? code : allocate(pp, bytesize, 0);
}

CUSHIM__EXACT(MemHostAlloc)(void **pp, size_t bytesize, unsigned int Flags)
{
    return allocate(pp, bytesize, Flags);
}

/* End what begins at `p`. It needs no context, but a current one has to be alive. */
static CUresult end(void *p, enum cushim__origin origin, CUresult not_found)
{
    struct cushim__allocation *allocation;
    struct cushim__context *context;
    CUresult code = cushim__context_top() ? cushim__context_current(&context) : CUDA_SUCCESS;

    if (code == CUDA_SUCCESS && cushim__capture_count > 0)
        code = cushim__capture_unsafe(true);
    if (code)
        return code;
    allocation = cushim__allocation_at((uintptr_t)p);
    if (!allocation)
        return not_found;
    if (allocation->host != p || allocation->origin != origin)
        return CUDA_ERROR_INVALID_VALUE;
    return cushim__allocation_end(allocation);
}

CUSHIM__EXACT(MemFreeHost)(void *p)
{
    return p ? end(p, CUSHIM__BY_HOST, CUDA_ERROR_INVALID_VALUE) : CUDA_SUCCESS;
}

CUSHIM__EXACT(MemHostRegister_v2)(void *p, size_t bytesize, unsigned int Flags)
{
    struct cushim__allocation *allocation;
    struct cushim__context *context;
    CUresult code = begin(&context);

    if (code)
        return code;
    if (!p || (Flags & ~(unsigned)REGISTER_FLAGS))
        return CUDA_ERROR_INVALID_VALUE;
    return cushim__allocation_create_host(
        context, CUSHIM__BY_REGISTER, p, bytesize,
        (Flags & CU_MEMHOSTREGISTER_PORTABLE) | CU_MEMHOSTREGISTER_DEVICEMAP, &allocation);
}

CUSHIM__EXACT(MemHostRegister)(void *p, size_t bytesize, unsigned int Flags)
{
    return cushim__mock_MemHostRegister_v2(p, bytesize, Flags);
}

CUSHIM__EXACT(MemHostUnregister)(void *p)
{
    return p ? end(p, CUSHIM__BY_REGISTER, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)
             : CUDA_ERROR_INVALID_VALUE;
}

/* The page-locked memory that an address lies in; NULL: it is something else. */
static struct cushim__allocation *find(const void *p)
{
    struct cushim__allocation *allocation = cushim__allocation_at((uintptr_t)p);

    return allocation && cushim__allocation_place(allocation) == CUSHIM__PINNED ? allocation : NULL;
}

CUSHIM__EXACT(MemHostGetDevicePointer_v2)(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
    struct cushim__context *context;
    CUresult code = cushim__memory_context(&context);

    if (code)
        return code;
    if (!pdptr)
        return CUDA_ERROR_INVALID_VALUE;
    *pdptr = Flags == 0 && find(p) ? (uintptr_t)p : 0;
    return *pdptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUSHIM__EXACT(MemHostGetFlags)(unsigned int *pFlags, void *p)
{
    const struct cushim__allocation *allocation = find(p);
    struct cushim__context *context;
    CUresult code;

    if (!pFlags)
        return CUDA_ERROR_INVALID_VALUE;
    code = cushim__context_current(&context);
    if (code)
        return code;
    if (!allocation)
        return CUDA_ERROR_INVALID_VALUE;
    *pFlags = allocation->flags;
    return CUDA_SUCCESS;
}
