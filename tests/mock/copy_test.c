/* SPDX-License-Identifier: Apache-2.0 */
/* When copies move bytes, and when calls that copy return (statements 106 to 113). */
#include <stdlib.h>

#include "tests/mock/world.h"

enum { KIB = 1024, MIB = 1024 * KIB, MS = 1000000 };

static CUdeviceptr memory;
static char *pinned;
static CUstream stream;

static int begin_with(const char *settings)
{
    world_begin(settings);
    OK(driver->MemAlloc_v2(&memory, 4 * MIB));
    OK(driver->MemAllocHost_v2((void **)&pinned, MIB));
    stream = world_stream();
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
    OK(driver->StreamDestroy_v2(stream));
    OK(driver->MemFreeHost(pinned));
    OK(driver->MemFree_v2(memory));
    world_end();
    return 0;
}

/* What the device holds now. */
static char *device_bytes(void)
{
    return cushim_mock_memory(world, memory, 4 * MIB);
}

static void bytes_move_when_the_copy_executes(void **state)
{
    (void)state;
    pinned[0] = 1;
    OK(driver->MemcpyHtoDAsync_v2(memory, pinned, 16, stream));
    assert_int_equal(device_bytes()[0], 0);
    pinned[0] = 2;
    OK(cushim_mock_step(world));
    assert_int_equal(device_bytes()[0], 2);
    OK(driver->MemcpyDtoHAsync_v2(pinned + 8, memory, 1, stream));
    assert_int_equal(pinned[8], 0);
    OK(cushim_mock_step(world));
    assert_int_equal(pinned[8], 2);
}

static void pageable_memory_is_read_at_the_call(void **state)
{
    char *pageable = calloc(1, 2 * MIB);

    (void)state;
    pageable[2 * MIB - 1] = 1;
    world_spin(stream, 10 * MS);
    OK(driver->MemcpyHtoDAsync_v2(memory, pageable, 2 * MIB, stream));
    free(pageable);
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    OK(cushim_mock_drain(world));
    assert_int_equal(device_bytes()[2 * MIB - 1], 1);
}

static void much_pageable_memory_is_waited_for(void **state)
{
    char *pageable = calloc(1, 3 * MIB);
    uint64_t before = world_state().now_ns;

    (void)state;
    pageable[3 * MIB - 1] = 1;
    world_spin(stream, 10 * MS);
    OK(driver->MemcpyHtoDAsync_v2(memory, pageable, 3 * MIB, stream));
    assert_true(world_state().now_ns >= before + 10 * MS);
    assert_int_equal(device_bytes()[3 * MIB - 1], 1);
    free(pageable);
}

static void copies_to_pageable_memory_are_waited_for(void **state)
{
    uint64_t before = world_state().now_ns;
    char pageable = 0, other = 0;

    (void)state;
    OK(driver->MemsetD8Async(memory, 5, 1, stream));
    world_spin(stream, 10 * MS);
    OK(driver->MemcpyDtoHAsync_v2(&pageable, memory, 1, stream));
    assert_true(world_state().now_ns >= before + 10 * MS);
    assert_int_equal(pageable, 5);
    world_spin(stream, 10 * MS);
    OK(driver->MemcpyAsync((uintptr_t)&other, (uintptr_t)&pageable, 1, stream));
    assert_true(world_state().now_ns >= before + 20 * MS);
    assert_int_equal(other, 5);
}

static void synchronous_copies_wait_for_streams_that_block(void **state)
{
    uint64_t before = world_state().now_ns;
    CUstream blocking;
    char byte = 3;

    (void)state;
    OK(driver->StreamCreate(&blocking, CU_STREAM_DEFAULT));
    world_spin(stream, 50 * MS);
    OK(driver->MemcpyHtoD_v2(memory, &byte, 1));
    assert_true(world_state().now_ns < before + 10 * MS);
    world_spin(blocking, 10 * MS);
    OK(driver->MemcpyHtoD_v2(memory, &byte, 0));
    assert_true(world_state().now_ns < before + 10 * MS);
    OK(driver->MemcpyHtoD_v2(memory, pinned, 1));
    assert_true(world_state().now_ns >= before + 10 * MS);
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(stream));
    OK(driver->StreamDestroy_v2(blocking));
}

static void synchronous_copies_on_the_device_do_not_wait(void **state)
{
    uint64_t before = world_state().now_ns;

    (void)state;
    world_spin(NULL, 10 * MS);
    OK(driver->MemcpyDtoD_v2(memory, memory + 64, 16));
    OK(driver->Memcpy(memory, memory + 64, 16));
    assert_true(world_state().now_ns < before + 10 * MS);
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(NULL));
    OK(driver->StreamSynchronize(NULL));
}

