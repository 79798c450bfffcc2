/* SPDX-License-Identifier: Apache-2.0 */
/* Page-locked memory, and the attributes of pointers. Statements 98-105. */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "tests/support/memory.h"

static _Alignas(4096) char page[65536];

MEASURED_CASE(098, flags_and_sizes_are_checked)
{
    void *memory;

    begin_context();
    for (unsigned flags = 0; flags < 16; flags++)
        CODE(flags < 8 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE,
             cu->MemHostAlloc(&memory, 4096, flags));
    OK(cu->MemHostAlloc(&memory, 0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostAlloc(NULL, 16, 0));
    OK(cu->MemAllocHost_v2(&memory, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAllocHost_v2(NULL, 16));
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cu->MemAllocHost_v2(&memory, (size_t)1 << 44));
}

MEASURED_CASE(099, host_and_device_share_the_address)
{
    CUdeviceptr address = 0;
    unsigned flags = 0;
    char *memory = NULL;

    begin_context();
    MUST(cu->MemHostAlloc((void **)&memory, 100, CU_MEMHOSTALLOC_WRITECOMBINED));
    OK(cu->MemHostGetDevicePointer_v2(&address, memory, 0));
    CHECK(address == (uintptr_t)memory);
    OK(cu->MemHostGetDevicePointer_v2(&address, memory + 10, 0));
    CHECK(address == (uintptr_t)memory + 10);
    OK(cu->MemHostGetFlags(&flags, memory + 8));
    EQUAL(CU_MEMHOSTALLOC_WRITECOMBINED | CU_MEMHOSTALLOC_DEVICEMAP, flags);
}

MEASURED_CASE(099, other_memory_has_no_device_pointer)
{
    CUdeviceptr address = 5, device = begin_memory(64);
    unsigned flags;
    char *memory = begin_pinned(64);

    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostGetDevicePointer_v2(&address, page, 0));
    EQUAL(0, address);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostGetDevicePointer_v2(&address, memory, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostGetDevicePointer_v2(NULL, memory, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostGetDevicePointer_v2(&address, NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->MemHostGetDevicePointer_v2(&address, (void *)(uintptr_t)device, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostGetFlags(&flags, page));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostGetFlags(&flags, (void *)(uintptr_t)device));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostGetFlags(NULL, memory));
}

MEASURED_CASE(100, only_what_was_allocated_is_freed)
{
    char *memory = begin_pinned(4096), *plain = malloc(5000);
    int local;

    OK(cu->MemFreeHost(NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeHost(&local));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeHost(plain));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeHost(memory + 8));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeHost((void *)(uintptr_t)begin_memory(64)));
    MUST(cu->MemHostRegister_v2(page, 4096, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeHost(page));
    OK(cu->MemFreeHost(memory));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeHost(memory));
    free(plain);
}

MEASURED_CASE(100, it_belongs_to_its_context)
{
    CUcontext own = begin_context(), other = begin_other_context();
    void *memory = begin_pinned(64), *gone;
    CUdeviceptr address;

    make_current(other);
    OK(cu->MemHostGetDevicePointer_v2(&address, memory, 0));
    OK(cu->MemFreeHost(memory));
    gone = begin_pinned(64);
    OK(cu->CtxDestroy_v2(other));
    make_current(own);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeHost(gone));
}

MEASURED_CASE(100, freeing_needs_no_context)
{
    CUdeviceptr address;
    unsigned flags;
    void *memory = begin_pinned(64), *other = begin_pinned(64);

    MUST(cu->MemHostRegister_v2(page, 4096, 0));
    make_current(NULL);
    OK(cu->MemFreeHost(memory));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeHost(memory));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeHost((void *)0x1234));
    OK(cu->MemHostUnregister(page));
    CODE(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cu->MemHostUnregister(page));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemHostGetDevicePointer_v2(&address, other, 0));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemHostGetFlags(&flags, other));
}

MEASURED_CASE(101, ranges_are_registered_once)
{
    begin_context();
    OK(cu->MemHostRegister_v2(page, 16384, 0));
    CODE(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cu->MemHostRegister_v2(page, 16384, 0));
    CODE(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cu->MemHostRegister_v2(page + 8192, 16384, 0));
    CODE(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cu->MemHostRegister_v2(page + 4096, 4096, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostRegister_v2(begin_pinned(4096), 16, 0));
}

/* A copy may enter page-locked memory, but not leave it, nor write what is read-only. */
MEASURED_CASE(107, copies_do_not_leave_page_locked_memory)
{
    static const struct {
        size_t from, bytes;
        CUresult code;
    } rows[] = {{0, 4096, CUDA_SUCCESS},
                {0, 4097, CUDA_SUCCESS},
                {0, 16384, CUDA_SUCCESS},
                {4096, 4096, CUDA_SUCCESS},
                {4096, 8192, CUDA_ERROR_INVALID_VALUE},
                {5000, 4096, CUDA_ERROR_INVALID_VALUE},
                {8192, 4097, CUDA_ERROR_INVALID_VALUE},
                {12288, 4096, CUDA_SUCCESS}};
    static _Alignas(4096) char memory[16384];
    CUdeviceptr device = begin_memory(sizeof memory);

    OK(cu->MemHostRegister_v2(memory + 4096, 4096, 0));
    OK(cu->MemHostRegister_v2(memory + 8192, 4096, 8));
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *from = memory + rows[i].from;

        CODE(rows[i].code, cu->MemcpyHtoD_v2(device, from, rows[i].bytes));
        CODE(rows[i].code, cu->MemcpyHtoDAsync_v2(device, from, rows[i].bytes, NULL));
    }
    OK(cu->MemcpyDtoH_v2(memory + 4096, device, 16));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyDtoH_v2(memory + 8192, device, 16));
    drain(NULL);
    OK(cu->MemHostUnregister(memory + 4096));
    OK(cu->MemHostUnregister(memory + 8192));
}

