/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pools, and stream-ordered allocations. Statements 120-128. */
#include <string.h>

#include "cases.h"

enum { MIB = 1 << 20, RESERVED = 5, RESERVED_HIGH, USED, USED_HIGH };

static CUmemoryPool begin_pool(void)
{
    CUmemoryPool pool = NULL;

    need_context();
    MUST(cu->DeviceGetDefaultMemPool(&pool, 0));
    return pool;
}

static CUdeviceptr begin_allocated(size_t bytes, CUstream stream)
{
    CUdeviceptr memory = 0;

    MUST(cu->MemAllocAsync(&memory, bytes, stream));
    return memory;
}

static uint64_t value_of(CUmemoryPool pool, int attribute)
{
    uint64_t value = 0;

    OK(cu->MemPoolGetAttribute(pool, (CUmemPool_attribute)attribute, &value));
    return value;
}

static CUmemPoolProps properties(void)
{
    CUmemPoolProps props;

    memset(&props, 0, sizeof props);
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return props;
}

static CUmemoryPool begin_own_pool(void)
{
    const CUmemPoolProps props = properties();
    CUmemoryPool pool = NULL;

    need_context();
    MUST(cu->MemPoolCreate(&pool, &props));
    return pool;
}

MEASURED_CASE(120, pools_begin_empty)
{
    uint64_t value = 5;
    CUmemoryPool pool = begin_own_pool();

    for (int attribute = 1; attribute <= 3; attribute++)
        EQUAL(1, value_of(pool, attribute));
    for (int attribute = 4; attribute <= USED_HIGH; attribute++)
        EQUAL(0, value_of(pool, attribute));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemPoolGetAttribute(pool, (CUmemPool_attribute)0, &value));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemPoolGetAttribute(pool, (CUmemPool_attribute)9, &value));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemPoolGetAttribute(pool, (CUmemPool_attribute)4, NULL));
    EQUAL(5, value);
}

MEASURED_CASE(120, pools_count)
{
    CUdeviceptr first, second;
    CUmemoryPool pool = begin_pool();
    CUstream stream = begin_stream();

    first = begin_allocated(1000, stream);
    second = begin_allocated(1000, stream);
    EQUAL(1024, second - first);
    EQUAL(2000, value_of(pool, USED));
    EQUAL(2000, value_of(pool, USED_HIGH));
    EQUAL(32 * MIB, value_of(pool, RESERVED));
    EQUAL(32 * MIB, value_of(pool, RESERVED_HIGH));
}

MEASURED_CASE(120, some_attributes_can_be_set)
{
    CUmemoryPool pool = begin_pool();
    cuuint64_t value = 12345;
    int reuse = 0;

    OK(cu->MemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    EQUAL(12345, value_of(pool, 4));
    OK(cu->MemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, &reuse));
    EQUAL(0, value_of(pool, 1));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->MemPoolSetAttribute(pool, (CUmemPool_attribute)RESERVED, &value));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->MemPoolSetAttribute(pool, (CUmemPool_attribute)USED, &value));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->MemPoolSetAttribute(pool, (CUmemPool_attribute)RESERVED_HIGH, &value));
    value = 0;
    OK(cu->MemPoolSetAttribute(pool, (CUmemPool_attribute)RESERVED_HIGH, &value));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemPoolSetAttribute(pool, (CUmemPool_attribute)99, &value));
}

MEASURED_CASE(126, wrong_pools_are_refused)
{
    CUmemoryPool pool = (CUmemoryPool)&pool;
    enum { WRONG = 8 };
    CUmemPoolProps wrong[WRONG];
    CUdeviceptr memory;

    begin_context();
    for (int i = 0; i < WRONG; i++)
        wrong[i] = properties();
    wrong[0].allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
    wrong[1].location.id = 9;
    wrong[2].handleTypes = (CUmemAllocationHandleType)64;
    wrong[3].location.type = CU_MEM_LOCATION_TYPE_INVALID;
    wrong[4].handleTypes = (CUmemAllocationHandleType)2;
    wrong[5].handleTypes = (CUmemAllocationHandleType)3;
    wrong[6].allocType = (CUmemAllocationType)9;
    wrong[7].location.type = (CUmemLocationType)4; /* CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT */
    for (int i = 0; i < WRONG; i++)
        CODE(CUDA_ERROR_INVALID_VALUE, cu->MemPoolCreate(&pool, &wrong[i]));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemPoolCreate(&pool, NULL));
    CHECK(pool == (CUmemoryPool)&pool);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemPoolDestroy(begin_pool()));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemPoolDestroy(NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemPoolTrimTo(NULL, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAllocFromPoolAsync(&memory, 64, NULL, NULL));
}

