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
    struct mock_mipmap *mipmap; /* it is a level of this one, which owns the memory; or NULL */
};

/* Enough, because each level halves the extents, which have 32 bits. */
enum { MOCK_LEVELS_MAX = 32 };

/* A mipmapped array. Its levels lie one after the other in memory. */
struct mock_mipmap {
    struct mock_object object;
    unsigned level_count;
    CUdeviceptr memory;
    bool mapped; /* the memory is an allocation that maps external memory */
    struct mock_array *levels[MOCK_LEVELS_MAX];
};

/* The bytes per channel of an element. 0 if the mock does not know the format. */
size_t cushim__mock_array_channel_bytes(CUarray_format format);

/* Check a description. Returns INVALID_VALUE, or NOT_SUPPORTED for what the mock lacks. */
CUresult cushim__mock_array_check(const CUDA_ARRAY3D_DESCRIPTOR *of, bool mipmapped);

/* Create an array from a description that was checked. Fails with OUT_OF_MEMORY. */
CUresult cushim__mock_array_create(struct mock_context *context, const CUDA_ARRAY3D_DESCRIPTOR *of,
                                   struct mock_array **array);

/*
 * The same for a mipmapped array, whose number of levels is clamped. If `mapped` is not NULL, the
 * array lies in that allocation and then owns it; INVALID_VALUE if the allocation is too small.
 */
CUresult cushim__mock_mipmap_create(struct mock_context *context, const CUDA_ARRAY3D_DESCRIPTOR *of,
                                    unsigned levels, struct mock_allocation *mapped,
                                    struct mock_mipmap **mipmap);

void cushim__mock_array_destroy(struct mock_array *array);
void cushim__mock_mipmap_destroy(struct mock_mipmap *mipmap);

#endif
