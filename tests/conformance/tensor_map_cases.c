/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps. Statement 211. */
#include <string.h>

#include "cases.h"

enum { RANK_MAX = 5, FLOAT32 = 7, TYPES = 18 };

/* The parameters of cuTensorMapEncodeTiled(). */
struct tiled {
    int type;
    unsigned rank;
    CUdeviceptr address;
    cuuint64_t dimensions[RANK_MAX], strides[RANK_MAX - 1];
    cuuint32_t box[RANK_MAX], steps[RANK_MAX];
    int interleave, swizzle;
};

/* 256 x 64 numbers of type float, in boxes of 64 x 8. */
static const struct tiled usual = {
    .type = FLOAT32,
    .rank = 2,
    .address = 1 << 20, /* the driver does not look at what is there */
    .dimensions = {256, 64, 8, 4, 2},
    .strides = {1024, 65536, 524288, 2097152},
    .box = {64, 8, 1, 1, 1},
    .steps = {1, 1, 1, 1, 1},
};

static CUtensorMap map;

static CUresult encode(const struct tiled *tiled)
{
    return cu->TensorMapEncodeTiled(
        &map, (CUtensorMapDataType)tiled->type, tiled->rank, (void *)(uintptr_t)tiled->address,
        tiled->dimensions, tiled->strides, tiled->box, tiled->steps,
        (CUtensorMapInterleave)tiled->interleave, (CUtensorMapSwizzle)tiled->swizzle,
        (CUtensorMapL2promotion)0, (CUtensorMapFloatOOBfill)0);
}

static CUresult code_of(bool is_valid)
{
    return is_valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The types and swizzles behind these are for later GPUs than an H200. */
MEASURED_CASE(211, types_ranks_and_swizzles_are_checked)
{
    static const int swizzle_bytes[] = {256, 32, 64, 128, 0, 0, 0};
    struct tiled tiled = usual;

    begin_context();
    for (tiled.type = 0; tiled.type < TYPES; tiled.type++)
        CODE(code_of(tiled.type < 13), encode(&tiled));
    tiled = usual;
    for (tiled.rank = 0; tiled.rank <= 6; tiled.rank++) {
        if (tiled.rank <= 2 || tiled.rank >= 5)
            CODE(code_of(tiled.rank >= 1 && tiled.rank <= 5), encode(&tiled));
    }
    tiled = usual;
    for (tiled.swizzle = 0; tiled.swizzle < (int)COUNT(swizzle_bytes); tiled.swizzle++) {
        for (int elements = 4; elements <= 64; elements *= 2) {
            tiled.box[0] = (cuuint32_t)elements;
            CODE(code_of(elements * 4 <= swizzle_bytes[tiled.swizzle]), encode(&tiled));
        }
    }
}

MEASURED_CASE(211, addresses_and_sizes_are_checked)
{
    struct tiled rows[24];
    bool valid[COUNT(rows)];

    begin_context();
    for (size_t i = 0; i < COUNT(rows); i++) {
        rows[i] = usual;
        valid[i] = i < 10;
    }
    rows[0].address += 16;
    rows[1].address = 0;
    rows[2].strides[0] = ((cuuint64_t)1 << 40) - 16;
    rows[3].strides[0] = 512; /* less than a row */
    rows[4].strides[0] = 0;
    rows[5].dimensions[0] = (cuuint64_t)1 << 32;
    rows[5].strides[0] = (cuuint64_t)1 << 34;
    rows[6].box[0] = 256;
    rows[7].steps[0] = rows[7].steps[1] = 8;
    rows[8].address = 4096;
    rows[9].rank = 1;
    rows[9].box[0] = 256;
    rows[9].box[1] = 228; /* 228 KiB, if there were another dimension */
    rows[10].address += 8;
    rows[11].strides[0] += 8;
    rows[12].strides[0] = (cuuint64_t)1 << 40;
    rows[13].dimensions[0] = 0;
    rows[14].dimensions[0] = ((cuuint64_t)1 << 32) + 1;
    rows[15].box[0] = 0;
    rows[16].box[0] = 257;
    rows[17].box[0] = 3;                     /* 12 bytes */
    rows[18].box[0] = rows[18].box[1] = 256; /* 256 KiB */
    rows[19].steps[0] = 0;
    rows[20].steps[0] = 9;
    rows[21].steps[1] = 9;
    rows[22].box[1] = 229; /* with 256 in a row, more than 228 KiB */
    rows[22].box[0] = 256;
    rows[23].interleave = 1;
    rows[23].rank = 3;
    rows[23].box[0] = 3; /* 12 bytes */
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!CODE(code_of(valid[i]), encode(&rows[i])))
            detail("row %zu", i);
    }
}

