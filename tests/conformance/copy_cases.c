/* SPDX-License-Identifier: Apache-2.0 */
/* What copies take and refuse. Statements 106-109. */
#include <stdint.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "memory.h"

static char host[8192];

static CUdeviceptr host_address(size_t offset)
{
    return (uintptr_t)host + offset;
}

static void nothing_is_copied_from_anywhere(void)
{
    CUdeviceptr memory, freed;
    CUstream stream;

    begin_context();
    stream = begin_stream();
    memory = begin_memory(64);
    freed = begin_memory(8 << 20);
    MUST(cu->MemFree_v2(freed));
    OK(cu->MemcpyHtoD_v2(memory, host, 0));
    OK(cu->MemcpyHtoD_v2(0, NULL, 0));
    OK(cu->MemcpyHtoD_v2(freed, host, 0));
    OK(cu->MemcpyHtoD_v2(0x1234, host, 0));
    OK(cu->MemcpyDtoH_v2(NULL, 0, 0));
    OK(cu->MemcpyDtoD_v2(0, 0, 0));
    OK(cu->Memcpy(0, 0, 0));
    OK(cu->MemcpyAsync(0, 0, 0, stream));
    OK(cu->MemcpyHtoDAsync_v2(0, NULL, 0, stream));
    make_current(NULL);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemcpyHtoD_v2(memory, host, 0));
}

static void nothing_is_copied_without_waiting(void)
{
    struct gate gate = GATE;
    CUstream stream;

    begin_context();
    stream = begin_blocking_stream();
    gate_shut(&gate, stream);
    OK(cu->MemcpyHtoD_v2(begin_memory(64), host, 0));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    gate_open(&gate);
    drain(stream);
}

static void device_addresses_are_checked(void)
{
    CUdeviceptr memory, freed;

    begin_context();
    memory = begin_memory(4096);
    freed = begin_memory(8 << 20);
    MUST(cu->MemFree_v2(freed));
    const CUdeviceptr wrong[] = {0, 0x1234, freed, host_address(0), memory + 4096};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyHtoD_v2(wrong[i], host, 4));
        CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyDtoH_v2(host, wrong[i], 4));
        CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyDtoD_v2(memory, wrong[i], 4));
    }
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyHtoD_v2(memory, NULL, 4));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyDtoH_v2(NULL, memory, 4));
    OK(cu->CtxSynchronize());
}

static void ranges_are_checked(void)
{
    CUdeviceptr memory, other;
    CUstream stream;

    begin_context();
    memory = begin_memory(4096);
    other = begin_memory(4096);
    stream = begin_stream();
    OK(cu->MemcpyHtoD_v2(memory + 4000, host, 96));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyHtoD_v2(memory + 4000, host, 97));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyDtoH_v2(host, memory, 4097));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyDtoD_v2(memory, other, 4097));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyHtoDAsync_v2(memory, host, 4097, stream));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyHtoDAsync_v2(0x1234, host, 4, stream));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyDtoHAsync_v2(host, memory, 4097, stream));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyDtoDAsync_v2(memory, other, 4097, stream));
    OK(cu->MemcpyDtoD_v2(memory, memory + 10, 100));
    OK(cu->StreamSynchronize(stream));
}

static void page_locked_and_device_memory_are_interchangeable(void)
{
    unsigned *pinned;
    CUdeviceptr memory, other;

    begin_context();
    pinned = begin_pinned(4096);
    memory = begin_memory(4096);
    other = begin_memory(4096);
    *pinned = 77;
    OK(cu->MemcpyDtoD_v2(memory, (uintptr_t)pinned, 4));
    EQUAL(77, read_value(memory));
    OK(cu->MemcpyHtoD_v2(other, (const void *)(uintptr_t)memory, 4));
    EQUAL(77, read_value(other));
    OK(cu->MemsetD32_v2(memory, 78, 1));
    OK(cu->MemcpyDtoH_v2((void *)(uintptr_t)other, memory, 4));
    EQUAL(78, read_value(other));
    *(unsigned *)host = 79;
    OK(cu->MemcpyHtoD_v2((uintptr_t)pinned, host, 4));
    EQUAL(79, *(volatile unsigned *)pinned);
}

