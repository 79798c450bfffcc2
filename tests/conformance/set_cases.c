/* SPDX-License-Identifier: Apache-2.0 */
/* Sets. Statements 116 and 117. */
#include <stdint.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "memory.h"

static void values_of_each_size_fill_their_elements(void)
{
    CUdeviceptr memory;

    begin_context();
    memory = begin_memory(8192);
    OK(cu->MemsetD8_v2(memory, 0x5a, 16));
    EQUAL(0x5a5a5a5a, read_value(memory));
    OK(cu->MemsetD16_v2(memory + 2, 0xabcd, 1));
    EQUAL(0xabcd5a5a, read_value(memory));
    OK(cu->MemsetD32_v2(memory, 0x1234, 1));
    EQUAL(0x1234, read_value(memory));
    OK(cu->MemsetD2D32_v2(memory, 64, 7, 4, 2));
    EQUAL(7, read_value(memory + 64 + 12));
}

static void wrong_sets_are_refused(void)
{
    CUdeviceptr memory;
    char local[4];

    begin_context();
    memory = begin_memory(8192);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD8_v2(0, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD8_v2(0x1234, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD8_v2((uintptr_t)local, 1, 4));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD8_v2(memory, 1, 8193));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD16_v2(memory + 1, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD32_v2(memory + 2, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD2D8_v2(memory, 16, 1, 32, 4));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD2D8_v2(memory, 64, 1, 32, 200));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD2D16_v2(memory, 65, 1, 4, 2));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD2D32_v2(memory + 2, 64, 1, 4, 2));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD2D32_v2(memory, 66, 1, 4, 2));
}

static void nothing_is_set_anywhere(void)
{
    CUdeviceptr memory;

    begin_context();
    memory = begin_memory(8192);
    OK(cu->MemsetD8_v2(memory, 1, 0));
    OK(cu->MemsetD8_v2(0, 1, 0));
    OK(cu->MemsetD32_v2(memory + 1, 1, 0));
    OK(cu->MemsetD32_v2(memory, 1, (size_t)1 << 62));
    OK(cu->MemsetD2D8_v2(memory, 64, 1, 0, 4));
    OK(cu->MemsetD2D8_v2(memory, 64, 1, 32, 0));
    OK(cu->MemsetD2D8_v2(memory, 16, 1, 32, 1));
    OK(cu->MemsetD2D8_v2(memory, 0, 1, 32, 1));
    OK(cu->CtxSynchronize());
}

static CUresult set_pinned(void *data)
{
    return cu->MemsetD8_v2((uintptr_t)data, 7, 16);
}

static void only_sets_of_page_locked_memory_wait(void)
{
    struct gate gate = GATE;
    CUdeviceptr memory;
    CUstream stream;
    char *pinned;

    begin_context();
    memory = begin_memory(64);
    pinned = begin_pinned(64);
    stream = begin_blocking_stream();
    gate_shut(&gate, stream);
    OK(cu->MemsetD8_v2(memory, 1, 16));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(NULL));
    gate_open(&gate);
    drain(NULL);
    CHECK(waits_for_gate(stream, set_pinned, pinned));
    EQUAL(7, *(volatile char *)pinned);
}

const struct conformance_case set_cases[] = {
    MEASURED_CASE("116_values_of_each_size_fill_their_elements",
                  values_of_each_size_fill_their_elements),
    MEASURED_CASE("116_wrong_sets_are_refused", wrong_sets_are_refused),
    MEASURED_CASE("116_nothing_is_set_anywhere", nothing_is_set_anywhere),
    MEASURED_CASE("117_only_sets_of_page_locked_memory_wait", only_sets_of_page_locked_memory_wait),
    {.name = NULL},
};