MEASURED_CASE(211, interleaved_maps_have_three_dimensions)
{
    struct tiled tiled = usual;

    begin_context();
    for (tiled.interleave = 0; tiled.interleave <= 2; tiled.interleave++) {
        tiled.rank = 2;
        CODE(code_of(tiled.interleave == 0), encode(&tiled));
        tiled.rank = 3;
        OK(encode(&tiled));
        tiled.swizzle = 1; /* which limits rows only if they are not interleaved */
        CODE(code_of(tiled.interleave > 0), encode(&tiled));
        tiled.swizzle = 0;
    }
    CODE(CUDA_ERROR_INVALID_VALUE, encode(&tiled)); /* interleave 3 */
}

/* Corners of the box of pixels, in dimensions of 64 and 8, and what a column has. */
MEASURED_CASE(211, columns_are_checked)
{
    static const struct {
        int lower[2], upper[2];
        unsigned channels, pixels;
        bool is_valid;
    } rows[] = {
        {{0, 0}, {0, 0}, 64, 8, true},     {{16, 0}, {0, 0}, 64, 8, true},
        {{64, 0}, {0, 0}, 64, 8, false},   {{0, 8}, {0, 0}, 64, 8, false},
        {{127, 0}, {127, 0}, 64, 8, true}, {{0, 0}, {0, -7}, 64, 8, true},
        {{0, 0}, {0, -8}, 64, 8, false},   {{-128, 0}, {0, 0}, 64, 8, true},
        {{-129, 0}, {0, 0}, 64, 8, false}, {{0, 0}, {128, 0}, 64, 8, false},
        {{0, 0}, {0, 0}, 0, 8, false},     {{0, 0}, {0, 0}, 64, 0, false},
        {{0, 0}, {0, 0}, 256, 228, true},  {{0, 0}, {0, 0}, 256, 229, false},
        {{0, 0}, {0, 0}, 257, 8, false},   {{0, 0}, {0, 0}, 3, 8, false},
    };

    begin_context();
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!CODE(code_of(rows[i].is_valid),
                  cu->TensorMapEncodeIm2col(&map, (CUtensorMapDataType)FLOAT32, 4,
                                            (void *)(uintptr_t)usual.address, usual.dimensions,
                                            usual.strides, rows[i].lower, rows[i].upper,
                                            rows[i].channels, rows[i].pixels, usual.steps,
                                            (CUtensorMapInterleave)0, (CUtensorMapSwizzle)0,
                                            (CUtensorMapL2promotion)0, (CUtensorMapFloatOOBfill)0)))
            detail("row %zu", i);
    }
}

MEASURED_CASE(211, addresses_are_replaced)
{
    struct tiled tiled = usual;

    begin_context();
    tiled.rank = 3;
    tiled.interleave = 2;
    OK(encode(&tiled));
    OK(cu->TensorMapReplaceAddress(&map, (void *)(uintptr_t)(usual.address + 16)));
    CODE(CUDA_ERROR_INVALID_VALUE,
         cu->TensorMapReplaceAddress(&map, (void *)(uintptr_t)(usual.address + 8)));
    CODE(CUDA_ERROR_INVALID_VALUE, cu->TensorMapReplaceAddress(&map, NULL));
}

MEASURED_CASE(211, same_parameters_make_the_same_map)
{
    struct tiled tiled = usual;
    CUtensorMap first;

    begin_context();
    OK(encode(&usual));
    first = map;
    tiled.box[1] = 16;
    OK(encode(&tiled));
    CHECK(memcmp(&first, &map, sizeof map) != 0);
    OK(encode(&usual));
    CHECK(memcmp(&first, &map, sizeof map) == 0);
}

CASE(211, mock_without_tensor_maps_refuses, .class = MOCK_ONLY,
     .settings = "attribute.TENSOR_MAP_ACCESS_SUPPORTED = 0\n")
{
    begin_context();
    CODE(CUDA_ERROR_NOT_SUPPORTED, encode(&usual));
    CODE(CUDA_ERROR_NOT_SUPPORTED, cu->TensorMapReplaceAddress(&map, NULL));
}
