/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory. Statements 90-95 and 97. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "cases.h"

enum { KIB = 1024, MIB = 1024 * KIB };

static const size_t too_much[] = {(size_t)1 << 40, SIZE_MAX / 2, SIZE_MAX};

MEASURED_CASE(090, sizes_are_checked)
{
    CUdeviceptr memory = 5;

    begin_device();
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemAlloc_v2(&memory, 16));
    begin_context();
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAlloc_v2(NULL, 16));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAlloc_v2(&memory, 0));
    EQUAL(0, memory);
    for (size_t i = 0; i < COUNT(too_much); i++) {
        memory = 5;
        CODE(CUDA_ERROR_OUT_OF_MEMORY, cu->MemAlloc_v2(&memory, too_much[i]));
        EQUAL(0, memory);
    }
}

MEASURED_CASE(090, allocating_does_not_wait)
{
    struct gate gate = GATE;
    CUdeviceptr memory;
    CUstream stream = begin_stream();

    gate_shut(&gate, stream);
    OK(cu->MemAlloc_v2(&memory, 4096));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    gate_open(&gate);
    drain(stream);
}

MEASURED_CASE(091, small_allocations_share_blocks)
{
    static const struct {
        size_t bytes, apart;
    } sizes[] = {{1, 512}, {512, 512}, {513, 1024}, {4096, 4096}, {65537, 66048}};

    for (size_t i = 0; i < COUNT(sizes); i++) {
        CUdeviceptr first = begin_memory(sizes[i].bytes), second = begin_memory(sizes[i].bytes);

        EQUAL(0, first % 512);
        EQUAL(sizes[i].apart, second - first);
    }
}

MEASURED_CASE(091, large_allocations_have_blocks_of_their_own)
{
    size_t before, after;

    EQUAL(0, begin_memory(MIB + 1) % (2 * MIB));
    EQUAL(0, begin_memory(2 * MIB + 1) % (2 * MIB));
    OK(cu->MemGetInfo_v2(&before, NULL));
    begin_memory(3 * MIB);
    OK(cu->MemGetInfo_v2(&after, NULL));
    EQUAL(4 * MIB, before - after);
}

MEASURED_CASE(091, the_same_size_gets_the_same_address_again)
{
    CUdeviceptr first = begin_memory(MIB);

    OK(cu->MemFree_v2(first));
    CHECK(begin_memory(MIB) == first);
}

MEASURED_CASE(092, ranges_are_found_by_any_address)
{
    CUdeviceptr memory = begin_memory(1000), base = 0;
    size_t bytes = 0;

    OK(cu->MemGetAddressRange_v2(&base, &bytes, memory + 500));
    CHECK(base == memory);
    EQUAL(1000, bytes);
    OK(cu->MemGetAddressRange_v2(&base, NULL, memory + 999));
    CHECK(base == memory);
    OK(cu->MemGetAddressRange_v2(NULL, &bytes, memory));
    OK(cu->MemGetAddressRange_v2(NULL, NULL, memory));
    OK(cu->MemGetAddressRange_v2(NULL, NULL, 0));
}

MEASURED_CASE(092, unknown_addresses_have_no_range)
{
    CUdeviceptr memory = begin_memory(1000), freed = begin_memory(8 * MIB), base;
    size_t bytes;

    MUST(cu->MemFree_v2(freed));
    const CUdeviceptr unknown[] = {memory + 1000, 0, 0x1234, (uintptr_t)&bytes, freed};
    for (size_t i = 0; i < COUNT(unknown); i++) {
        base = bytes = 7;
        CODE(CUDA_ERROR_NOT_FOUND, cu->MemGetAddressRange_v2(&base, &bytes, unknown[i]));
        EQUAL(0, base);
        EQUAL(0, bytes);
    }
}

MEASURED_CASE(092, page_locked_memory_has_a_range)
{
    CUdeviceptr base = 0;
    size_t bytes = 0;
    char *pinned = begin_pinned(4096);

    OK(cu->MemGetAddressRange_v2(&base, &bytes, (uintptr_t)pinned + 10));
    CHECK(base == (uintptr_t)pinned);
    EQUAL(4096, bytes);
}

MEASURED_CASE(093, only_what_was_allocated_is_freed)
{
    CUdeviceptr memory;
    char local;

    begin_device();
    OK(cu->MemFree_v2(0));
    begin_context();
    memory = begin_memory(1000);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFree_v2(0x1234));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFree_v2(memory + 16));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFree_v2((uintptr_t)&local));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFree_v2((uintptr_t)begin_pinned(64)));
    OK(cu->MemFree_v2(memory));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFree_v2(memory));
}

MEASURED_CASE(093, memory_belongs_to_its_context)
{
    CUcontext own = begin_context(), other = begin_other_context();
    CUdeviceptr memory = begin_memory(64), gone, base;

    make_current(other);
    OK(cu->MemGetAddressRange_v2(&base, NULL, memory));
    OK(cu->MemFree_v2(memory));
    gone = begin_memory(64);
    OK(cu->CtxDestroy_v2(other));
    make_current(own);
    CODE(CUDA_ERROR_NOT_FOUND, cu->MemGetAddressRange_v2(&base, NULL, gone));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFree_v2(gone));
    make_current(NULL);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFree_v2(gone));
}

