/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory: its limit, many allocations, and what programs ask the mock about it. */

#include "tests/mock/fixture.h"
#include "tests/support/memory.h"

enum { MIB = 1 << 20 };

static int begin(void **settings)
{
    fixture_begin(*settings);
    return 0;
}

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr memory = 0;

    OK(driver->MemAlloc_v2(&memory, bytes));
    return memory;
}

static size_t free_bytes(void)
{
    size_t bytes;

    OK(driver->MemGetInfo_v2(&bytes, NULL));
    return bytes;
}

#define TEST(name) TEST_IN(name, "memory = 64MiB")
#define TEST_IN(name, settings) TEST_FROM(name, begin, fixture_done, (void *)(uintptr_t)(settings))

TEST(the_host_cannot_read_device_memory)
{
    const volatile char *address = (const volatile char *)(uintptr_t)allocate(4096);

    assert_true(memory_is_readable(&state));
    assert_false(memory_is_readable(address));
    OK(driver->MemFree_v2((uintptr_t)address));
}

TEST(the_budget_ends_in_out_of_memory)
{
    CUdeviceptr memory[65], other = 1;
    size_t total;

    OK(driver->MemGetInfo_v2(NULL, &total));
    assert_int_equal(total, 64 * MIB);
    for (int i = 0; i < 64; i++)
        memory[i] = allocate(MIB);
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->MemAlloc_v2(&other, 1));
    assert_int_equal(other, 0);
    assert_int_equal(free_bytes(), 0);
    assert_int_equal(fixture_state().memory_bytes, 64 * MIB);
    OK(driver->MemFree_v2(memory[20]));
    assert_int_equal(allocate(MIB), memory[20]);
    for (int i = 0; i < 64; i++)
        OK(driver->MemFree_v2(memory[i]));
    assert_int_equal(fixture_state().memory_bytes, 0);
}

/* On a GPU, memory runs out before addresses do. */
TEST_IN(holes_do_not_keep_a_large_allocation_out, "memory = 512MiB")
{
    enum { COUNT = 256 };
    CUdeviceptr memory[COUNT], large;

    for (int i = 0; i < COUNT; i++)
        memory[i] = allocate(2 * MIB);
    for (int i = 0; i < COUNT; i += 2)
        OK(driver->MemFree_v2(memory[i]));
    large = allocate(COUNT * MIB);
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->MemAlloc_v2(&memory[0], 1));
    OK(driver->MemFree_v2(large));
    for (int i = 1; i < COUNT; i += 2)
        OK(driver->MemFree_v2(memory[i]));
}

/* Sizes that overflow when they are rounded up, or multiplied by the height. */
TEST(sizes_that_overflow_are_out_of_memory)
{
    static const size_t sizes[] = {SIZE_MAX / 2, SIZE_MAX - 511, SIZE_MAX};
    CUdeviceptr memory = 5;
    size_t pitch = 5;

    for (size_t i = 0; i < COUNT(sizes); i++) {
        CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->MemAlloc_v2(&memory, sizes[i]));
        CODE(CUDA_ERROR_OUT_OF_MEMORY,
             driver->MemAllocPitch_v2(&memory, &pitch, sizes[i], sizes[i], 4));
        assert_int_equal(memory, 0);
    }
}

/* With a list instead of a tree, this would take minutes. */
TEST(many_allocations_in_any_order)
{
    enum { COUNT = 100000 };
    CUdeviceptr *memory = malloc(COUNT * sizeof *memory), base;
    uint32_t random = 1;

    for (int i = 0; i < COUNT; i++)
        memory[i] = allocate(1 + (unsigned)i % 512);
    for (int i = COUNT - 1; i > 0; i--) {
        const int other = (int)((random = random * 1664525 + 1013904223) % (unsigned)(i + 1));
        const CUdeviceptr one = memory[i];

        memory[i] = memory[other];
        memory[other] = one;
    }
    for (int i = 0; i < COUNT; i++) {
        OK(driver->MemGetAddressRange_v2(&base, NULL, memory[i]));
        assert_int_equal(base, memory[i]);
        OK(driver->MemFree_v2(memory[i]));
    }
    assert_int_equal(fixture_state().memory_bytes, 0);
    free(memory);
}

TEST(memory_goes_with_its_context)
{
    CUcontext context;
    void *pinned;

    OK(driver->CtxCreate_v2(&context, 0, 0));
    allocate(4096);
    OK(driver->MemAllocHost_v2(&pinned, 64));
    assert_int_equal(fixture_state().allocations, 2);
    OK(driver->CtxDestroy_v2(context));
    assert_int_equal(fixture_state().allocations, 0);
    assert_int_equal(fixture_state().memory_bytes, 0);
}

TEST(last_prefetch_of_managed_memory_is_kept)
{
    const CUmem_range_attribute last = CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION;
    CUdeviceptr memory;
    int location = 5;

    OK(driver->MemAllocManaged(&memory, 65536, CU_MEM_ATTACH_GLOBAL));
    OK(driver->MemPrefetchAsync(memory, 65536, 0, NULL));
    OK(driver->MemRangeGetAttribute(&location, sizeof location, last, memory, 65536));
    assert_int_equal(location, 0);
}

TEST(a_device_address_leads_to_its_bytes)
{
    CUdeviceptr memory = allocate(16);
    const unsigned char *bytes;

    OK(driver->MemsetD8_v2(memory, 7, 16));
    OK(driver->CtxSynchronize());
    bytes = cushim_mock_memory(fixture_mock, memory + 4, 12);
    assert_non_null(bytes);
    assert_int_equal(bytes[0], 7);
    assert_null(cushim_mock_memory(fixture_mock, memory + 4, 13));
    OK(driver->MemFree_v2(memory));
    assert_null(cushim_mock_memory(fixture_mock, memory, 1));
}
