/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of rows and layers, and arrays (statements 114, 115, 118 and 119). */
#include <string.h>

#include "tests/mock/world.h"

static CUdeviceptr memory;
static unsigned char from[4096], to[4096];

static int begin(void **state)
{
    (void)state;
    world_begin("mode = auto");
    OK(driver->MemAlloc_v2(&memory, sizeof from));
    OK(driver->MemsetD8_v2(memory, 0, sizeof from));
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 7 + i / 256 + 1);
    memset(to, 0, sizeof to);
    return 0;
}

static int end(void **state)
{
    (void)state;
    OK(driver->MemFree_v2(memory));
    world_end();
    return 0;
}

static CUDA_MEMCPY2D rows(void)
{
    return (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                           .srcHost = from,
                           .srcPitch = 64,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = memory,
                           .dstPitch = 128,
                           .WidthInBytes = 32,
                           .Height = 4};
}

static void rows_keep_their_pitches(void **state)
{
    CUDA_MEMCPY2D copy = rows();

    (void)state;
    copy.srcXInBytes = 3;
    copy.srcY = 1;
    copy.dstXInBytes = 5;
    copy.dstY = 2;
    OK(driver->Memcpy2D_v2(&copy));
    OK(driver->MemcpyDtoH_v2(to, memory, sizeof to));
    for (int y = 0; y < 4; y++) {
        assert_memory_equal(to + (y + 2) * 128 + 5, from + (y + 1) * 64 + 3, 32);
        assert_int_equal(to[(y + 2) * 128 + 4] | to[(y + 2) * 128 + 37], 0);
    }
    assert_int_equal(to[6 * 128 + 5], 0);
}

static void layers_keep_their_heights(void **state)
{
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = from,
                          .srcPitch = 16,
                          .srcHeight = 5,
                          .srcZ = 1,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = memory,
                          .dstPitch = 32,
                          .dstHeight = 8,
                          .dstY = 1,
                          .WidthInBytes = 10,
                          .Height = 3,
                          .Depth = 2};

    (void)state;
    OK(driver->Memcpy3D_v2(&copy));
    OK(driver->MemcpyDtoH_v2(to, memory, sizeof to));
    for (int z = 0; z < 2; z++) {
        for (int y = 0; y < 3; y++)
            assert_memory_equal(to + (z * 8 + y + 1) * 32, from + ((z + 1) * 5 + y) * 16, 10);
        assert_int_equal(to[(z * 8 + 4) * 32], 0);
    }
    copy.srcHeight = 2;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Memcpy3D_v2(&copy));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Memcpy3D_v2(NULL));
}

static void pitch_0_is_as_small_as_can_be(void **state)
{
    CUDA_MEMCPY2D copy = rows();

    (void)state;
    copy.srcPitch = copy.dstPitch = 0;
    OK(driver->Memcpy2D_v2(&copy));
    OK(driver->MemcpyDtoH_v2(to, memory, sizeof to));
    assert_memory_equal(to, from, 4 * 32);
    assert_int_equal(to[4 * 32], 0);
}

/* Each case changes one thing. */
static void wrong_shapes_are_refused(void **state)
{
    static const size_t huge = SIZE_MAX / 2;
    CUDA_MEMCPY2D copies[9];

    (void)state;
    for (int i = 0; i < 9; i++)
        copies[i] = rows();
    copies[0].srcPitch = 31;
    copies[1].dstXInBytes = 97;
    copies[2].Height = 33;
    copies[3].srcMemoryType = (CUmemorytype)9;
    copies[4].dstDevice = 0;
    copies[5].srcHost = NULL;
    copies[6].srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copies[7].dstY = huge;
    copies[8].dstPitch = huge;
    for (int i = 0; i < 9; i++)
        CODE(CUDA_ERROR_INVALID_VALUE, driver->Memcpy2D_v2(&copies[i]));
    copies[0].Height = 0;
    OK(driver->Memcpy2D_v2(&copies[0]));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Memcpy2D_v2(NULL));
}