MEASURED_CASE(093, freeing_needs_no_context)
{
    const CUcontext own = begin_context();
    const CUdeviceptr memory = begin_memory(64), other = begin_memory(64);
    CUdeviceptr managed = begin_managed(64), base, address = 5;
    size_t free = 5, total = 5;

    make_current(NULL);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFree_v2(memory + 16));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFree_v2(0x1234));
    OK(cu->MemFree_v2(memory));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFree_v2(memory));
    OK(cu->MemFree_v2(managed));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemGetAddressRange_v2(&base, NULL, other));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemAlloc_v2(&address, 64));
    EQUAL(0, address);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemGetInfo_v2(&free, &total));
    EQUAL(0, free | total);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemsetD8_v2(other, 1, 16));
    make_current(own);
    OK(cu->MemFree_v2(other));
}

static CUresult free_pinned(void *memory)
{
    return cu->MemFreeHost(memory);
}

static CUresult free_device(void *memory)
{
    return cu->MemFree_v2((uintptr_t)memory);
}

static CUresult unregister(void *memory)
{
    return cu->MemHostUnregister(memory);
}

MEASURED_CASE(094, freeing_waits)
{
    static _Alignas(4096) char page[4096];
    CUstream stream = begin_stream();

    MUST(cu->MemHostRegister_v2(page, sizeof page, 0));
    CHECK(waits_for_gate(stream, free_device, (void *)(uintptr_t)begin_memory(4096)));
    CHECK(waits_for_gate(stream, free_pinned, begin_pinned(4096)));
    CHECK(waits_for_gate(stream, unregister, page));
}

MEASURED_CASE(094, freeing_nothing_and_registering_do_not_wait)
{
    static _Alignas(4096) char page[4096];
    struct gate gate = GATE;
    void *pinned;
    CUstream stream = begin_stream();

    gate_shut(&gate, stream);
    OK(cu->MemFree_v2(0));
    OK(cu->MemAllocHost_v2(&pinned, MIB));
    OK(cu->MemHostRegister_v2(page, sizeof page, 0));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    gate_open(&gate);
    drain(stream);
}

MEASURED_CASE(094, freeing_does_not_wait_for_another_context)
{
    CUcontext own = begin_context(), other = begin_other_context();
    CUstream stream = begin_stream();
    struct gate gate = GATE;
    CUdeviceptr memory;

    gate_shut(&gate, stream);
    make_current(other);
    memory = begin_memory(64);
    OK(cu->MemFree_v2(memory));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    gate_open(&gate);
    make_current(own);
    drain(stream);
}

MEASURED_CASE(095, pitches_are_multiples_of_512)
{
    static const size_t widths[] = {1, 100, 512, 513, 1000, 5000};
    static const unsigned elements[] = {4, 8, 16};
    CUdeviceptr memory;
    size_t pitch, bytes;

    begin_context();
    for (size_t i = 0; i < COUNT(widths); i++) {
        for (size_t k = 0; k < 3; k++) {
            OK(cu->MemAllocPitch_v2(&memory, &pitch, widths[i], 3, elements[k]));
            EQUAL((widths[i] + 511) / 512 * 512, pitch);
            OK(cu->MemGetAddressRange_v2(NULL, &bytes, memory));
            EQUAL(3 * pitch, bytes);
        }
    }
}

MEASURED_CASE(095, wrong_pitches_are_refused)
{
    static const unsigned elements[] = {0, 1, 2, 3, 12, 32};
    CUdeviceptr memory = 7;
    size_t pitch = 7;

    begin_context();
    for (size_t i = 0; i < COUNT(elements); i++)
        CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAllocPitch_v2(&memory, &pitch, 64, 2, elements[i]));
    memory = pitch = 7;
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAllocPitch_v2(&memory, &pitch, 0, 2, 4));
    EQUAL(0, memory);
    EQUAL(0, pitch);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAllocPitch_v2(&memory, &pitch, 64, 0, 4));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAllocPitch_v2(NULL, &pitch, 64, 2, 4));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAllocPitch_v2(&memory, NULL, 64, 2, 4));
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cu->MemAllocPitch_v2(&memory, &pitch, (size_t)1 << 40, 2, 4));
}

MEASURED_CASE(097, the_first_abi_is_refused)
{
    unsigned one = 0xaaaaaaaa, other = 0xaaaaaaaa, value = 5;
    CUdeviceptr memory = begin_memory(64), base;
    void *pinned = &one;

    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemAlloc(&one, 4096));
    EQUAL(0, one);
    one = 0xaaaaaaaa;
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemGetInfo(&one, &other));
    EQUAL(0, one | other);
    one = 0xaaaaaaaa;
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemGetAddressRange(&one, &other, (unsigned)memory));
    EQUAL(0, one);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemAllocHost(&pinned, 64));
    CHECK(!pinned);
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemAlloc(NULL, 4096));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemFree(0));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemcpyHtoD((unsigned)memory, &value, 4));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemcpyDtoH(&value, (unsigned)memory, 4));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemsetD8((unsigned)memory, 1, 4));
    OK(cu->MemGetAddressRange_v2(&base, NULL, memory));
}
