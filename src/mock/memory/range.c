/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, as the rest of the mock meets it. */
#include "src/mock/api/memory.h"

#include "src/mock/api/context.h"
#include "src/mock/api/pool.h"
#include "src/mock/core/device.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/memory/arena.h"
#include "src/mock/sim/sim.h"

/* From this version on addresses have 64 bits, as cuCtxGetApiVersion counts. */
enum { WIDE_ABI = 3020 };

CUresult cushim__mock_memory_context(struct mock_context **context)
{
    CUresult code = cushim__mock_context_current(context);

    if (code == CUDA_SUCCESS && (*context)->api_version < WIDE_ABI)
        code = CUDA_ERROR_INVALID_CONTEXT;
    return code;
}

bool cushim__mock_memory_find(CUdeviceptr address, struct mock_range *range)
{
    const struct mock_allocation *allocation = cushim__mock_allocation_at(address);

    if (!allocation)
        return false;
    *range = (struct mock_range){
        .place = cushim__mock_allocation_place(allocation),
        .start = allocation->span.start,
        .bytes = allocation->bytes,
        .context = allocation->context,
        .device = allocation->device,
        .host = allocation->host,
        .synchronous = allocation->synchronous,
    };
    return true;
}

bool cushim__mock_memory_is_device(CUdeviceptr address)
{
    return cushim__mock_allocation_is_device(address);
}

void *cushim__mock_memory_host(CUdeviceptr address, size_t bytes)
{
    const struct mock_allocation *allocation = cushim__mock_allocation_behind(address);
    size_t offset;

    if (!allocation)
        return NULL;
    offset = address - allocation->span.start;
    return bytes <= allocation->bytes - offset ? allocation->host + offset : NULL;
}

CUresult cushim__mock_memory_allocate(struct mock_context *context, size_t bytes,
                                      CUdeviceptr *address)
{
    struct mock_allocation *allocation;
    CUresult code = cushim__mock_allocation_create(context, MOCK_BY_MODULE, bytes, &allocation);

    if (code == CUDA_SUCCESS)
        *address = allocation->span.start;
    return code;
}

CUresult cushim__mock_memory_free(CUdeviceptr address)
{
    struct mock_allocation *allocation = cushim__mock_allocation_at(address);

    if (!allocation || allocation->span.start != address || allocation->origin != MOCK_BY_MODULE)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_allocation_destroy(allocation);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_allocation_end(struct mock_allocation *allocation)
{
    const uint64_t start = allocation->span.start, id = allocation->id;
    CUresult code = cushim__mock_sim_wait_context(allocation->context);

    if (code)
        return code;
    allocation = cushim__mock_allocation_at(start);
    if (!allocation || allocation->id != id)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_allocation_destroy(allocation);
    return CUDA_SUCCESS;
}

void cushim__mock_memory_forget(struct mock_context *context)
{
    const struct mock_arena *arena = context->device->arena;
    struct mock_allocation *one, *next;

    for (one = arena ? cushim__mock_arena_next(arena, NULL) : NULL; one; one = next) {
        next = cushim__mock_arena_next(arena, one);
        /* What a stream gives back may be in one of another context. */
        if (one->context == context && !one->leaving)
            cushim__mock_allocation_destroy(one);
    }
    for (one = cushim__mock_allocation_next_host(NULL); one; one = next) {
        next = cushim__mock_allocation_next_host(one);
        if (one->context == context)
            cushim__mock_allocation_destroy(one);
    }
}

void cushim__mock_memory_clear(void)
{
    struct mock_allocation *one;

    while ((one = cushim__mock_allocation_next_host(NULL)))
        cushim__mock_allocation_destroy(one);
    cushim__mock_pools_clear();
    for (unsigned i = 0; cushim__mock->devices && i < cushim__mock->settings.devices; i++) {
        cushim__mock_arena_destroy(cushim__mock->devices[i].arena);
        cushim__mock->devices[i].arena = NULL;
    }
    cushim__mock->allocations = 0;
}

size_t cushim__mock_memory_used(void)
{
    size_t used = 0;

    for (unsigned i = 0; i < cushim__mock->settings.devices; i++) {
        if (cushim__mock->devices[i].arena)
            used += cushim__mock->devices[i].arena->used;
    }
    return used;
}
