/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of rows and layers, arrays, and memsets (statements 114 to 119). */
#define CUSHIM_DISABLE_DEPRECATION_WARNINGS

#include <string.h>

#include "tests/mock/fixture.h"

static CUdeviceptr memory;
static unsigned char from[4096], to[4096];

static int begin(void **state)
{
    (void)state;
    fixture_begin("mode = auto");
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
    fixture_end();
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

/* Each case changes one member. */
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
    CUstream stream = fixture_stream();
    CUDA_MEMCPY2D copy = rows();
    unsigned char first = from[64];

    (void)state;
    fixture_spin(stream, 1000000);
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
    const size_t before = fixture_state().handles;
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
    assert_int_equal(fixture_state().handles, before);
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

/* Arrays of every format, and those that are refused. */

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
    of.Height = 4; /* not square */
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Array3DCreate_v2(&array, &of));
    of = good;
    of.Depth = 12; /* two cube maps without the flag for layers */
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Array3DCreate_v2(&array, &of));
    of = good;
    of.Flags = CUDA_ARRAY3D_TEXTURE_GATHER; /* allowed for two-dimensional arrays only */
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Array3DCreate_v2(&array, &of));
    of = good;
    of.Flags |= 0x1000; /* an unknown flag */
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Array3DCreate_v2(&array, &of));
    of = good;
    of.Format = (CUarray_format)0x91; /* an image format, which needs four channels */
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Array3DCreate_v2(&array, &of));
    of.Format = (CUarray_format)0x55;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Array3DCreate_v2(&array, &of));
    /* A driver creates both arrays; the mock refuses them. */
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
    const CUstream stream = fixture_stream();
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

/* Memsets (statements 116 and 117). */

enum { MS = 1000000, BYTES = 1024 };

static CUdeviceptr set_memory;
static unsigned char set_bytes[BYTES];

static int begin_with(const char *settings)
{
    fixture_begin(settings);
    OK(driver->MemAlloc_v2(&set_memory, BYTES));
    return 0;
}

static int set_begin(void **state)
{
    (void)state;
    return begin_with("mode = auto");
}

static int begin_manual(void **state)
{
    (void)state;
    return begin_with("mode = manual");
}

static int set_end(void **state)
{
    (void)state;
    OK(cushim_mock_drain(fixture_mock));
    OK(driver->MemFree_v2(set_memory));
    fixture_end();
    return 0;
}

static void read_back(void)
{
    OK(driver->MemcpyDtoH_v2(set_bytes, set_memory, BYTES));
}

static void values_of_each_size_fill_their_elements(void **state)
{
    static const unsigned char want[] = {7,    7,    7,    0,    0xcd, 0xab,
                                         0xcd, 0xab, 0x78, 0x56, 0x34, 0x12};

    (void)state;
    OK(driver->MemsetD8_v2(set_memory, 0, BYTES));
    OK(driver->MemsetD8_v2(set_memory, 7, 3));
    OK(driver->MemsetD16_v2(set_memory + 4, 0xabcd, 2));
    OK(driver->MemsetD32_v2(set_memory + 8, 0x12345678, 1));
    read_back();
    assert_memory_equal(set_bytes, want, sizeof want);
    assert_int_equal(set_bytes[12], 0);
}

static void rows_leave_what_is_between_them(void **state)
{
    CUstream stream = fixture_stream();

    (void)state;
    OK(driver->MemsetD8_v2(set_memory, 0, BYTES));
    OK(driver->CtxSynchronize());
    OK(driver->MemsetD2D16Async(set_memory + 2, 64, 0x0101, 10, 3, stream));
    OK(driver->StreamSynchronize(stream));
    read_back();
    for (int y = 0; y < 3; y++) {
        assert_int_equal(set_bytes[y * 64 + 1] | set_bytes[y * 64 + 22], 0);
        for (int x = 2; x < 22; x++)
            assert_int_equal(set_bytes[y * 64 + x], 1);
    }
    assert_int_equal(set_bytes[3 * 64 + 2], 0);
    OK(driver->StreamDestroy_v2(stream));
}

