/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of rows and layers, arrays, and memsets. Statements 114-119. */
#include <string.h>

#include "cases.h"

static unsigned char from[8192], to[8192];

static void fill(void)
{
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 7 + i / 256);
}

static CUDA_MEMCPY2D rows(CUdeviceptr memory)
{
    return (CUDA_MEMCPY2D){FROM_HOST(from, 64), TO_DEVICE(memory, 128), .WidthInBytes = 32,
                           .Height = 4};
}

MEASURED_CASE(114, rows_keep_their_pitches)
{
    CUdeviceptr memory;
    CUDA_MEMCPY2D copy;

    begin_context();
    fill();
    memory = begin_memory(8192);
    MUST(cu->MemsetD8_v2(memory, 0, 8192));
    copy = rows(memory);
    OK(cu->Memcpy2D_v2(&copy));
    OK(cu->MemcpyDtoH_v2(to, memory, sizeof to));
    CHECK(memcmp(to + 128, from + 64, 32) == 0);
    EQUAL(0, to[32]);
    copy.srcXInBytes = 8;
    copy.srcY = 1;
    copy.dstXInBytes = 64;
    copy.dstY = 2;
    OK(cu->Memcpy2D_v2(&copy));
    OK(cu->MemcpyDtoH_v2(to, memory, sizeof to));
    CHECK(memcmp(to + 3 * 128 + 64, from + 2 * 64 + 8, 32) == 0);
    EQUAL(0, to[3 * 128 + 63] | to[3 * 128 + 96]);
    OK(cu->Memcpy2DUnaligned_v2(&copy));
    OK(cu->Memcpy2DAsync_v2(&copy, NULL));
    drain(NULL);
}

MEASURED_CASE(114, wrong_rows_are_refused)
{
    CUDA_MEMCPY2D wrong[11];
    CUdeviceptr memory = begin_memory(8192);
    int count = 0;

    for (int i = 0; i < 11; i++)
        wrong[i] = rows(memory);
    wrong[count++].srcPitch = 16;
    wrong[count++].dstPitch = 16;
    wrong[count++].dstXInBytes = 112;
    wrong[count++].srcXInBytes = 48;
    wrong[count++].Height = 65;
    wrong[count++].srcMemoryType = (CUmemorytype)0;
    wrong[count++].dstMemoryType = (CUmemorytype)9;
    wrong[count++].dstMemoryType = CU_MEMORYTYPE_ARRAY;
    wrong[count++].srcHost = NULL;
    wrong[count++].dstDevice = 0;
    wrong[count].srcMemoryType = CU_MEMORYTYPE_DEVICE;
    wrong[count++].srcDevice = (uintptr_t)from;
    for (int i = 0; i < count; i++)
        CODE(CUDA_ERROR_INVALID_VALUE, cu->Memcpy2D_v2(&wrong[i]));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->Memcpy2D_v2(NULL));
}

MEASURED_CASE(114, unusual_rows_are_copied)
{
    CUDA_MEMCPY2D copy, good;
    CUdeviceptr memory;

    begin_context();
    fill();
    memory = begin_memory(8192);
    MUST(cu->MemsetD8_v2(memory, 0, 8192));
    good = rows(memory);
    copy = good;
    copy.srcPitch = copy.dstPitch = 0;
    OK(cu->Memcpy2D_v2(&copy));
    OK(cu->MemcpyDtoH_v2(to, memory, sizeof to));
    CHECK(memcmp(to, from, 4 * 32) == 0);
    EQUAL(0, to[4 * 32]);
    copy = good;
    copy.WidthInBytes = 0;
    OK(cu->Memcpy2D_v2(&copy));
    copy = good;
    copy.Height = 0;
    OK(cu->Memcpy2D_v2(&copy));
    copy = good;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = to;
    OK(cu->Memcpy2D_v2(&copy));
    CHECK(memcmp(to + 128, from + 64, 32) == 0);
    copy = good;
    copy.dstPitch = 256;
    copy.dstY = (size_t)1 << 60; /* 2^68 bytes, of which 64 bits are 0 */
    OK(cu->Memcpy2D_v2(&copy));
    copy = good;
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    copy.srcDevice = (uintptr_t)from;
    OK(cu->Memcpy2D_v2(&copy));
}

