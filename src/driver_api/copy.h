/* SPDX-License-Identifier: Apache-2.0 */
/* What a call copies, in whatever way the call describes it. */
#ifndef CUSHIM_DRIVER_API_COPY_H
#define CUSHIM_DRIVER_API_COPY_H

#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

/* One side of a copy: the members that CUDA_MEMCPY3D has for it, in their order. */
struct cushim__copy_half {
    size_t x, y, z, lod;
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    void *context; /* used by CUDA_MEMCPY3D_PEER */
    size_t pitch, height;
};

/* CUDA_MEMCPY3D in two halves: `height` rows of `width` bytes, in `depth` layers. */
struct cushim__copy {
    struct cushim__copy_half from, to;
    size_t width, height, depth;
};

struct cushim__copy cushim__copy_2d(const CUDA_MEMCPY2D *described);

/* From a CUDA_MEMCPY3D, or a CUDA_MEMCPY3D_PEER, which has contexts where the other has nothing. */
struct cushim__copy cushim__copy_3d(const void *described);

/* The address of a half that is not an array. */
static inline CUdeviceptr cushim__copy_address(const struct cushim__copy_half *half)
{
    return half->type == CU_MEMORYTYPE_HOST ? (CUdeviceptr)(uintptr_t)half->host : half->device;
}

#endif
