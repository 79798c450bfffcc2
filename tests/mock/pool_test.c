/* SPDX-License-Identifier: Apache-2.0 */
/* Stream-ordered allocations, and memory pools (statements 120 to 128). */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <string.h>

#include "tests/mock/fixture.h"

enum { MIB = 1024 * 1024, MS = 1000000 };

static CUmemoryPool standard;
static CUdeviceptr base; /* some address; its value does not matter */
static CUstream pool_stream;

static int begin_with(const char *settings)
{
    fixture_begin(settings);
    OK(driver->DeviceGetDefaultMemPool(&standard, 0));
    pool_stream = fixture_stream();
    return 0;
}

static int begin(void **state)
{
    (void)state;
    return begin_with("mode = auto\n"
                      "memory = 256MiB");
}

static int begin_manual(void **state)
{
    (void)state;
    return begin_with("mode = manual");
}

static int end(void **state)
{
    (void)state;
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->StreamDestroy_v2(pool_stream));
    fixture_end();
    return 0;
}

static CUdeviceptr allocate(size_t bytes, CUstream in)
{
    CUdeviceptr memory = 0;

    OK(driver->MemAllocAsync(&memory, bytes, in));
    return memory;
}

static uint64_t attribute(CUmemoryPool pool, CUmemPool_attribute number)
{
    uint64_t value = 0;

    OK(driver->MemPoolGetAttribute(pool, number, &value));
    return value;
}

static uint64_t reserved(CUmemoryPool pool)
{
    return attribute(pool, (CUmemPool_attribute)5);
}

static uint64_t used(CUmemoryPool pool)
{
    return attribute(pool, (CUmemPool_attribute)7);
}

static CUmemPoolProps properties(void)
{
    return (CUmemPoolProps){.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
}

static void allocations_are_used_in_the_order_of_their_stream(void **state)
{
    CUdeviceptr memory = allocate(1000, pool_stream);
    int value = 0;

    (void)state;
    OK(driver->MemsetD32Async(memory, 42, 1, pool_stream));
    OK(driver->MemcpyDtoHAsync_v2(&value, memory, sizeof value, pool_stream));
    assert_int_equal(value, 42);
    OK(driver->MemFreeAsync(memory, pool_stream));
    OK(driver->StreamSynchronize(pool_stream));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemcpyDtoH_v2(&value, memory, sizeof value));
    CODE(CUDA_ERROR_NOT_FOUND, driver->MemGetAddressRange_v2(&base, NULL, memory));
}

static void memory_that_is_given_back_is_refused_at_once(void **state)
{
    CUdeviceptr memory = allocate(1000, pool_stream);
    CUstream other = fixture_stream();
    size_t bytes = 0;

    (void)state;
    fixture_spin(pool_stream, 10 * MS);
    OK(driver->MemFreeAsync(memory, pool_stream));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD8Async(memory, 1, 16, other));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemcpyAsync(memory, memory + 64, 16, other));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFreeAsync(memory, pool_stream));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFree_v2(memory));
    CODE(CUDA_ERROR_NOT_FOUND, driver->MemGetAddressRange_v2(NULL, &bytes, memory));
    OK(cushim_mock_drain(fixture_mock));
    CODE(CUDA_ERROR_NOT_FOUND, driver->MemGetAddressRange_v2(NULL, &bytes, memory));
    OK(driver->StreamDestroy_v2(other));
}

static void a_stream_reuses_at_once_what_it_gives_back(void **state)
{
    CUdeviceptr memory = allocate(1000, pool_stream), same, other;
    CUstream elsewhere = fixture_stream();

    (void)state;
    fixture_spin(pool_stream, 10 * MS);
    OK(driver->MemFreeAsync(memory, pool_stream));
    other = allocate(1000, elsewhere);
    assert_int_not_equal(other, memory);
    same = allocate(1000, pool_stream);
    assert_int_equal(same, memory);
    OK(driver->MemsetD8Async(same, 1, 1000, pool_stream));
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->MemGetAddressRange_v2(&base, NULL, same));
    OK(driver->MemFreeAsync(same, pool_stream));
    OK(driver->MemFreeAsync(other, elsewhere));
    OK(cushim_mock_drain(fixture_mock));
    assert_int_equal(used(standard), 0);
    OK(driver->StreamDestroy_v2(elsewhere));
}