static CUDA_MEMCPY3D layers(CUdeviceptr memory)
{
    return (CUDA_MEMCPY3D){FROM_HOST(from, 64), .srcHeight = 4,     TO_DEVICE(memory, 128),
                           .dstHeight = 5,      .WidthInBytes = 32, .Height = 3,
                           .Depth = 2};
}

MEASURED_CASE(115, layers_keep_their_heights)
{
    CUDA_MEMCPY3D copy;
    CUdeviceptr memory;

    begin_context();
    fill();
    memory = begin_memory(8192);
    MUST(cu->MemsetD8_v2(memory, 0, 8192));
    copy = layers(memory);
    OK(cu->Memcpy3D_v2(&copy));
    OK(cu->MemcpyDtoH_v2(to, memory, sizeof to));
    CHECK(memcmp(to + (5 + 1) * 128, from + (4 + 1) * 64, 32) == 0);
    EQUAL(0, to[3 * 128]);
    OK(cu->Memcpy3DAsync_v2(&copy, NULL));
    drain(NULL);
    copy.srcZ = 1;
    copy.dstY = 1;
    OK(cu->Memcpy3D_v2(&copy));
    OK(cu->MemcpyDtoH_v2(to, memory, sizeof to));
    CHECK(memcmp(to + (5 + 1 + 1) * 128, from + (2 * 4 + 1) * 64, 32) == 0);
}

MEASURED_CASE(115, fields_of_layers_are_checked)
{
    CUDA_MEMCPY3D copy, good = layers(begin_memory(8192));

    copy = good;
    copy.srcPitch = 8;
    CODE(CUDA_ERROR_INVALID_VALUE, cu->Memcpy3D_v2(&copy));
    copy = good;
    copy.srcHeight = 1;
    CODE(CUDA_ERROR_INVALID_VALUE, cu->Memcpy3D_v2(&copy));
    copy = good;
    copy.srcMemoryType = (CUmemorytype)0;
    CODE(CUDA_ERROR_INVALID_VALUE, cu->Memcpy3D_v2(&copy));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->Memcpy3D_v2(NULL));
    copy = good;
    copy.Depth = 0;
    OK(cu->Memcpy3D_v2(&copy));
    copy = good;
    copy.srcHeight = 0;
    OK(cu->Memcpy3D_v2(&copy));
    copy = good;
    copy.srcLOD = 1;
    copy.reserved0 = &copy;
    OK(cu->Memcpy3D_v2(&copy));
}

static CUarray begin_array(size_t width, size_t height)
{
    const CUDA_ARRAY_DESCRIPTOR of = {
        .Width = width, .Height = height, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    CUarray array = NULL;

    MUST(cu->ArrayCreate_v2(&array, &of));
    return array;
}

MEASURED_CASE(118, arrays_are_described)
{
    CUDA_ARRAY3D_DESCRIPTOR whole;
    CUDA_ARRAY_DESCRIPTOR of;

    begin_context();
    OK(cu->ArrayGetDescriptor_v2(&of, begin_array(16, 8)));
    EQUAL(16, of.Width);
    EQUAL(8, of.Height);
    EQUAL(CU_AD_FORMAT_FLOAT, of.Format);
    EQUAL(1, of.NumChannels);
    OK(cu->Array3DGetDescriptor_v2(&whole, begin_array(16, 8)));
    EQUAL(0, whole.Depth);
    EQUAL(0, whole.Flags);
    CODE(CUDA_ERROR_INVALID_HANDLE, cu->ArrayDestroy(NULL));
    OK(cu->ArrayDestroy(begin_array(16, 0)));
}

MEASURED_CASE(118, wrong_arrays_are_refused)
{
    const CUDA_ARRAY_DESCRIPTOR good = {
        .Width = 16, .Height = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    enum { WRONG = 6 };
    CUDA_ARRAY_DESCRIPTOR wrong[WRONG] = {good, good, good, good, good, good};
    CUarray array;

    begin_context();
    wrong[0].NumChannels = 3;
    wrong[1].Width = 0;
    wrong[2].Width = 200000;
    wrong[3].Format = (CUarray_format)0;
    wrong[4].Format = (CUarray_format)0x77;
    wrong[5].Format = CU_AD_FORMAT_NV12;
    for (int i = 0; i < WRONG; i++)
        CODE(CUDA_ERROR_INVALID_VALUE, cu->ArrayCreate_v2(&array, &wrong[i]));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ArrayCreate_v2(&array, NULL));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->ArrayCreate_v2(NULL, &good));
}

