/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory: its addresses, its limit, and what frees it (statements 90 to 96). */
#include <stdlib.h>

#include "tests/mock/fixture.h"
#include "tests/support/memory.h"

enum { KIB = 1024, MIB = 1024 * KIB, MS = 1000000 };

static int begin(void **state)
{
    (void)state;
    fixture_begin("mode = auto\n"
                  "memory = 64MiB");
    return 0;
}

static int begin_large(void **state)
{
    (void)state;
    fixture_begin("mode = auto\n"
                  "memory = 512MiB");
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

static void the_host_cannot_read_device_memory(void **state)
{
    const volatile char *address = (const volatile char *)(uintptr_t)allocate(4096);

    (void)state;
    assert_true(memory_is_readable(&state));
    assert_false(memory_is_readable(address));
    OK(driver->MemFree_v2((uintptr_t)address));
}

static void small_allocations_share_blocks(void **state)
{
    static const struct {
        size_t bytes, apart;
    } cases[] = {{1, 512}, {512, 512}, {513, 1024}, {65537, 66048}, {MIB, MIB}};
    const size_t before = free_bytes();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CUdeviceptr first = allocate(cases[i].bytes), second = allocate(cases[i].bytes);

        assert_int_equal(second - first, cases[i].apart);
        assert_int_equal(before - free_bytes(), 2 * MIB);
        OK(driver->MemFree_v2(first));
        OK(driver->MemFree_v2(second));
    }
    assert_int_equal(free_bytes(), before);
}

static void large_allocations_have_blocks_of_their_own(void **state)
{
    const size_t before = free_bytes();
    CUdeviceptr first = allocate(MIB + 1), second = allocate(2 * MIB + 1);

    (void)state;
    assert_int_equal(first % (2 * MIB), 0);
    assert_int_equal(second % (2 * MIB), 0);
    assert_int_equal(before - free_bytes(), 6 * MIB);
    OK(driver->MemFree_v2(first));
    OK(driver->MemFree_v2(second));
}

static void the_budget_ends_in_out_of_memory(void **state)
{
    CUdeviceptr memory[65], other = 1;
    size_t total;

    (void)state;
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
static void holes_do_not_keep_a_large_allocation_out(void **state)
{
    enum { COUNT = 256 };
    CUdeviceptr memory[COUNT], large;

    (void)state;
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

static void sizes_beyond_reason_are_out_of_memory(void **state)
{
    static const size_t sizes[] = {(size_t)1 << 40, SIZE_MAX / 2, SIZE_MAX - 511, SIZE_MAX};
    CUdeviceptr memory = 5;
    size_t pitch = 5;

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->MemAlloc_v2(&memory, sizes[i]));
        CODE(CUDA_ERROR_OUT_OF_MEMORY,
             driver->MemAllocPitch_v2(&memory, &pitch, sizes[i], sizes[i], 4));
        assert_int_equal(memory, 0);
    }
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemAlloc_v2(&memory, 0));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemAlloc_v2(NULL, 1));
}

static void an_address_is_found_anywhere_in_its_allocation(void **state)
{
    CUdeviceptr memory = allocate(1000), base = 1;
    size_t bytes = 1;

    (void)state;
    OK(driver->MemGetAddressRange_v2(&base, &bytes, memory + 999));
    assert_int_equal(base, memory);
    assert_int_equal(bytes, 1000);
    CODE(CUDA_ERROR_NOT_FOUND, driver->MemGetAddressRange_v2(&base, &bytes, memory + 1000));
    assert_int_equal(base, 0);
    assert_int_equal(bytes, 0);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFree_v2(memory + 16));
    OK(driver->MemFree_v2(memory));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFree_v2(memory));
    CODE(CUDA_ERROR_NOT_FOUND, driver->MemGetAddressRange_v2(&base, &bytes, memory));
    OK(driver->MemFree_v2(0));
}

/* With a list instead of a tree, this would take minutes. */
static void many_allocations_in_any_order(void **state)
{
    enum { COUNT = 100000 };
    CUdeviceptr *memory = malloc(COUNT * sizeof *memory), base;
    uint32_t random = 1;

    (void)state;
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

static void pitches_are_multiples_of_512(void **state)
{
    CUdeviceptr memory;
    size_t pitch, bytes;

    (void)state;
    OK(driver->MemAllocPitch_v2(&memory, &pitch, 513, 3, 4));
    assert_int_equal(pitch, 1024);
    OK(driver->MemGetAddressRange_v2(NULL, &bytes, memory));
    assert_int_equal(bytes, 3 * 1024);
    OK(driver->MemFree_v2(memory));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemAllocPitch_v2(&memory, &pitch, 64, 2, 12));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemAllocPitch_v2(&memory, &pitch, 0, 2, 4));
    assert_int_equal(memory, 0);
    assert_int_equal(pitch, 0);
}

