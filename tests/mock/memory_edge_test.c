/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of every format, values of 64 bits in streams, and advice by place. */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <string.h>

#include "tests/mock/world.h"

static void element_of_an_array_has_the_bytes_of_its_format(void **state)
{
    static const struct {
        int format;
        unsigned channels;
        size_t bytes;
    } cases[] = {
        {CU_AD_FORMAT_UNSIGNED_INT8, 1, 1},  {CU_AD_FORMAT_SIGNED_INT8, 2, 2},
        {CU_AD_FORMAT_UNSIGNED_INT16, 1, 2}, {CU_AD_FORMAT_SIGNED_INT16, 4, 8},
        {CU_AD_FORMAT_HALF, 2, 4},           {CU_AD_FORMAT_UNSIGNED_INT32, 1, 4},
        {CU_AD_FORMAT_SIGNED_INT32, 4, 16},  {CU_AD_FORMAT_FLOAT, 1, 4},
    };
    enum { WIDTH = 64 };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const CUDA_ARRAY_DESCRIPTOR of = {.Width = WIDTH,
                                          .Format = (CUarray_format)cases[i].format,
                                          .NumChannels = cases[i].channels};
        static unsigned char bytes[WIDTH * 16 + 1];
        CUarray array;

        OK(driver->ArrayCreate_v2(&array, &of));
        OK(driver->MemcpyHtoA_v2(array, 0, bytes, WIDTH * cases[i].bytes));
        CODE(CUDA_ERROR_INVALID_VALUE,
             driver->MemcpyHtoA_v2(array, 0, bytes, WIDTH * cases[i].bytes + 1));
        OK(driver->ArrayDestroy(array));
    }
}

static void array_that_no_texture_can_have_is_refused(void **state)
{
    const CUDA_ARRAY3D_DESCRIPTOR good = {.Width = 8,
                                          .Height = 8,
                                          .Depth = 6,
                                          .Format = CU_AD_FORMAT_FLOAT,
                                          .NumChannels = 1,
                                          .Flags = CUDA_ARRAY3D_CUBEMAP};
    CUDA_ARRAY3D_DESCRIPTOR of = good;
    CUarray array = NULL;

    (void)state;
    of.Height = 4; /* no square */
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Array3DCreate_v2(&array, &of));
    of = good;
    of.Depth = 12; /* two cubes without layers */
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Array3DCreate_v2(&array, &of));
    of = good;
    of.Flags = CUDA_ARRAY3D_TEXTURE_GATHER; /* of two dimensions alone */
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Array3DCreate_v2(&array, &of));
    of = good;
    of.Flags |= 0x1000; /* none that there is */
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Array3DCreate_v2(&array, &of));
    of = good;
    of.Format = (CUarray_format)0x91; /* of a picture, which has four channels */
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Array3DCreate_v2(&array, &of));
    of.Format = (CUarray_format)0x55;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Array3DCreate_v2(&array, &of));
    /* A driver makes both; the mock does not. */
    of = good;
    of.Depth = 0;
    of.Flags = 0x40; /* sparse */
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->Array3DCreate_v2(&array, &of));
    of.Flags = 0;
    of.NumChannels = 4;
    of.Format = (CUarray_format)0x91;
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->Array3DCreate_v2(&array, &of));
    assert_null(array);
    OK(driver->Array3DCreate_v2(&array, &good));
    OK(driver->ArrayDestroy(array));
}

static void array_is_not_destroyed_while_another_captures(void **state)
{
    const CUDA_ARRAY_DESCRIPTOR of = {.Width = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    const CUstream stream = world_stream();
    CUgraph graph;
    CUarray array;

    (void)state;
    OK(driver->ArrayCreate_v2(&array, &of));
    OK(driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, driver->ArrayDestroy(array));
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, driver->StreamEndCapture(stream, &graph));
    OK(driver->ArrayDestroy(array));
    OK(driver->StreamDestroy_v2(stream));
}

/* --- values of 64 bits, in one call --- */

static void batch_writes_and_waits_for_values_of_64_bits(void **state)
{
    static const uint64_t wide = UINT64_C(0x123456789abcdef0);
    const CUstream stream = world_stream();
    volatile uint64_t *words;
    CUdeviceptr memory;
    CUevent done = world_event();
    void *host;

    (void)state;
    OK(driver->MemAllocHost_v2(&host, 64));
    memset(host, 0, 64);
    words = host;
    memory = (CUdeviceptr)(uintptr_t)host;
    {
        CUstreamBatchMemOpParams list[] = {
            {.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64,
                            .address = memory,
                            .value64 = wide}},
            {.waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64,
                           .address = memory + 8,
                           .value64 = wide,
                           .flags = CU_STREAM_WAIT_VALUE_EQ}},
            {.operation = CU_STREAM_MEM_OP_BARRIER},
            {.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64,
                            .address = memory + 16,
                            .value64 = ~wide}},
        };

        OK(driver->StreamBatchMemOp_v2(stream, COUNT(list), list, 0));
        list[0].operation = (CUstreamBatchMemOpType)99;
        CODE(CUDA_ERROR_INVALID_VALUE, driver->StreamBatchMemOp_v2(stream, COUNT(list), list, 0));
    }
    OK(driver->EventRecord(done, stream));
    cushim_mock_drain(world);
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(done));
    assert_true(words[0] == wide && words[2] == 0);
    words[1] = (uint32_t)wide; /* the lower half is not the value */
    cushim_mock_drain(world);
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(done));
    words[1] = wide;
    OK(cushim_mock_drain(world));
    OK(driver->EventQuery(done));
    assert_true(words[2] == ~wide);
    OK(driver->EventDestroy_v2(done));
    OK(driver->StreamDestroy_v2(stream));
    OK(driver->MemFreeHost(host));
}

