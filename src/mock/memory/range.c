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

CUresult cushim__memory_context(struct cushim__context **context)
{
    CUresult code = cushim__context_current(context);

    if (code == CUDA_SUCCESS && (*context)->api_version < WIDE_ABI)
        code = CUDA_ERROR_INVALID_CONTEXT;
    return code;
}

bool cushim__memory_find(CUdeviceptr address, struct cushim__range *range)
{
    const struct cushim__allocation *allocation = cushim__allocation_at(address);

    if (!allocation)
        return false;
    *range = (struct cushim__range){
        .place = cushim__allocation_place(allocation),
        .start = allocation->span.start,
        .bytes = allocation->bytes,
        .context = allocation->context,
        .device = allocation->device,
        .host = allocation->host,
        .synchronous = allocation->synchronous,
    };
    return true;
}

bool cushim__memory_is_device(CUdeviceptr address)
{
    return cushim__allocation_is_device(address);
}

void *cushim__memory_host(CUdeviceptr address, size_t bytes)
{
    const struct cushim__allocation *allocation = cushim__allocation_behind(address);
    size_t offset;

    if (!allocation)
        return NULL;
    offset = address - allocation->span.start;
    return bytes <= allocation->bytes - offset ? allocation->host + offset : NULL;
}

CUresult cushim__memory_allocate(struct cushim__context *context, size_t bytes,
                                 CUdeviceptr *address)
{
    struct cushim__allocation *allocation;
    CUresult code = cushim__allocation_create(context, CUSHIM__BY_MODULE, bytes, &allocation);

    if (code == CUDA_SUCCESS)
        *address = allocation->span.start;
    return code;
}

CUresult cushim__memory_free(CUdeviceptr address)
{
    struct cushim__allocation *allocation = cushim__allocation_at(address);

    if (!allocation || allocation->span.start != address || allocation->origin != CUSHIM__BY_MODULE)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__allocation_destroy(allocation);
    return CUDA_SUCCESS;
}

CUresult cushim__allocation_end(struct cushim__allocation *allocation)
{
    const uint64_t start = allocation->span.start, id = allocation->id;
    CUresult code = cushim__engine_wait_context(allocation->context);

    if (code)
        return code;
    allocation = cushim__allocation_at(start);
    if (!allocation || allocation->id != id)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__allocation_destroy(allocation);
    return CUDA_SUCCESS;
}

void cushim__memory_forget(struct cushim__context *context)
{
    const struct cushim__arena *arena = context->device->arena;
    struct cushim__allocation *one, *next;

    for (one = arena ? cushim__arena_next(arena, NULL) : NULL; one; one = next) {
        next = cushim__arena_next(arena, one);
        /* What a stream gives back may be in one of another context. */
        if (one->context == context && !one->leaving)
            cushim__allocation_destroy(one);
    }
    for (one = cushim__allocation_next_host(NULL); one; one = next) {
        next = cushim__allocation_next_host(one);
        if (one->context == context)
            cushim__allocation_destroy(one);
    }
}

void cushim__memory_clear(void)
{
    struct cushim__allocation *one;

    while ((one = cushim__allocation_next_host(NULL)))
        cushim__allocation_destroy(one);
    cushim__pools_clear();
    for (unsigned i = 0; cushim__world->devices && i < cushim__world->settings.devices; i++) {
        cushim__arena_destroy(cushim__world->devices[i].arena);
        cushim__world->devices[i].arena = NULL;
    }
    cushim__world->allocations = 0;
}

size_t cushim__memory_used(void)
{
    size_t used = 0;

    for (unsigned i = 0; i < cushim__world->settings.devices; i++) {
        if (cushim__world->devices[i].arena)
            used += cushim__world->devices[i].arena->used;
    }
    return used;
}
