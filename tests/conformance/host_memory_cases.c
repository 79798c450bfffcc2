/* SPDX-License-Identifier: Apache-2.0 */
/* Page-locked memory. Statements 98-102. */
#include <stdint.h>
#include <stdlib.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "memory.h"
#include "tests/support/memory.h"

static _Alignas(4096) char page[65536];

static void flags_and_sizes_are_checked(void)
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

static void host_and_device_share_the_address(void)
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

static void other_memory_has_no_device_pointer(void)
{
    CUdeviceptr address = 5, device;
    unsigned flags;
    char *memory;

    begin_context();
    memory = begin_pinned(64);
    device = begin_memory(64);
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

static void only_what_was_allocated_is_freed(void)
{
    char *memory, *plain = malloc(5000);
    int local;

    begin_context();
    memory = begin_pinned(4096);
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

static void it_belongs_to_its_context(void)
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

static void freeing_needs_no_context(void)
{
    CUdeviceptr address;
    unsigned flags;
    void *memory, *other;

    begin_context();
    memory = begin_pinned(64);
    other = begin_pinned(64);
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

static void ranges_are_registered_once(void)
{
    begin_context();
    OK(cu->MemHostRegister_v2(page, 16384, 0));
    CODE(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cu->MemHostRegister_v2(page, 16384, 0));
    CODE(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cu->MemHostRegister_v2(page + 8192, 16384, 0));
    CODE(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cu->MemHostRegister_v2(page + 4096, 4096, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostRegister_v2(begin_pinned(4096), 16, 0));
}

static void ranges_need_no_alignment(void)
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

static void what_is_no_memory_is_not_registered(void)
{
    static const struct {
        unsigned flags;
        CUresult code;
    } flags[] = {{1, CUDA_SUCCESS},
                 {2, CUDA_SUCCESS},
                 {4, CUDA_ERROR_INVALID_VALUE},
                 {8, CUDA_SUCCESS},
                 {16, CUDA_ERROR_INVALID_VALUE}};

    begin_context();
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostRegister_v2(page, 0, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostRegister_v2(NULL, 4096, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemHostRegister_v2(memory_nowhere(), 4096, 0));
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        CODE(flags[i].code, cu->MemHostRegister_v2(page, 4096, flags[i].flags));
        if (flags[i].code == CUDA_SUCCESS)
            OK(cu->MemHostUnregister(page));
    }
}

static void ranges_are_unregistered_by_their_start(void)
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

const struct conformance_case host_memory_cases[] = {
    MEASURED_CASE("098_flags_and_sizes_are_checked", flags_and_sizes_are_checked),
    MEASURED_CASE("099_host_and_device_share_the_address", host_and_device_share_the_address),
    MEASURED_CASE("099_other_memory_has_no_device_pointer", other_memory_has_no_device_pointer),
    MEASURED_CASE("100_only_what_was_allocated_is_freed", only_what_was_allocated_is_freed),
    MEASURED_CASE("100_it_belongs_to_its_context", it_belongs_to_its_context),
    MEASURED_CASE("100_freeing_needs_no_context", freeing_needs_no_context),
    MEASURED_CASE("101_ranges_are_registered_once", ranges_are_registered_once),
    MEASURED_CASE("101_ranges_need_no_alignment", ranges_need_no_alignment),
    MEASURED_CASE("101_what_is_no_memory_is_not_registered", what_is_no_memory_is_not_registered),
    MEASURED_CASE("102_ranges_are_unregistered_by_their_start",
                  ranges_are_unregistered_by_their_start),
    {.name = NULL},
};
