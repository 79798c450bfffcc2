/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA arrays (driver-semantics.md #118, #119 and #188): their bytes lie in the device's memory,
 * row by row.
 */
#include "src/mock/copy/copy.h"

#include <stdlib.h>

#include "src/mock/context/context.h"
#include "src/mock/core/state.h"
#include "src/mock/functions/functions.h"
#include "src/mock/memory/allocation.h"
#include "src/mock/sim/sim.h"

/* Flags of arrays without memory of their own, which are refused, and the mask of all flags. */
enum { SPARSE = 0x40, DEFERRED_MAPPING = 0x80, FLAGS = 0x1ff };

/* Formats that old headers lack. From FIRST_PICTURE on, nearly all are of pictures. */
enum { FIRST_PICTURE = 0x91 /* CU_AD_FORMAT_BC1_UNORM */, NV12 = 0xb0 };

static size_t attribute(CUdevice_attribute number)
{
    return (size_t)cushim__mock_attribute(number);
}

/* Whether the extents are within the device's limits for textures. */
static bool fits(const CUDA_ARRAY3D_DESCRIPTOR *of)
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
    if (of->Height > 0)
        return of->Width <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH) &&
               of->Height <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT);
    return of->Width <= attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH);
}

static CUresult check(const CUDA_ARRAY3D_DESCRIPTOR *of)
{
    const bool layered = of->Flags & CUDA_ARRAY3D_LAYERED;

    if (of->Width == 0 || (of->NumChannels != 1 && of->NumChannels != 2 && of->NumChannels != 4) ||
        (of->Depth > 0 && of->Height == 0 && !layered) || (layered && of->Depth == 0) || !fits(of))
        return CUDA_ERROR_INVALID_VALUE;
    if (of->Flags & CUDA_ARRAY3D_CUBEMAP &&
        (of->Width != of->Height || of->Depth % 6 != 0 || (!layered && of->Depth != 6)))
        return CUDA_ERROR_INVALID_VALUE;
    if (of->Flags & CUDA_ARRAY3D_TEXTURE_GATHER && of->Depth > 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (of->Flags & ~(unsigned)FLAGS)
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

static void destroy(struct mock_array *array)
{
    cushim__mock_memory_free(array->memory);
    cushim__mock_object_remove(array);
    free(array);
}

static CUresult make(struct mock_context *context, const CUDA_ARRAY3D_DESCRIPTOR *of,
                     struct mock_array **made)
{
    struct mock_array *array = cushim__mock_object_create(sizeof *array, MOCK_ARRAY, context, NULL);
    CUresult code;

    if (!array)
        return CUDA_ERROR_OUT_OF_MEMORY;
    array->descriptor = *of;
    array->element_bytes = cushim__mock_array_channel_bytes(of->Format) * of->NumChannels;
    array->row_bytes = of->Width * array->element_bytes;
    array->rows = of->Height ? of->Height : 1;
    array->layers = of->Depth ? of->Depth : 1;
    code = cushim__mock_memory_allocate(
        context, context->device, array->row_bytes * array->rows * array->layers, &array->memory);
    if (code)
        destroy(array);
    else
        *made = array;
    return code;
}

CUresult cushim__mock_ArrayCreate_v2(struct mock_context *current, struct mock_array **array,
                                     const CUDA_ARRAY_DESCRIPTOR *pAllocateArray)
{
    const CUDA_ARRAY3D_DESCRIPTOR of = {.Width = pAllocateArray->Width,
                                        .Height = pAllocateArray->Height,
                                        .Format = pAllocateArray->Format,
                                        .NumChannels = pAllocateArray->NumChannels};

    return cushim__mock_Array3DCreate_v2(current, array, &of);
}

CUresult cushim__mock_Array3DCreate_v2(struct mock_context *current, struct mock_array **array,
                                       const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
    CUresult code = check(pAllocateArray);

    return code ? code : make(current, pAllocateArray, array);
}

CUresult cushim__mock_ArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor,
                                            struct mock_array *array)
{
    *pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR){.Width = array->descriptor.Width,
                                                .Height = array->descriptor.Height,
                                                .Format = array->descriptor.Format,
                                                .NumChannels = array->descriptor.NumChannels};
    return CUDA_SUCCESS;
}

CUresult cushim__mock_Array3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor,
                                              struct mock_array *array)
{
    *pArrayDescriptor = array->descriptor;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_ArrayDestroy(struct mock_array *array)
{
    const CUarray handle = array->object.handle;
    CUresult code = cushim__mock_sim_wait_group(&array->object.context->group);

    /* The lock was released during the wait, so find the array again. */
    if (code == CUDA_SUCCESS)
        code = cushim__mock_object_find(handle, MOCK_ARRAY, &array);
    if (code == CUDA_SUCCESS)
        destroy(array);
    return code;
}
