/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of rows, arrays and memsets, where the mock decides: sizes that overflow, arrays that it
 * refuses, and rows that it reads at the call. tests/conformance tests statements 114 to 119.
 */
#include "tests/mock/fixture.h"

enum { BYTES = 4096 };

static CUdeviceptr memory;
static unsigned char from[BYTES];

static int begin(void **state)
{
    (void)state;
    fixture_begin("mode = auto");
    OK(driver->MemAlloc_v2(&memory, BYTES));
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

static void sizes_that_overflow_are_refused(void **state)
{
    static const size_t huge = SIZE_MAX / 2;
    CUDA_MEMCPY2D copy = rows();

    (void)state;
    copy.dstY = huge;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Memcpy2D_v2(&copy));
    copy = rows();
    copy.dstPitch = huge;
    CODE(CUDA_ERROR_INVALID_VALUE, driver->Memcpy2D_v2(&copy));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemcpyHtoD_v2(memory, from, SIZE_MAX));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD8_v2(memory, 1, SIZE_MAX));
    CODE(CUDA_ERROR_INVALID_VALUE, driver->MemsetD2D8_v2(memory, huge, 1, 4, 3));
}

static void pageable_rows_are_read_at_the_call(void **state)
{
    CUstream stream = fixture_stream();
    CUDA_MEMCPY2D copy = rows();
    unsigned char byte = 0;

    (void)state;
    from[64] = 1;
    fixture_spin(stream, 1000000);
    OK(driver->Memcpy2DAsync_v2(&copy, stream));
    from[64] = 2;
    OK(driver->StreamSynchronize(stream));
    OK(driver->MemcpyDtoH_v2(&byte, memory + 128, 1));
    assert_int_equal(byte, 1);
    OK(driver->StreamDestroy_v2(stream));
}

/* A driver creates both arrays. */
static void sparse_and_compressed_arrays_are_refused(void **state)
{
    enum { SPARSE = 0x40, BC1_UNORM = 0x91 };
    CUDA_ARRAY3D_DESCRIPTOR of = {
        .Width = 8, .Height = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1, .Flags = SPARSE};
    CUarray array = NULL;

    (void)state;
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->Array3DCreate_v2(&array, &of));
    of.Flags = 0;
    of.NumChannels = 4;
    of.Format = (CUarray_format)BC1_UNORM;
    CODE(CUDA_ERROR_NOT_SUPPORTED, driver->Array3DCreate_v2(&array, &of));
    assert_null(array);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(sizes_that_overflow_are_refused),
        TEST(pageable_rows_are_read_at_the_call),
        TEST(sparse_and_compressed_arrays_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