MEASURED_CASE(118, flags_and_depths_of_arrays_are_checked)
{
    const CUDA_ARRAY3D_DESCRIPTOR good = {
        .Width = 32, .Height = 8, .Depth = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    CUDA_ARRAY3D_DESCRIPTOR other = good;
    CUarray array;

    begin_context();
    OK(cu->Array3DCreate_v2(&array, &good));
    other.Depth = 16385;
    OK(cu->Array3DCreate_v2(&array, &other));
    other.Flags = CUDA_ARRAY3D_LAYERED;
    CODE(CUDA_ERROR_INVALID_VALUE, cu->Array3DCreate_v2(&array, &other));
    other = good;
    other.Flags = CUDA_ARRAY3D_TEXTURE_GATHER;
    CODE(CUDA_ERROR_INVALID_VALUE, cu->Array3DCreate_v2(&array, &other));
    other.Depth = 0;
    OK(cu->Array3DCreate_v2(&array, &other));
    other = good;
    other.Height = 0;
    CODE(CUDA_ERROR_INVALID_VALUE, cu->Array3DCreate_v2(&array, &other));
    other.Flags = CUDA_ARRAY3D_LAYERED;
    OK(cu->Array3DCreate_v2(&array, &other));
    make_current(NULL);
    OK(cu->ArrayDestroy(array));
}

/* A row of the last layer of an array is copied out. */
static void check_layers(void)
{
    const CUDA_ARRAY3D_DESCRIPTOR of = {
        .Width = 8, .Height = 2, .Depth = 3, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    CUDA_MEMCPY3D copy = {FROM_HOST(from, 0), .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .WidthInBytes = 32, .Height = 2, .Depth = 3};

    MUST(cu->Array3DCreate_v2(&copy.dstArray, &of));
    OK(cu->Memcpy3D_v2(&copy));
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = copy.dstArray;
    copy.srcZ = 2;
    copy.srcY = 1;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = to;
    copy.Height = copy.Depth = 1;
    OK(cu->Memcpy3D_v2(&copy));
    CHECK(memcmp(to, from + 5 * 32, 32) == 0);
}

/* Textures and surfaces of arrays and of rows in memory. */
MEASURED_CASE(118, textures_are_checked)
{
    const CUDA_ARRAY_DESCRIPTOR floats = {16, 16, CU_AD_FORMAT_FLOAT, 1};
    const CUDA_TEXTURE_DESC sampling = {.flags = 0};
    CUDA_RESOURCE_DESC array = {.resType = CU_RESOURCE_TYPE_ARRAY},
                       rows = {.resType = CU_RESOURCE_TYPE_PITCH2D};
    CUtexObject texture;
    CUsurfObject surface;

    begin_context();
    CODE(CUDA_ERROR_INVALID_VALUE, cu->TexObjectCreate(&texture, &array, &sampling, NULL));
    MUST(cu->ArrayCreate_v2(&array.res.array.hArray, &floats));
    OK(cu->TexObjectCreate(&texture, &array, &sampling, NULL));
    OK(cu->SurfObjectCreate(&surface, &array)); /* although it lacks CUDA_ARRAY3D_SURFACE_LDST */
    rows.res.pitch2D.devPtr = begin_memory(65536);
    rows.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
    rows.res.pitch2D.numChannels = 1;
    rows.res.pitch2D.width = 64;
    rows.res.pitch2D.pitchInBytes = 256;
    OK(cu->TexObjectCreate(&texture, &rows, &sampling, NULL)); /* of no rows */
    rows.res.pitch2D.pitchInBytes = 255;
    CODE(CUDA_ERROR_INVALID_VALUE, cu->TexObjectCreate(&texture, &rows, &sampling, NULL));
}

MEASURED_CASE(119, arrays_hold_rows)
{
    CUDA_MEMCPY2D in = {FROM_HOST(from, 64), .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .WidthInBytes = 64, .Height = 8};
    CUDA_MEMCPY2D out = {
        .srcMemoryType = CU_MEMORYTYPE_ARRAY, TO_HOST(to, 64), .WidthInBytes = 64, .Height = 8};

    begin_context();
    fill();
    in.dstArray = out.srcArray = begin_array(16, 8);
    OK(cu->Memcpy2D_v2(&in));
    OK(cu->Memcpy2D_v2(&out));
    CHECK(memcmp(to, from, 8 * 64) == 0);
    out.Height = 9;
    CODE(CUDA_ERROR_INVALID_VALUE, cu->Memcpy2D_v2(&out));
    OK(cu->MemcpyHtoA_v2(in.dstArray, 0, from + 100, 16));
    check_layers();
}

/* An element of an array has the bytes of its format for each channel. */
static void check_formats(void)
{
    static const struct {
        int format;
        unsigned channels;
        size_t bytes;
    } rows[] = {
        {CU_AD_FORMAT_UNSIGNED_INT8, 1, 1},  {CU_AD_FORMAT_SIGNED_INT8, 2, 2},
        {CU_AD_FORMAT_UNSIGNED_INT16, 1, 2}, {CU_AD_FORMAT_SIGNED_INT16, 4, 8},
        {CU_AD_FORMAT_HALF, 2, 4},           {CU_AD_FORMAT_UNSIGNED_INT32, 1, 4},
        {CU_AD_FORMAT_SIGNED_INT32, 4, 16},  {CU_AD_FORMAT_FLOAT, 1, 4},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const CUDA_ARRAY_DESCRIPTOR of = {
            .Width = 64, .Format = (CUarray_format)rows[i].format, .NumChannels = rows[i].channels};
        CUarray array;

        MUST(cu->ArrayCreate_v2(&array, &of));
        OK(cu->MemcpyHtoA_v2(array, 0, from, 64 * rows[i].bytes));
        CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyHtoA_v2(array, 0, from, 64 * rows[i].bytes + 1));
    }
}

MEASURED_CASE(119, arrays_of_one_row_take_offsets)
{
    CUdeviceptr memory;
    CUarray array;

    begin_context();
    fill();
    memory = begin_memory(4096);
    array = begin_array(16, 0);
    OK(cu->MemcpyHtoA_v2(array, 4, from, 16));
    OK(cu->MemcpyAtoH_v2(to, array, 4, 16));
    CHECK(memcmp(to, from, 16) == 0);
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemcpyHtoA_v2(array, 60, from, 16));
    OK(cu->MemcpyAtoD_v2(memory, array, 4, 16));
    OK(cu->MemcpyAtoA_v2(array, 32, array, 4, 16));
    OK(cu->MemcpyDtoA_v2(array, 0, memory, 16));
    OK(cu->MemcpyAtoH_v2(to + 64, array, 0, 16));
    CHECK(memcmp(to + 64, from, 16) == 0);
    OK(cu->MemcpyAtoH_v2(to + 64, array, 32, 16));
    CHECK(memcmp(to + 64, from, 16) == 0);
    OK(cu->MemcpyHtoAAsync_v2(array, 0, from, 16, NULL));
    drain(NULL);
    check_formats();
}

