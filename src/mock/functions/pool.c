/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is allocated and freed in the order of a stream (driver-semantics.md #121 to #125).
 */
#include "src/mock/memory/pool.h"

#include "src/mock/context/context.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"
#include "src/mock/graph_exec/memory.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/stream/capture.h"
#include "src/mock/stream/stream.h"
#include "src/race/race.h"

/* An allocation as an operation of its stream, only for the race detector. */
struct making {
    struct mock_operation operation;
    const struct mock_allocation *allocation;
};

struct async_free {
    struct mock_operation operation;
    struct mock_leave *leave;
};

static void touch(const struct mock_operation *operation, struct race_access *access)
{
    const struct async_free *async_free = (const struct async_free *)operation;
    const struct race_memory memory = cushim__mock_allocation_race(async_free->leave->allocation);

    cushim__race_use_all(access, &memory, RACE_FREES);
}

/* If the operation is dropped, nothing uses the memory any longer, so it is freed, too. */
static void drop(struct mock_operation *operation)
{
    struct async_free *async_free = (struct async_free *)operation;

    if (async_free->leave)
        cushim__mock_pool_left(async_free->leave);
}

static const struct mock_operation_class async_free_class = {
    .name = "free",
    .size = sizeof(struct async_free),
    .node_type = CU_GRAPH_NODE_TYPE_MEM_FREE,
    .touch = touch,
    .drop = drop,
};

static void touch_made(const struct mock_operation *operation, struct race_access *access)
{
    const struct making *making = (const struct making *)operation;
    const struct race_memory memory = cushim__mock_allocation_race(making->allocation);

    cushim__race_use_all(access, &memory, RACE_ALLOCATES);
}

static const struct mock_operation_class making_class = {
    .name = "allocation",
    .size = sizeof(struct making),
    .touch = touch_made,
};

/* Order users of the memory after the allocation in its stream, for the race detector. */
static void note_made(struct mock_stream *stream, CUdeviceptr address)
{
    struct making making = {.operation = {.class = &making_class},
                            .allocation = cushim__mock_allocation_at(address)};

    if (!making.allocation)
        return;
    cushim__mock_sim_number(stream, &making.operation);
    cushim__race_clock_release(making.operation.before);
}

/* Allocate for a stream. `pool` is NULL if there was no memory for one. */
static CUresult allocate(CUdeviceptr *dptr, size_t bytes, struct mock_pool *pool,
                         struct mock_stream *stream)
{
    CUresult code = CUDA_ERROR_OUT_OF_MEMORY;

    if (!dptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (pool)
        code = cushim__mock_pool_allocate(pool, bytes, stream->id, dptr);
    if (code == CUDA_SUCCESS)
        note_made(stream, *dptr);
    return code;
}

static CUresult check_capture(struct mock_stream *stream)
{
    return cushim__mock_captures && !stream->capture ? cushim__mock_capture_query_stream(stream)
                                                     : CUDA_SUCCESS;
}

/* Add a node that allocates to the graph of a capture. The pool does not matter. */
static CUresult capture(CUdeviceptr *dptr, size_t bytes, const struct mock_device *device,
                        struct mock_stream *stream)
{
    const CUDA_MEM_ALLOC_NODE_PARAMS parameters = cushim__mock_memory_of_device(device, bytes);
    struct mock_operation *operation;
    CUresult code = cushim__mock_capture_check(stream);

    if (!dptr)
        return CUDA_ERROR_INVALID_VALUE;
    *dptr = 0;
    if (code || bytes == 0)
        return code;
    code = cushim__mock_memory_create(&parameters, &operation);
    if (code)
        return code;
    cushim__mock_memory_join(stream->capture->graph, operation);
    *dptr = cushim__mock_memory_address(operation);
    code = cushim__mock_capture_add(stream, operation);
    if (code)
        *dptr = 0;
    return code;
}

CUresult cushim__mock_MemAllocAsync(CUdeviceptr *dptr, size_t bytesize, struct mock_stream *stream)
{
    struct mock_device *device = stream->object.context->device;
    CUresult code = check_capture(stream);

    if (code)
        return code;
    if (stream->capture)
        return capture(dptr, bytesize, device, stream);
    cushim__mock_pool_default(device);
    return allocate(dptr, bytesize, device->pool, stream);
}

CUresult cushim__mock_MemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
                                            struct mock_stream *stream)
{
    struct mock_pool *from;
    CUresult code = check_capture(stream);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_pool_find(pool, &from);
    if (code == CUDA_SUCCESS && from->imported)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code)
        return code;
    return stream->capture ? capture(dptr, bytesize, from->device, stream)
                           : allocate(dptr, bytesize, from, stream);
}

