/* SPDX-License-Identifier: Apache-2.0 */
/* The calls on texture and surface objects. */
#include "src/mock/texture/texture.h"

#include <stdlib.h>
#include <string.h>

#include "src/mock/copy/array.h"
#include "src/mock/functions/functions.h"

/* The size of the smallest block of compressed texels. */
enum { BLOCK_BYTES = 8 };

static size_t attribute(CUdevice_attribute number)
{
    return (size_t)cushim__mock->settings.profile.attributes[number];
}

/* If the profile lacks the attribute, nothing is refused. */
static bool fits(size_t extent, CUdevice_attribute most)
{
    return extent <= attribute(most) || !cushim__mock->settings.profile.has_attribute[most];
}

static bool is_aligned(size_t bytes, CUdevice_attribute alignment)
{
    return attribute(alignment) == 0 || bytes % attribute(alignment) == 0;
}

static bool is_format(CUarray_format format, unsigned channels)
{
    return cushim__mock_texture_has_format(format) &&
           (channels == 1 || channels == 2 || channels == 4);
}

static CUresult check_linear(const CUDA_RESOURCE_DESC *of)
{
    const CUarray_format format = of->res.linear.format;
    const unsigned channels = of->res.linear.numChannels;

    return is_format(format, channels) && of->res.linear.devPtr != 0 &&
                   is_aligned(of->res.linear.devPtr, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT) &&
                   fits(of->res.linear.sizeInBytes / channels /
                            cushim__mock_array_channel_bytes(format),
                        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

static CUresult check_pitched(const CUDA_RESOURCE_DESC *of)
{
    const size_t width = of->res.pitch2D.width, pitch = of->res.pitch2D.pitchInBytes;
    const unsigned channels = of->res.pitch2D.numChannels;

    return is_format(of->res.pitch2D.format, channels) && of->res.pitch2D.devPtr != 0 &&
                   is_aligned(of->res.pitch2D.devPtr, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT) &&
                   is_aligned(pitch, CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT) &&
                   pitch >= width * channels *
                                cushim__mock_array_channel_bytes(of->res.pitch2D.format) &&
                   fits(pitch, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH) && width > 0 &&
                   fits(width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH) &&
                   fits(of->res.pitch2D.height, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

static CUresult check(const CUDA_RESOURCE_DESC *of)
{
    struct mock_mipmap *mipmap;
    struct mock_array *array;

    if (of->flags != 0 || (of->resType == CU_RESOURCE_TYPE_ARRAY && !of->res.array.hArray))
        return CUDA_ERROR_INVALID_VALUE;
    switch (of->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        return cushim__mock_object_find(of->res.array.hArray, MOCK_ARRAY, &array);
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        if (!of->res.mipmap.hMipmappedArray)
            return CUDA_ERROR_INVALID_VALUE;
        return cushim__mock_object_find(of->res.mipmap.hMipmappedArray, MOCK_MIPMAP, &mipmap);
    case CU_RESOURCE_TYPE_LINEAR:
        return check_linear(of);
    case CU_RESOURCE_TYPE_PITCH2D:
        return check_pitched(of);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static bool is_sampling(const CUDA_TEXTURE_DESC *of)
{
    enum { KNOWN_FLAGS = 0x73 };

    for (size_t i = 0; i < 3; i++) {
        if ((unsigned)of->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
            return false;
    }
    return (unsigned)of->filterMode <= CU_TR_FILTER_MODE_LINEAR &&
           (unsigned)of->mipmapFilterMode <= CU_TR_FILTER_MODE_LINEAR &&
           !(of->flags & ~KNOWN_FLAGS);
}

/* The mock implements only views of all layers, and of levels that exist. */
static CUresult check_view(const CUDA_RESOURCE_DESC *of, const CUDA_RESOURCE_VIEW_DESC *view)
{
    const struct mock_mipmap *mipmap = NULL;
    const struct mock_array *array;
    CUarray_format format;
    unsigned channels, layers;

    if (of->resType == CU_RESOURCE_TYPE_ARRAY) {
        array = cushim__mock_object_lookup(of->res.array.hArray, MOCK_ARRAY);
    } else if (of->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) {
        mipmap = cushim__mock_object_lookup(of->res.mipmap.hMipmappedArray, MOCK_MIPMAP);
        array = mipmap->levels[0];
    } else {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!cushim__mock_texture_view(view->format, &format, &channels))
        return view->format == CU_RES_VIEW_FORMAT_NONE || array->element_bytes < BLOCK_BYTES
                   ? CUDA_ERROR_INVALID_VALUE
                   : CUDA_ERROR_NOT_SUPPORTED;
    if (channels * cushim__mock_array_channel_bytes(format) != array->element_bytes ||
        view->width != array->descriptor.Width || view->height != array->descriptor.Height ||
        view->depth != array->descriptor.Depth || view->firstLayer > view->lastLayer ||
        view->firstMipmapLevel > view->lastMipmapLevel)
        return CUDA_ERROR_INVALID_VALUE;
    layers = array->descriptor.Flags & CUDA_ARRAY3D_LAYERED ? (unsigned)array->layers : 1;
    return view->firstLayer > 0 || view->lastLayer + 1 < layers ||
                   view->firstMipmapLevel >= (mipmap ? mipmap->level_count : 1)
               ? CUDA_ERROR_NOT_SUPPORTED
               : CUDA_SUCCESS;
}

static CUresult create(struct mock_context *context, const CUDA_RESOURCE_DESC *resource,
                       const CUDA_TEXTURE_DESC *sampling, const CUDA_RESOURCE_VIEW_DESC *view,
                       unsigned long long *handle)
{
    struct mock_texture *made =
        cushim__mock_object_create(sizeof *made, MOCK_TEXTURE, context, NULL);

    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->resource = *resource;
    made->surface = !sampling;
    made->bound = true;
    made->viewed = view != NULL;
    if (sampling)
        made->sampling = *sampling;
    if (view)
        made->view = *view;
    *handle = (uintptr_t)made->object.handle;
    return CUDA_SUCCESS;
}

static CUresult find(unsigned long long handle, bool surface, struct mock_texture **found)
{
    CUresult code = cushim__mock_object_find((void *)(uintptr_t)handle, MOCK_TEXTURE, found);

    return code == CUDA_SUCCESS && (*found)->surface != surface ? CUDA_ERROR_INVALID_VALUE : code;
}

static CUresult destroy(unsigned long long handle, bool surface)
{
    struct mock_texture *texture;
    CUresult code = handle ? find(handle, surface, &texture) : CUDA_SUCCESS;

    if (code || !handle)
        return code;
    cushim__mock_texture_end(texture);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexObjectCreate(struct mock_context *current, CUtexObject *pTexObject,
                                      const CUDA_RESOURCE_DESC *pResDesc,
                                      const CUDA_TEXTURE_DESC *pTexDesc,
                                      const CUDA_RESOURCE_VIEW_DESC *pResViewDesc)
{
    CUresult code = is_sampling(pTexDesc) ? check(pResDesc) : CUDA_ERROR_INVALID_VALUE;

    if (code == CUDA_SUCCESS && pResViewDesc)
        code = check_view(pResDesc, pResViewDesc);
    return code ? code : create(current, pResDesc, pTexDesc, pResViewDesc, pTexObject);
}

CUresult cushim__mock_TexObjectDestroy(CUtexObject texObject)
{
    return destroy(texObject, false);
}

CUresult cushim__mock_TexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject)
{
    struct mock_texture *texture;
    CUresult code = find(texObject, false, &texture);

    if (code == CUDA_SUCCESS)
        *pResDesc = texture->resource;
    return code;
}

CUresult cushim__mock_TexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject)
{
    struct mock_texture *texture;
    CUresult code = find(texObject, false, &texture);

    if (code == CUDA_SUCCESS)
        *pTexDesc = texture->sampling;
    return code;
}

CUresult cushim__mock_TexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc,
                                                   CUtexObject texObject)
{
    struct mock_texture *texture;
    CUresult code = texObject ? find(texObject, false, &texture) : CUDA_ERROR_INVALID_VALUE;

    if (code == CUDA_SUCCESS)
        *pResViewDesc = texture->view;
    return code;
}

CUresult cushim__mock_SurfObjectCreate(struct mock_context *current, CUsurfObject *pSurfObject,
                                       const CUDA_RESOURCE_DESC *pResDesc)
{
    /* The driver accepts an array without SURFACE_LDST (driver-semantics.md #118). */
    CUresult code =
        pResDesc->resType == CU_RESOURCE_TYPE_ARRAY ? check(pResDesc) : CUDA_ERROR_INVALID_VALUE;

    return code ? code : create(current, pResDesc, NULL, NULL, pSurfObject);
}

CUresult cushim__mock_SurfObjectDestroy(CUsurfObject surfObject)
{
    return destroy(surfObject, true);
}

CUresult cushim__mock_SurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc,
                                                CUsurfObject surfObject)
{
    struct mock_texture *texture;
    CUresult code = find(surfObject, true, &texture);

    if (code == CUDA_SUCCESS)
        *pResDesc = texture->resource;
    return code;
}