/* Memsets. Statements 116 and 117. */

MEASURED_CASE(116, values_of_each_size_fill_their_elements)
{
    CUdeviceptr memory = begin_memory(8192);

    MUST(cu->MemsetD8_v2(memory, 0, 8192));
    OK(cu->MemsetD8_v2(memory, 0x5a, 16));
    EQUAL(0x5a5a5a5a, read_value(memory));
    OK(cu->MemsetD16_v2(memory + 2, 0xabcd, 1));
    EQUAL(0xabcd5a5a, read_value(memory));
    OK(cu->MemsetD32_v2(memory, 0x1234, 1));
    EQUAL(0x1234, read_value(memory));
    OK(cu->MemsetD2D32_v2(memory, 64, 7, 4, 2));
    EQUAL(7, read_value(memory + 64 + 12));
    OK(cu->MemsetD2D16Async(memory + 64, 64, 9, 8, 2, NULL));
    EQUAL(0x90009, read_value(memory + 64 + 12));
    for (CUdeviceptr beside = memory + 16; beside <= memory + 144; beside += 64)
        EQUAL(0, read_value(beside));
}

MEASURED_CASE(116, wrong_sets_are_refused)
{
    CUdeviceptr memory = begin_memory(8192);
    char local[4];

    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD8_v2(0, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD8_v2(0x1234, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD8_v2((uintptr_t)local, 1, 4));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD8_v2(memory, 1, 8193));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD16_v2(memory + 1, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD32_v2(memory + 2, 1, 1));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD2D8_v2(memory, 16, 1, 32, 4));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD2D8_v2(memory, 64, 1, 32, 200));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD2D16_v2(memory, 65, 1, 4, 2));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD2D32_v2(memory + 2, 64, 1, 4, 2));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD2D32_v2(memory, 66, 1, 4, 2));
}