static void freeing_does_not_wait_and_work_still_finds_the_memory(void **state)
{
    CUdeviceptr memory = allocate(1000, pool_stream);

    (void)state;
    fixture_spin(pool_stream, 10 * MS);
    OK(driver->MemsetD8Async(memory, 1, 1000, pool_stream));
    OK(driver->MemFree_v2(memory));
    assert_int_equal(fixture_state().allocations, 0);
    assert_int_equal(fixture_state().now_ns, 0);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFree_v2(memory));
    CODE(CUDA_ERROR_NOT_FOUND, driver->MemGetAddressRange_v2(&base, NULL, memory));
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->StreamQuery(pool_stream));
}

static void work_elsewhere_that_came_before_still_finds_the_memory(void **state)
{
    CUdeviceptr memory = allocate(1000, pool_stream), next;
    CUstream other = fixture_stream();

    (void)state;
    fixture_spin(other, 10 * MS);
    OK(driver->MemsetD8Async(memory, 1, 1000, other));
    OK(driver->MemFreeAsync(memory, pool_stream));
    OK(driver->StreamSynchronize(pool_stream));
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(other));
    CODE(CUDA_ERROR_NOT_FOUND, driver->MemGetAddressRange_v2(&base, NULL, memory));
    next = allocate(1000, other);
    assert_int_not_equal(next, memory);
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->StreamSynchronize(other));
    assert_int_equal(allocate(1000, other), memory);
    OK(driver->MemFreeAsync(memory, other));
    OK(driver->MemFreeAsync(next, other));
    OK(cushim_mock_drain(fixture_mock));
    assert_int_equal(used(standard), 0);
    OK(driver->StreamDestroy_v2(other));
}

static void ordinary_memory_is_freed_in_a_stream_too(void **state)
{
    CUdeviceptr memory;
    void *pinned;

    (void)state;
    OK(driver->MemAlloc_v2(&memory, 64));
    OK(driver->MemAllocHost_v2(&pinned, 64));
    OK(driver->MemFreeAsync(memory, pool_stream));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFree_v2(memory));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFreeAsync((uintptr_t)pinned, pool_stream));
    OK(driver->StreamSynchronize(pool_stream));
    assert_int_equal(fixture_state().memory_bytes, 0);
    OK(driver->MemFreeHost(pinned));
}

static void pools_count_what_they_reserve_and_what_is_used(void **state)
{
    CUdeviceptr first = allocate(1000, pool_stream), second = allocate(1000, pool_stream);

    (void)state;
    assert_int_equal(second - first, 1024);
    assert_int_equal(reserved(standard), 32 * MIB);
    assert_int_equal(used(standard), 2000);
    OK(driver->MemFreeAsync(first, pool_stream));
    assert_int_equal(used(standard), 1000);
    OK(driver->MemFreeAsync(second, pool_stream));
    OK(driver->StreamSynchronize(pool_stream));
    assert_int_equal(reserved(standard), 0);
    assert_int_equal(attribute(standard, (CUmemPool_attribute)6), 32 * MIB);
    assert_int_equal(attribute(standard, (CUmemPool_attribute)8), 2000);
}

