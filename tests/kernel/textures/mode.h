/* SPDX-License-Identifier: Apache-2.0 */
/* One way to read a texture: what it is, how it is sampled, and by which instruction. */
#ifndef CUSHIM_TESTS_KERNEL_TEXTURES_MODE_H
#define CUSHIM_TESTS_KERNEL_TEXTURES_MODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

enum { POINTS = 256, CHANNELS = 4 };

enum geometry { G1D, G2D, G3D, GA1D, GA2D, GCUBE, GACUBE };

struct mode {
    CUresourcetype resource;
    enum geometry geometry;
    CUarray_format format;
    unsigned channels, flags; /* CU_TRSF_... */
    CUfilter_mode filter;
    CUaddress_mode address;
    unsigned width, height, depth; /* in texels; layers and faces too; 1: no such extent */
    int gathered;                  /* the channel of tld4; -1: tex */
    bool integer_coordinates;
};

/* The coordinates of a point as the kernel gets them: x, y, z, and the layer. */
struct point {
    union {
        float real;
        int32_t integer;
    } at[3];
    uint32_t layer;
};

unsigned channel_bytes(CUarray_format format);
bool is_integer(const struct mode *mode); /* what is read are integers */

/* A channel of texels, row after row, as a number in [0, 1] and the like, or unchanged. */
double texel_value(const struct mode *mode, const unsigned char *texels, const int64_t at[3],
                   unsigned channel);

/* What the programming guide says that reading a point gives. */
void reference(const struct mode *mode, const unsigned char *texels, const struct point *point,
               double results[CHANNELS]);

/* How the mode is called in reports, and its instruction. */
void mode_name(const struct mode *mode, char *text, size_t size);
void mode_opcode(const struct mode *mode, char *text, size_t size);

/* All modes: `use` is called with each, and its number. */
void modes_each(void (*use)(const struct mode *mode, unsigned number));

#endif
