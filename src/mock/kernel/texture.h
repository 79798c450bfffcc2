/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions on textures and surfaces, as select_texture.c writes and texture.c reads them. */
#ifndef CUSHIM_MOCK_KERNEL_TEXTURE_H
#define CUSHIM_MOCK_KERNEL_TEXTURE_H

#include "src/mock/kernel/code.h"

/* `sub` of DO_TEXTURE. */
enum ptx_texture_operation {
    TEXTURE_FETCH,  /* tex */
    TEXTURE_GATHER, /* tld4: the channel `rounding` */
    TEXTURE_QUERY,  /* txq and suq: the property `rounding` */
    SURFACE_LOAD,   /* suld.b: what is outside is done as `rounding` says */
    SURFACE_STORE,  /* sust.b, the same */
};

/* `other`: what coordinates there are, in this order. */
enum {
    GEOMETRY_EXTENTS = 3, /* 1 to 3: x, y, z */
    GEOMETRY_LAYER = 4,   /* before them, a layer */
    GEOMETRY_CUBE = 8,    /* they are a direction */
};

enum ptx_texture_property {
    PROPERTY_WIDTH = 1,
    PROPERTY_HEIGHT,
    PROPERTY_DEPTH,
    PROPERTY_LAYERS,
    PROPERTY_LEVELS,
    PROPERTY_SAMPLES,
    PROPERTY_NORMALISED
};

enum ptx_outside { OUTSIDE_TRAP, OUTSIDE_CLAMP, OUTSIDE_ZERO };

static inline unsigned ptx_coordinates(unsigned geometry)
{
    return (geometry & GEOMETRY_EXTENTS) + (geometry & GEOMETRY_LAYER ? 1 : 0);
}

#endif
