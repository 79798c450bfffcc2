/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations in the order of a stream (statements 121 to 125). */
#include "src/mock/api/pool.h"

#include "src/mock/api/capture.h"
#include "src/mock/api/context.h"
#include "src/mock/api/memory.h"
#include "src/mock/call.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/sim/sim.h"
#include "src/mock/sim/stream.h"
#include "src/race/clock.h"
#include "src/race/race_search.h"

/* An allocation as an operation of its stream: for the search for missing waits alone. */
struct making {
    struct cushim__operation operation;
    const struct cushim__allocation *allocation;
};

struct give_back {
    struct cushim__operation operation;
    struct cushim__leave *leave;
};

static void touch(const struct cushim__operation *operation, struct cushim__submission *submission)
{
    cushim__submission_whole(submission, ((const struct give_back *)operation)->leave->allocation,
                             CUSHIM__FREES);
}

/* Also if the work before it never comes to its end: then nothing uses the memory. */
static void drop(struct cushim__operation *operation)
{
    struct give_back *give_back = (struct give_back *)operation;

    if (give_back->leave)
        cushim__pool_left(give_back->leave);
}

static const struct cushim__operation_class give_back_class = {
    .name = "free",
    .size = sizeof(struct give_back),
    .node_type = (CUgraphNodeType)11, /* CU_GRAPH_NODE_TYPE_MEM_FREE, which old headers lack */
    .touch = touch,
    .drop = drop,
};

static void touch_made(const struct cushim__operation *operation,
                       struct cushim__submission *submission)
{
    cushim__submission_whole(submission, ((const struct making *)operation)->allocation,
                             CUSHIM__ALLOCATES);
}

static const struct cushim__operation_class making_class = {
    .name = "allocation",
    .size = sizeof(struct making),
    .touch = touch_made,
};

/* Who uses the memory comes after the allocation in its stream. */
static void note_made(struct cushim__stream *stream, CUdeviceptr address)
{
    struct making making = {.operation = {.class = &making_class},
                            .allocation = cushim__allocation_at(address)};

    if (!making.allocation)
        return;
    cushim__engine_number(stream, &making.operation);
    cushim__clock_release(making.operation.before);
}

/* The stream to allocate on. One that is captured is refused: graphs of the mock have no memory. */
static CUresult find_stream(CUstream handle, struct cushim__stream **stream)
{
    CUresult code = cushim__stream_find(handle, stream);

    if (code || cushim__capture_count == 0)
        return code;
    if (!(*stream)->capture)
        return cushim__capture_query_stream(*stream);
    cushim__mock_log("%s is not implemented while the stream is captured: CUDA_ERROR_NOT_SUPPORTED",
                     cushim__call_name());
    return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult allocate(CUdeviceptr *dptr, size_t bytes, struct cushim__pool *pool,
                         struct cushim__stream *stream)
{
    CUresult code = CUDA_ERROR_OUT_OF_MEMORY;

    if (!dptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (pool)
        code = cushim__pool_allocate(pool, bytes, stream->id, dptr);
    if (code == CUDA_SUCCESS)
        note_made(stream, *dptr);
    return code;
}

CUSHIM__APPROXIMATE(MemAllocAsync, "801 while the stream is captured")
(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
    struct cushim__device *device;
    struct cushim__stream *stream;
    CUresult code = find_stream(hStream, &stream);

    if (code)
        return code;
    device = stream->object.context->device;
    cushim__pool_default(device);
    return allocate(dptr, bytesize, device->pool, stream);
}

CUSHIM__APPROXIMATE(MemAllocFromPoolAsync, "801 while the stream is captured")
(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream)
{
    struct cushim__stream *stream;
    struct cushim__pool *from;
    CUresult code = find_stream(hStream, &stream);

    if (code == CUDA_SUCCESS)
        code = cushim__pool_find(pool, &from);
    return code ? code : allocate(dptr, bytesize, from, stream);
}

/* What is freed, if it is an allocation that can be freed in a stream. */
static CUresult find_freed(CUdeviceptr dptr, const struct cushim__stream *stream,
                           struct cushim__allocation **allocation)
{
    *allocation = cushim__allocation_at(dptr);
    /* A graph can free only what it, or another, has allocated. */
    if (stream->capture || !*allocation || (*allocation)->span.start != dptr)
        return CUDA_ERROR_INVALID_VALUE;
    switch ((*allocation)->origin) {
    case CUSHIM__BY_POOL:
    case CUSHIM__BY_ALLOC:
        return CUDA_SUCCESS;
    case CUSHIM__BY_MANAGED:
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUSHIM__APPROXIMATE(MemFreeAsync, "memory of cuMemAlloc a second time: 1, the driver 0")
(CUdeviceptr dptr, CUstream hStream)
{
    struct cushim__allocation *allocation;
    struct cushim__stream *stream;
    struct give_back *operation;
    CUresult code = cushim__stream_find(hStream, &stream);

    if (code || dptr == 0)
        return code;
    if (cushim__capture_count > 0)
        code = cushim__capture_legacy(stream);
    if (code == CUDA_SUCCESS)
        code = find_freed(dptr, stream, &allocation);
    if (code)
        return code;
    operation = cushim__operation_create(&give_back_class, CUSHIM__NO_UNIT, 0);
    if (!operation)
        return CUDA_ERROR_OUT_OF_MEMORY;
    /* The memory is given back by the end of the operation, so that must not be a refusal. */
    code = cushim__engine_reserve(stream, &operation->operation, 1);
    if (code == CUDA_SUCCESS) {
        operation->leave = cushim__pool_leave(allocation, stream->id);
        if (!operation->leave)
            code = CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (code == CUDA_SUCCESS)
        return cushim__engine_submit(stream, operation);
    cushim__operation_destroy(operation);
    return code;
}
