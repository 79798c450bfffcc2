/* SPDX-License-Identifier: Apache-2.0 */
/* Memory while something is captured. Statement 129. */
#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "graph.h"

/* Calls that fail in a capture, by number; what they are given was there before. */
enum { UNSAFE_CALLS = 12, UNSAFE_IN_THREAD = 5 };

static const CUDA_ARRAY_DESCRIPTOR bytes_4_by_4 = {
    .Width = 4, .Height = 4, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};

static CUresult unsafe_call(int number, CUdeviceptr memory, void *pinned, CUmemoryPool pool)
{
    static const int on = 1;
    CUarray array;
    CUdeviceptr device;
    size_t pitch;
    void *host;

    switch (number) {
    case 0:
        return cu->MemAlloc_v2(&device, 64);
    case 1:
        return cu->MemFree_v2(memory);
    case 2:
        return cu->MemAllocHost_v2(&host, 64);
    case 3:
        return cu->MemHostAlloc(&host, 64, 0);
    case 4:
        return cu->MemFreeHost(pinned);
    case 5:
        return cu->MemAllocManaged(&device, 64, CU_MEM_ATTACH_GLOBAL);
    case 6:
        return cu->MemAllocPitch_v2(&device, &pitch, 64, 4, 4);
    case 7:
        return cu->ArrayCreate_v2(&array, &bytes_4_by_4);
    case 8:
        return cu->MemPoolTrimTo(pool, 0);
    case 9:
        return cu->PointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory);
    case 10:
        return cu->MemAllocAsync(&device, 64, NULL);
    default:
        return cu->MemFree_v2(0);
    }
}

static void allocating_invalidates_captures(void)
{
    CUmemoryPool pool;

    begin_context();
    MUST(cu->DeviceGetDefaultMemPool(&pool, 0));
    for (int mode = 0; mode < CAPTURE_MODES; mode++) {
        /* Not all were measured in the mode of a thread. */
        const int calls = capture_modes[mode] == THREAD_LOCAL ? UNSAFE_IN_THREAD : UNSAFE_CALLS;

        for (int call = 0; call < calls; call++) {
            const bool relaxed = capture_modes[mode] == RELAXED;
            CUdeviceptr memory = begin_memory(64);
            CUstream stream = begin_stream();
            void *pinned = begin_pinned(64);

            capture_begin(stream, capture_modes[mode]);
            CODE(relaxed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                 unsafe_call(call, memory, pinned, pool));
            (relaxed ? capture_end : capture_invalidated)(stream);
        }
    }
}

static CUresult legacy_call(int number, CUdeviceptr memory)
{
    static char host[16];
    CUdeviceptr device;

    switch (number) {
    case 0:
        return cu->MemcpyHtoD_v2(memory, host, sizeof host);
    case 1:
        return cu->MemcpyHtoD_v2(memory, host, 0);
    case 2:
        return cu->MemcpyHtoD_v2(0x1234, host, sizeof host);
    case 3:
        return cu->MemcpyDtoD_v2(memory, memory + 32, 16);
    case 4:
        return cu->MemsetD8_v2(memory, 1, 16);
    default:
        return cu->MemAllocAsync(&device, 64, NULL);
    }
}

static void blocking_captures_are_in_the_way(void)
{
    begin_context();
    for (int call = 0; call < 6; call++) {
        CUstream stream = begin_blocking_stream();
        CUdeviceptr memory = begin_memory(64);

        capture_begin(stream, GLOBAL);
        CODE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, legacy_call(call, memory));
        capture_invalidated(stream);
    }
}

static void plain_memory_is_not_freed_in_a_capture(void)
{
    CUdeviceptr memory;
    CUstream stream;

    begin_context();
    memory = begin_memory(64);
    stream = begin_stream();
    capture_begin(stream, GLOBAL);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeAsync(memory, stream));
    capture_end(stream);
}

static void peer_copies_are_not_captured(void)
{
    CUcontext context = begin_context();
    CUdeviceptr memory = begin_memory(256);

    for (int mode = 0; mode < CAPTURE_MODES; mode++) {
        CUstream stream = begin_stream();

        capture_begin(stream, capture_modes[mode]);
        CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
             cu->MemcpyPeerAsync(memory, context, memory + 128, context, 64, stream));
        capture_invalidated(stream);
    }
}

