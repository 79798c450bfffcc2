/* SPDX-License-Identifier: Apache-2.0 */
/* Pools by where their memory is: the same as by their device. */
#include "tests/mock/world.h"

#define PINNED CU_MEM_ALLOCATION_TYPE_PINNED

static CUmemLocation device_location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};

static void the_pool_of_a_location_is_that_of_its_device(void **state)
{
    const CUmemPoolProps kind = {.allocType = PINNED,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemoryPool first, own, told = NULL;

    (void)state;
    world_begin("");
    OK(driver->DeviceGetDefaultMemPool(&first, 0));
    OK(driver->MemGetDefaultMemPool(&told, (void *)&device_location, PINNED));
    assert_ptr_equal(told, first);
    OK(driver->MemPoolCreate(&own, &kind));
    OK(driver->MemSetMemPool((void *)&device_location, PINNED, own));
    OK(driver->MemGetMemPool(&told, (void *)&device_location, PINNED));
    assert_ptr_equal(told, own);
    OK(driver->DeviceGetMemPool(&told, 0));
    assert_ptr_equal(told, own);
    OK(driver->MemGetDefaultMemPool(&told, (void *)&device_location, PINNED));
    assert_ptr_equal(told, first);
    OK(driver->MemPoolDestroy(own));
    OK(driver->MemGetMemPool(&told, (void *)&device_location, PINNED));
    assert_ptr_equal(told, first);
    world_end();
}

static void other_locations_are_refused(void **state)
{
    /* By number: headers older than a type do not name it. */
    enum { MANAGED = 2, HOST = 2, NUMA = 3, NUMA_CURRENT = 4, UNKNOWN = 77 };
    static const struct {
        int place, id, type;
        CUresult got, set;
    } cases[] = {
        {CU_MEM_LOCATION_TYPE_DEVICE, 9, PINNED, 1, 1},
        {CU_MEM_LOCATION_TYPE_DEVICE, -1, PINNED, 1, 1},
        {CU_MEM_LOCATION_TYPE_DEVICE, 0, CU_MEM_ALLOCATION_TYPE_INVALID, 1, 1},
        {CU_MEM_LOCATION_TYPE_DEVICE, 0, UNKNOWN, 1, 1},
        {CU_MEM_LOCATION_TYPE_INVALID, 0, PINNED, 1, 1},
        {NUMA_CURRENT, 0, PINNED, 801, 801},
        {UNKNOWN, 0, PINNED, 801, 801},
        /* A driver has pools here, which the mock has not. */
        {HOST, 0, PINNED, 801, 1},
        {NUMA, 0, PINNED, 801, 1},
        {CU_MEM_LOCATION_TYPE_DEVICE, 0, MANAGED, 801, 1},
        {HOST, 0, MANAGED, 801, 1},
    };
    CUmemoryPool pool, told = (CUmemoryPool)7;

    (void)state;
    world_begin("");
    OK(driver->DeviceGetDefaultMemPool(&pool, 0));
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        CUmemLocation location = {(CUmemLocationType)cases[i].place, cases[i].id};
        const CUmemAllocationType type = (CUmemAllocationType)cases[i].type;

        CODE(cases[i].got, driver->MemGetDefaultMemPool(&told, (void *)&location, type));
        CODE(cases[i].got, driver->MemGetMemPool(&told, (void *)&location, type));
        CODE(cases[i].set, driver->MemSetMemPool((void *)&location, type, pool));
    }
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemGetMemPool(NULL, (void *)&device_location, PINNED));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemGetDefaultMemPool(&told, NULL, PINNED));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemSetMemPool((void *)&device_location, PINNED, NULL));
    assert_ptr_equal(told, (CUmemoryPool)7);
    world_end();
}

static void the_highest_counts_are_set_back(void **state)
{
    CUmemoryPool pool;
    CUdeviceptr memory;
    cuuint64_t most = 0, zero = 0, one = 1;

    (void)state;
    world_begin("");
    OK(driver->DeviceGetDefaultMemPool(&pool, 0));
    OK(driver->MemAllocAsync(&memory, 4096, NULL));
    OK(driver->MemFreeAsync(memory, NULL));
    OK(driver->StreamSynchronize(NULL));
    OK(driver->MemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &most));
    assert_int_equal(most, 4096);
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->MemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &one));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->MemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &zero));
    OK(driver->MemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero));
    OK(driver->MemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &most));
    assert_int_equal(most, 0);
    world_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pool_of_a_location_is_that_of_its_device),
        cmocka_unit_test(other_locations_are_refused),
        cmocka_unit_test(the_highest_counts_are_set_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
