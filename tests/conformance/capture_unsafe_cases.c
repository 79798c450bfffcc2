/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that a capture forbids depending on its mode, with objects from before the capture.
 * Statements 146, 202.
 */
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "graph.h"

/* The objects that the calls use, new for each call because some calls destroy them. */
struct things {
    CUmemoryPool pool, default_pool;
    CUdeviceptr managed, pooled;
    CUarray array;
    CUtexObject texture;
    CUsurfObject surface;
    void *registered;
    CUDA_RESOURCE_DESC resource;
};

enum { BYTES = 4096 };
static const CUDA_TEXTURE_DESC sampling;
static const CUmemPoolProps on_first_device = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                               .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};

static void begin_things(struct things *things, void *memory)
{
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = {.Width = 4,
                                                .Height = 4,
                                                .Format = CU_AD_FORMAT_UNSIGNED_INT8,
                                                .NumChannels = 1,
                                                .Flags = CUDA_ARRAY3D_SURFACE_LDST};

    *things = (struct things){.registered = memory};
    MUST(cu->DeviceGetDefaultMemPool(&things->default_pool, 0));
    MUST(cu->MemPoolCreate(&things->pool, &on_first_device));
    MUST(cu->MemAllocManaged(&things->managed, BYTES, CU_MEM_ATTACH_GLOBAL));
    MUST(cu->MemAllocAsync(&things->pooled, BYTES, NULL));
    MUST(cu->Array3DCreate_v2(&things->array, &descriptor));
    things->resource.resType = CU_RESOURCE_TYPE_ARRAY;
    things->resource.res.array.hArray = things->array;
    MUST(cu->TexObjectCreate(&things->texture, &things->resource, &sampling, NULL));
    MUST(cu->SurfObjectCreate(&things->surface, &things->resource));
    MUST(cu->MemHostRegister_v2(things->registered, BYTES, 0));
    MUST(cu->CtxSynchronize());
}

/* --- the calls --- */

static CUresult set_device_pool(struct things *things)
{
    return cu->DeviceSetMemPool(0, things->default_pool);
}

static CUresult set_location_pool(struct things *things)
{
    CUmemLocation location = on_first_device.location;

    return cu->MemSetMemPool(&location, CU_MEM_ALLOCATION_TYPE_PINNED, things->default_pool);
}

static CUresult set_pool_access(struct things *things)
{
    const CUmemAccessDesc access = {on_first_device.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

    return cu->MemPoolSetAccess(things->pool, &access, 1);
}

static CUresult get_pool_access(struct things *things)
{
    CUmemLocation location = on_first_device.location;
    CUmemAccess_flags access;

    return cu->MemPoolGetAccess(&access, things->pool, &location);
}

static CUresult destroy_pool(struct things *things)
{
    return cu->MemPoolDestroy(things->pool);
}

static CUresult allocate_from_pool(struct things *things)
{
    CUdeviceptr memory;

    return cu->MemAllocFromPoolAsync(&memory, BYTES, things->pool, NULL);
}

static CUresult free_in_legacy_stream(struct things *things)
{
    return cu->MemFreeAsync(things->pooled, NULL);
}

static CUresult free_nothing_in_legacy_stream(struct things *things)
{
    (void)things;
    return cu->MemFreeAsync(0, NULL);
}

static CUresult set_cache(struct things *things)
{
    (void)things;
    return cu->CtxSetCacheConfig(CU_FUNC_CACHE_PREFER_NONE);
}

static CUresult set_shared_memory(struct things *things)
{
    (void)things;
    return cu->CtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE);
}

static CUresult unregister(struct things *things)
{
    return cu->MemHostUnregister(things->registered);
}

static CUresult advise(struct things *things)
{
    return cu->MemAdvise(things->managed, BYTES, CU_MEM_ADVISE_SET_READ_MOSTLY, 0);
}

static CUresult create_texture(struct things *things)
{
    return cu->TexObjectCreate(&things->texture, &things->resource, &sampling, NULL);
}

static CUresult destroy_texture(struct things *things)
{
    return cu->TexObjectDestroy(things->texture);
}

static CUresult create_surface(struct things *things)
{
    return cu->SurfObjectCreate(&things->surface, &things->resource);
}

static CUresult destroy_surface(struct things *things)
{
    return cu->SurfObjectDestroy(things->surface);
}

static CUresult destroy_array(struct things *things)
{
    return cu->ArrayDestroy(things->array);
}

static CUresult start_profiler(struct things *things)
{
    (void)things;
    return cu->ProfilerStart();
}

static CUresult stop_profiler(struct things *things)
{
    (void)things;
    return cu->ProfilerStop();
}