static void unified_copies_take_any_memory(void)
{
    CUdeviceptr memory, other;
    CUstream stream;
    char *pinned;

    begin_context();
    memory = begin_memory(4096);
    other = begin_memory(4096);
    pinned = begin_pinned(4096);
    stream = begin_stream();
    host[0] = 1;
    OK(cu->Memcpy(memory, host_address(0), 64));
    OK(cu->Memcpy(other, memory, 64));
    OK(cu->Memcpy(host_address(64), other, 64));
    OK(cu->Memcpy(host_address(128), host_address(64), 64));
    EQUAL(1, host[128]);
    OK(cu->Memcpy((uintptr_t)pinned, host_address(128), 64));
    EQUAL(1, *(volatile char *)pinned);
    OK(cu->MemcpyAsync(host_address(256), memory, 64, stream));
    OK(cu->MemcpyAsync(host_address(320), host_address(256), 64, stream));
    EQUAL(1, host[320]);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->Memcpy(0, memory, 4));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->Memcpy(memory, other, 4097));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyAsync(memory, other, 4097, stream));
}

static void peer_copies_take_device_memory(void)
{
    CUcontext context = begin_context();
    CUdeviceptr memory = begin_memory(4096), other = begin_memory(4096);
    CUstream stream = begin_stream();

    OK(cu->MemsetD32_v2(other, 5, 16));
    OK(cu->MemcpyPeer(memory, context, other, context, 64));
    EQUAL(5, read_value(memory));
    OK(cu->MemcpyPeer(memory, NULL, other, NULL, 64));
    OK(cu->MemcpyPeerAsync(memory, context, other, context, 64, stream));
    OK(cu->MemcpyPeer(memory, context, other, context, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyPeer(memory, context, other, context, 4097));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyPeer(host_address(0), context, other, context, 64));
}

static void created_streams_need_no_context(void)
{
    CUcontext context = begin_context();
    CUdeviceptr memory = begin_memory(4096);
    CUstream stream = begin_stream();

    make_current(NULL);
    OK(cu->MemcpyHtoDAsync_v2(memory, host, 4, stream));
    OK(cu->MemsetD8Async(memory, 1, 4, stream));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemcpyHtoD_v2(memory, host, 4));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->Memcpy(memory, memory + 64, 4));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemsetD8_v2(memory, 1, 4));
    make_current(context);
    drain(stream);
}

static void another_context_may_be_current(void)
{
    CUcontext own = begin_context();
    CUdeviceptr memory = begin_memory(4096);
    CUstream stream = begin_stream();

    make_current(begin_other_context());
    OK(cu->MemcpyHtoD_v2(memory, host, 4));
    OK(cu->MemcpyHtoDAsync_v2(memory, host, 4, stream));
    OK(cu->MemcpyDtoD_v2(memory, memory + 64, 4));
    OK(cu->MemsetD8_v2(memory, 3, 4));
    OK(cu->CtxSynchronize());
    make_current(own);
    drain(stream);
}

const struct conformance_case copy_cases[] = {
    MEASURED_CASE("106_nothing_is_copied_from_anywhere", nothing_is_copied_from_anywhere),
    MEASURED_CASE("106_nothing_is_copied_without_waiting", nothing_is_copied_without_waiting),
    MEASURED_CASE("107_device_addresses_are_checked", device_addresses_are_checked),
    MEASURED_CASE("107_ranges_are_checked", ranges_are_checked),
    MEASURED_CASE("107_page_locked_and_device_memory_are_interchangeable",
                  page_locked_and_device_memory_are_interchangeable),
    MEASURED_CASE("108_unified_copies_take_any_memory", unified_copies_take_any_memory),
    MEASURED_CASE("108_peer_copies_take_device_memory", peer_copies_take_device_memory),
    MEASURED_CASE("109_created_streams_need_no_context", created_streams_need_no_context),
    MEASURED_CASE("109_another_context_may_be_current", another_context_may_be_current),
    {.name = NULL},
};