/*
 * Nobody could let time pass while the call waits; so what would wait for nothing is done at once.
 */
static void synchronous_copies_need_no_time_in_manual_mode(void **state)
{
    char byte = 9, back = 0;

    (void)state;
    OK(driver->MemcpyHtoD_v2(memory, &byte, 1));
    OK(driver->MemcpyDtoH_v2(&back, memory, 1));
    assert_int_equal(back, 9);
    assert_int_equal(world_state().now_ns, 0);
}

static void copies_take_time_by_their_bytes(void **state)
{
    uint64_t small, large;

    (void)state;
    OK(driver->MemcpyHtoDAsync_v2(memory, pinned, 16, stream));
    OK(cushim_mock_drain(world));
    small = world_state().now_ns;
    OK(driver->MemcpyHtoDAsync_v2(memory, pinned, MIB, stream));
    OK(cushim_mock_drain(world));
    large = world_state().now_ns - small;
    assert_true(small > 0);
    assert_true(large > small + 1000);
}

static void copies_are_kept_within_allocations(void **state)
{
    char host[64] = {0};
    const CUdeviceptr last = memory + 4 * MIB;

    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemcpyHtoD_v2(last - 4, host, 5));
    OK(driver->MemcpyHtoD_v2(last - 4, host, 4));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemcpyDtoH_v2(host, last - 4, 5));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemcpyDtoD_v2(memory, last - 4, 5));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemcpyHtoDAsync_v2(last, host, 1, stream));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemcpyHtoD_v2(memory, host, SIZE_MAX));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemcpyHtoD_v2((uintptr_t)host, host, 4));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemcpyDtoD_v2(memory, (uintptr_t)host, 4));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemcpyHtoD_v2(memory, NULL, 4));
    OK(driver->MemcpyHtoD_v2(0, NULL, 0));
    OK(driver->MemcpyHtoD_v2((uintptr_t)pinned, host, 4));
    OK(driver->MemcpyDtoH_v2((void *)(uintptr_t)memory, memory + 64, 4));
}

static void the_copy_of_a_freed_allocation_is_an_illegal_address(void **state)
{
    CUdeviceptr gone;

    (void)state;
    world_begin("mode = manual");
    stream = world_stream();
    OK(driver->MemAlloc_v2(&gone, 64));
    world_spin(stream, 10 * MS);
    OK(driver->MemsetD8Async(gone, 1, 64, stream));
    OK(driver->MemFreeAsync(gone, NULL));
    OK(cushim_mock_advance(world, 5 * MS));
    OK(driver->StreamQuery(NULL));
    OK(cushim_mock_advance(world, 10 * MS));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->StreamQuery(stream));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, driver->MemAlloc_v2(&gone, 64));
    cushim_mock_destroy(world);
}

static void copies_go_from_device_to_device(void **state)
{
    CUcontext first, second;
    CUdeviceptr here, there;
    char back[4];

    (void)state;
    world_begin("mode = auto\n"
                "devices = 2");
    OK(driver->CtxGetCurrent(&first));
    OK(driver->MemAlloc_v2(&here, 64));
    OK(driver->MemcpyHtoD_v2(here, "abc", 4));
    OK(driver->CtxCreate_v2(&second, 0, 1));
    OK(driver->MemAlloc_v2(&there, 64));
    OK(driver->MemcpyPeer(there, second, here, first, 4));
    OK(driver->MemcpyDtoH_v2(back, there, 4));
    assert_string_equal(back, "abc");
    OK(driver->MemsetD8_v2(there, 'x', 3));
    OK(driver->Memcpy(here, there, 4));
    OK(driver->MemcpyDtoH_v2(back, here, 4));
    assert_string_equal(back, "xxx");
    OK(driver->MemFree_v2(here));
    OK(driver->CtxDestroy_v2(second));
    world_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name, begin) cmocka_unit_test_setup_teardown(name, begin, end)
        TEST(bytes_move_when_the_copy_executes, begin_manual),
        TEST(pageable_memory_is_read_at_the_call, begin_manual),
        TEST(much_pageable_memory_is_waited_for, begin),
        TEST(copies_to_pageable_memory_are_waited_for, begin),
        TEST(synchronous_copies_wait_for_streams_that_block, begin),
        TEST(synchronous_copies_on_the_device_do_not_wait, begin),
        TEST(synchronous_copies_need_no_time_in_manual_mode, begin_manual),
        TEST(copies_take_time_by_their_bytes, begin_manual),
        TEST(copies_are_kept_within_allocations, begin),
        cmocka_unit_test(the_copy_of_a_freed_allocation_is_an_illegal_address),
        cmocka_unit_test(copies_go_from_device_to_device),
    };

    return cmocka_run_group_tests_name("copy", tests, NULL, NULL);
}