static void the_threshold_keeps_memory_in_the_pool(void **state)
{
    cuuint64_t threshold = UINT64_MAX;
    CUdeviceptr memory;

    (void)state;
    OK(driver->MemPoolSetAttribute(standard, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    memory = allocate(40 * MIB, pool_stream);
    OK(driver->MemFreeAsync(memory, pool_stream));
    OK(driver->StreamSynchronize(pool_stream));
    assert_int_equal(reserved(standard), 64 * MIB);
    OK(driver->MemPoolTrimTo(standard, 64 * MIB));
    assert_int_equal(reserved(standard), 64 * MIB);
    OK(driver->MemPoolTrimTo(standard, 0));
    assert_int_equal(reserved(standard), 0);
}

static void pools_end_in_out_of_memory(void **state)
{
    CUmemPoolProps small = properties();
    CUdeviceptr memory = 1;
    CUmemoryPool pool;

    (void)state;
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->MemAllocAsync(&memory, 257 * MIB, pool_stream));
    assert_int_equal(memory, 0);
    OK(driver->MemAllocAsync(&memory, 0, pool_stream));
    assert_int_equal(memory, 0);
    OK(driver->MemFreeAsync(0, pool_stream));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemAllocAsync(NULL, 1, pool_stream));
#if CUDA_VERSION >= 12020
    small.maxSize = MIB;
    OK(driver->MemPoolCreate(&pool, &small));
    CODE(CUDA_ERROR_OUT_OF_MEMORY,
         driver->MemAllocFromPoolAsync(&memory, 2 * MIB, pool, pool_stream));
    OK(driver->MemAllocFromPoolAsync(&memory, MIB, pool, pool_stream));
    OK(driver->MemFreeAsync(memory, pool_stream));
    OK(driver->MemPoolDestroy(pool));
#else
    (void)small;
    (void)pool;
#endif
}

static void a_destroyed_pool_goes_with_its_last_allocation(void **state)
{
    const CUmemPoolProps ordinary = properties();
    CUmemoryPool pool, current;
    CUdeviceptr memory;

    (void)state;
    OK(driver->MemPoolCreate(&pool, &ordinary));
    OK(driver->DeviceSetMemPool(0, pool));
    memory = allocate(64, pool_stream);
    assert_int_equal(attribute(pool, (CUmemPool_attribute)7), 64);
    OK(driver->MemPoolDestroy(pool));
    OK(driver->DeviceGetMemPool(&current, 0));
    assert_ptr_equal(current, standard);
    OK(driver->MemsetD8Async(memory, 1, 64, pool_stream));
    OK(driver->MemFreeAsync(memory, pool_stream));
    OK(driver->StreamSynchronize(pool_stream));
    assert_int_equal(fixture_state().memory_bytes, 0);
}

static void wrong_pools_are_refused(void **state)
{
    CUmemPoolProps bad[3];
    CUmemoryPool pool;
    cuuint64_t one = 1;

    (void)state;
    for (int i = 0; i < 3; i++)
        bad[i] = properties();
    bad[0].allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
    bad[1].location.id = 9;
    bad[2].handleTypes = (CUmemAllocationHandleType)64;
    for (int i = 0; i < 3; i++)
        CODE(CUDA_ERROR_INVALID_VALUE, driver->MemPoolCreate(&pool, &bad[i]));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemPoolDestroy(standard));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemPoolDestroy(NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->DeviceSetMemPool(0, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->MemPoolSetAttribute(standard, (CUmemPool_attribute)7, &one));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->MemPoolGetAttribute(standard, (CUmemPool_attribute)9, &one));
}

/*
 * A choice of the mock, for mocks with little memory: an H200 with 3 MiB left has none for a pool.
 */
static void pool_takes_what_is_left_of_the_device(void **state)
{
    const CUstream stream = fixture_stream();
    CUdeviceptr most, some = 0, more = 0;
    size_t free_bytes, total;

    (void)state;
    OK(driver->MemGetInfo_v2(&free_bytes, &total));
    OK(driver->MemAlloc_v2(&most, free_bytes - (4 << 20)));
    OK(driver->MemAllocAsync(&some, 1 << 20, stream));
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->MemAllocAsync(&more, 8 << 20, stream));
    assert_int_equal(more, 0);
    OK(driver->MemFreeAsync(some, stream));
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->MemFree_v2(most));
    OK(driver->StreamDestroy_v2(stream));
}

static void memory_of_a_pool_is_not_for_captures(void **state)
{
    const CUstream free_stream = fixture_stream();
    CUgraph graph = NULL;
    CUdeviceptr memory = 0;

    (void)state;
    OK(driver->StreamBeginCapture_v2(pool_stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->MemAllocAsync(&memory, 64, pool_stream));
    assert_int_equal(memory, 0);
    OK(driver->MemAllocAsync(&memory, 64, free_stream));
    OK(driver->MemFreeAsync(memory, free_stream));
    driver->StreamEndCapture(pool_stream, &graph);
    if (graph)
        OK(driver->GraphDestroy(graph));
    OK(driver->StreamDestroy_v2(free_stream));
}

/* Pools by the location of their memory: the same behaviour as with a device number. */

#define PINNED CU_MEM_ALLOCATION_TYPE_PINNED

static CUmemLocation device_location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};

