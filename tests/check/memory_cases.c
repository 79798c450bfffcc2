/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "tests/check/answers.h"
#include "tests/check/cases.h"
#include "tests/support/structs.h"

enum { BYTES = 4096, ROW = 64, ROWS = BYTES / ROW };

static char host[2 * BYTES];

static CUdeviceptr allocate(void)
{
    CUdeviceptr memory;

    OK(driver->MemAlloc_v2(&memory, BYTES));
    return memory;
}

static CUdeviceptr allocate_freed(void)
{
    CUdeviceptr memory = allocate();

    OK(driver->MemFree_v2(memory));
    return memory;
}

/* --- arguments of kernels --- */

/* Launch a kernel with a struct that contains these addresses. */
static CUresult launch_with(CUdeviceptr one, CUdeviceptr other)
{
    struct {
        uint64_t number;
        CUdeviceptr one, other;
    } box = {7, one, other};
    unsigned n = 1;
    void *arguments[] = {&n, &box};
    CUfunction function;
    CUmodule module;
    CUresult code;

    OK(driver->ModuleLoadData(&module, check_image));
    OK(driver->ModuleGetFunction(&function, module, "cushim_unused"));
    code = driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
    OK(driver->CtxSynchronize());
    OK(driver->ModuleUnload(module));
    return code;
}

static void kernel_is_given_freed_memory(void)
{
    const CUdeviceptr memory = allocate(), freed = allocate_freed();

    MISUSE(CUDA_SUCCESS, launch_with(memory, freed + 100));
    OK(driver->MemFree_v2(memory));
}

static void kernel_is_given_memory(void)
{
    const CUdeviceptr memory = allocate();
    CUdeviceptr again;

    OK(launch_with(memory + 100, (uintptr_t)host));
    OK(driver->MemFree_v2(memory));
    again = allocate();
    OK(launch_with(again, memory)); /* both are the new allocation */
    OK(driver->MemFree_v2(again));
}

/* --- freed --- */

static void freed_memory_is_set(void)
{
    MISUSE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD8_v2(allocate_freed(), 0, BYTES));
}

static void middle_of_freed_memory_is_copied_to(void)
{
    MISUSE(CUDA_ERROR_INVALID_VALUE, driver->MemcpyHtoD_v2(allocate_freed() + 100, host, 8));
}

static void freed_memory_is_copied_from(void)
{
    CUdeviceptr memory = allocate();

    MISUSE(CUDA_ERROR_INVALID_VALUE, driver->MemcpyDtoD_v2(memory, allocate_freed(), BYTES));
    OK(driver->MemFree_v2(memory));
}

static void freed_memory_is_copied_from_by_a_unified_address(void)
{
    MISUSE(CUDA_ERROR_INVALID_VALUE, driver->Memcpy((uintptr_t)host, allocate_freed(), BYTES));
}

static CUDA_MEMCPY2D rows_to(CUdeviceptr memory)
{
    return (CUDA_MEMCPY2D){FROM_HOST(host, ROW), TO_DEVICE(memory, ROW), .WidthInBytes = ROW,
                           .Height = ROWS};
}

static void rows_are_copied_to_freed_memory(void)
{
    const CUDA_MEMCPY2D copy = rows_to(allocate_freed());

    MISUSE(CUDA_ERROR_INVALID_VALUE, driver->Memcpy2D_v2(&copy));
}

static void memory_is_set_and_copied(void)
{
    const CUdeviceptr memory = allocate(), other = allocate();
    CUDA_MEMCPY2D rows = rows_to(memory);
    CUDA_MEMCPY3D box = {
        FROM_DEVICE(memory, ROW), .srcHeight = ROWS / 2, .srcZ = 1, TO_HOST(host, 0),
        .WidthInBytes = ROW,      .Height = ROWS / 2,    .Depth = 1};

    OK(driver->MemsetD8_v2(memory, 1, BYTES));
    OK(driver->MemsetD32_v2(memory + 4, 1, BYTES / 4 - 1));
    OK(driver->MemsetD2D16_v2(memory, ROW, 1, ROW / 2, ROWS));
    OK(driver->MemcpyHtoD_v2(memory + 1, host, BYTES - 1));
    OK(driver->MemcpyDtoD_v2(other, memory, BYTES));
    OK(driver->Memcpy(other, memory, BYTES));
    OK(driver->Memcpy2D_v2(&rows));
    rows.dstY = ROWS - 1;
    rows.dstXInBytes = 1;
    rows.WidthInBytes = ROW - 1;
    rows.Height = 1;
    OK(driver->Memcpy2D_v2(&rows));
    OK(driver->Memcpy3D_v2(&box));
    OK(driver->MemFree_v2(memory));
    OK(driver->MemFree_v2(other));
}

/* Memory that is no longer page-locked still belongs to the program. */
static void unregistered_memory_is_copied_from(void)
{
    const CUdeviceptr memory = allocate();

    OK(driver->MemHostRegister_v2(host, sizeof host, 0));
    OK(driver->MemHostUnregister(host));
    OK(driver->MemcpyHtoD_v2(memory, host, BYTES));
    OK(driver->Memcpy(memory, (uintptr_t)host, BYTES));
    OK(driver->MemFree_v2(memory));
}