/* Find the allocation to free, if it can be freed in a stream. */
static CUresult find_freed(CUdeviceptr dptr, struct mock_allocation **allocation)
{
    *allocation = cushim__mock_allocation_at(dptr);
    if (!*allocation || (*allocation)->span.start != dptr)
        return CUDA_ERROR_INVALID_VALUE;
    switch ((*allocation)->origin) {
    case MOCK_BY_POOL:
    case MOCK_BY_ALLOC:
    case MOCK_BY_GRAPH:
        return CUDA_SUCCESS;
    case MOCK_BY_IMPORT:
        return (*allocation)->pool ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case MOCK_BY_MANAGED:
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* A graph can free only memory that it or another graph allocates. */
static CUresult capture_free(CUdeviceptr dptr, struct mock_stream *stream)
{
    struct mock_operation *operation;
    CUresult code = cushim__mock_capture_check(stream);

    if (code == CUDA_SUCCESS)
        code = cushim__mock_memory_free_operation(dptr, &operation);
    if (code)
        return code;
    code = cushim__mock_memory_join(stream->capture->graph, operation);
    if (code == CUDA_SUCCESS)
        return cushim__mock_capture_add(stream, operation);
    cushim__mock_operation_destroy(operation);
    return code;
}

static CUresult free_of_graph(struct mock_allocation *allocation, struct mock_stream *stream)
{
    struct mock_operation *operation;
    CUresult code = cushim__mock_memory_free_operation(allocation->span.start, &operation);

    if (code)
        return code;
    code = cushim__mock_sim_reserve(stream, operation, 1);
    if (code) {
        cushim__mock_operation_destroy(operation);
        return code;
    }
    /* The operation keeps the memory, which the program has freed from here on. */
    cushim__mock_memory_end(allocation);
    return cushim__mock_stream_submit(stream, operation);
}

CUresult cushim__mock_MemFreeAsync(CUdeviceptr dptr, struct mock_stream *stream)
{
    struct mock_allocation *allocation;
    struct async_free *operation;
    CUresult code = stream->kind == MOCK_LEGACY && cushim__mock_captures
                        ? cushim__mock_capture_query_stream(stream)
                        : CUDA_SUCCESS;

    if (code || dptr == 0)
        return code;
    if (stream->capture)
        return capture_free(dptr, stream);
    code = find_freed(dptr, &allocation);
    if (code)
        return code;
    if (allocation->graph)
        return free_of_graph(allocation, stream);
    operation = cushim__mock_operation_create(&async_free_class, MOCK_NO_UNIT, 0);
    if (!operation)
        return CUDA_ERROR_OUT_OF_MEMORY;
    /* The end of the operation frees the memory, so submitting it must not fail after this. */
    code = cushim__mock_sim_reserve(stream, &operation->operation, 1);
    if (code == CUDA_SUCCESS) {
        operation->leave = cushim__mock_pool_leave(allocation, stream->id);
        if (!operation->leave)
            code = CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (code == CUDA_SUCCESS)
        return cushim__mock_stream_submit(stream, operation);
    cushim__mock_operation_destroy(operation);
    return code;
}

/* Memory of pools that processes share (driver-semantics.md #224 and #225). */

CUresult cushim__mock_MemPoolExportPointer(CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr)
{
    struct mock_allocation *allocation = cushim__mock_allocation_at(ptr);

    if (!allocation || allocation->span.start != ptr)
        return CUDA_ERROR_INVALID_VALUE;
    return cushim__mock_pool_export_pointer(allocation, shareData_out);
}

CUresult cushim__mock_MemPoolImportPointer(CUdeviceptr *ptr_out, struct mock_pool *pool,
                                           CUmemPoolPtrExportData *shareData)
{
    return cushim__mock_pool_import_pointer(pool, shareData, ptr_out);
}
