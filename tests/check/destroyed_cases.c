/* SPDX-License-Identifier: Apache-2.0 */
/* Every type of object: use after destruction, and double destruction. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "tests/check/answers.h"
#include "tests/check/cases.h"
#include "tests/check/order_objects.h"

/*
 * Three programs, from the calls that create, use and destroy an object, and the code of check or
 * the mock for the misuse.
 */
#define PROGRAMS(object, type, used, ended)        \
    static void object##_is_used(void)             \
    {                                              \
        type made = make_##object();               \
                                                   \
        OK(use_##object(made));                    \
        OK(end_##object(made));                    \
    }                                              \
                                                   \
    static void destroyed_##object##_is_used(void) \
    {                                              \
        type made = make_##object();               \
                                                   \
        OK(end_##object(made));                    \
        MISUSE(used, use_##object(made));          \
    }                                              \
                                                   \
    static void object##_is_destroyed_twice(void)  \
    {                                              \
        type made = make_##object();               \
                                                   \
        OK(end_##object(made));                    \
        MISUSE(ended, end_##object(made));         \
    }

static CUmodule make_module(void)
{
    CUmodule module;

    OK(driver->ModuleLoadData(&module, check_image));
    return module;
}

static CUresult use_module(CUmodule module)
{
    CUfunction function;

    return driver->ModuleGetFunction(&function, module, "cushim_spin");
}

static CUresult end_module(CUmodule module)
{
    return driver->ModuleUnload(module);
}

static CUlibrary make_library(void)
{
    CUlibrary library;

    OK(driver->LibraryLoadData(&library, check_image, NULL, NULL, 0, NULL, NULL, 0));
    return library;
}

static CUresult use_library(CUlibrary library)
{
    CUkernel kernel;

    return driver->LibraryGetKernel(&kernel, library, "cushim_spin");
}

static CUresult end_library(CUlibrary library)
{
    return driver->LibraryUnload(library);
}

static CUgraph make_graph(void)
{
    CUgraph graph;

    OK(driver->GraphCreate(&graph, 0));
    return graph;
}

static CUresult use_graph(CUgraph graph)
{
    size_t count;

    return driver->GraphGetNodes(graph, NULL, &count);
}

static CUresult end_graph(CUgraph graph)
{
    return driver->GraphDestroy(graph);
}

static CUgraphExec make_exec(void)
{
    CUgraph graph = make_graph();
    CUgraphExec exec;

    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    OK(driver->GraphDestroy(graph));
    return exec;
}

static CUresult use_exec(CUgraphExec exec)
{
    return driver->GraphUpload(exec, order_streams[0]);
}

static CUresult end_exec(CUgraphExec exec)
{
    return driver->GraphExecDestroy(exec);
}

static CUarray make_array(void)
{
    const CUDA_ARRAY_DESCRIPTOR described = {
        .Width = 64, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    CUarray array;

    OK(driver->ArrayCreate_v2(&array, &described));
    return array;
}

static CUresult use_array(CUarray array)
{
    return driver->MemcpyDtoA_v2(array, 0, order_memory, 64);
}

static CUresult end_array(CUarray array)
{
    return driver->ArrayDestroy(array);
}

static CUmipmappedArray make_mipmapped(void)
{
    const CUDA_ARRAY3D_DESCRIPTOR described = {
        .Width = 64, .Height = 64, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    CUmipmappedArray mipmapped;

    OK(driver->MipmappedArrayCreate(&mipmapped, &described, 2));
    return mipmapped;
}

static CUresult use_mipmapped(CUmipmappedArray mipmapped)
{
    CUarray level;

    return driver->MipmappedArrayGetLevel(&level, mipmapped, 0);
}

static CUresult end_mipmapped(CUmipmappedArray mipmapped)
{
    return driver->MipmappedArrayDestroy(mipmapped);
}

static CUtexObject make_texture(void)
{
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR,
                                         .res.linear = {.devPtr = order_memory,
                                                        .format = CU_AD_FORMAT_UNSIGNED_INT8,
                                                        .numChannels = 1,
                                                        .sizeInBytes = ORDER_BYTES}};
    const CUDA_TEXTURE_DESC described = {.flags = CU_TRSF_READ_AS_INTEGER};
    CUtexObject texture;

    OK(driver->TexObjectCreate(&texture, &resource, &described, NULL));
    return texture;
}

static CUresult use_texture(CUtexObject texture)
{
    CUDA_RESOURCE_DESC resource;

    return driver->TexObjectGetResourceDesc(&resource, texture);
}

static CUresult end_texture(CUtexObject texture)
{
    return driver->TexObjectDestroy(texture);
}

static CUmemoryPool make_pool(void)
{
    const CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                       .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemoryPool pool;

    OK(driver->MemPoolCreate(&pool, &properties));
    return pool;
}

static CUresult use_pool(CUmemoryPool pool)
{
    return driver->MemPoolTrimTo(pool, 0);
}

static CUresult end_pool(CUmemoryPool pool)
{
    return driver->MemPoolDestroy(pool);
}

static CUmemGenericAllocationHandle make_physical(void)
{
    const CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemGenericAllocationHandle physical;

    OK(driver->MemCreate(&physical, (size_t)2 << 20, &properties, 0));
    return physical;
}

static CUresult use_physical(CUmemGenericAllocationHandle physical)
{
    CUmemAllocationProp properties;

    return driver->MemGetAllocationPropertiesFromHandle(&properties, physical);
}

static CUresult end_physical(CUmemGenericAllocationHandle physical)
{
    return driver->MemRelease(physical);
}

static CUcontext make_context(void)
{
    CUcontext context, popped;

    OK(driver->CtxCreate_v2(&context, 0, 0));
    OK(driver->CtxPopCurrent_v2(&popped));
    return context;
}

static CUresult use_context(CUcontext context)
{
    CUcontext popped;
    const CUresult code = driver->CtxPushCurrent_v2(context);

    if (code == CUDA_SUCCESS)
        driver->CtxPopCurrent_v2(&popped);
    return code;
}

static CUresult end_context(CUcontext context)
{
    return driver->CtxDestroy_v2(context);
}

PROGRAMS(module, CUmodule, CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_HANDLE)
PROGRAMS(library, CUlibrary, CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_HANDLE)
PROGRAMS(graph, CUgraph, CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_HANDLE)
PROGRAMS(exec, CUgraphExec, CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_HANDLE)
PROGRAMS(array, CUarray, CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_HANDLE)
PROGRAMS(mipmapped, CUmipmappedArray, CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_HANDLE)
PROGRAMS(texture, CUtexObject, CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_HANDLE)
PROGRAMS(pool, CUmemoryPool, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE)
PROGRAMS(physical, CUmemGenericAllocationHandle, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE)
PROGRAMS(context, CUcontext, CUDA_SUCCESS, CUDA_ERROR_CONTEXT_IS_DESTROYED)

#define CASES(id, object, needs)                                                           \
    {id, #object, destroyed_##object##_is_used, object##_is_used, CASE_OBJECTS | (needs)}, \
    {                                                                                      \
        "CUSHIM-destroyed-twice", #object, object##_is_destroyed_twice, object##_is_used,  \
            CASE_OBJECTS | (needs)                                                         \
    }

const struct check_case check_destroyed_cases[] = {
    CASES("CUSHIM-module-destroyed", module, 0),
    CASES("CUSHIM-module-destroyed", library, 0),
    CASES("CUSHIM-graph-destroyed", graph, 0),
    CASES("CUSHIM-graph-destroyed", exec, 0),
    CASES("CUSHIM-handle-destroyed", array, 0),
    CASES("CUSHIM-handle-destroyed", mipmapped, CASE_GPU),
    CASES("CUSHIM-handle-destroyed", texture, 0),
    CASES("CUSHIM-handle-destroyed", pool, 0),
    CASES("CUSHIM-handle-destroyed", physical, 0),
    CASES("CUSHIM-context-destroyed", context, 0),
    {NULL, NULL, NULL, NULL, 0},
};