#if CUDA_VERSION >= 12020
MEASURED_CASE(126, pools_have_limits)
{
    CUmemPoolProps props = properties();
    CUdeviceptr memory;
    CUmemoryPool pool;

    begin_context();
    props.maxSize = MIB;
    OK(cu->MemPoolCreate(&pool, &props));
    OK(cu->MemAllocFromPoolAsync(&memory, MIB / 2, pool, NULL));
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cu->MemAllocFromPoolAsync(&memory, 64 * MIB, pool, NULL));
}
#endif

MEASURED_CASE(127, the_current_pool_can_be_changed)
{
    CUmemoryPool own = begin_own_pool(), current = NULL;
    CUdeviceptr memory;

    OK(cu->DeviceSetMemPool(0, own));
    OK(cu->DeviceGetMemPool(&current, 0));
    CHECK(current == own);
    memory = begin_allocated(64, NULL);
    EQUAL(64, value_of(own, USED));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->DeviceSetMemPool(0, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->DeviceSetMemPool(99, own));
    OK(cu->MemPoolDestroy(own));
    OK(cu->DeviceGetMemPool(&current, 0));
    CHECK(current == begin_pool());
    OK(cu->MemFreeAsync(memory, NULL));
    drain(NULL);
}

/* Memory is taken in pieces of 32 MiB, one behind the other, and kept in such pieces. */
MEASURED_CASE(127, pieces_are_neighbours)
{
    static const struct {
        unsigned mib[3];
        unsigned reserved, kept_for_48, kept_for_24;
    } rows[] = {{{1, 40, 0}, 64, 64, 32},    {{20, 20, 0}, 64, 64, 32},  {{20, 20, 20}, 64, 64, 32},
                {{33, 31, 0}, 64, 64, 32},   {{33, 32, 0}, 96, 64, 32},  {{16, 16, 1}, 64, 64, 32},
                {{100, 30, 0}, 160, 64, 32}, {{1, 100, 0}, 128, 64, 32}, {{1, 31, 1}, 64, 64, 32}};
    const CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                       .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    cuuint64_t all = UINT64_MAX;

    begin_context();
    for (size_t i = 0; i < COUNT(rows); i++) {
        CUdeviceptr memory[3] = {0, 0, 0};
        CUmemoryPool pool = NULL;

        MUST(cu->MemPoolCreate(&pool, &properties));
        MUST(cu->MemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all));
        for (int k = 0; k < 3; k++)
            OK(cu->MemAllocFromPoolAsync(&memory[k], (size_t)rows[i].mib[k] * MIB, pool, NULL));
        CHECK(memory[1] == memory[0] + (CUdeviceptr)rows[i].mib[0] * MIB);
        EQUAL(rows[i].reserved * (cuuint64_t)MIB, value_of(pool, RESERVED));
        for (int k = 0; k < 3; k++)
            OK(cu->MemFreeAsync(memory[k], NULL));
        drain(NULL);
        OK(cu->MemPoolTrimTo(pool, 48 * MIB));
        EQUAL(rows[i].kept_for_48 * (cuuint64_t)MIB, value_of(pool, RESERVED));
        OK(cu->MemPoolTrimTo(pool, 24 * MIB));
        EQUAL(rows[i].kept_for_24 * (cuuint64_t)MIB, value_of(pool, RESERVED));
        OK(cu->MemPoolTrimTo(pool, 0));
        EQUAL(0, value_of(pool, RESERVED));
        OK(cu->MemPoolDestroy(pool));
    }
}

