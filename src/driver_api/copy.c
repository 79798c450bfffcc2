/* SPDX-License-Identifier: Apache-2.0 */
#include "src/driver_api/copy.h"

#include <string.h>

struct cushim__copy cushim__copy_2d(const CUDA_MEMCPY2D *described)
{
    return (struct cushim__copy){
        .from = {.x = described->srcXInBytes,
                 .y = described->srcY,
                 .type = described->srcMemoryType,
                 .host = described->srcHost,
                 .device = described->srcDevice,
                 .array = described->srcArray,
                 .pitch = described->srcPitch},
        .to = {.x = described->dstXInBytes,
               .y = described->dstY,
               .type = described->dstMemoryType,
               .host = described->dstHost,
               .device = described->dstDevice,
               .array = described->dstArray,
               .pitch = described->dstPitch},
        .width = described->WidthInBytes,
        .height = described->Height,
        .depth = 1,
    };
}

_Static_assert(sizeof(struct cushim__copy) == sizeof(CUDA_MEMCPY3D) &&
                   offsetof(struct cushim__copy, from.array) == offsetof(CUDA_MEMCPY3D, srcArray) &&
                   offsetof(struct cushim__copy, to) == offsetof(CUDA_MEMCPY3D, dstXInBytes) &&
                   offsetof(struct cushim__copy, to.height) == offsetof(CUDA_MEMCPY3D, dstHeight),
               "a copy is CUDA_MEMCPY3D by its halves");
_Static_assert(sizeof(CUDA_MEMCPY3D_PEER) == sizeof(CUDA_MEMCPY3D) &&
                   offsetof(CUDA_MEMCPY3D_PEER, srcContext) == offsetof(CUDA_MEMCPY3D, reserved0) &&
                   offsetof(CUDA_MEMCPY3D_PEER, dstContext) == offsetof(CUDA_MEMCPY3D, reserved1),
               "the structs differ in their contexts alone");

struct cushim__copy cushim__copy_3d(const void *described)
{
    struct cushim__copy copy;

    memcpy(&copy, described, sizeof copy);
    return copy;
}
