/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The result of reading a texture with a filter or as sRGB, by the formulas in the appendix on
 * texture fetching of the CUDA programming guide, in double precision. Weights have 8 fractional
 * bits, rounded to the nearest. Measured on an H200: normalised coordinates have 21 bits, and a
 * missing channel is 0.
 */
#include <math.h>
#include <string.h>

#include "mode.h"

unsigned channel_bytes(CUarray_format format)
{
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2;
    default:
        return 4;
    }
}

bool is_integer(const struct mode *mode)
{
    return mode->format == CU_AD_FORMAT_UNSIGNED_INT32 ||
           mode->format == CU_AD_FORMAT_SIGNED_INT32 ||
           (mode->flags & CU_TRSF_READ_AS_INTEGER && mode->format != CU_AD_FORMAT_HALF &&
            mode->format != CU_AD_FORMAT_FLOAT);
}

bool is_exact(const struct mode *mode)
{
    return mode->filter == CU_TR_FILTER_MODE_POINT && !(mode->flags & CU_TRSF_SRGB);
}

static double half(unsigned bits)
{
    const int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    const double size =
        exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);

    return bits >> 15 ? -size : size;
}

static double srgb(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* A channel of a texel, normalised, such as to [0, 1]. Texels are stored row by row. */
static double texel_value(const struct mode *mode, const unsigned char *texels, const int64_t at[3],
                          unsigned channel)
{
    const unsigned bytes = channel_bytes(mode->format);
    const size_t texel = (size_t)((at[2] * mode->height + at[1]) * mode->width + at[0]);
    uint32_t bits = 0;
    float single;

    memcpy(&bits, texels + (texel * mode->channels + channel) * bytes, bytes);
    memcpy(&single, &bits, sizeof single);
    switch (mode->format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
        return mode->flags & CU_TRSF_SRGB && channel < 3 ? srgb(bits / 255.0) : bits / 255.0;
    case CU_AD_FORMAT_SIGNED_INT8:
        return fmax((int8_t)bits / 127.0, -1);
    case CU_AD_FORMAT_UNSIGNED_INT16:
        return bits / 65535.0;
    case CU_AD_FORMAT_SIGNED_INT16:
        return fmax((int16_t)bits / 32767.0, -1);
    case CU_AD_FORMAT_HALF:
        return half(bits);
    default:
        return single;
    }
}

/* The texel for an index, according to the address mode; -1: none. */
static int64_t addressed(const struct mode *mode, int64_t at, int64_t count)
{
    switch (mode->flags & CU_TRSF_NORMALIZED_COORDINATES ||
                    mode->address == CU_TR_ADDRESS_MODE_BORDER
                ? mode->address
                : CU_TR_ADDRESS_MODE_CLAMP) {
    case CU_TR_ADDRESS_MODE_WRAP:
        return at - count * (int64_t)floor((double)at / (double)count);
    case CU_TR_ADDRESS_MODE_MIRROR:
        at -= 2 * count * (int64_t)floor((double)at / (double)(2 * count));
        return at < count ? at : 2 * count - 1 - at;
    case CU_TR_ADDRESS_MODE_BORDER:
        return at < 0 || at >= count ? -1 : at;
    default:
        return at < 0 ? 0 : at >= count ? count - 1 : at;
    }
}

/*
 * Applies the address mode to `at`. Without a texel, the result is the border colour, which is
 * zero.
 */
static double texel(const struct mode *mode, const unsigned char *texels, const int64_t at[3],
                    unsigned channel)
{
    const unsigned extents[3] = {mode->width, mode->height, mode->depth};
    const bool layered = mode->geometry >= GA1D;
    int64_t taken[3];

    if (channel >= mode->channels)
        return 0;
    for (unsigned i = 0; i < 3; i++) {
        taken[i] = i == 2 && layered ? at[i] : addressed(mode, at[i], extents[i]);
        if (taken[i] < 0)
            return 0;
    }
    return texel_value(mode, texels, taken, channel);
}

/* Convert a direction to a face and a position on it. */
static unsigned face(const struct point *point, double *s, double *t)
{
    const double x = point->at[0].real, y = point->at[1].real, z = point->at[2].real;
    const double faces[6][3] = {{x, -z, -y}, {-x, z, -y}, {y, x, z},
                                {-y, x, -z}, {z, x, -y},  {-z, -x, -y}};
    unsigned most = 0;

    for (unsigned i = 1; i < 6; i++)
        most = faces[i][0] > faces[most][0] ? i : most;
    *s = (faces[most][1] / faces[most][0] + 1) / 2;
    *t = (faces[most][2] / faces[most][0] + 1) / 2;
    return most;
}

void reference(const struct mode *mode, const unsigned char *texels, const struct point *point,
               double results[CHANNELS])
{
    const unsigned extents[3] = {mode->width, mode->height, mode->depth};
    const bool cube = mode->geometry >= GCUBE, layered = mode->geometry >= GA1D;
    const unsigned dimensions = mode->geometry == G1D || mode->geometry == GA1D ? 1
                                : mode->geometry == G3D                         ? 3
                                                                                : 2;
    const unsigned faces = cube ? 6 : 1;
    double weights[3] = {0, 0, 0}, place[3];
    struct mode own = *mode;
    int64_t at[3] = {0, 0, 0};

    for (unsigned i = 0; i < dimensions; i++)
        place[i] = point->at[i].real;
    if (layered)
        at[2] =
            (point->layer < mode->depth / faces ? point->layer : mode->depth / faces - 1) * faces;
    if (cube) {
        at[2] += face(point, &place[0], &place[1]);
        own.address = CU_TR_ADDRESS_MODE_CLAMP;
        own.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    }
    for (unsigned i = 0; i < dimensions; i++) {
        if (own.flags & CU_TRSF_NORMALIZED_COORDINATES)
            place[i] = floor(place[i] * 0x1p21) * extents[i] / 0x1p21;
        if (mode->filter == CU_TR_FILTER_MODE_LINEAR) {
            const double rounded = floor((place[i] - 0.5) * 256 + 0.5) / 256;

            at[i] = (int64_t)floor(rounded);
            weights[i] = rounded - floor(rounded);
        } else {
            at[i] = (int64_t)floor(place[i]);
        }
    }
    for (unsigned channel = 0; channel < CHANNELS; channel++) {
        double sum = 0;

        for (unsigned i = 0; i < 8; i++) {
            double weight = 1;
            int64_t corner[3];

            for (unsigned j = 0; j < 3; j++) {
                weight *= i >> j & 1 ? weights[j] : 1 - weights[j];
                corner[j] = at[j] + (i >> j & 1);
            }
            if (weight > 0)
                sum += weight * texel(&own, texels, corner, channel);
        }
        results[channel] = sum;
    }
}