static void pageable_rows_are_read_at_the_call(void **state)
{
    CUstream stream = world_stream();
    CUDA_MEMCPY2D copy = rows();
    unsigned char first = from[64];

    (void)state;
    world_spin(stream, 1000000);
    OK(driver->Memcpy2DAsync_v2(&copy, stream));
    from[64] = (unsigned char)~first;
    OK(driver->StreamSynchronize(stream));
    OK(driver->MemcpyDtoH_v2(to, memory, sizeof to));
    assert_int_equal(to[128], first);
    OK(driver->StreamDestroy_v2(stream));
}

static CUarray array_of(size_t width, size_t height, size_t depth)
{
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = {.Width = width,
                                                .Height = height,
                                                .Depth = depth,
                                                .Format = CU_AD_FORMAT_FLOAT,
                                                .NumChannels = 2};
    CUarray array;

    OK(driver->Array3DCreate_v2(&array, &descriptor));
    return array;
}

static void arrays_hold_what_is_copied_into_them(void **state)
{
    const size_t before = world_state().handles;
    CUarray array = array_of(8, 4, 0);
    CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = from,
                        .srcPitch = 100,
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .dstArray = array,
                        .WidthInBytes = 64,
                        .Height = 4};
    CUDA_MEMCPY2D out = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                         .srcArray = array,
                         .srcXInBytes = 8,
                         .srcY = 1,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = memory,
                         .dstPitch = 64,
                         .WidthInBytes = 56,
                         .Height = 3};

    (void)state;
    OK(driver->Memcpy2D_v2(&in));
    OK(driver->Memcpy2D_v2(&out));
    OK(driver->MemcpyDtoH_v2(to, memory, sizeof to));
    for (int y = 0; y < 3; y++)
        assert_memory_equal(to + y * 64, from + (y + 1) * 100 + 8, 56);
    out.Height = 4;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Memcpy2D_v2(&out));
    in.WidthInBytes = 65;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Memcpy2D_v2(&in));
    OK(driver->MemcpyAtoH_v2(to, array, 16, 8));
    assert_memory_equal(to, from + 16, 8);
    OK(driver->ArrayDestroy(array));
    assert_int_equal(world_state().handles, before);
}

static void arrays_have_layers(void **state)
{
    CUarray array = array_of(4, 2, 3);
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = from,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = 32,
                          .Height = 2,
                          .Depth = 3};
    CUDA_ARRAY3D_DESCRIPTOR descriptor;

    (void)state;
    OK(driver->Memcpy3D_v2(&copy));
    copy = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                           .srcArray = array,
                           .srcZ = 2,
                           .srcY = 1,
                           .dstMemoryType = CU_MEMORYTYPE_HOST,
                           .dstHost = to,
                           .WidthInBytes = 32,
                           .Height = 1,
                           .Depth = 1};
    OK(driver->Memcpy3D_v2(&copy));
    assert_memory_equal(to, from + 5 * 32, 32);
    OK(driver->Array3DGetDescriptor_v2(&descriptor, array));
    assert_int_equal(descriptor.Depth, 3);
    OK(driver->ArrayDestroy(array));
}

static void wrong_arrays_are_refused(void **state)
{
    CUDA_ARRAY_DESCRIPTOR good = {.Width = 8, .Format = CU_AD_FORMAT_HALF, .NumChannels = 1};
    CUDA_ARRAY_DESCRIPTOR bad[4];
    CUarray array;

    (void)state;
    for (int i = 0; i < 4; i++)
        bad[i] = good;
    bad[0].NumChannels = 3;
    bad[1].Width = 0;
    bad[2].Width = 200000;
    bad[3].Format = (CUarray_format)0;
    for (int i = 0; i < 4; i++)
        CODE(CUDA_ERROR_INVALID_VALUE, driver->ArrayCreate_v2(&array, &bad[i]));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->ArrayCreate_v2(&array, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->ArrayCreate_v2(NULL, &good));
    CODE(CUDA_ERROR_INVALID_HANDLE, driver->ArrayDestroy(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
        TEST(rows_keep_their_pitches),
        TEST(layers_keep_their_heights),
        TEST(pitch_0_is_as_small_as_can_be),
        TEST(wrong_shapes_are_refused),
        TEST(pageable_rows_are_read_at_the_call),
        TEST(arrays_hold_what_is_copied_into_them),
        TEST(arrays_have_layers),
        TEST(wrong_arrays_are_refused),
    };

    return cmocka_run_group_tests_name("copy_shape", tests, NULL, NULL);
}
