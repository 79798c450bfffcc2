/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensor maps, which describe a part of memory to the copies of a kernel (driver-semantics.md #211).
 * Their contents are opaque. The mock's are its own: the parameters, for the same ones always the
 * same bytes; kernels that use them are not executed.
 */
#include <string.h>

#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"

enum {
    MAP_BYTES = 128,
    RANK_MAX = 5,
    APART_RANK_MIN = 3, /* the lowest rank of interleaved maps, and of im2col maps */
    CORNERS_MAX = RANK_MAX - 2,
    BOX_MAX = 256,     /* elements in one dimension */
    PIXELS_MAX = 1024, /* of a column */
    STEP_MAX = 8,
    TYPES = 13, /* the packed ones and the later swizzles are those of later GPUs */
    INTERLEAVES = 3,
    SWIZZLES = 4,
    PROMOTIONS = 4,
    FILLS = 2,
};

enum interleave { APART_NONE, APART_16, APART_32 };

/* The types of elements, by number: their bytes, and whether they are floating-point numbers. */
static const struct type {
    unsigned char bytes;
    bool is_float;
} types[TYPES] = {
    {1, false}, {2, false}, {4, false}, {4, false}, {8, false}, {8, false}, {2, true},
    {4, true},  {8, true},  {2, true},  {4, true},  {4, true},  {4, true},
};

/* The bytes of a row that a swizzle permutes, by its number. */
static const unsigned char swizzle_bytes[SWIZZLES] = {0, 32, 64, 128};

/* What the mock keeps in the 128 bytes of a map. */
struct tensor_map {
    uint64_t address;
    uint64_t dimensions[RANK_MAX], strides[RANK_MAX - 1];
    unsigned short box[RANK_MAX]; /* of an im2col map: channels and pixels */
    short corners[2][CORNERS_MAX];
    unsigned char steps[RANK_MAX];
    unsigned char type, rank, interleave, swizzle, promotion, fill, is_im2col;
};
_Static_assert(sizeof(struct tensor_map) <= MAP_BYTES, "all of it fits in a map");

/* What both kinds of maps have. */
struct shape {
    unsigned type, rank;
    const void *address;
    const uint64_t *dimensions, *strides;
    const uint32_t *steps;
    unsigned interleave, swizzle, promotion, fill;
};

static unsigned alignment_of(unsigned interleave)
{
    return interleave == APART_32 ? 32 : 16;
}

static bool are_numbers_known(const struct shape *shape)
{
    return shape->type < TYPES && shape->interleave < INTERLEAVES && shape->swizzle < SWIZZLES &&
           shape->promotion < PROMOTIONS && shape->fill < FILLS &&
           (shape->fill == 0 || types[shape->type].is_float);
}

static bool are_dimensions_valid(const struct shape *shape)
{
    const unsigned alignment = alignment_of(shape->interleave);

    if (!shape->dimensions || !shape->steps || !shape->strides)
        return false;
    for (unsigned i = 0; i < shape->rank; i++) {
        if (shape->dimensions[i] == 0 || shape->dimensions[i] > (uint64_t)1 << 32 ||
            shape->steps[i] == 0 || shape->steps[i] > STEP_MAX)
            return false;
        if (i + 1 < shape->rank &&
            (shape->strides[i] % alignment != 0 || shape->strides[i] >= (uint64_t)1 << 40))
            return false;
    }
    return true;
}

/* Whether the length of a row of a box is valid. */
static bool is_row_valid(const struct shape *shape, unsigned elements)
{
    const unsigned bytes = elements * types[shape->type].bytes;

    return bytes % 16 == 0 && (shape->interleave != APART_NONE || shape->swizzle == 0 ||
                               bytes <= swizzle_bytes[shape->swizzle]);
}

/* A box must fit in the shared memory of a multiprocessor. */
static bool has_room(const struct shape *shape, uint64_t elements)
{
    const int room =
        cushim__mock_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);

    return elements > 0 && elements * types[shape->type].bytes <= (uint64_t)room;
}

static bool is_valid(const struct shape *shape, unsigned least_rank)
{
    return are_numbers_known(shape) &&
           shape->rank >= (shape->interleave == APART_NONE ? least_rank : APART_RANK_MIN) &&
           shape->rank <= RANK_MAX &&
           (uintptr_t)shape->address % alignment_of(shape->interleave) == 0 &&
           are_dimensions_valid(shape);
}

/* A map without its box. */
static struct tensor_map begin(const struct shape *shape)
{
    struct tensor_map map;

    memset(&map, 0, sizeof map); /* also sets the padding */
    map.address = (uintptr_t)shape->address;
    map.type = (unsigned char)shape->type;
    map.rank = (unsigned char)shape->rank;
    map.interleave = (unsigned char)shape->interleave;
    map.swizzle = (unsigned char)shape->swizzle;
    map.promotion = (unsigned char)shape->promotion;
    map.fill = (unsigned char)shape->fill;
    for (unsigned i = 0; i < shape->rank; i++) {
        map.dimensions[i] = shape->dimensions[i];
        map.steps[i] = (unsigned char)shape->steps[i];
        if (i + 1 < shape->rank)
            map.strides[i] = shape->strides[i];
    }
    return map;
}