static void work_elsewhere_is_not_captured(void)
{
    CUdeviceptr memory;
    size_t count = 9;
    CUstream stream;
    CUgraph graph;
    int value = 3;

    begin_context();
    memory = begin_memory(64);
    stream = begin_stream();
    capture_begin(stream, GLOBAL);
    OK(cu->MemcpyHtoD_v2(memory, &value, sizeof value));
    OK(cu->MemcpyDtoH_v2(&value, memory, sizeof value));
    OK(cu->MemsetD8_v2(memory, 1, 16));
    OK(cu->MemGetInfo_v2(NULL, NULL));
    OK(cu->MemcpyHtoDAsync_v2(0, NULL, 0, stream));
    OK(cu->MemsetD8Async(memory, 1, 0, stream));
    EQUAL(CU_STREAM_CAPTURE_STATUS_ACTIVE, capture_status(stream));
    OK(cu->StreamEndCapture(stream, &graph));
    OK(cu->GraphGetNodes(graph, NULL, &count));
    EQUAL(0, count);
}

static CUDA_MEMCPY3D captured(CUgraphNode node)
{
    CUDA_MEMCPY3D copy = {.WidthInBytes = 0};

    OK(cu->GraphMemcpyNodeGetParams(node, &copy));
    EQUAL(64, copy.WidthInBytes);
    EQUAL(1, copy.Height);
    EQUAL(1, copy.Depth);
    EQUAL(0, copy.srcPitch);
    EQUAL(0, copy.dstPitch);
    return copy;
}

static void copies_become_nodes(void)
{
    CUDA_MEMSET_NODE_PARAMS set = {.width = 0};
    CUgraphNode nodes[4] = {NULL};
    static char host[64];
    CUdeviceptr memory;
    size_t count = 4;
    CUstream stream;
    CUgraph graph;

    begin_context();
    memory = begin_memory(4096);
    stream = begin_stream();
    capture_begin(stream, GLOBAL);
    OK(cu->MemcpyHtoDAsync_v2(memory, host, 64, stream));
    OK(cu->MemcpyDtoHAsync_v2(host, memory, 64, stream));
    OK(cu->MemcpyAsync(memory, memory + 128, 64, stream));
    OK(cu->MemsetD2D8Async(memory, 64, 5, 16, 4, stream));
    MUST(cu->StreamEndCapture(stream, &graph));
    MUST(cu->GraphGetNodes(graph, nodes, &count));
    EQUAL(4, count);
    EQUAL(CU_MEMORYTYPE_HOST, captured(nodes[0]).srcMemoryType);
    EQUAL(CU_MEMORYTYPE_DEVICE, captured(nodes[0]).dstMemoryType);
    EQUAL(CU_MEMORYTYPE_DEVICE, captured(nodes[1]).srcMemoryType);
    EQUAL(CU_MEMORYTYPE_HOST, captured(nodes[1]).dstMemoryType);
    EQUAL(CU_MEMORYTYPE_UNIFIED, captured(nodes[2]).srcMemoryType);
    EQUAL(CU_MEMORYTYPE_UNIFIED, captured(nodes[2]).dstMemoryType);
    OK(cu->GraphMemsetNodeGetParams(nodes[3], &set));
    EQUAL(16, set.width);
    EQUAL(4, set.height);
    EQUAL(64, set.pitch);
    EQUAL(5, set.value);
    EQUAL(1, set.elementSize);
}

const struct conformance_case memory_capture_cases[] = {
    MEASURED_CASE("129_allocating_invalidates_captures", allocating_invalidates_captures),
    MEASURED_CASE("129_blocking_captures_are_in_the_way", blocking_captures_are_in_the_way),
    MEASURED_CASE("129_plain_memory_is_not_freed_in_a_capture",
                  plain_memory_is_not_freed_in_a_capture),
    MEASURED_CASE("129_peer_copies_are_not_captured", peer_copies_are_not_captured),
    MEASURED_CASE("129_work_elsewhere_is_not_captured", work_elsewhere_is_not_captured),
    MEASURED_CASE("129_copies_become_nodes", copies_become_nodes),
    {.name = NULL},
};