MEASURED_CASE(101, ranges_need_no_alignment)
{
    CUdeviceptr base = 0;
    size_t bytes = 0;

    begin_context();
    OK(cu->MemHostRegister_v2(page + 100, 1000, 0));
    OK(cu->MemGetAddressRange_v2(&base, &bytes, (uintptr_t)page + 100));
    CHECK(base == (uintptr_t)page + 100);
    EQUAL(1000, bytes);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostGetDevicePointer_v2(&base, page, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostGetDevicePointer_v2(&base, page + 2000, 0));
    OK(cu->MemHostRegister_v2(page + 2000, 500, 0));
}

MEASURED_CASE(101, what_is_no_memory_is_not_registered)
{
    static const struct {
        unsigned flags;
        CUresult code;
    } flags[] = {{1, CUDA_SUCCESS},
                 {2, CUDA_SUCCESS},
                 {4, CUDA_ERROR_INVALID_VALUE},
                 {8, CUDA_SUCCESS},
                 {16, CUDA_ERROR_INVALID_VALUE}};
    static const char constant[4096] = "read-only";

    begin_context();
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostRegister_v2((void *)(uintptr_t)constant, 4096, 0));
    OK(cu->MemHostRegister_v2((void *)(uintptr_t)constant, 4096, 8));
    OK(cu->MemHostUnregister((void *)(uintptr_t)constant));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostRegister_v2(page, 0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostRegister_v2(NULL, 4096, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostRegister_v2(memory_nowhere(), 4096, 0));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->MemHostRegister_v2((void *)(uintptr_t)begin_memory(4096), 4096, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostRegister_v2(page, SIZE_MAX, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostRegister_v2(page, (size_t)1 << 36, 0));
    for (size_t i = 0; i < COUNT(flags); i++) {
        CODE(flags[i].code, cu->MemHostRegister_v2(page, 4096, flags[i].flags));
        if (flags[i].code == CUDA_SUCCESS)
            OK(cu->MemHostUnregister(page));
    }
}

MEASURED_CASE(102, ranges_are_unregistered_by_their_start)
{
    int local;

    begin_context();
    MUST(cu->MemHostRegister_v2(page + 100, 1000, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostUnregister(page + 101));
    CODE(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cu->MemHostUnregister(page));
    CODE(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cu->MemHostUnregister(&local));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostUnregister(NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostUnregister(begin_pinned(64)));
    OK(cu->MemHostUnregister(page + 100));
    CODE(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cu->MemHostUnregister(page + 100));
}

/* The attributes of pointers. Statements 103-105. */

static CUdeviceptr begin_pooled(void)
{
    CUdeviceptr memory = 0;

    MUST(cu->MemAllocAsync(&memory, 1000, NULL));
    return memory;
}

/* The value of an attribute of 4 or 8 bytes, whose query must succeed. */
static uint64_t value_of(CUpointer_attribute attribute, CUdeviceptr pointer)
{
    uint64_t value = 0;

    OK(cu->PointerGetAttribute(&value, attribute, pointer));
    return value;
}

MEASURED_CASE(103, kinds_of_memory_are_returned)
{
    const CUcontext context = begin_context();
    const CUdeviceptr memory[] = {begin_memory(1000), (uintptr_t)begin_pinned(1000),
                                  begin_managed(1000), begin_pooled()};
    static const unsigned types[] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE,
                                     CU_MEMORYTYPE_DEVICE};

    for (int i = 0; i < 4; i++) {
        const CUdeviceptr within = memory[i] + 100;
        uint64_t address = 5;

        CHECK(value_of(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, within) == within);
        make_current(NULL);
        CODE(CUDA_ERROR_INVALID_CONTEXT,
             cu->PointerGetAttribute(&address, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, within));
        EQUAL(types[i], value_of(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, within));
        EQUAL(i == 2, value_of(CU_POINTER_ATTRIBUTE_IS_MANAGED, within));
        EQUAL(i == 2, value_of(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, within));
        EQUAL(0, value_of(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, within));
        EQUAL(1, value_of(CU_POINTER_ATTRIBUTE_MAPPED, within));
        EQUAL(1000, value_of(CU_POINTER_ATTRIBUTE_RANGE_SIZE, within));
        CHECK(value_of(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, within) == memory[i]);
        CHECK(value_of(CU_POINTER_ATTRIBUTE_CONTEXT, within) ==
              (i == 3 ? 0 : (uint64_t)(uintptr_t)context));
        make_current(context);
    }
}

MEASURED_CASE(103, tokens_make_operations_synchronous)
{
    CUDA_POINTER_ATTRIBUTE_P2P_TOKENS tokens;
    CUdeviceptr memory = begin_memory(1000), pinned = (uintptr_t)begin_pinned(1000);

    EQUAL(0, value_of(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
    OK(cu->PointerGetAttribute(&tokens, CU_POINTER_ATTRIBUTE_P2P_TOKENS, memory));
    EQUAL(1, value_of(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->PointerGetAttribute(&tokens, CU_POINTER_ATTRIBUTE_P2P_TOKENS, pinned));
    EQUAL(0, value_of(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, pinned));
}

MEASURED_CASE(103, only_some_memory_has_a_host_pointer)
{
    CUdeviceptr device = begin_memory(1000), pinned = (uintptr_t)begin_pinned(1000);
    uint64_t host = 5;

    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->PointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, device));
    EQUAL(0, host);
    CHECK(value_of(CU_POINTER_ATTRIBUTE_HOST_POINTER, pinned + 3) == pinned + 3);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->PointerGetAttribute(&host, (CUpointer_attribute)0, device));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->PointerGetAttribute(NULL, CU_POINTER_ATTRIBUTE_CONTEXT, device));
}