static void freeing_waits_for_the_work_of_the_context(void **state)
{
    CUdeviceptr memory = allocate(4096);
    CUstream stream = fixture_stream();
    uint64_t before = fixture_state().now_ns;

    (void)state;
    fixture_spin(stream, 10 * MS);
    OK(driver->MemAlloc_v2(&memory, 64));
    assert_true(fixture_state().now_ns < before + 10 * MS);
    OK(driver->MemFree_v2(memory));
    assert_true(fixture_state().now_ns >= before + 10 * MS);
    OK(driver->StreamDestroy_v2(stream));
}

static void memory_goes_with_its_context(void **state)
{
    CUcontext context;
    CUdeviceptr memory;
    void *pinned;

    (void)state;
    OK(driver->CtxCreate_v2(&context, 0, 0));
    memory = allocate(4096);
    OK(driver->MemAllocHost_v2(&pinned, 64));
    assert_int_equal(fixture_state().allocations, 2);
    OK(driver->CtxDestroy_v2(context));
    assert_int_equal(fixture_state().allocations, 0);
    assert_int_equal(fixture_state().memory_bytes, 0);
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFree_v2(memory));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemFreeHost(pinned));
}

static void managed_memory_has_one_address_for_host_and_device(void **state)
{
    CUdeviceptr memory;
    int managed = 0, value = 0;

    (void)state;
    OK(driver->MemAllocManaged(&memory, 4096, CU_MEM_ATTACH_GLOBAL));
    *(int *)(uintptr_t)memory = 42;
    OK(driver->MemcpyDtoH_v2(&value, memory, sizeof value));
    assert_int_equal(value, 42);
    OK(driver->MemsetD32_v2(memory, 43, 1));
    assert_int_equal(*(int *)(uintptr_t)memory, 43);
    OK(driver->PointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, memory));
    assert_int_equal(managed, 1);
    OK(driver->MemFree_v2(memory));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemAllocManaged(&memory, 4096, 0));
}

static void advice_for_managed_memory_can_be_asked(void **state)
{
    CUdeviceptr managed, plain = allocate(4096);
    int value = 5, list[3] = {5, 5, 5};

    (void)state;
    OK(driver->MemAllocManaged(&managed, 65536, CU_MEM_ATTACH_GLOBAL));
    OK(driver->MemRangeGetAttribute(&value, sizeof value, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION,
                                    managed, 65536));
    assert_int_equal(value, CU_DEVICE_INVALID);
    OK(driver->MemAdvise(managed, 65536, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU));
    OK(driver->MemRangeGetAttribute(&value, sizeof value, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION,
                                    managed, 65536));
    assert_int_equal(value, CU_DEVICE_CPU);
    OK(driver->MemAdvise(managed, 65536, CU_MEM_ADVISE_SET_ACCESSED_BY, 0));
    OK(driver->MemRangeGetAttribute(list, sizeof list, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, managed,
                                    65536));
    assert_int_equal(list[0], 0);
    assert_int_equal(list[1], CU_DEVICE_INVALID);
    OK(driver->MemPrefetchAsync(managed, 65536, 0, NULL));
    OK(driver->MemRangeGetAttribute(&value, sizeof value,
                                    CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, managed, 1));
    assert_int_equal(value, 0);
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->MemPrefetchAsync(managed, 65536, 7, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemPrefetchAsync(managed, 65537, 0, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE,
         driver->MemAdvise(plain, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    OK(driver->MemFree_v2(plain));
    OK(driver->MemFree_v2(managed));
}

static void a_device_address_leads_to_its_bytes(void **state)
{
    CUdeviceptr memory = allocate(16);
    const unsigned char *bytes;

    (void)state;
    OK(driver->MemsetD8_v2(memory, 7, 16));
    OK(driver->CtxSynchronize());
    bytes = cushim_mock_memory(fixture_mock, memory + 4, 12);
    assert_non_null(bytes);
    assert_int_equal(bytes[0], 7);
    assert_null(cushim_mock_memory(fixture_mock, memory + 4, 13));
    OK(driver->MemFree_v2(memory));
    assert_null(cushim_mock_memory(fixture_mock, memory, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name, begin) cmocka_unit_test_setup_teardown(name, begin, fixture_done)
        TEST(the_host_cannot_read_device_memory, begin),
        TEST(small_allocations_share_blocks, begin),
        TEST(large_allocations_have_blocks_of_their_own, begin),
        TEST(the_budget_ends_in_out_of_memory, begin),
        TEST(holes_do_not_keep_a_large_allocation_out, begin_large),
        TEST(sizes_beyond_reason_are_out_of_memory, begin),
        TEST(an_address_is_found_anywhere_in_its_allocation, begin),
        TEST(many_allocations_in_any_order, begin),
        TEST(pitches_are_multiples_of_512, begin),
        TEST(freeing_waits_for_the_work_of_the_context, begin),
        TEST(memory_goes_with_its_context, begin),
        TEST(managed_memory_has_one_address_for_host_and_device, begin),
        TEST(advice_for_managed_memory_can_be_asked, begin),
        TEST(a_device_address_leads_to_its_bytes, begin),
    };

    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
