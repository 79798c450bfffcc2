/* SPDX-License-Identifier: Apache-2.0 */
/* When pools reuse and return memory, what captures refuse, and pools that the mock lacks. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include "tests/mock/fixture.h"

enum { MIB = 1024 * 1024, MS = 1000000 };

static CUmemoryPool standard;
static CUdeviceptr base; /* some address; its value does not matter */
static CUstream pool_stream;

static int begin_with(void **state)
{
    fixture_begin(*state);
    OK(driver->DeviceGetDefaultMemPool(&standard, 0));
    pool_stream = fixture_stream();
    return 0;
}

static CUdeviceptr allocate(size_t bytes, CUstream in)
{
    CUdeviceptr memory = 0;

    OK(driver->MemAllocAsync(&memory, bytes, in));
    return memory;
}

enum { RESERVED = 5, USED = 7, USED_HIGH };

static uint64_t attribute(int number)
{
    uint64_t value = 0;

    OK(driver->MemPoolGetAttribute(standard, (CUmemPool_attribute)number, &value));
    return value;
}

#define TEST(name) TEST_FROM(name, begin_with, fixture_done, "mode = auto\nmemory = 256MiB")

TEST_FROM(a_stream_reuses_at_once_what_it_gives_back, begin_with, fixture_done, "mode = manual")
{
    CUdeviceptr memory = allocate(1000, pool_stream), same, other;
    CUstream elsewhere = fixture_stream();

    fixture_spin(pool_stream, 10 * MS);
    OK(driver->MemFreeAsync(memory, pool_stream));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemcpyAsync(memory, memory + 64, 16, elsewhere));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFree_v2(memory));
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
    assert_int_equal(attribute(USED), 0);
}

TEST_FROM(freeing_does_not_wait_and_work_still_finds_the_memory, begin_with, fixture_done,
          "mode = manual")
{
    CUdeviceptr memory = allocate(1000, pool_stream);

    fixture_spin(pool_stream, 10 * MS);
    OK(driver->MemsetD8Async(memory, 1, 1000, pool_stream));
    OK(driver->MemFree_v2(memory));
    assert_int_equal(fixture_state().allocations, 0);
    assert_int_equal(fixture_state().now_ns, 0);
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->StreamQuery(pool_stream));
}

TEST(work_elsewhere_that_came_before_still_finds_the_memory)
{
    CUdeviceptr memory = allocate(1000, pool_stream), next;
    CUstream other = fixture_stream();

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
    assert_int_equal(attribute(USED), 0);
}

TEST(the_threshold_keeps_memory_in_the_pool)
{
    cuuint64_t threshold = UINT64_MAX;
    CUdeviceptr memory;

    OK(driver->MemFreeAsync(allocate(1000, pool_stream), pool_stream));
    OK(driver->StreamSynchronize(pool_stream));
    assert_int_equal(attribute(RESERVED), 0);
    OK(driver->MemPoolSetAttribute(standard, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    memory = allocate(40 * MIB, pool_stream);
    OK(driver->MemFreeAsync(memory, pool_stream));
    OK(driver->StreamSynchronize(pool_stream));
    assert_int_equal(attribute(RESERVED), 64 * MIB);
    OK(driver->MemPoolTrimTo(standard, 64 * MIB));
    assert_int_equal(attribute(RESERVED), 64 * MIB);
    OK(driver->MemPoolTrimTo(standard, 0));
    assert_int_equal(attribute(RESERVED), 0);
}

/*
 * A choice of the mock, for mocks with little memory: an H200 with 3 MiB left has none for a pool.
 */
TEST_BETWEEN(pool_takes_what_is_left_of_the_device, fixture_manual, fixture_done)
{
    const CUstream stream = fixture_stream();
    CUdeviceptr most, some = 0, more = 1;
    size_t free_bytes, total;

    OK(driver->MemGetInfo_v2(&free_bytes, &total));
    OK(driver->MemAlloc_v2(&most, free_bytes - (4 << 20)));
    OK(driver->MemAllocAsync(&some, 1 << 20, stream));
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->MemAllocAsync(&more, 8 << 20, stream));
    assert_int_equal(more, 0);
    OK(driver->MemFreeAsync(some, stream));
}

/* Pools by the location of their memory: the same behaviour as with a device number. */

#define PINNED CU_MEM_ALLOCATION_TYPE_PINNED

static CUmemLocation device_location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};

TEST(the_pool_of_a_location_is_that_of_its_device)
{
    const CUmemPoolProps kind = {.allocType = PINNED,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemoryPool own, reported = NULL;

    OK(driver->MemGetDefaultMemPool(&reported, (void *)&device_location, PINNED));
    assert_ptr_equal(reported, standard);
    OK(driver->MemPoolCreate(&own, &kind));
    OK(driver->MemSetMemPool((void *)&device_location, PINNED, own));
    OK(driver->MemGetMemPool(&reported, (void *)&device_location, PINNED));
    assert_ptr_equal(reported, own);
    OK(driver->DeviceGetMemPool(&reported, 0));
    assert_ptr_equal(reported, own);
    OK(driver->MemGetDefaultMemPool(&reported, (void *)&device_location, PINNED));
    assert_ptr_equal(reported, standard);
    OK(driver->MemPoolDestroy(own));
    OK(driver->MemGetMemPool(&reported, (void *)&device_location, PINNED));
    assert_ptr_equal(reported, standard);
}

TEST(other_locations_are_refused)
{
    /* As numbers, because older headers do not declare these types. */
    enum { MANAGED = 2, HOST = 2, NUMA = 3, NUMA_CURRENT = 4, UNKNOWN = 77 };
    static const struct {
        int place, id, type;
        CUresult got, set;
    } cases[] = {
        {CU_MEM_LOCATION_TYPE_DEVICE, -1, PINNED, 1, 1},
        {CU_MEM_LOCATION_TYPE_DEVICE, 0, UNKNOWN, 1, 1},
        {NUMA_CURRENT, 0, PINNED, 801, 801},
        {UNKNOWN, 0, PINNED, 801, 801},
        /* A driver has such pools; the mock does not implement them. */
        {HOST, 0, PINNED, 801, 1},
        {NUMA, 0, PINNED, 801, 1},
        {CU_MEM_LOCATION_TYPE_DEVICE, 0, MANAGED, 801, 1},
        {HOST, 0, MANAGED, 801, 1},
    };
    CUmemoryPool reported = (CUmemoryPool)7;

    for (size_t i = 0; i < COUNT(cases); i++) {
        CUmemLocation location = {(CUmemLocationType)cases[i].place, cases[i].id};
        const CUmemAllocationType type = (CUmemAllocationType)cases[i].type;

        CODE(cases[i].got, driver->MemGetDefaultMemPool(&reported, (void *)&location, type));
        CODE(cases[i].got, driver->MemGetMemPool(&reported, (void *)&location, type));
        CODE(cases[i].set, driver->MemSetMemPool((void *)&location, type, standard));
    }
    assert_ptr_equal(reported, (CUmemoryPool)7);
}

TEST(the_highest_counts_are_set_back)
{
    const CUmemPool_attribute high = (CUmemPool_attribute)USED_HIGH;
    cuuint64_t zero = 0, one = 1;

    OK(driver->MemFreeAsync(allocate(4096, pool_stream), pool_stream));
    OK(driver->StreamSynchronize(pool_stream));
    assert_int_equal(attribute(USED_HIGH), 4096);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemPoolSetAttribute(standard, high, &one));
    OK(driver->MemPoolSetAttribute(standard, high, &zero));
    assert_int_equal(attribute(USED_HIGH), 0);
}
