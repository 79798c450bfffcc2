/* SPDX-License-Identifier: Apache-2.0 */
/* Managed memory. Statements 88 and 96. */
#include <stdint.h>

#include "backend.h"
#include "begin.h"
#include "cases.h"
#include "check.h"
#include "memory.h"

static void managed_memory_has_one_address(void)
{
    CUdeviceptr memory;
    unsigned value = 0;

    begin_context();
    OK(cu->MemAllocManaged(&memory, 65536, CU_MEM_ATTACH_GLOBAL));
    *(volatile unsigned *)(uintptr_t)memory = 41;
    OK(cu->MemcpyDtoH_v2(&value, memory, sizeof value));
    EQUAL(41, value);
    OK(cu->MemsetD32_v2(memory, 42, 1));
    OK(cu->CtxSynchronize());
    EQUAL(42, *(volatile unsigned *)(uintptr_t)memory);
    OK(cu->MemFree_v2(memory));
    OK(cu->MemAllocManaged(&memory, 65536, CU_MEM_ATTACH_HOST));
}

static void wrong_managed_memory_is_refused(void)
{
    CUdeviceptr memory;

    begin_context();
    for (unsigned flags = 3; flags < 8; flags++)
        CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAllocManaged(&memory, 64, flags));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAllocManaged(&memory, 64, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAllocManaged(&memory, 0, CU_MEM_ATTACH_GLOBAL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAllocManaged(NULL, 64, CU_MEM_ATTACH_GLOBAL));
}

static void only_managed_memory_takes_hints(void)
{
    CUdeviceptr managed = 0, plain;
    int value = 5;

    begin_context();
    plain = begin_memory(65536);
    MUST(cu->MemAllocManaged(&managed, 65536, CU_MEM_ATTACH_GLOBAL));
#if CUDA_VERSION >= 12020
    const CUmemLocation device = {.type = CU_MEM_LOCATION_TYPE_DEVICE};

    OK(cu->MemAdvise_v2(managed, 65536, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
    OK(cu->MemRangeGetAttribute(&value, sizeof value, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, managed,
                                65536));
    EQUAL(1, value);
    OK(cu->MemPrefetchAsync_v2(managed, 65536, device, 0, NULL));
    drain(NULL);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemPrefetchAsync_v2(plain, 65536, device, 0, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->MemAdvise_v2(plain, 65536, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
#endif
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->MemRangeGetAttribute(&value, sizeof value, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, plain,
                                  65536));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemPrefetchAsync(plain, 4096, 0, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAdvise(plain, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
}

const struct conformance_case managed_cases[] = {
    MEASURED_CASE("088_only_managed_memory_takes_hints", only_managed_memory_takes_hints),
    MEASURED_CASE("096_managed_memory_has_one_address", managed_memory_has_one_address),
    MEASURED_CASE("096_wrong_managed_memory_is_refused", wrong_managed_memory_is_refused),
    {.name = NULL},
};