MEASURED_CASE(127, what_is_free_can_be_given_back)
{
    cuuint64_t threshold = UINT64_MAX;
    CUmemoryPool pool = begin_pool();

    MUST(cu->MemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    OK(cu->MemFreeAsync(begin_allocated(1000, NULL), NULL));
    drain(NULL);
    EQUAL(32 * MIB, value_of(pool, RESERVED));
    OK(cu->MemPoolTrimTo(pool, 0));
    EQUAL(0, value_of(pool, RESERVED));
}

MEASURED_CASE(128, a_device_keeps_access_to_its_own_pool)
{
    CUmemLocation here = {.type = CU_MEM_LOCATION_TYPE_DEVICE};
    CUmemAccessDesc access;
    CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    CUmemoryPool pool = begin_own_pool();

    memset(&access, 0, sizeof access);
    access.location = here;
    OK(cu->MemPoolGetAccess(&flags, pool, &here));
    EQUAL(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, flags);
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    OK(cu->MemPoolSetAccess(pool, &access, 1));
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    CODE(CUDA_ERROR_INVALID_DEVICE, cu->MemPoolSetAccess(pool, &access, 1));
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->MemPoolSetAccess(pool, &access, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemPoolSetAccess(pool, NULL, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemPoolSetAccess(pool, NULL, 0));
}

/* Stream-ordered allocations. Statements 121-125. */

MEASURED_CASE(121, sizes_are_checked)
{
    CUdeviceptr memory = 5;
    CUstream stream;

    begin_device();
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemAllocAsync(&memory, 64, NULL));
    CODE(CUDA_ERROR_INVALID_CONTEXT, cu->MemFreeAsync(0, NULL));
    stream = begin_stream();
    OK(cu->MemAllocAsync(&memory, 0, stream));
    EQUAL(0, memory);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAllocAsync(NULL, 64, stream));
    memory = 5;
    CODE(CUDA_ERROR_OUT_OF_MEMORY, cu->MemAllocAsync(&memory, (size_t)1 << 40, stream));
    EQUAL(0, memory);
}

MEASURED_CASE(121, allocations_come_before_their_time)
{
    CUstream stream = begin_stream(), other = begin_stream();
    struct gate gate = GATE;
    CUdeviceptr memory = 0;

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

MEASURED_CASE(122, only_device_memory_is_freed)
{
    CUdeviceptr memory, plain, managed;
    CUstream stream = begin_stream(), other = begin_stream();

    memory = begin_allocated(1000, stream);
    plain = begin_memory(64);
    OK(cu->MemFreeAsync(0, stream));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeAsync(0x1234, stream));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeAsync(memory + 8, stream));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeAsync((uintptr_t)begin_pinned(64), stream));
    managed = begin_managed(64);
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->MemFreeAsync(managed, stream));
    drain(stream);
    OK(cu->MemFreeAsync(memory, other));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFreeAsync(memory, other));
    OK(cu->MemFreeAsync(plain, stream));
    drain(stream);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFree_v2(plain));
}

MEASURED_CASE(122, freed_memory_is_unknown)
{
    CUdeviceptr memory, base = 5;
    CUstream stream = begin_stream();
    int value = 1;

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

MEASURED_CASE(123, memory_that_is_given_back_is_refused)
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

MEASURED_CASE(124, a_stream_reuses_what_it_gives_back)
{
    CUstream stream = begin_stream();
    CUdeviceptr memory = begin_allocated(1000, stream);

    drain(stream);
    OK(cu->MemFreeAsync(memory, stream));
    CHECK(begin_allocated(1000, stream) == memory);
    OK(cu->MemsetD8Async(memory, 1, 1000, stream));
    drain(stream);
}

MEASURED_CASE(125, ordinary_freeing_does_not_wait)
{
    struct gate gate = GATE;
    CUmemoryPool pool = NULL;
    CUdeviceptr memory;
    CUstream stream = begin_stream();

    MUST(cu->DeviceGetDefaultMemPool(&pool, 0));
    memory = begin_allocated(4096, stream);
    drain(stream);
    gate_shut(&gate, stream);
    OK(cu->MemFree_v2(memory));
    EQUAL(4096, value_of(pool, USED));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemFree_v2(memory));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(stream));
    gate_open(&gate);
    drain(stream);
}