MEASURED_CASE(103, buffers_have_ids)
{
    CUdeviceptr first = begin_memory(64), second = begin_memory(64);

    CHECK(value_of(CU_POINTER_ATTRIBUTE_BUFFER_ID, first) !=
          value_of(CU_POINTER_ATTRIBUTE_BUFFER_ID, second));
    CHECK(value_of(CU_POINTER_ATTRIBUTE_BUFFER_ID, first) ==
          value_of(CU_POINTER_ATTRIBUTE_BUFFER_ID, first + 63));
}

MEASURED_CASE(104, unknown_memory_has_no_attributes)
{
    CUdeviceptr memory = begin_memory(1000), freed = begin_memory(1000);
    uint64_t value = 5;
    int local;

    MUST(cu->MemFree_v2(freed));
    const CUdeviceptr unknown[] = {memory + 1000, (uintptr_t)&local, 0, 0x1234, freed};
    for (size_t i = 0; i < COUNT(unknown); i++) {
        for (int number = 1; number <= 13; number++)
            CODE(CUDA_ERROR_INVALID_VALUE,
                 cu->PointerGetAttribute(&value, (CUpointer_attribute)number, unknown[i]));
    }
    EQUAL(5, value);
}

MEASURED_CASE(104, a_list_of_attributes_knows_any_pointer)
{
    CUpointer_attribute attributes[] = {
        CU_POINTER_ATTRIBUTE_CONTEXT,        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        CU_POINTER_ATTRIBUTE_DEVICE_POINTER, CU_POINTER_ATTRIBUTE_HOST_POINTER,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_MAPPED,         CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    uint64_t values[8];
    void *data[8];
    int local, ordinal;

    begin_context();
    memset(values, 0, sizeof values);
    values[0] = values[2] = values[7] = 5;
    for (int i = 0; i < 8; i++)
        data[i] = &values[i];
    OK(cu->PointerGetAttributes(8, attributes, data, (uintptr_t)&local));
    EQUAL(0, values[0]);
    EQUAL(0, values[1]);
    EQUAL(0, values[2]);
    CHECK(values[3] == (uintptr_t)&local);
    memcpy(&ordinal, &values[4], sizeof ordinal);
    EQUAL(CU_DEVICE_INVALID, ordinal);
    EQUAL(0, values[5] | values[6]);
    EQUAL(5, values[7]);
}

MEASURED_CASE(104, a_list_is_answered_up_to_what_does_not_exist)
{
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUpointer_attribute)99,
                                        CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    uint64_t values[] = {0, 5, 5};
    void *data[] = {&values[0], &values[1], &values[2]};
    CUdeviceptr memory = begin_memory(64);

    CODE(CUDA_ERROR_INVALID_VALUE, cu->PointerGetAttributes(3, attributes, data, memory));
    EQUAL(CU_MEMORYTYPE_DEVICE, values[0]);
    EQUAL(5, values[1]);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->PointerGetAttributes(0, attributes, data, memory));
}

MEASURED_CASE(105, only_synchronous_operations_can_be_set)
{
    CUdeviceptr memory = begin_memory(64);
    int one = 1;

    OK(cu->PointerSetAttribute(&one, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
    EQUAL(1, value_of(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
    OK(cu->PointerSetAttribute(&one, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
                               (uintptr_t)begin_pinned(64)));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->PointerSetAttribute(&one, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 0x1234));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->PointerSetAttribute(&one, CU_POINTER_ATTRIBUTE_CONTEXT, memory));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->PointerSetAttribute(NULL, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
}
