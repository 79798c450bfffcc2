/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA arrays and mipmapped arrays: rows of elements, which programs access by copies, textures and
 * surfaces.
 */
#ifndef CUSHIM_MOCK_COPY_ARRAY_H
#define CUSHIM_MOCK_COPY_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

#include "src/mock/core/object.h"

struct mock_allocation;
struct mock_mipmap;

struct mock_array {
    struct mock_object object;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    size_t element_bytes, row_bytes;
    size_t rows, layers;        /* at least 1 of each */
    CUdeviceptr memory;         /* row after row, layer after layer */
    struct mock_mipmap *mipmap; /* that it is a level of, whose memory this is; NULL: none */
};

/* The extents of an array have 32 bits. */
enum { MOCK_LEVELS_MAX = 32 };

/* Its levels lie one after the other in memory. */
struct mock_mipmap {
    struct mock_object object;
    unsigned level_count;
    CUdeviceptr memory;
    bool mapped; /* the memory is an allocation that maps external memory */
    struct mock_array *levels[MOCK_LEVELS_MAX];
};

/* The bytes per channel of an element. 0 if the mock does not know the format. */
size_t cushim__mock_array_channel_bytes(CUarray_format format);

/* What the creation of such an array, or of a mipmapped one, returns: 0, 1 or NOT_SUPPORTED. */
CUresult cushim__mock_array_check(const CUDA_ARRAY3D_DESCRIPTOR *of, bool mipmapped);

/* Create an array, whose description is right. Fails with OUT_OF_MEMORY. */
CUresult cushim__mock_array_create(struct mock_context *context, const CUDA_ARRAY3D_DESCRIPTOR *of,
                                   struct mock_array **array);

/*
 * The same for a mipmapped array. The number of levels is brought into its bounds. If `mapped` is
 * not NULL, it lies in this allocation, which then ends with it, or the call fails with
 * INVALID_VALUE.
 */
CUresult cushim__mock_mipmap_create(struct mock_context *context, const CUDA_ARRAY3D_DESCRIPTOR *of,
                                    unsigned levels, struct mock_allocation *mapped,
                                    struct mock_mipmap **mipmap);

void cushim__mock_array_destroy(struct mock_array *array);
void cushim__mock_mipmap_destroy(struct mock_mipmap *mipmap);

#endif
