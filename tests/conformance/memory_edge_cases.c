/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Managed memory, arrays, pools by location, attributes of addresses. Statements 88, 96, 188-191.
 */
#include <string.h>

#include "cases.h"

MEASURED_CASE(096, managed_memory_has_one_address)
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

MEASURED_CASE(096, wrong_managed_memory_is_refused)
{
    CUdeviceptr memory;

    begin_context();
    for (unsigned flags = 3; flags < 8; flags++)
        CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAllocManaged(&memory, 64, flags));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAllocManaged(&memory, 64, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAllocManaged(&memory, 0, CU_MEM_ATTACH_GLOBAL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemAllocManaged(NULL, 64, CU_MEM_ATTACH_GLOBAL));
}

MEASURED_CASE(088, only_managed_memory_takes_hints)
{
    CUdeviceptr managed = 0, plain = begin_memory(65536);
    int value = 5;

    managed = begin_managed(65536);
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

/*
 * Arrays, locations of managed memory, pools by location, attributes of addresses. Statements
 * 188-191.
 */

/* Types of CUmemLocation, as numbers because older headers lack some of them. */
enum { NOWHERE, DEVICE, HOST, NUMA, NUMA_CURRENT, UNKNOWN = 77 };

static CUmemLocation location(int type, int id)
{
    CUmemLocation made;

    memset(&made, 0, sizeof made);
    made.type = (CUmemLocationType)type;
    made.id = id;
    return made;
}

MEASURED_CASE(188, cubes_have_six_square_faces)
{
    static const struct {
        size_t height, depth;
        unsigned flags;
        CUresult code;
    } rows[] = {
        {8, 6, 0, CUDA_SUCCESS},
        {4, 6, 0, CUDA_ERROR_INVALID_VALUE},
        {8, 5, 0, CUDA_ERROR_INVALID_VALUE},
        {8, 12, 0, CUDA_ERROR_INVALID_VALUE},
        {8, 12, CUDA_ARRAY3D_LAYERED, CUDA_SUCCESS},
        {8, 13, CUDA_ARRAY3D_LAYERED, CUDA_ERROR_INVALID_VALUE},
    };
    CUDA_ARRAY3D_DESCRIPTOR of = {.Width = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    CUarray array = NULL;

    begin_context();
    for (size_t i = 0; i < COUNT(rows); i++) {
        of.Height = rows[i].height;
        of.Depth = rows[i].depth;
        of.Flags = rows[i].flags | CUDA_ARRAY3D_CUBEMAP;
        CODE(rows[i].code, cu->Array3DCreate_v2(&array, &of));
    }
    of.Height = 8;
    of.Depth = 0;
    of.Flags = 0x1000; /* an unknown flag */
    REFUSED(cu->Array3DCreate_v2(&array, &of));
    of.Flags = 0;
    of.Format = (CUarray_format)0x55;
    REFUSED(cu->Array3DCreate_v2(&array, &of));
    of.Format = (CUarray_format)0x91; /* CU_AD_FORMAT_BC1_UNORM, which needs four channels */
    REFUSED(cu->Array3DCreate_v2(&array, &of));
}

/* Attributes from 4 on: where pages were last prefetched, and the types and ids of locations. */
MEASURED_CASE(189, hints_belong_to_pages)
{
    enum { PREFETCHED, PREFERRED_TYPE, PREFERRED_ID, PREFETCHED_TYPE, PREFETCHED_ID, ATTRIBUTES };
    static const struct {
        int to;       /* where the first page is prefetched; NOWHERE: not at all */
        size_t bytes; /* of the range that is asked about */
        int expected[ATTRIBUTES];
    } rows[] = {{NOWHERE, 8192, {-2, 0, -2, 0, -2}},
                {DEVICE, 8192, {-2, 0, -2, 0, -2}},
                {DEVICE, 4096, {0, 0, -2, 1, 0}},
                {HOST, 4096, {-1, 0, -2, 2, -1}}};
    const CUmem_range_attribute mostly = CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
    CUdeviceptr memory;
    int value = 7;

    begin_context();
    memory = begin_managed(8192);
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].to != NOWHERE)
            OK(cu->MemPrefetchAsync_v2(memory, 4096, location(rows[i].to, 0), 0, NULL));
        for (int k = 0; k < ATTRIBUTES; k++) {
            OK(cu->MemRangeGetAttribute(&value, 4, (CUmem_range_attribute)(4 + k), memory,
                                        rows[i].bytes));
            EQUAL(rows[i].expected[k], value);
        }
    }
    OK(cu->MemAdvise(memory, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    OK(cu->MemRangeGetAttribute(&value, 4, mostly, memory, 8192));
    EQUAL(0, value);
    OK(cu->MemRangeGetAttribute(&value, 4, mostly, memory, 4096));
    EQUAL(1, value);
    drain(NULL);
}

MEASURED_CASE(189, places_are_devices_and_the_host)
{
    static const struct {
        int type, id;
        CUresult prefetched, preferred, accessing;
    } rows[] = {
        {DEVICE, 0, 0, 0, 0},  {DEVICE, -1, 101, 1, 1},    {DEVICE, 99, 101, 1, 1},
        {HOST, 0, 0, 0, 0},    {HOST, -1, 0, 0, 0},        {HOST, 5, 0, 0, 0},
        {NUMA, 0, 0, 0, 1},    {NUMA, -1, 1, 1, 1},        {NUMA, 99, 1, 1, 1},
        {NOWHERE, 0, 1, 1, 1}, {NUMA_CURRENT, 0, 0, 0, 1}, {UNKNOWN, 0, 1, 1, 1},
    };
    CUdeviceptr memory = begin_managed(4096);

    for (size_t i = 0; i < COUNT(rows); i++) {
        const CUmemLocation place = location(rows[i].type, rows[i].id);

        CODE(rows[i].prefetched, cu->MemPrefetchAsync_v2(memory, 4096, place, 0, NULL));
        CODE(rows[i].preferred,
             cu->MemAdvise_v2(memory, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, place));
        CODE(rows[i].accessing,
             cu->MemAdvise_v2(memory, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, place));
    }
    REFUSED(cu->MemAdvise_v2(memory, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, location(NOWHERE, 0)));
    REFUSED(cu->MemAdvise_v2(memory, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, location(UNKNOWN, 0)));
    REFUSED(cu->MemPrefetchAsync_v2(memory, 4096, location(DEVICE, 0), 1, NULL));
    CODE(CUDA_ERROR_INVALID_DEVICE, cu->MemPrefetchAsync(memory, 4096, 99, NULL));
    REFUSED(cu->MemPrefetchAsync(memory + 2048, 4096, 0, NULL));
    REFUSED(cu->MemPrefetchAsync(memory, 0, 0, NULL));
    CODE(CUDA_ERROR_INVALID_DEVICE, cu->MemAdvise(memory, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, 99));
    CODE(CUDA_ERROR_INVALID_DEVICE,
         cu->MemAdvise(memory, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 99));
    OK(cu->MemAdvise(memory, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 99));
    REFUSED(cu->MemAdvise(memory, 4096, (CUmem_advise)99, 0));
    drain(NULL);
}

MEASURED_CASE(189, advice_is_returned_until_it_is_taken_back)
{
    CUmem_range_attribute attributes[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                          CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION};
    int by[3] = {7, 7, 7}, mostly = 7, preferred = 7;
    void *answers[] = {&mostly, &preferred};
    size_t sizes[] = {sizeof mostly, sizeof preferred};
    const CUmem_range_attribute accessed = CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
    CUdeviceptr memory = begin_managed(4096);

    OK(cu->MemRangeGetAttribute(by, sizeof by, accessed, memory, 4096));
    CHECK(by[0] == -2 && by[2] == -2);
    OK(cu->MemAdvise(memory, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, -1));
    OK(cu->MemAdvise(memory, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, 0));
    OK(cu->MemRangeGetAttribute(by, sizeof by, accessed, memory, 4096));
    CHECK(by[0] == 0 && by[1] == -1 && by[2] == -2); /* the device first, then the host */
    OK(cu->MemAdvise(memory, 4096, CU_MEM_ADVISE_UNSET_ACCESSED_BY, 0));
    OK(cu->MemRangeGetAttribute(by, sizeof by, accessed, memory, 4096));
    CHECK(by[0] == -1 && by[1] == -2);
    OK(cu->MemAdvise(memory, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    OK(cu->MemAdvise(memory, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 0));
    OK(cu->MemRangeGetAttributes(answers, sizes, attributes, 2, memory, 4096));
    CHECK(mostly == 1 && preferred == 0);
    OK(cu->MemAdvise(memory, 4096, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, 0));
    OK(cu->MemRangeGetAttributes(answers, sizes, attributes, 2, memory, 4096));
    CHECK(mostly == 1 && preferred == -2);
    REFUSED(cu->MemRangeGetAttributes(answers, sizes, attributes, 0, memory, 4096));
    REFUSED(cu->MemRangeGetAttribute(by, 3, attributes[0], memory, 4096));
    REFUSED(cu->MemRangeGetAttribute(by, 8, attributes[0], memory, 4096));
    REFUSED(cu->MemRangeGetAttribute(by, 6, accessed, memory, 4096));
    REFUSED(cu->MemRangeGetAttribute(by, 4, (CUmem_range_attribute)99, memory, 4096));
    REFUSED(cu->MemRangeGetAttribute(by, 4, attributes[0], memory, 8192));
}

MEASURED_CASE(190, pools_are_found_by_their_location)
{
    const CUmemAllocationType pinned = CU_MEM_ALLOCATION_TYPE_PINNED;
    CUmemLocation here = location(DEVICE, 0), none = location(DEVICE, 99),
                  nowhere = location(NOWHERE, 0), unknown = location(UNKNOWN, 0);
    CUmemoryPool first = NULL, reported = NULL;

    begin_context();
    MUST(cu->DeviceGetDefaultMemPool(&first, 0));
    OK(cu->MemGetDefaultMemPool(&reported, (void *)&here, pinned));
    CHECK(reported == first);
    OK(cu->MemGetMemPool(&reported, (void *)&here, pinned));
    CHECK(reported == first);
    OK(cu->MemSetMemPool((void *)&here, pinned, first));
    REFUSED(cu->MemSetMemPool((void *)&here, pinned, NULL));
    REFUSED(cu->MemGetMemPool(&reported, (void *)&none, pinned));
    REFUSED(cu->MemGetMemPool(&reported, (void *)&nowhere, pinned));
    REFUSED(cu->MemGetMemPool(&reported, (void *)&here, CU_MEM_ALLOCATION_TYPE_INVALID));
    REFUSED(cu->MemGetDefaultMemPool(&reported, NULL, pinned));
    REFUSED(cu->MemGetMemPool(NULL, (void *)&here, pinned));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->MemGetMemPool(&reported, (void *)&unknown, pinned));
    here = location(HOST, 0);
    REFUSED(cu->MemSetMemPool((void *)&here, pinned, first));
}

static uint64_t value_of(int attribute, CUdeviceptr pointer)
{
    uint64_t value = 0;

    OK(cu->PointerGetAttribute(&value, (CUpointer_attribute)attribute, pointer));
    return value;
}

MEASURED_CASE(191, mappings_hold_allocations)
{
    enum { HANDLE_TYPES = 14, MEMPOOL = 17, MAPPING_SIZE, MAPPING_BASE, BLOCK_ID };
    CUdeviceptr small = begin_memory(4096), second = begin_memory(4096), large, pooled = 0;
    CUmemoryPool pool = NULL;

    large = begin_memory(3 << 20);
    MUST(cu->MemAllocAsync(&pooled, 4096, NULL));
    MUST(cu->DeviceGetDefaultMemPool(&pool, 0));
    EQUAL(2 << 20, value_of(MAPPING_SIZE, small));
    EQUAL(2 << 20, value_of(MAPPING_SIZE, begin_managed(4096)));
    EQUAL(2 << 20, value_of(MAPPING_SIZE, (CUdeviceptr)(uintptr_t)begin_pinned(4096)));
    EQUAL(4 << 20, value_of(MAPPING_SIZE, large));
    CHECK(value_of(MAPPING_BASE, large) == large);
    EQUAL(32 << 20, value_of(MAPPING_SIZE, pooled));
    CHECK(value_of(BLOCK_ID, small) == value_of(BLOCK_ID, second));
    CHECK(value_of(BLOCK_ID, small) != value_of(BLOCK_ID, large));
    CHECK(value_of(MEMPOOL, pooled) == (uintptr_t)pool);
    EQUAL(0, value_of(MEMPOOL, small));
    EQUAL(0, value_of(HANDLE_TYPES, small));
    EQUAL(1, value_of(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, small));
    EQUAL(0, value_of(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, pooled));
}