MEASURED_CASE(116, nothing_is_set_anywhere)
{
    CUdeviceptr memory = begin_memory(8192);

    OK(cu->MemsetD8_v2(memory, 1, 0));
    OK(cu->MemsetD8_v2(0, 1, 0));
    OK(cu->MemsetD32_v2(memory + 1, 1, 0));
    OK(cu->MemsetD32_v2(memory, 1, (size_t)1 << 62));
    OK(cu->MemsetD2D8_v2(memory, 64, 1, 0, 4));
    OK(cu->MemsetD2D8_v2(memory, 64, 1, 32, 0));
    OK(cu->MemsetD2D8_v2(memory, 16, 1, 32, 1));
    OK(cu->MemsetD2D8_v2(memory, 0, 1, 32, 1));
    OK(cu->MemsetD32_v2(memory, 1, ((size_t)1 << 62) + 1));
    OK(cu->CtxSynchronize());
    EQUAL(1, read_value(memory));
}

/* Where the end of the memory overflows, the driver finds out on the device. */
MEASURED_CASE(116, end_that_overflows_is_a_fault)
{
    CUdeviceptr memory = begin_memory(8192);

    CODE(CUDA_ERROR_INVALID_VALUE, cu->MemsetD8_v2(memory, 1, (size_t)1 << 61));
    OK(cu->MemsetD8_v2(memory, 1, SIZE_MAX));
    CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cu->CtxSynchronize());
}

static CUresult set_pinned(void *data)
{
    return cu->MemsetD8_v2((uintptr_t)data, 7, 16);
}

MEASURED_CASE(117, only_sets_of_page_locked_memory_wait)
{
    struct gate gate = GATE;
    CUdeviceptr memory = begin_memory(64);
    CUstream stream = begin_blocking_stream();
    char *pinned = begin_pinned(64);

    gate_shut(&gate, stream);
    OK(cu->MemsetD8_v2(memory, 1, 16));
    CODE(CUDA_ERROR_NOT_READY, cu->StreamQuery(NULL));
    gate_open(&gate);
    drain(NULL);
    CHECK(waits_for_gate(stream, set_pinned, pinned));
    EQUAL(7, *(volatile char *)pinned);
}