static void the_pool_of_a_location_is_that_of_its_device(void **state)
{
    const CUmemPoolProps kind = {.allocType = PINNED,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemoryPool first, own, reported = NULL;

    (void)state;
    OK(driver->DeviceGetDefaultMemPool(&first, 0));
    OK(driver->MemGetDefaultMemPool(&reported, (void *)&device_location, PINNED));
    assert_ptr_equal(reported, first);
    OK(driver->MemPoolCreate(&own, &kind));
    OK(driver->MemSetMemPool((void *)&device_location, PINNED, own));
    OK(driver->MemGetMemPool(&reported, (void *)&device_location, PINNED));
    assert_ptr_equal(reported, own);
    OK(driver->DeviceGetMemPool(&reported, 0));
    assert_ptr_equal(reported, own);
    OK(driver->MemGetDefaultMemPool(&reported, (void *)&device_location, PINNED));
    assert_ptr_equal(reported, first);
    OK(driver->MemPoolDestroy(own));
    OK(driver->MemGetMemPool(&reported, (void *)&device_location, PINNED));
    assert_ptr_equal(reported, first);
}

static void other_locations_are_refused(void **state)
{
    /* As numbers, because older headers do not declare these types. */
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
        /* A driver has such pools; the mock does not implement them. */
        {HOST, 0, PINNED, 801, 1},
        {NUMA, 0, PINNED, 801, 1},
        {CU_MEM_LOCATION_TYPE_DEVICE, 0, MANAGED, 801, 1},
        {HOST, 0, MANAGED, 801, 1},
    };
    CUmemoryPool pool, reported = (CUmemoryPool)7;

    (void)state;
    OK(driver->DeviceGetDefaultMemPool(&pool, 0));
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        CUmemLocation location = {(CUmemLocationType)cases[i].place, cases[i].id};
        const CUmemAllocationType type = (CUmemAllocationType)cases[i].type;

        CODE(cases[i].got, driver->MemGetDefaultMemPool(&reported, (void *)&location, type));
        CODE(cases[i].got, driver->MemGetMemPool(&reported, (void *)&location, type));
        CODE(cases[i].set, driver->MemSetMemPool((void *)&location, type, pool));
    }
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemGetMemPool(NULL, (void *)&device_location, PINNED));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemGetDefaultMemPool(&reported, NULL, PINNED));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemSetMemPool((void *)&device_location, PINNED, NULL));
    assert_ptr_equal(reported, (CUmemoryPool)7);
}

static void the_highest_counts_are_set_back(void **state)
{
    CUmemoryPool pool;
    CUdeviceptr memory;
    cuuint64_t most = 0, zero = 0, one = 1;

    (void)state;
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
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
#define TEST_IN(name, begin, end) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(allocations_are_used_in_the_order_of_their_stream),
        TEST_IN(memory_that_is_given_back_is_refused_at_once, begin_manual, end),
        TEST_IN(a_stream_reuses_at_once_what_it_gives_back, begin_manual, end),
        TEST_IN(freeing_does_not_wait_and_work_still_finds_the_memory, begin_manual, end),
        TEST(work_elsewhere_that_came_before_still_finds_the_memory),
        TEST(ordinary_memory_is_freed_in_a_stream_too),
        TEST(pools_count_what_they_reserve_and_what_is_used),
        TEST(the_threshold_keeps_memory_in_the_pool),
        TEST(pools_end_in_out_of_memory),
        TEST(a_destroyed_pool_goes_with_its_last_allocation),
        TEST(wrong_pools_are_refused),
        TEST_IN(pool_takes_what_is_left_of_the_device, fixture_manual, fixture_done),
        TEST(memory_of_a_pool_is_not_for_captures),
        TEST_IN(the_pool_of_a_location_is_that_of_its_device, fixture_auto, fixture_done),
        TEST_IN(other_locations_are_refused, fixture_auto, fixture_done),
        TEST_IN(the_highest_counts_are_set_back, fixture_auto, fixture_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
