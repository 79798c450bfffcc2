/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies: the accepted and refused arguments, when copies read and write, and when calls return.
 * Statements 106-113.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"

static char host[8192];

static CUdeviceptr host_address(size_t offset)
{
    return (uintptr_t)host + offset;
}

static void nothing_is_copied_from_anywhere(void)
{
    CUdeviceptr memory, freed;
    CUstream stream = begin_context_stream();

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
    for (size_t i = 0; i < COUNT(wrong); i++) {
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
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyHtoD_v2(memory, host, SIZE_MAX));
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

/* When copies read and write, and when the calls return. Statements 110-113. */

enum { MIB = 1 << 20, MOST = 3 * MIB };

/* The memory that the calls of a case use. */
static struct {
    CUdeviceptr device;
    char *pageable, *pinned;
    size_t bytes;
    CUstream stream;
} at;

static void begin(CUstream (*make)(void))
{
    begin_context();
    at.device = begin_memory(MOST);
    at.pinned = begin_pinned(MIB);
    at.pageable = calloc(1, MOST);
    at.stream = make();
}

static CUresult host_to_device(void *data)
{
    (void)data;
    return cu->MemcpyHtoD_v2(at.device, at.pageable, 16);
}

static CUresult pinned_to_device(void *data)
{
    (void)data;
    return cu->MemcpyHtoD_v2(at.device, at.pinned, 65536);
}

static CUresult device_to_host(void *data)
{
    (void)data;
    return cu->MemcpyDtoH_v2(at.pageable, at.device, 16);
}

static CUresult host_to_device_async(void *data)
{
    (void)data;
    return cu->MemcpyHtoDAsync_v2(at.device, at.pageable, at.bytes, at.stream);
}

static CUresult device_to_host_async(void *data)
{
    (void)data;
    return cu->MemcpyDtoHAsync_v2(at.pageable, at.device, at.bytes, at.stream);
}

static CUresult pageable_to_pageable(void *data)
{
    (void)data;
    return cu->MemcpyAsync((uintptr_t)at.pageable, (uintptr_t)at.pageable + 4096, 64, at.stream);
}

static CUresult pinned_to_pinned(void *data)
{
    (void)data;
    return cu->MemcpyAsync((uintptr_t)at.pinned, (uintptr_t)at.pinned + 4096, 64, at.stream);
}

static CUresult device_to_device(void *data)
{
    (void)data;
    return cu->MemcpyDtoD_v2(at.device, at.device + 4096, 16);
}

static CUresult set(void *data)
{
    (void)data;
    return cu->MemsetD8_v2(at.device, 1, 16);
}

static CUresult per_thread(void *data)
{
    (void)data;
    return cu->MemcpyHtoD_v2_ptds(at.device, at.pageable, 16);
}

/* The last of this many bytes of device memory. */
static int last_byte(size_t bytes)
{
    char byte = 0;

    MUST(cu->MemcpyDtoH_v2(&byte, at.device + bytes - 1, 1));
    return byte;
}

static void pageable_memory_is_read_at_the_call(void)
{
    static const size_t sizes[] = {16, 4096, 65537, MIB, 2 * MIB};

    begin(begin_stream);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct gate gate = GATE;

        memset(at.pageable, 1, sizes[i]);
        gate_shut(&gate, at.stream);
        OK(cu->MemcpyHtoDAsync_v2(at.device, at.pageable, sizes[i], at.stream));
        CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(at.stream));
        memset(at.pageable, 2, sizes[i]);
        gate_open(&gate);
        drain(at.stream);
        EQUAL(1, last_byte(sizes[i]));
    }
}

static void unified_copies_read_pageable_memory_at_the_call(void)
{
    CUDA_MEMCPY2D rows = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcPitch = 16,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstPitch = 32,
                          .WidthInBytes = 16,
                          .Height = 4};
    struct gate gate = GATE;

    begin(begin_stream);
    at.pageable[63] = 1;
    gate_shut(&gate, at.stream);
    OK(cu->MemcpyAsync(at.device, (uintptr_t)at.pageable, 64, at.stream));
    rows.srcHost = at.pageable, rows.dstDevice = at.device + 64;
    OK(cu->Memcpy2DAsync_v2(&rows, at.stream));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(at.stream));
    at.pageable[63] = 2;
    gate_open(&gate);
    drain(at.stream);
    EQUAL(1, last_byte(64));
    EQUAL(1, last_byte(64 + 3 * 32 + 16));
}

static void much_pageable_memory_is_waited_for(void)
{
    begin(begin_stream);
    at.bytes = 3 * MIB;
    at.pageable[at.bytes - 1] = 1;
    CHECK(waits_for_gate(at.stream, host_to_device_async, NULL));
    EQUAL(1, last_byte(at.bytes));
}

