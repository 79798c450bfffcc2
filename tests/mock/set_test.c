/* SPDX-License-Identifier: Apache-2.0 */
/* Sets (statements 116 and 117). */
#include "tests/mock/world.h"

enum { MS = 1000000, BYTES = 1024 };

static CUdeviceptr memory;
static unsigned char bytes[BYTES];

static int begin_with(const char *settings)
{
    world_begin(settings);
    OK(driver->MemAlloc_v2(&memory, BYTES));
    return 0;
}

static int begin(void **state)
{
    (void)state;
    return begin_with("mode = auto");
}

static int begin_manual(void **state)
{
    (void)state;
    return begin_with("mode = manual");
}

static int end(void **state)
{
    (void)state;
    OK(cushim_mock_drain(world));
    OK(driver->MemFree_v2(memory));
    world_end();
    return 0;
}

static void read_back(void)
{
    OK(driver->MemcpyDtoH_v2(bytes, memory, BYTES));
}

static void values_of_each_size_fill_their_elements(void **state)
{
    static const unsigned char want[] = {7,    7,    7,    0,    0xcd, 0xab,
                                         0xcd, 0xab, 0x78, 0x56, 0x34, 0x12};

    (void)state;
    OK(driver->MemsetD8_v2(memory, 0, BYTES));
    OK(driver->MemsetD8_v2(memory, 7, 3));
    OK(driver->MemsetD16_v2(memory + 4, 0xabcd, 2));
    OK(driver->MemsetD32_v2(memory + 8, 0x12345678, 1));
    read_back();
    assert_memory_equal(bytes, want, sizeof want);
    assert_int_equal(bytes[12], 0);
}

static void rows_leave_what_is_between_them(void **state)
{
    CUstream stream = world_stream();

    (void)state;
    OK(driver->MemsetD8_v2(memory, 0, BYTES));
    OK(driver->CtxSynchronize());
    OK(driver->MemsetD2D16Async(memory + 2, 64, 0x0101, 10, 3, stream));
    OK(driver->StreamSynchronize(stream));
    read_back();
    for (int y = 0; y < 3; y++) {
        assert_int_equal(bytes[y * 64 + 1] | bytes[y * 64 + 22], 0);
        for (int x = 2; x < 22; x++)
            assert_int_equal(bytes[y * 64 + x], 1);
    }
    assert_int_equal(bytes[3 * 64 + 2], 0);
    OK(driver->StreamDestroy_v2(stream));
}

static void sets_execute_in_their_stream(void **state)
{
    CUstream stream = world_stream();
    const unsigned char *device = cushim_mock_memory(world, memory, BYTES);

    (void)state;
    world_spin(stream, 10 * MS);
    OK(driver->MemsetD8Async(memory, 7, 16, stream));
    OK(cushim_mock_advance(world, 9 * MS));
    assert_int_equal(device[0], 0);
    OK(cushim_mock_drain(world));
    assert_int_equal(device[0], 7);
    OK(driver->StreamDestroy_v2(stream));
}

static void calls_wait_for_memory_of_the_host_only(void **state)
{
    uint64_t before = world_state().now_ns;
    unsigned char *pinned;

    (void)state;
    OK(driver->MemAllocHost_v2((void **)&pinned, 64));
    world_spin(NULL, 10 * MS);
    OK(driver->MemsetD8_v2(memory, 7, 16));
    assert_true(world_state().now_ns < before + 10 * MS);
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(NULL));
    OK(driver->MemsetD8_v2((uintptr_t)pinned, 7, 16));
    assert_true(world_state().now_ns >= before + 10 * MS);
    assert_int_equal(pinned[15], 7);
    OK(driver->MemFreeHost(pinned));
}

static void wrong_sets_are_refused(void **state)
{
    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD16_v2(memory + 1, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD32_v2(memory + 2, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD8_v2(memory, 1, BYTES + 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD8_v2((uintptr_t)bytes, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD8_v2(0, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD2D8_v2(memory, 16, 1, 32, 4));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD2D16_v2(memory, 65, 1, 4, 2));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD2D8_v2(memory, SIZE_MAX / 2, 1, 4, 3));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD8_v2(memory, 1, SIZE_MAX));
}

static void empty_sets_are_done(void **state)
{
    (void)state;
    OK(driver->MemsetD8_v2(0, 1, 0));
    OK(driver->MemsetD32_v2(memory + 1, 1, 0));
    OK(driver->MemsetD2D8_v2(memory, 64, 1, 0, 4));
    OK(driver->MemsetD2D8_v2(memory, 64, 1, 4, 0));
    OK(driver->MemsetD2D8_v2(memory, 0, 1, 32, 1));
    OK(driver->MemsetD32_v2(memory, 1, (size_t)1 << 62));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name, begin) cmocka_unit_test_setup_teardown(name, begin, end)
        TEST(values_of_each_size_fill_their_elements, begin),
        TEST(rows_leave_what_is_between_them, begin),
        TEST(sets_execute_in_their_stream, begin_manual),
        TEST(calls_wait_for_memory_of_the_host_only, begin),
        TEST(wrong_sets_are_refused, begin),
        TEST(empty_sets_are_done, begin),
    };

    return cmocka_run_group_tests_name("set", tests, NULL, NULL);
}
