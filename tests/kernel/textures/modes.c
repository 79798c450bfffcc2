/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "mode.h"

enum { WRAP = CU_TR_ADDRESS_MODE_WRAP, CLAMP = CU_TR_ADDRESS_MODE_CLAMP };
enum { INTEGER = CU_TRSF_READ_AS_INTEGER, NORMALISED = CU_TRSF_NORMALIZED_COORDINATES };

static const char *const geometries[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};

static const struct {
    CUarray_format format;
    const char *name;
} formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, "u8"},   {CU_AD_FORMAT_SIGNED_INT8, "s8"},
    {CU_AD_FORMAT_UNSIGNED_INT16, "u16"}, {CU_AD_FORMAT_SIGNED_INT16, "s16"},
    {CU_AD_FORMAT_HALF, "f16"},           {CU_AD_FORMAT_FLOAT, "f32"},
    {CU_AD_FORMAT_UNSIGNED_INT32, "u32"}, {CU_AD_FORMAT_SIGNED_INT32, "s32"},
};

enum { FORMATS = sizeof formats / sizeof *formats, REALS = 6 };

void mode_opcode(const struct mode *mode, char *text, size_t size)
{
    static const char *const channels[] = {"r", "g", "b", "a"};
    const bool is_signed = mode->format == CU_AD_FORMAT_SIGNED_INT8 ||
                           mode->format == CU_AD_FORMAT_SIGNED_INT16 ||
                           mode->format == CU_AD_FORMAT_SIGNED_INT32;
    const char *const type = !is_integer(mode) ? "f32" : is_signed ? "s32" : "u32";

    if (mode->gathered >= 0)
        snprintf(text, size, "tld4.%s.2d.v4.%s.f32", channels[mode->gathered], type);
    else
        snprintf(text, size, "tex.%s.v4.%s.%s", geometries[mode->geometry], type,
                 mode->integer_coordinates ? "s32" : "f32");
}

void mode_name(const struct mode *mode, char *text, size_t size)
{
    static const char *const resources[] = {"array", "mipmap", "linear", "pitch"};
    static const char *const addresses[] = {"wrap", "clamp", "mirror", "border"};
    char opcode[64];
    size_t i = 0;

    while (formats[i].format != mode->format)
        i++;
    mode_opcode(mode, opcode, sizeof opcode);
    snprintf(text, size, "%s/%s/%sx%u/%s/%s%s%s%s", opcode, resources[mode->resource],
             formats[i].name, mode->channels,
             mode->filter == CU_TR_FILTER_MODE_LINEAR ? "linear" : "point",
             addresses[mode->address], mode->flags & NORMALISED ? "/normalised" : "",
             mode->flags & INTEGER ? "/integers" : "", mode->flags & CU_TRSF_SRGB ? "/srgb" : "");
}

static void (*use_mode)(const struct mode *mode, unsigned number);
static unsigned mode_count;

static void use(struct mode mode)
{
    use_mode(&mode, mode_count++);
}

/* A rectangle whose sides are not powers of two. */
static struct mode plane(size_t format, unsigned channels)
{
    return (struct mode){.resource = CU_RESOURCE_TYPE_ARRAY,
                         .geometry = G2D,
                         .format = formats[format].format,
                         .channels = channels,
                         .address = CU_TR_ADDRESS_MODE_CLAMP,
                         .width = 24,
                         .height = 13,
                         .depth = 1,
                         .gathered = -1};
}

/* All filter and address modes, with both kinds of coordinates. */
static void sampled(struct mode mode)
{
    for (int filter = 0; filter < 2; filter++) {
        for (int address = 0; address < 4; address++) {
            mode.filter = (CUfilter_mode)filter;
            mode.address = (CUaddress_mode)address;
            mode.flags |= NORMALISED;
            use(mode);
            mode.flags &= ~(unsigned)NORMALISED;
            if (address != WRAP && address != CU_TR_ADDRESS_MODE_MIRROR)
                use(mode);
        }
    }
}

static void integers(size_t format)
{
    static const unsigned channels[] = {1, 2, 4};

    for (size_t i = 0; i < 3; i++) {
        struct mode mode = plane(format, channels[i]);

        mode.flags = INTEGER;
        use(mode);
        mode.resource = CU_RESOURCE_TYPE_PITCH2D;
        use(mode);
        mode.integer_coordinates = true;
        use(mode);
        mode.resource = CU_RESOURCE_TYPE_LINEAR;
        mode.geometry = G1D;
        mode.width = 300;
        mode.height = 1;
        use(mode);
    }
}

static void shapes(size_t format)
{
    static const struct {
        enum geometry geometry;
        unsigned width, height, depth;
    } all[] = {{G1D, 37, 1, 1},   {G3D, 12, 7, 5},    {GA1D, 37, 1, 3},
               {GA2D, 24, 13, 3}, {GCUBE, 16, 16, 6}, {GACUBE, 16, 16, 12}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct mode mode = plane(format, 4);

        mode.geometry = all[i].geometry;
        mode.width = all[i].width;
        mode.height = all[i].height;
        mode.depth = all[i].depth;
        if (mode.geometry < GCUBE) {
            sampled(mode);
            continue;
        }
        mode.flags = NORMALISED;
        use(mode);
        mode.filter = CU_TR_FILTER_MODE_LINEAR;
        use(mode);
    }
}

void modes_each(void (*each)(const struct mode *mode, unsigned number))
{
    struct mode mode;

    use_mode = each;
    mode_count = 0;
    for (size_t i = 0; i < REALS; i++) {
        sampled(plane(i, 1));
        sampled(plane(i, 4));
        mode = plane(i, 2);
        mode.resource = CU_RESOURCE_TYPE_PITCH2D;
        sampled(mode);
    }
    for (size_t i = 0; i < FORMATS; i++) {
        if (formats[i].format != CU_AD_FORMAT_HALF)
            integers(i);
    }
    shapes(0);
    shapes(5);
    mode = plane(0, 4);
    mode.flags = CU_TRSF_SRGB;
    sampled(mode);
    for (int channel = 0; channel < CHANNELS; channel++) {
        mode = plane(0, 4);
        mode.gathered = channel;
        use(mode);
        mode.flags = NORMALISED;
        mode.address = CU_TR_ADDRESS_MODE_WRAP;
        use(mode);
        mode = plane(6, 4);
        mode.gathered = channel;
        use(mode);
    }
}