/* --- freed twice --- */

static void memory_is_freed_twice(void)
{
    MISUSE(CUDA_ERROR_INVALID_VALUE, driver->MemFree_v2(allocate_freed()));
}

static void pooled_memory_is_freed_twice(void)
{
    CUdeviceptr memory;

    OK(driver->MemAllocAsync(&memory, BYTES, NULL));
    OK(driver->MemFreeAsync(memory, NULL));
    MISUSE(CUDA_ERROR_INVALID_VALUE, driver->MemFreeAsync(memory, NULL));
    OK(driver->CtxSynchronize());
}

static void page_locked_memory_is_freed_twice(void)
{
    void *memory;

    OK(driver->MemAllocHost_v2(&memory, BYTES));
    OK(driver->MemFreeHost(memory));
    MISUSE(CUDA_ERROR_INVALID_VALUE, driver->MemFreeHost(memory));
}

static void memory_is_freed_and_allocated_again(void)
{
    CUdeviceptr memory;
    void *locked;

    for (int i = 0; i < 3; i++) {
        OK(driver->MemFree_v2(allocate()));
        OK(driver->MemAllocAsync(&memory, BYTES, NULL));
        OK(driver->MemsetD8Async(memory, 0, BYTES, NULL));
        OK(driver->MemFreeAsync(memory, NULL));
        OK(driver->MemAllocHost_v2(&locked, BYTES));
        OK(driver->MemFreeHost(locked));
    }
    OK(driver->CtxSynchronize());
}

static void memory_outlives_its_context(void)
{
    CUcontext context;
    CUdeviceptr memory;

    OK(driver->CtxCreate_v2(&context, 0, 0));
    memory = allocate();
    OK(driver->CtxDestroy_v2(context));
    MISUSE(CUDA_ERROR_INVALID_VALUE, driver->MemFree_v2(memory));
}

static void memory_ends_before_its_context(void)
{
    CUcontext context;

    OK(driver->CtxCreate_v2(&context, 0, 0));
    allocate_freed();
    OK(driver->CtxDestroy_v2(context));
}

/* --- bounds --- */

static void elements_are_counted_as_bytes(void)
{
    const CUdeviceptr memory = allocate();

    MISUSE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD32_v2(memory, 0, BYTES));
    OK(driver->MemFree_v2(memory));
}

static void copy_begins_too_far_behind(void)
{
    const CUdeviceptr memory = allocate();

    MISUSE(CUDA_ERROR_INVALID_VALUE, driver->MemcpyDtoH_v2(host, memory + 1, BYTES));
    OK(driver->MemFree_v2(memory));
}

static void rows_reach_beyond(void)
{
    const CUdeviceptr memory = allocate();
    CUDA_MEMCPY2D copy = rows_to(memory);

    copy.dstY = 1;
    MISUSE(CUDA_ERROR_INVALID_VALUE, driver->Memcpy2D_v2(&copy));
    OK(driver->MemFree_v2(memory));
}

/* Without a pitch, rows are adjacent: here 64 bytes apart. */
static void rows_without_pitch_reach_beyond(void)
{
    const CUdeviceptr memory = allocate();
    CUDA_MEMCPY2D copy = rows_to(memory);

    copy.dstPitch = 0;
    copy.dstXInBytes = 1;
    copy.WidthInBytes = ROW - 1;
    OK(driver->Memcpy2D_v2(&copy));
    copy.dstY = 1;
    MISUSE(CUDA_ERROR_INVALID_VALUE, driver->Memcpy2D_v2(&copy));
    OK(driver->MemFree_v2(memory));
}

static void rows_are_set_beyond(void)
{
    const CUdeviceptr memory = allocate();

    MISUSE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD2D8_v2(memory, ROW, 0, ROW, ROWS + 1));
    OK(driver->MemFree_v2(memory));
}

static void box_reaches_beyond(void)
{
    const CUdeviceptr memory = allocate();
    const CUDA_MEMCPY3D copy = {
        FROM_DEVICE(memory, ROW), .srcHeight = ROWS, .srcZ = 1, TO_HOST(host, 0),
        .WidthInBytes = ROW,      .Height = 1,       .Depth = 1};

    MISUSE(CUDA_ERROR_INVALID_VALUE, driver->Memcpy3D_v2(&copy));
    OK(driver->MemFree_v2(memory));
}

/* --- page-locked by registration --- */

static void memory_is_unregistered_twice(void)
{
    OK(driver->MemHostRegister_v2(host, sizeof host, 0));
    OK(driver->MemHostUnregister(host));
    MISUSE(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, driver->MemHostUnregister(host));
}

static void memory_is_registered_again(void)
{
    OK(driver->MemHostRegister_v2(host, sizeof host, 0));
    OK(driver->MemHostUnregister(host));
    OK(driver->MemHostRegister_v2(host, sizeof host, 0));
    OK(driver->MemHostUnregister(host));
}

