/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA arrays (driver-semantics.md #118, #119 and #188): their bytes lie in the device's memory,
 * row by row. The levels of a mipmapped array are arrays in one piece of memory.
 */
#include "src/mock/copy/array.h"

#include <stdlib.h>

#include "src/mock/context/context.h"
#include "src/mock/core/state.h"
#include "src/mock/memory/allocation.h"

/* Flags of arrays without memory of their own, which are refused, and the mask of all flags. */
enum { SPARSE = 0x40, DEFERRED_MAPPING = 0x80, FLAGS = 0x1ff };

/* Flags of arrays that a mipmapped array cannot have (driver-semantics.md #226). */
enum { DEPTH_TEXTURE = 0x10, COLOR_ATTACHMENT = 0x20 };

/* Formats that old headers lack. From FIRST_PICTURE on, nearly all are of pictures. */
enum { FIRST_PICTURE = 0x91 /* CU_AD_FORMAT_BC1_UNORM */, NV12 = 0xb0 };

static size_t attribute(CUdevice_attribute number)
{
    return (size_t)cushim__mock_attribute(number);
}

/* Whether the extents are within the device's limits for textures. */
static bool fits(const CUDA_ARRAY3D_DESCRIPTOR *of, bool mipmapped)
{
    const bool layered = of->Flags & CUDA_ARRAY3D_LAYERED;

    if (of->Depth > 0 && !layered)
        return (of->Width <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH) &&
                of->Height <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT) &&
                of->Depth <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH)) ||
               (of->Width <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE) &&
                of->Height <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE) &&
                of->Depth <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE));
    if (layered)
        return of->Width <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH) &&
               of->Height <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT) &&
               of->Depth <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS);
    if (mipmapped && of->Height > 0)
        return of->Width <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH) &&
               of->Height <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT);
    if (mipmapped)
        return of->Width <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH);
    if (of->Height > 0)
        return of->Width <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH) &&
               of->Height <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT);
    return of->Width <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH);
}

CUresult cushim__mock_array_check(const CUDA_ARRAY3D_DESCRIPTOR *of, bool mipmapped)
{
    const bool layered = of->Flags & CUDA_ARRAY3D_LAYERED;

    if (of->Width == 0 || (of->NumChannels != 1 && of->NumChannels != 2 && of->NumChannels != 4) ||
        (of->Depth > 0 && of->Height == 0 && !layered) || (layered && of->Depth == 0) ||
        !fits(of, mipmapped))
        return CUDA_ERROR_INVALID_VALUE;
    if (of->Flags & CUDA_ARRAY3D_CUBEMAP &&
        (of->Width != of->Height || of->Depth % 6 != 0 || (!layered && of->Depth != 6)))
        return CUDA_ERROR_INVALID_VALUE;
    if (of->Flags & CUDA_ARRAY3D_TEXTURE_GATHER && of->Depth > 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (of->Flags & ~(unsigned)FLAGS ||
        (mipmapped && of->Flags & (DEPTH_TEXTURE | COLOR_ATTACHMENT)))
        return CUDA_ERROR_INVALID_VALUE;
    if ((int)of->Format == FIRST_PICTURE && of->NumChannels != 4)
        return CUDA_ERROR_INVALID_VALUE;
    if (of->Flags & (SPARSE | DEFERRED_MAPPING))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (cushim__mock_array_channel_bytes(of->Format) == 0)
        return (int)of->Format < FIRST_PICTURE || (int)of->Format == NV12
                   ? CUDA_ERROR_INVALID_VALUE
                   : CUDA_ERROR_NOT_SUPPORTED;
    return CUDA_SUCCESS;
}

size_t cushim__mock_array_channel_bytes(CUarray_format format)
{
    enum { UNORM_INT8X4 = 0xc2 }; /* a format that old headers lack */

    switch ((int)format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
    case UNORM_INT8X4:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        return 4;
    default:
        return 0;
    }
}

/* Create an array without memory. NULL if memory runs out. */
static struct mock_array *make(struct mock_context *context, const CUDA_ARRAY3D_DESCRIPTOR *of)
{
    struct mock_array *array = cushim__mock_object_create(sizeof *array, MOCK_ARRAY, context, NULL);

    if (!array)
        return NULL;
    array->descriptor = *of;
    array->element_bytes = cushim__mock_array_channel_bytes(of->Format) * of->NumChannels;
    array->row_bytes = of->Width * array->element_bytes;
    array->rows = of->Height ? of->Height : 1;
    array->layers = of->Depth ? of->Depth : 1;
    return array;
}

static size_t bytes_of(const struct mock_array *array)
{
    return array->row_bytes * array->rows * array->layers;
}

CUresult cushim__mock_array_create(struct mock_context *context, const CUDA_ARRAY3D_DESCRIPTOR *of,
                                   struct mock_array **array)
{
    struct mock_array *made = make(context, of);
    CUresult code;

    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    code = cushim__mock_memory_allocate(context, context->device, bytes_of(made), &made->memory);
    if (code)
        cushim__mock_array_destroy(made);
    else
        *array = made;
    return code;
}

void cushim__mock_array_destroy(struct mock_array *array)
{
    if (!array->mipmap)
        cushim__mock_memory_free(array->memory);
    cushim__mock_object_remove(array);
    free(array);
}

/* Halve the extents, but not the layers or faces. Returns false if all are 1 already. */
static bool halve(CUDA_ARRAY3D_DESCRIPTOR *of)
{
    size_t *const extents[] = {&of->Width, &of->Height, &of->Depth};
    const size_t count = of->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) ? 2 : 3;
    bool halved = false;

    for (size_t i = 0; i < count; i++) {
        if (*extents[i] > 1) {
            *extents[i] /= 2;
            halved = true;
        }
    }
    return halved;
}

CUresult cushim__mock_mipmap_create(struct mock_context *context, const CUDA_ARRAY3D_DESCRIPTOR *of,
                                    unsigned levels, struct mock_allocation *mapped,
                                    struct mock_mipmap **mipmap)
{
    struct mock_mipmap *made = cushim__mock_object_create(sizeof *made, MOCK_MIPMAP, context, NULL);
    CUDA_ARRAY3D_DESCRIPTOR level = *of;
    CUresult code = CUDA_SUCCESS;
    size_t bytes = 0;

    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    do {
        struct mock_array *array = make(context, &level);

        if (!array) {
            cushim__mock_mipmap_destroy(made);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        array->object.internal = true;
        array->mipmap = made;
        array->memory = bytes;
        bytes += bytes_of(array);
        made->levels[made->level_count++] = array;
    } while (made->level_count < levels && halve(&level));
    if (!mapped)
        code = cushim__mock_memory_allocate(context, context->device, bytes, &made->memory);
    else if (bytes > mapped->bytes)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code) {
        cushim__mock_mipmap_destroy(made);
        return code;
    }
    if (mapped)
        made->memory = mapped->span.start;
    made->mapped = mapped != NULL;
    for (unsigned i = 0; i < made->level_count; i++)
        made->levels[i]->memory += made->memory;
    *mipmap = made;
    return CUDA_SUCCESS;
}

void cushim__mock_mipmap_destroy(struct mock_mipmap *mipmap)
{
    for (unsigned i = 0; i < mipmap->level_count; i++)
        cushim__mock_array_destroy(mipmap->levels[i]);
    if (mipmap->mapped)
        cushim__mock_allocation_destroy(cushim__mock_allocation_at(mipmap->memory));
    else if (mipmap->memory)
        cushim__mock_memory_free(mipmap->memory);
    cushim__mock_object_remove(mipmap);
    free(mipmap);
}