static CUresult (*const calls[])(struct things *things) = {
    set_device_pool, set_location_pool,     set_pool_access,
    get_pool_access, destroy_pool,          allocate_from_pool,
    set_cache,       set_shared_memory,     unregister,
    advise,          create_texture,        destroy_texture,
    create_surface,  destroy_surface,       start_profiler,
    stop_profiler,   free_in_legacy_stream, free_nothing_in_legacy_stream,
    destroy_array,
};

MEASURED_CASE(202, global_mode_forbids_what_is_unsafe)
{
    static char memory[COUNT(calls)][BYTES] __attribute__((aligned(BYTES)));

    for (unsigned i = 0; i < COUNT(calls); i++) {
        CUstream stream = begin_stream();
        struct things things;
        CUgraph graph = NULL;
        CUresult code;

        begin_things(&things, memory[i]);
        capture_begin(stream, GLOBAL);
        CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, calls[i](&things));
        cu->StreamEndCapture(stream, &graph);
        /* This was not measured, so codes other than success are printed and not asserted. */
        capture_begin(stream, RELAXED);
        code = calls[i](&things);
        if (code != CUDA_SUCCESS)
            fprintf(stderr, "call %u in mode RELAXED: %d; ", i, (int)code);
        cu->StreamEndCapture(stream, &graph);
    }
}

/* --- the attributes of pools, which were measured in more detail --- */

static CUresult get_threshold(CUmemoryPool pool)
{
    cuuint64_t threshold;

    return cu->MemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
}

static CUresult set_threshold(CUmemoryPool pool)
{
    cuuint64_t threshold = UINT64_MAX;

    return cu->MemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
}

MEASURED_CASE(202, pool_attributes_follow_the_mode)
{
    CUresult (*const attributes[])(CUmemoryPool pool) = {get_threshold, set_threshold};
    CUstreamCaptureMode mode = RELAXED;
    CUstream stream = begin_stream();
    CUmemoryPool pool;

    for (unsigned i = 0; i < CAPTURE_MODES; i++) {
        const bool relaxed = capture_modes[i] == RELAXED;

        capture_begin(stream, capture_modes[i]);
        OK(cu->DeviceGetDefaultMemPool(&pool, 0));
        OK(cu->DeviceGetMemPool(&pool, 0));
        capture_end(stream);
        for (unsigned call = 0; call < COUNT(attributes); call++) {
            capture_begin(stream, capture_modes[i]);
            CODE(relaxed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                 attributes[call](pool));
            (relaxed ? capture_end : capture_invalidated)(stream);
        }
    }
    capture_begin(stream, GLOBAL);
    OK(cu->ThreadExchangeStreamCaptureMode(&mode));
    EQUAL(GLOBAL, mode);
    OK(get_threshold(pool));
    OK(cu->ThreadExchangeStreamCaptureMode(&mode));
    capture_end(stream);
}

/* Make a call in a new capture in mode GLOBAL, which the call may invalidate. */
#define CAPTURED_CODE(stream, want, call) \
    (capture_begin(stream, GLOBAL), CODE(want, call), (void)cu->StreamEndCapture(stream, &graph))

MEASURED_CASE(202, wrong_arguments_may_come_first)
{
    const CUresult unsupported = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    CUstream stream = begin_stream();
    CUdeviceptr memory;
    CUgraph graph;
    size_t pitch;

    CAPTURED_CODE(stream, CUDA_ERROR_INVALID_VALUE, cu->MemAllocPitch_v2(&memory, &pitch, 0, 0, 0));
    CAPTURED_CODE(stream, CUDA_ERROR_INVALID_VALUE, cu->MemAllocManaged(&memory, 0, 0));
    CAPTURED_CODE(stream, CUDA_ERROR_INVALID_HANDLE, cu->ArrayDestroy(NULL));
    CAPTURED_CODE(stream, CUDA_ERROR_INVALID_HANDLE, cu->ModuleUnload(NULL));
    CAPTURED_CODE(stream, CUDA_ERROR_INVALID_HANDLE, cu->EventQuery(NULL));
    CAPTURED_CODE(stream, CUDA_ERROR_INVALID_HANDLE, cu->EventSynchronize(NULL));
    CAPTURED_CODE(stream, unsupported,
                  cu->MemPoolSetAttribute(NULL, (CUmemPool_attribute)0, &pitch));
    CAPTURED_CODE(stream, unsupported, cu->MemPoolDestroy(NULL));
    CAPTURED_CODE(stream, unsupported, cu->GraphExecDestroy(NULL));
    CAPTURED_CODE(stream, unsupported, cu->TexObjectDestroy(0));
    CAPTURED_CODE(stream, unsupported, cu->SurfObjectDestroy(0));
    CAPTURED_CODE(stream, unsupported, cu->DeviceSetMemPool(0, NULL));
    CAPTURED_CODE(stream, unsupported, cu->MemAdvise(0, 0, (CUmem_advise)0, 0));
}
