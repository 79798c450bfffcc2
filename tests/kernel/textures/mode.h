/* SPDX-License-Identifier: Apache-2.0 */
/* One way to read a texture: its resource, its sampling, and the instruction. */
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
    unsigned width, height, depth; /* in texels, or in layers and faces; 1: unused */
    int gathered;                  /* the channel that tld4 gathers; -1: tex */
    bool integer_coordinates;
};

/* The coordinates of a point for the kernel: x, y, z, and the layer. */
struct point {
    union {
        float real;
        int32_t integer;
    } at[3];
    uint32_t layer;
};

unsigned channel_bytes(CUarray_format format);
bool is_integer(const struct mode *mode); /* whether reads return integers */

bool is_exact(const struct mode *mode); /* whether any device returns the same bits */

/* The result of reading a point by the programming guide, for modes that are not exact. */
void reference(const struct mode *mode, const unsigned char *texels, const struct point *point,
               double results[CHANNELS]);

/* The name of the mode in reports, and its instruction. */
void mode_name(const struct mode *mode, char *text, size_t size);
void mode_opcode(const struct mode *mode, char *text, size_t size);

/* Call `use` with each mode and its number. */
void modes_each(void (*use)(const struct mode *mode, unsigned number));

#endif