static void sets_execute_in_their_stream(void **state)
{
    CUstream stream = fixture_stream();
    const unsigned char *device = cushim_mock_memory(fixture_mock, set_memory, BYTES);

    (void)state;
    fixture_spin(stream, 10 * MS);
    OK(driver->MemsetD8Async(set_memory, 7, 16, stream));
    OK(cushim_mock_advance(fixture_mock, 9 * MS));
    assert_int_equal(device[0], 0);
    OK(cushim_mock_drain(fixture_mock));
    assert_int_equal(device[0], 7);
    OK(driver->StreamDestroy_v2(stream));
}

static void calls_wait_for_memory_of_the_host_only(void **state)
{
    uint64_t before = fixture_state().now_ns;
    unsigned char *pinned;

    (void)state;
    OK(driver->MemAllocHost_v2((void **)&pinned, 64));
    fixture_spin(NULL, 10 * MS);
    OK(driver->MemsetD8_v2(set_memory, 7, 16));
    assert_true(fixture_state().now_ns < before + 10 * MS);
    CODE(CUDA_ERROR_NOT_READY, driver->StreamQuery(NULL));
    OK(driver->MemsetD8_v2((uintptr_t)pinned, 7, 16));
    assert_true(fixture_state().now_ns >= before + 10 * MS);
    assert_int_equal(pinned[15], 7);
    OK(driver->MemFreeHost(pinned));
}

static void wrong_sets_are_refused(void **state)
{
    (void)state;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD16_v2(set_memory + 1, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD32_v2(set_memory + 2, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD8_v2(set_memory, 1, BYTES + 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD8_v2((uintptr_t)set_bytes, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD8_v2(0, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD2D8_v2(set_memory, 16, 1, 32, 4));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD2D16_v2(set_memory, 65, 1, 4, 2));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD2D8_v2(set_memory, SIZE_MAX / 2, 1, 4, 3));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD8_v2(set_memory, 1, SIZE_MAX));
}

static void empty_sets_are_done(void **state)
{
    (void)state;
    OK(driver->MemsetD8_v2(0, 1, 0));
    OK(driver->MemsetD32_v2(set_memory + 1, 1, 0));
    OK(driver->MemsetD2D8_v2(set_memory, 64, 1, 0, 4));
    OK(driver->MemsetD2D8_v2(set_memory, 64, 1, 4, 0));
    OK(driver->MemsetD2D8_v2(set_memory, 0, 1, 32, 1));
    OK(driver->MemsetD32_v2(set_memory, 1, (size_t)1 << 62));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
#define TEST_IN(name, begin, end) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(rows_keep_their_pitches),
        TEST(layers_keep_their_heights),
        TEST(wrong_shapes_are_refused),
        TEST(pageable_rows_are_read_at_the_call),
        TEST(arrays_hold_what_is_copied_into_them),
        TEST(arrays_have_layers),
        TEST(wrong_arrays_are_refused),
        TEST_IN(element_of_an_array_has_the_bytes_of_its_format, fixture_manual, fixture_done),
        TEST_IN(array_that_no_texture_can_have_is_refused, fixture_manual, fixture_done),
        TEST_IN(array_is_not_destroyed_while_another_captures, fixture_manual, fixture_done),
        TEST_IN(values_of_each_size_fill_their_elements, set_begin, set_end),
        TEST_IN(rows_leave_what_is_between_them, set_begin, set_end),
        TEST_IN(sets_execute_in_their_stream, begin_manual, set_end),
        TEST_IN(calls_wait_for_memory_of_the_host_only, set_begin, set_end),
        TEST_IN(wrong_sets_are_refused, set_begin, set_end),
        TEST_IN(empty_sets_are_done, set_begin, set_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
