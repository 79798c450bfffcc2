/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies: the accepted and refused arguments, when copies read and write, and when calls return.
 * Statements 106-113.
 */
#include <stdlib.h>
#include <string.h>

#include "cases.h"

static char host[8192];

static CUdeviceptr host_address(size_t offset)
{
    return (uintptr_t)host + offset;
}

MEASURED_CASE(106, nothing_is_copied_from_anywhere)
{
    CUdeviceptr memory = begin_memory(64), freed = begin_memory(8 << 20);
    CUstream stream = begin_stream();

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

MEASURED_CASE(106, nothing_is_copied_without_waiting)
{
    struct gate gate = GATE;
    CUstream stream = begin_blocking_stream();

    gate_shut(&gate, stream);
    OK(cu->MemcpyHtoD_v2(begin_memory(64), host, 0));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    gate_open(&gate);
    drain(stream);
}

MEASURED_CASE(107, device_addresses_are_checked)
{
    CUdeviceptr memory = begin_memory(4096), freed = begin_memory(8 << 20);

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

MEASURED_CASE(107, ranges_are_checked)
{
    CUdeviceptr memory = begin_memory(4096), other = begin_memory(4096);
    CUstream stream = begin_stream();

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

MEASURED_CASE(107, page_locked_and_device_memory_are_interchangeable)
{
    unsigned *pinned = begin_pinned(4096);
    CUdeviceptr memory = begin_memory(4096), other = begin_memory(4096);

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

MEASURED_CASE(108, unified_copies_take_any_memory)
{
    CUdeviceptr memory = begin_memory(4096), other = begin_memory(4096);
    CUstream stream = begin_stream();
    char *pinned = begin_pinned(4096);

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

MEASURED_CASE(108, peer_copies_take_device_memory)
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

MEASURED_CASE(109, created_streams_need_no_context)
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

MEASURED_CASE(109, another_context_may_be_current)
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

MEASURED_CASE(110, pageable_memory_is_read_at_the_call)
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

MEASURED_CASE(110, unified_copies_read_pageable_memory_at_the_call)
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

MEASURED_CASE(110, much_pageable_memory_is_waited_for)
{
    begin(begin_stream);
    at.bytes = 3 * MIB;
    at.pageable[at.bytes - 1] = 1;
    CHECK(waits_for_gate(at.stream, host_to_device_async, NULL));
    EQUAL(1, last_byte(at.bytes));
}

MEASURED_CASE(111, copies_to_pageable_memory_are_waited_for)
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

MEASURED_CASE(112, page_locked_memory_is_read_by_the_stream)
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

MEASURED_CASE(112, copies_without_pageable_memory_do_not_wait)
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

MEASURED_CASE(113, copies_of_the_host_wait_for_blocking_streams)
{
    begin(begin_blocking_stream);
    CHECK(waits_for_gate(at.stream, host_to_device, NULL));
    CHECK(waits_for_gate(at.stream, pinned_to_device, NULL));
    CHECK(waits_for_gate(at.stream, device_to_host, NULL));
    CHECK(waits_for_gate(NULL, host_to_device, NULL));
}

MEASURED_CASE(113, they_do_not_wait_for_non_blocking_ones)
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

MEASURED_CASE(113, copies_on_the_device_do_not_wait)
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

MEASURED_CASE(113, synchronous_memory_is_waited_for)
{
    const int on = 1;

    begin(begin_blocking_stream);
    OK(cu->PointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, at.device));
    CHECK(waits_for_gate(at.stream, device_to_device, NULL));
    CHECK(waits_for_gate(at.stream, set, NULL));
}

MEASURED_CASE(113, forms_of_the_thread_wait_for_its_stream)
{
    begin(begin_stream);
    CHECK(waits_for_gate(CU_STREAM_PER_THREAD, per_thread, NULL));
}