static void write_map(void *to, const struct tensor_map *map)
{
    memset(to, 0, MAP_BYTES);
    memcpy(to, map, sizeof *map);
}

static bool is_box_valid(const struct shape *shape, const uint32_t *box)
{
    uint64_t elements = 1;

    if (!box)
        return false;
    for (unsigned i = 0; i < shape->rank; i++) {
        if (box[i] == 0 || box[i] > BOX_MAX)
            return false;
        elements *= box[i];
    }
    return is_row_valid(shape, box[0]) && has_room(shape, elements);
}

CUresult cushim__mock_TensorMapEncodeTiled(
    cushim_CUtensorMap *tensorMap, cushim_CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
    void *globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
    const cuuint32_t *boxDim, const cuuint32_t *elementStrides,
    cushim_CUtensorMapInterleave interleave, cushim_CUtensorMapSwizzle swizzle,
    cushim_CUtensorMapL2promotion l2Promotion, cushim_CUtensorMapFloatOOBfill oobFill)
{
    const struct shape shape = {
        (unsigned)tensorDataType,
        tensorRank,
        globalAddress,
        globalDim,
        globalStrides,
        elementStrides,
        (unsigned)interleave,
        (unsigned)swizzle,
        (unsigned)l2Promotion,
        (unsigned)oobFill,
    };
    struct tensor_map map;

    if (!is_valid(&shape, 1) || !is_box_valid(&shape, boxDim))
        return CUDA_ERROR_INVALID_VALUE;
    map = begin(&shape);
    for (unsigned i = 0; i < shape.rank; i++)
        map.box[i] = (unsigned short)boxDim[i];
    write_map(tensorMap, &map);
    return CUDA_SUCCESS;
}

/* The offsets have 16 bits altogether in a map of rank 3 and of rank 4, and 15 in one of rank 5. */
static bool is_corner_valid(const int *corner, unsigned rank)
{
    static const int most[CORNERS_MAX] = {32767, 127, 15};
    const unsigned count = rank - 2;

    if (!corner)
        return false;
    for (unsigned i = 0; i < count; i++) {
        if (corner[i] > most[count - 1] || corner[i] < -most[count - 1] - 1)
            return false;
    }
    return true;
}

/* The corners are offsets from the first pixel and from behind the last; one has to lie between. */
static bool are_corners_apart(const struct shape *shape, const int *lower, const int *upper)
{
    for (unsigned i = 0; i + 2 < shape->rank; i++) {
        if ((int64_t)shape->dimensions[i + 1] + upper[i] - lower[i] <= 0)
            return false;
    }
    return true;
}

CUresult cushim__mock_TensorMapEncodeIm2col(
    cushim_CUtensorMap *tensorMap, cushim_CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
    void *globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
    const int *pixelBoxLowerCorner, const int *pixelBoxUpperCorner, cuuint32_t channelsPerPixel,
    cuuint32_t pixelsPerColumn, const cuuint32_t *elementStrides,
    cushim_CUtensorMapInterleave interleave, cushim_CUtensorMapSwizzle swizzle,
    cushim_CUtensorMapL2promotion l2Promotion, cushim_CUtensorMapFloatOOBfill oobFill)
{
    const struct shape shape = {
        (unsigned)tensorDataType,
        tensorRank,
        globalAddress,
        globalDim,
        globalStrides,
        elementStrides,
        (unsigned)interleave,
        (unsigned)swizzle,
        (unsigned)l2Promotion,
        (unsigned)oobFill,
    };
    struct tensor_map map;

    if (!is_valid(&shape, APART_RANK_MIN) || !is_corner_valid(pixelBoxLowerCorner, shape.rank) ||
        !is_corner_valid(pixelBoxUpperCorner, shape.rank) ||
        !are_corners_apart(&shape, pixelBoxLowerCorner, pixelBoxUpperCorner) ||
        channelsPerPixel > BOX_MAX || pixelsPerColumn > PIXELS_MAX ||
        !is_row_valid(&shape, channelsPerPixel) ||
        !has_room(&shape, (uint64_t)channelsPerPixel * pixelsPerColumn))
        return CUDA_ERROR_INVALID_VALUE;
    map = begin(&shape);
    map.is_im2col = 1;
    map.box[0] = (unsigned short)channelsPerPixel;
    map.box[1] = (unsigned short)pixelsPerColumn;
    for (unsigned i = 0; i + 2 < shape.rank; i++) {
        map.corners[0][i] = (short)pixelBoxLowerCorner[i];
        map.corners[1][i] = (short)pixelBoxUpperCorner[i];
    }
    write_map(tensorMap, &map);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TensorMapReplaceAddress(cushim_CUtensorMap *tensorMap, void *globalAddress)
{
    struct tensor_map map;

    memcpy(&map, tensorMap, sizeof map);
    if (!globalAddress || (uintptr_t)globalAddress % alignment_of(APART_NONE) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    map.address = (uintptr_t)globalAddress;
    write_map(tensorMap, &map);
    return CUDA_SUCCESS;
}
