/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations in the order of a stream. Statements 121-125. */
#include <stdint.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "memory.h"

static CUdeviceptr begin_allocated(size_t bytes, CUstream stream)
{
    CUdeviceptr memory = 0;

    MUST(cu->MemAllocAsync(&memory, bytes, stream));
    return memory;
}

static void sizes_are_checked(void)
{
    CUdeviceptr memory = 5;
    CUstream stream;

    begin_device();
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemAllocAsync(&memory, 64, NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemFreeAsync(0, NULL));
    begin_context();
    stream = begin_stream();
    OK(cu->MemAllocAsync(&memory, 0, stream));
    EQUAL(0, memory);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAllocAsync(NULL, 64, stream));
    memory = 5;
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cu->MemAllocAsync(&memory, (size_t)1 << 40, stream));
    EQUAL(0, memory);
}

static void allocations_come_before_their_time(void)
{
    CUstream stream, other;
    struct gate gate = GATE;
    CUdeviceptr memory = 0;

    begin_context();
    stream = begin_stream();
    other = begin_stream();
    begin_allocated(64, stream);
    drain(stream);
    gate_shut(&gate, stream);
    OK(cu->MemAllocAsync(&memory, 64, stream));
    OK(cu->MemsetD8Async(memory, 1, 64, other));
    OK(cu->StreamSynchronize(other));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    gate_open(&gate);
    drain(stream);
}

static void only_device_memory_is_freed(void)
{
    CUdeviceptr memory, plain, managed;
    CUstream stream, other;

    begin_context();
    stream = begin_stream();
    other = begin_stream();
    memory = begin_allocated(1000, stream);
    plain = begin_memory(64);
    OK(cu->MemFreeAsync(0, stream));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeAsync(0x1234, stream));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeAsync(memory + 8, stream));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeAsync((uintptr_t)begin_pinned(64), stream));
    MUST(cu->MemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->MemFreeAsync(managed, stream));
    drain(stream);
    OK(cu->MemFreeAsync(memory, other));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeAsync(memory, other));
    OK(cu->MemFreeAsync(plain, stream));
    drain(stream);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFree_v2(plain));
}

static void freed_memory_is_unknown(void)
{
    CUdeviceptr memory, base = 5;
    CUstream stream;
    int value = 1;

    begin_context();
    stream = begin_stream();
    memory = begin_allocated(1000, stream);
    drain(stream);
    OK(cu->MemFreeAsync(memory, stream));
    CODE(CUDA_ERROR_NOT_FOUND, cu->MemGetAddressRange_v2(&base, NULL, memory));
    drain(stream);
    CODE(CUDA_ERROR_NOT_FOUND, cu->MemGetAddressRange_v2(&base, NULL, memory));
    EQUAL(0, base);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyHtoD_v2(memory, &value, sizeof value));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD8_v2(memory, 1, 16));
}

static void memory_that_is_given_back_is_refused(void)
{
    CUstream stream, other;
    struct gate gate = GATE;
    CUdeviceptr memory, rest;
    cuuint64_t used = 0;
    CUmemoryPool pool;

    begin_context();
    MUST(cu->DeviceGetDefaultMemPool(&pool, 0));
    stream = begin_stream();
    other = begin_stream();
    memory = begin_allocated(1000, stream);
    rest = begin_allocated(500, stream);
    drain(stream);
    gate_shut(&gate, stream);
    OK(cu->MemFreeAsync(memory, stream));
    OK(cu->MemPoolGetAttribute(pool, (CUmemPool_attribute)7, &used));
    EQUAL(500, used);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD8Async(memory, 1, 16, other));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeAsync(memory, stream));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    gate_open(&gate);
    drain(stream);
    OK(cu->MemFreeAsync(rest, stream));
}

static void a_stream_reuses_what_it_gives_back(void)
{
    CUdeviceptr memory;
    CUstream stream;

    begin_context();
    stream = begin_stream();
    memory = begin_allocated(1000, stream);
    drain(stream);
    OK(cu->MemFreeAsync(memory, stream));
    CHECK(begin_allocated(1000, stream) == memory);
    OK(cu->MemsetD8Async(memory, 1, 1000, stream));
    drain(stream);
}

static void ordinary_freeing_does_not_wait(void)
{
    struct gate gate = GATE;
    CUdeviceptr memory;
    CUstream stream;

    begin_context();
    stream = begin_stream();
    memory = begin_allocated(4096, stream);
    drain(stream);
    gate_shut(&gate, stream);
    OK(cu->MemFree_v2(memory));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFree_v2(memory));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    gate_open(&gate);
    drain(stream);
}

const struct conformance_case allocate_async_cases[] = {
    MEASURED_CASE("121_sizes_are_checked", sizes_are_checked),
    MEASURED_CASE("121_allocations_come_before_their_time", allocations_come_before_their_time),
    MEASURED_CASE("122_only_device_memory_is_freed", only_device_memory_is_freed),
    MEASURED_CASE("122_freed_memory_is_unknown", freed_memory_is_unknown),
    MEASURED_CASE("123_memory_that_is_given_back_is_refused", memory_that_is_given_back_is_refused),
    MEASURED_CASE("124_a_stream_reuses_what_it_gives_back", a_stream_reuses_what_it_gives_back),
    MEASURED_CASE("125_ordinary_freeing_does_not_wait", ordinary_freeing_does_not_wait),
    {.name = NULL},
};