static void copies_to_pageable_memory_are_waited_for(void)
{
    static const size_t sizes[] = {16, 65537, MIB};

    begin(begin_stream);
    MUST(cu->MemsetD8_v2(at.device, 9, MOST));
    for (size_t i = 0; i < COUNT(sizes); i++) {
        at.bytes = sizes[i];
        CHECK(waits_for_gate(at.stream, device_to_host_async, NULL));
        EQUAL(9, at.pageable[at.bytes - 1]);
    }
    CHECK(waits_for_gate(at.stream, pageable_to_pageable, NULL));
    CHECK(waits_for_gate(at.stream, pinned_to_pinned, NULL));
}

static void page_locked_memory_is_read_by_the_stream(void)
{
    static const size_t sizes[] = {16, MIB};

    begin(begin_stream);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct gate gate = GATE;

        memset(at.pinned, 1, sizes[i]);
        gate_shut(&gate, at.stream);
        OK(cu->MemcpyHtoDAsync_v2(at.device, at.pinned, sizes[i], at.stream));
        CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(at.stream));
        memset(at.pinned, 2, sizes[i]);
        gate_open(&gate);
        drain(at.stream);
        EQUAL(2, last_byte(sizes[i]));
    }
}

static void copies_without_pageable_memory_do_not_wait(void)
{
    struct gate gate = GATE;

    begin(begin_stream);
    gate_shut(&gate, at.stream);
    OK(cu->MemcpyDtoHAsync_v2(at.pinned, at.device, 4096, at.stream));
    OK(cu->MemcpyDtoDAsync_v2(at.device, at.device + 65536, 4096, at.stream));
    OK(cu->MemsetD8Async(at.device, 1, 4096, at.stream));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(at.stream));
    gate_open(&gate);
    drain(at.stream);
}

static void copies_of_the_host_wait_for_blocking_streams(void)
{
    begin(begin_blocking_stream);
    CHECK(waits_for_gate(at.stream, host_to_device, NULL));
    CHECK(waits_for_gate(at.stream, pinned_to_device, NULL));
    CHECK(waits_for_gate(at.stream, device_to_host, NULL));
    CHECK(waits_for_gate(NULL, host_to_device, NULL));
}

static void they_do_not_wait_for_non_blocking_ones(void)
{
    struct gate gate = GATE;

    begin(begin_stream);
    gate_shut(&gate, at.stream);
    OK(host_to_device(NULL));
    OK(device_to_host(NULL));
    OK(cu->MemcpyDtoD_v2(at.device, at.device + 4096, 16));
    OK(cu->MemsetD8_v2(at.device, 1, 16));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(at.stream));
    gate_open(&gate);
    drain(at.stream);
}

static void copies_on_the_device_do_not_wait(void)
{
    struct gate gate = GATE;
    CUcontext context;

    begin(begin_blocking_stream);
    context = current_context();
    gate_shut(&gate, at.stream);
    OK(cu->MemcpyDtoD_v2(at.device, at.device + 64, 16));
    OK(cu->Memcpy(at.device, at.device + 64, 16));
    OK(cu->MemcpyPeer(at.device, context, at.device + 64, context, 16));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(NULL));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(at.stream));
    gate_open(&gate);
    drain(NULL);
}

static void synchronous_memory_is_waited_for(void)
{
    const int on = 1;

    begin(begin_blocking_stream);
    OK(cu->PointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, at.device));
    CHECK(waits_for_gate(at.stream, device_to_device, NULL));
    CHECK(waits_for_gate(at.stream, set, NULL));
}

static void forms_of_the_thread_wait_for_its_stream(void)
{
    begin(begin_stream);
    CHECK(waits_for_gate(CU_STREAM_PER_THREAD, per_thread, NULL));
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
    MEASURED_CASE("110_pageable_memory_is_read_at_the_call", pageable_memory_is_read_at_the_call),
    MEASURED_CASE("110_unified_copies_read_pageable_memory_at_the_call",
                  unified_copies_read_pageable_memory_at_the_call),
    MEASURED_CASE("110_much_pageable_memory_is_waited_for", much_pageable_memory_is_waited_for),
    MEASURED_CASE("111_copies_to_pageable_memory_are_waited_for",
                  copies_to_pageable_memory_are_waited_for),
    MEASURED_CASE("112_page_locked_memory_is_read_by_the_stream",
                  page_locked_memory_is_read_by_the_stream),
    MEASURED_CASE("112_copies_without_pageable_memory_do_not_wait",
                  copies_without_pageable_memory_do_not_wait),
    MEASURED_CASE("113_copies_of_the_host_wait_for_blocking_streams",
                  copies_of_the_host_wait_for_blocking_streams),
    MEASURED_CASE("113_they_do_not_wait_for_non_blocking_ones",
                  they_do_not_wait_for_non_blocking_ones),
    MEASURED_CASE("113_copies_on_the_device_do_not_wait", copies_on_the_device_do_not_wait),
    MEASURED_CASE("113_synchronous_memory_is_waited_for", synchronous_memory_is_waited_for),
    MEASURED_CASE("113_forms_of_the_thread_wait_for_its_stream",
                  forms_of_the_thread_wait_for_its_stream),
    {.name = NULL},
};