/* --- managed memory --- */

static void managed_memory_is_not_prefetched_in_a_capture_nor_to_nowhere(void **state)
{
    const CUstream stream = world_stream();
    CUdeviceptr memory;
    CUgraph graph;

    (void)state;
    OK(driver->MemAllocManaged(&memory, 4096, CU_MEM_ATTACH_GLOBAL));
    CODE(CUDA_ERROR_INVALID_DEVICE, driver->MemPrefetchAsync(memory, 4096, 7, stream));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemPrefetchAsync(memory + 4096, 4096, 0, stream));
    OK(driver->StreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CODE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, driver->MemPrefetchAsync(memory, 4096, 0, stream));
    CODE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, driver->StreamEndCapture(stream, &graph));
    OK(driver->MemPrefetchAsync(memory, 4096, 0, stream));
    OK(cushim_mock_drain(world));
    OK(driver->MemFree_v2(memory));
    OK(driver->StreamDestroy_v2(stream));
}

static void place_is_a_device_or_the_host_and_nothing_else(void **state)
{
    static const struct {
        int type, id;
        CUresult prefetched, preferred, accessing;
    } places[] = {
        {1, 0, 0, 0, 0},                     /* a device */
        {1, -1, 101, 1, 1},                  /* none */
        {1, 9, 101, 1, 1},  {2, 0, 0, 0, 0}, /* the host, as a whole or by its nodes */
        {2, 5, 0, 0, 0},    {3, 0, 0, 0, 1}, {3, -1, 1, 1, 1}, {3, 99, 1, 1, 1},
        {4, 0, 0, 0, 1},    {0, 0, 1, 1, 1}, {77, 0, 1, 1, 1},
    };
    const CUstream stream = world_stream();
    CUdeviceptr memory;

    (void)state;
    OK(driver->MemAllocManaged(&memory, 4096, CU_MEM_ATTACH_GLOBAL));
    for (size_t i = 0; i < COUNT(places); i++) {
        const CUmemLocation place = {.type = (CUmemLocationType)places[i].type, .id = places[i].id};

        CODE(places[i].prefetched, driver->MemPrefetchAsync_v2(memory, 4096, place, 0, stream));
        OK(cushim_mock_drain(world));
        CODE(places[i].preferred,
             driver->MemAdvise_v2(memory, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, place));
        CODE(places[i].accessing,
             driver->MemAdvise_v2(memory, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, place));
    }
    OK(driver->MemFree_v2(memory));
    OK(driver->StreamDestroy_v2(stream));
}

/* The mock's own, for mocks of little memory: an H200 with 3 MiB left has none for a pool. */
static void pool_takes_what_is_left_of_the_device(void **state)
{
    const CUstream stream = world_stream();
    CUdeviceptr most, some = 0, more = 0;
    size_t free_bytes, total;

    (void)state;
    OK(driver->MemGetInfo_v2(&free_bytes, &total));
    OK(driver->MemAlloc_v2(&most, free_bytes - (4 << 20)));
    OK(driver->MemAllocAsync(&some, 1 << 20, stream));
    CODE(CUDA_ERROR_OUT_OF_MEMORY, driver->MemAllocAsync(&more, 8 << 20, stream));
    assert_int_equal(more, 0);
    OK(driver->MemFreeAsync(some, stream));
    OK(cushim_mock_drain(world));
    OK(driver->MemFree_v2(most));
    OK(driver->StreamDestroy_v2(stream));
}

/* --- streams of the first ABI --- */

static void first_abi_of_destroying_a_stream_waits_for_its_work(void **state)
{
    const CUstream stream = world_stream();
    const CUevent done = world_event();

    (void)state;
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->StreamDestroy(NULL));
    world_spin(stream, 50000000);
    OK(driver->EventRecord(done, stream));
    CODE(CUDA_ERROR_NOT_READY, driver->EventQuery(done));
    OK(driver->StreamDestroy(stream));
    OK(driver->EventQuery(done));
    OK(driver->EventDestroy_v2(done));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, world_manual, world_done)
    const struct CMUnitTest tests[] = {
        TEST(element_of_an_array_has_the_bytes_of_its_format),
        TEST(array_that_no_texture_can_have_is_refused),
        TEST(array_is_not_destroyed_while_another_captures),
        TEST(batch_writes_and_waits_for_values_of_64_bits),
        TEST(managed_memory_is_not_prefetched_in_a_capture_nor_to_nowhere),
        TEST(place_is_a_device_or_the_host_and_nothing_else),
        TEST(pool_takes_what_is_left_of_the_device),
        cmocka_unit_test_setup_teardown(first_abi_of_destroying_a_stream_waits_for_its_work,
                                        world_auto, world_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
