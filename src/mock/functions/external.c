/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of other interfaces, such as Vulkan, imported by file descriptor (driver-semantics.md
 * #230). On the mock it is a file in memory. The mock has no external semaphores.
 */
#include <stdlib.h>

#include "src/mock/context/context.h"
#include "src/mock/copy/array.h"
#include "src/mock/functions/functions.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/memory/pages.h"
#include "src/mock/sim/sim.h"

/* Types of handles that some headers lack. */
enum { DMABUF_FD = 9, TIMELINE_SEMAPHORE_WIN32 = 10 };

struct mock_external {
    struct mock_object object;
    int file;
    size_t bytes;
};

static void drop(void *object)
{
    const struct mock_external *external = object;

    cushim__mock_pages_close(external->file);
    free(object);
}

static CUresult check(const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *of)
{
    if ((int)of->type < CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD || (int)of->type > DMABUF_FD ||
        of->size == 0 || of->flags & ~(unsigned)CUDA_EXTERNAL_MEMORY_DEDICATED ||
        ((int)of->type == DMABUF_FD && of->handle.fd < 0))
        return CUDA_ERROR_INVALID_VALUE;
    if (of->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (cushim__mock_file_bytes(of->handle.fd) > 0)
        return CUDA_SUCCESS;
    /* The driver closes a descriptor that it does not know. */
    if (of->handle.fd >= 0)
        cushim__mock_pages_close(of->handle.fd);
    return CUDA_ERROR_UNKNOWN;
}

/* The driver owns the descriptor from here on. */
CUresult cushim__mock_ImportExternalMemory(struct mock_context *current,
                                           struct mock_external **external,
                                           const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc)
{
    struct mock_external *made;
    CUresult code = check(memHandleDesc);

    if (code)
        return code;
    made = cushim__mock_object_create(sizeof *made, MOCK_EXTERNAL,
                                      cushim__mock_context_space(current), drop);
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->file = memHandleDesc->handle.fd;
    made->bytes = cushim__mock_file_bytes(made->file);
    if (memHandleDesc->size < made->bytes)
        made->bytes = (size_t)memHandleDesc->size;
    *external = made;
    return CUDA_SUCCESS;
}

static CUresult map(const struct mock_external *external, unsigned long long offset,
                    unsigned long long bytes, struct mock_allocation **allocation)
{
    struct mock_context *context = external->object.context;
    const size_t room = (size_t)(offset + bytes);
    void *pages;
    CUresult code;

    if (bytes == 0 || offset > external->bytes || bytes > external->bytes - offset)
        return CUDA_ERROR_INVALID_VALUE;
    pages = cushim__mock_file_map(external->file, room);
    if (!pages)
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = cushim__mock_import_external(context, context->device, pages, room, (size_t)offset,
                                        (size_t)bytes, allocation);
    if (code)
        cushim__mock_pages_lose(pages, room);
    return code;
}

CUresult
cushim__mock_ExternalMemoryGetMappedBuffer(CUdeviceptr *devPtr,
                                           const struct mock_external *external,
                                           const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc)
{
    struct mock_allocation *allocation;
    CUresult code;

    for (size_t i = 0; i < sizeof bufferDesc->reserved / sizeof *bufferDesc->reserved; i++) {
        if (bufferDesc->reserved[i] != 0)
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (bufferDesc->flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    code = map(external, bufferDesc->offset, bufferDesc->size, &allocation);
    if (code == CUDA_SUCCESS)
        *devPtr = allocation->span.start;
    return code;
}

CUresult cushim__mock_ExternalMemoryGetMappedMipmappedArray(
    struct mock_mipmap **mipmap, const struct mock_external *external,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *mipmapDesc)
{
    struct mock_allocation *allocation;
    CUresult code = cushim__mock_array_check(&mipmapDesc->arrayDesc, true);

    if (code == CUDA_SUCCESS && mipmapDesc->offset >= external->bytes)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        code = map(external, mipmapDesc->offset, external->bytes - mipmapDesc->offset, &allocation);
    if (code)
        return code;
    code = cushim__mock_mipmap_create(external->object.context, &mipmapDesc->arrayDesc,
                                      mipmapDesc->numLevels, allocation, mipmap);
    if (code)
        cushim__mock_allocation_destroy(allocation);
    return code;
}

/* Buffers and arrays that are mapped outlive it. */
CUresult cushim__mock_DestroyExternalMemory(struct mock_external *external)
{
    cushim__mock_object_remove(external);
    drop(external);
    return CUDA_SUCCESS;
}

CUresult
cushim__mock_ImportExternalSemaphore(const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *semHandleDesc)
{
    const int type = (int)semHandleDesc->type;

    return type < CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD || type > TIMELINE_SEMAPHORE_WIN32 ||
                   semHandleDesc->flags != 0
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_ERROR_NOT_SUPPORTED;
}

/* Also cuWaitExternalSemaphoresAsync. No semaphore can have been imported. */
CUresult cushim__mock_SignalExternalSemaphoresAsync(void)
{
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cushim__mock_DestroyExternalSemaphore(void)
{
    return CUDA_ERROR_INVALID_VALUE;
}
