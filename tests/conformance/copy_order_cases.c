/* SPDX-License-Identifier: Apache-2.0 */
/* When copies read and write, and when calls that copy return. Statements 110-113. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "memory.h"

enum { MIB = 1 << 20, MOST = 3 * MIB };

/* What the calls of a case work on. */
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

/* The last byte that the device holds of so many. */
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
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
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
    struct gate gate = GATE;

    begin(begin_stream);
    at.pageable[63] = 1;
    gate_shut(&gate, at.stream);
    OK(cu->MemcpyAsync(at.device, (uintptr_t)at.pageable, 64, at.stream));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(at.stream));
    at.pageable[63] = 2;
    gate_open(&gate);
    drain(at.stream);
    EQUAL(1, last_byte(64));
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
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
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
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
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

const struct conformance_case copy_order_cases[] = {
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