/* --- memory of graphs --- */

/* Capture an allocation, and perhaps its free, launch the graph and destroy it. */
static CUdeviceptr launch_allocation(CUstream stream, bool is_freed)
{
    CUdeviceptr memory;
    CUgraphExec exec;
    CUgraph graph;

    OK(driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(driver->MemAllocAsync(&memory, BYTES, stream));
    OK(driver->MemsetD8Async(memory, 1, BYTES, stream));
    if (is_freed)
        OK(driver->MemFreeAsync(memory, stream));
    OK(driver->StreamEndCapture(stream, &graph));
    OK(driver->GraphInstantiateWithFlags(&exec, graph, 0));
    OK(driver->GraphLaunch(exec, stream));
    OK(driver->StreamSynchronize(stream));
    OK(driver->GraphExecDestroy(exec));
    OK(driver->GraphDestroy(graph));
    return memory;
}

static void use_of_a_graph(bool is_freed, size_t bytes, unsigned frees)
{
    CUdeviceptr memory;
    CUstream stream;

    OK(driver->StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    memory = launch_allocation(stream, is_freed);
    if (is_freed || bytes > BYTES)
        MISUSE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD8Async(memory, 1, bytes, stream));
    else
        OK(driver->MemsetD8Async(memory, 1, bytes, stream));
    for (unsigned i = 0; i < frees; i++) {
        if (i == 0)
            OK(driver->MemFreeAsync(memory, stream));
        else
            MISUSE(CUDA_ERROR_INVALID_VALUE, driver->MemFreeAsync(memory, stream));
    }
    OK(driver->StreamSynchronize(stream));
    OK(driver->StreamDestroy_v2(stream));
}

static void memory_that_its_graph_freed_is_set(void)
{
    use_of_a_graph(true, BYTES, 0);
}

static void memory_of_a_graph_is_freed_twice(void)
{
    use_of_a_graph(false, BYTES, 2);
}

static void memory_of_a_graph_is_set_beyond(void)
{
    use_of_a_graph(false, BYTES + 1, 1);
}

static void memory_of_a_graph_is_set_and_freed(void)
{
    use_of_a_graph(false, BYTES, 1);
    use_of_a_graph(false, BYTES, 1);
}

const struct check_case check_memory_cases[] = {
    {"CUSHIM-memory-freed", "set", freed_memory_is_set, memory_is_set_and_copied, 0},
    {"CUSHIM-memory-freed", "copy to", middle_of_freed_memory_is_copied_to,
     unregistered_memory_is_copied_from, 0},
    {"CUSHIM-memory-freed", "copy from", freed_memory_is_copied_from, memory_is_set_and_copied, 0},
    {"CUSHIM-memory-freed", "unified", freed_memory_is_copied_from_by_a_unified_address,
     unregistered_memory_is_copied_from, 0},
    {"CUSHIM-memory-freed", "rows", rows_are_copied_to_freed_memory, memory_is_set_and_copied, 0},
    {"CUSHIM-memory-freed", "graph", memory_that_its_graph_freed_is_set,
     memory_of_a_graph_is_set_and_freed, 0},
    {"CUSHIM-memory-freed-twice", "graph", memory_of_a_graph_is_freed_twice,
     memory_of_a_graph_is_set_and_freed, 0},
    {"CUSHIM-memory-bounds", "graph", memory_of_a_graph_is_set_beyond,
     memory_of_a_graph_is_set_and_freed, 0},
    {"CUSHIM-memory-freed-twice", "device", memory_is_freed_twice,
     memory_is_freed_and_allocated_again, 0},
    {"CUSHIM-memory-freed-twice", "pool", pooled_memory_is_freed_twice,
     memory_is_freed_and_allocated_again, 0},
    {"CUSHIM-memory-freed-twice", "page-locked", page_locked_memory_is_freed_twice,
     memory_is_freed_and_allocated_again, 0},
    {"CUSHIM-handle-after-context", "memory", memory_outlives_its_context,
     memory_ends_before_its_context, 0},
    {"CUSHIM-argument-freed", "struct", kernel_is_given_freed_memory, kernel_is_given_memory, 0},
    {"CUSHIM-memory-bounds", "elements", elements_are_counted_as_bytes, memory_is_set_and_copied,
     0},
    {"CUSHIM-memory-bounds", "offset", copy_begins_too_far_behind, memory_is_set_and_copied, 0},
    {"CUSHIM-memory-bounds", "rows", rows_reach_beyond, memory_is_set_and_copied, 0},
    {"CUSHIM-memory-bounds", "rows without pitch", rows_without_pitch_reach_beyond,
     memory_is_set_and_copied, 0},
    {"CUSHIM-memory-bounds", "set of rows", rows_are_set_beyond, memory_is_set_and_copied, 0},
    {"CUSHIM-memory-bounds", "box", box_reaches_beyond, memory_is_set_and_copied, 0},
    {"CUSHIM-host-unregistered-twice", "register", memory_is_unregistered_twice,
     memory_is_registered_again, 0},
    {NULL, NULL, NULL, NULL, 0},
};
