/* SPDX-License-Identifier: Apache-2.0 */
/* The calls on CUDA arrays and mipmapped arrays. */
#include "src/mock/copy/array.h"

#include "src/mock/context/context.h"
#include "src/mock/functions/functions.h"
#include "src/mock/sim/sim.h"

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
    CUresult code = cushim__mock_array_check(pAllocateArray, false);

    return code ? code : cushim__mock_array_create(current, pAllocateArray, array);
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
    /* A level stays until its mipmapped array is destroyed. */
    if (code == CUDA_SUCCESS && !array->mipmap)
        cushim__mock_array_destroy(array);
    return code;
}

/* --- mipmapped arrays --- */

CUresult cushim__mock_MipmappedArrayCreate(struct mock_context *current,
                                           struct mock_mipmap **mipmap,
                                           const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                           unsigned int numMipmapLevels)
{
    CUresult code = cushim__mock_array_check(pMipmappedArrayDesc, true);

    return code ? code
                : cushim__mock_mipmap_create(current, pMipmappedArrayDesc, numMipmapLevels, NULL,
                                             mipmap);
}

CUresult cushim__mock_MipmappedArrayGetLevel(struct mock_array **array,
                                             const struct mock_mipmap *mipmap, unsigned int level)
{
    if (level >= mipmap->level_count)
        return CUDA_ERROR_INVALID_VALUE;
    *array = mipmap->levels[level];
    return CUDA_SUCCESS;
}

CUresult cushim__mock_MipmappedArrayDestroy(struct mock_mipmap *mipmap)
{
    const CUmipmappedArray handle = mipmap->object.handle;
    CUresult code = cushim__mock_sim_wait_group(&mipmap->object.context->group);

    /* The lock was released during the wait, so find the array again. */
    if (code == CUDA_SUCCESS)
        code = cushim__mock_object_find(handle, MOCK_MIPMAP, &mipmap);
    if (code == CUDA_SUCCESS)
        cushim__mock_mipmap_destroy(mipmap);
    return code;
}

/*
 * Also cuMipmappedArrayGetMemoryRequirements, cuArrayGetSparseProperties,
 * cuMipmappedArrayGetSparseProperties. All ask about arrays whose memory is mapped later, or that
 * are sparse, and the mock has neither.
 */
CUresult cushim__mock_ArrayGetMemoryRequirements(void)
{
    return CUDA_ERROR_INVALID_VALUE;
}

/* Arrays with planes are refused when they are created. */
CUresult cushim__mock_ArrayGetPlane(void)
{
    return CUDA_ERROR_INVALID_VALUE;
}
