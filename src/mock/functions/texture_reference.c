/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface references, by which programs up to CUDA 11 name what kernels read. */
#include <stdlib.h>
#include <string.h>

#include "src/mock/copy/array.h"
#include "src/mock/functions/functions.h"
#include "src/mock/module/module.h"
#include "src/mock/module/translation.h"
#include "src/mock/texture/texture.h"
#include "src/ptx/ptx.h"

/* Only references of PTX are known, and they need not be visible. */
static CUresult of_module(const struct mock_module *module, const char *name, CUdeviceptr *handle)
{
    const struct ptx_module *program = module->code->program;

    for (size_t i = 0; program && module->variables && i < program->global_count; i++) {
        if (program->globals[i].reference && strcmp(program->globals[i].name, name) == 0) {
            *handle = module->variables->addresses[i];
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cushim__mock_ModuleGetTexRef(CUtexref *pTexRef, const struct mock_module *module,
                                      const char *name)
{
    CUdeviceptr handle;
    CUresult code = of_module(module, name, &handle);

    if (code == CUDA_SUCCESS)
        *pTexRef = (CUtexref)(uintptr_t)handle;
    return code;
}

CUresult cushim__mock_ModuleGetSurfRef(CUsurfref *pSurfRef, const struct mock_module *module,
                                       const char *name)
{
    CUdeviceptr handle;
    CUresult code = of_module(module, name, &handle);

    if (code == CUDA_SUCCESS)
        *pSurfRef = (CUsurfref)(uintptr_t)handle;
    return code;
}

CUresult cushim__mock_TexRefCreate(struct mock_context *current, struct mock_texture **texture)
{
    struct mock_texture *made = cushim__mock_reference_make(current);

    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *texture = made;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefDestroy(struct mock_texture *texture)
{
    if (texture->object.internal)
        return CUDA_ERROR_INVALID_VALUE;
    cushim__mock_reference_free(texture);
    return CUDA_SUCCESS;
}

/* --- binding --- */

static void bind(struct mock_texture *texture, const CUDA_RESOURCE_DESC *resource)
{
    texture->resource = *resource;
    texture->bound = true;
}

CUresult cushim__mock_TexRefSetArray(struct mock_texture *texture, struct mock_array *array,
                                     unsigned int Flags)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};

    if (Flags != CU_TRSA_OVERRIDE_FORMAT)
        return CUDA_ERROR_INVALID_VALUE;
    resource.res.array.hArray = array->object.handle;
    texture->format = array->descriptor.Format;
    texture->channels = array->descriptor.NumChannels;
    bind(texture, &resource);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefSetMipmappedArray(struct mock_texture *texture,
                                              struct mock_mipmap *mipmap, unsigned int Flags)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};

    if (Flags & ~(unsigned)CU_TRSA_OVERRIDE_FORMAT)
        return CUDA_ERROR_INVALID_VALUE;
    resource.res.mipmap.hMipmappedArray = mipmap->object.handle;
    texture->format = mipmap->levels[0]->descriptor.Format;
    texture->channels = mipmap->levels[0]->descriptor.NumChannels;
    bind(texture, &resource);
    return CUDA_SUCCESS;
}

/* An address that is not aligned for textures begins `*ByteOffset` bytes after the texture. */
CUresult cushim__mock_TexRefSetAddress_v2(size_t *ByteOffset, struct mock_texture *texture,
                                          CUdeviceptr dptr, size_t bytes)
{
    const size_t alignment =
        (size_t)cushim__mock->settings.profile.attributes[CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT];
    const size_t offset = alignment > 0 ? dptr % alignment : 0;
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};

    if (offset > 0 && !ByteOffset)
        return CUDA_ERROR_INVALID_VALUE;
    resource.res.linear.devPtr = dptr - offset;
    resource.res.linear.format = texture->format;
    resource.res.linear.numChannels = texture->channels;
    resource.res.linear.sizeInBytes = bytes + offset;
    if (ByteOffset)
        *ByteOffset = offset;
    bind(texture, &resource);
    texture->bound = dptr != 0;
    return CUDA_SUCCESS;
}

/* Also cuTexRefSetAddress2D_v2. */
CUresult cushim__mock_TexRefSetAddress2D_v3(struct mock_texture *texture,
                                            const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr dptr,
                                            size_t Pitch)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D};

    if (cushim__mock_array_channel_bytes(desc->Format) == 0 || desc->Width == 0 ||
        (desc->NumChannels != 1 && desc->NumChannels != 2 && desc->NumChannels != 4))
        return CUDA_ERROR_INVALID_VALUE;
    resource.res.pitch2D.devPtr = dptr;
    resource.res.pitch2D.format = desc->Format;
    resource.res.pitch2D.numChannels = desc->NumChannels;
    resource.res.pitch2D.width = desc->Width;
    resource.res.pitch2D.height = desc->Height ? desc->Height : 1;
    resource.res.pitch2D.pitchInBytes = Pitch;
    bind(texture, &resource);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefGetArray(CUarray *phArray, const struct mock_texture *texture)
{
    if (!texture->bound || texture->resource.resType != CU_RESOURCE_TYPE_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    *phArray = texture->resource.res.array.hArray;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefGetMipmappedArray(CUmipmappedArray *phMipmappedArray,
                                              const struct mock_texture *texture)
{
    if (!texture->bound || texture->resource.resType != CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    *phMipmappedArray = texture->resource.res.mipmap.hMipmappedArray;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefGetAddress_v2(CUdeviceptr *pdptr, const struct mock_texture *texture)
{
    if (!texture->bound || texture->resource.resType == CU_RESOURCE_TYPE_ARRAY ||
        texture->resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    *pdptr = texture->resource.resType == CU_RESOURCE_TYPE_LINEAR
                 ? texture->resource.res.linear.devPtr
                 : texture->resource.res.pitch2D.devPtr;
    return CUDA_SUCCESS;
}

/* --- how textures are read --- */

CUresult cushim__mock_TexRefSetFormat(struct mock_texture *texture, CUarray_format fmt,
                                      int NumPackedComponents)
{
    if (cushim__mock_array_channel_bytes(fmt) == 0 ||
        (NumPackedComponents != 1 && NumPackedComponents != 2 && NumPackedComponents != 4))
        return CUDA_ERROR_INVALID_VALUE;
    texture->format = fmt;
    texture->channels = (unsigned)NumPackedComponents;
    if (texture->bound && texture->resource.resType == CU_RESOURCE_TYPE_LINEAR) {
        texture->resource.res.linear.format = fmt;
        texture->resource.res.linear.numChannels = texture->channels;
    }
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefGetFormat(CUarray_format *pFormat, int *pNumChannels,
                                      const struct mock_texture *texture)
{
    if (pFormat)
        *pFormat = texture->format;
    if (pNumChannels)
        *pNumChannels = (int)texture->channels;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefSetAddressMode(struct mock_texture *texture, int dim, CUaddress_mode am)
{
    if (dim < 0 || dim > 2 || (unsigned)am > CU_TR_ADDRESS_MODE_BORDER)
        return CUDA_ERROR_INVALID_VALUE;
    texture->sampling.addressMode[dim] = am;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefGetAddressMode(CUaddress_mode *pam, const struct mock_texture *texture,
                                           int dim)
{
    if (dim < 0 || dim > 2)
        return CUDA_ERROR_INVALID_VALUE;
    *pam = texture->sampling.addressMode[dim];
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefSetFilterMode(struct mock_texture *texture, CUfilter_mode fm)
{
    if ((unsigned)fm > CU_TR_FILTER_MODE_LINEAR)
        return CUDA_ERROR_INVALID_VALUE;
    texture->sampling.filterMode = fm;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefGetFilterMode(CUfilter_mode *pfm, const struct mock_texture *texture)
{
    *pfm = texture->sampling.filterMode;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefSetFlags(struct mock_texture *texture, unsigned int Flags)
{
    enum { KNOWN_FLAGS = 0x73 };

    if (Flags & ~(unsigned)KNOWN_FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    texture->sampling.flags = Flags;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefGetFlags(unsigned int *pFlags, const struct mock_texture *texture)
{
    *pFlags = texture->sampling.flags;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefSetBorderColor(struct mock_texture *texture, float *pBorderColor)
{
    memcpy(texture->sampling.borderColor, pBorderColor, sizeof texture->sampling.borderColor);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefGetBorderColor(float *pBorderColor, const struct mock_texture *texture)
{
    memcpy(pBorderColor, texture->sampling.borderColor, sizeof texture->sampling.borderColor);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefSetMaxAnisotropy(struct mock_texture *texture, unsigned int maxAniso)
{
    texture->sampling.maxAnisotropy = maxAniso;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefGetMaxAnisotropy(int *pmaxAniso, const struct mock_texture *texture)
{
    *pmaxAniso = (int)texture->sampling.maxAnisotropy;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefSetMipmapFilterMode(struct mock_texture *texture, CUfilter_mode fm)
{
    if ((unsigned)fm > CU_TR_FILTER_MODE_LINEAR)
        return CUDA_ERROR_INVALID_VALUE;
    texture->sampling.mipmapFilterMode = fm;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefGetMipmapFilterMode(CUfilter_mode *pfm,
                                                const struct mock_texture *texture)
{
    *pfm = texture->sampling.mipmapFilterMode;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefSetMipmapLevelBias(struct mock_texture *texture, float bias)
{
    texture->sampling.mipmapLevelBias = bias;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefGetMipmapLevelBias(float *pbias, const struct mock_texture *texture)
{
    *pbias = texture->sampling.mipmapLevelBias;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefSetMipmapLevelClamp(struct mock_texture *texture,
                                                float minMipmapLevelClamp,
                                                float maxMipmapLevelClamp)
{
    texture->sampling.minMipmapLevelClamp = minMipmapLevelClamp;
    texture->sampling.maxMipmapLevelClamp = maxMipmapLevelClamp;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_TexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp,
                                                float *pmaxMipmapLevelClamp,
                                                const struct mock_texture *texture)
{
    *pminMipmapLevelClamp = texture->sampling.minMipmapLevelClamp;
    *pmaxMipmapLevelClamp = texture->sampling.maxMipmapLevelClamp;
    return CUDA_SUCCESS;
}

/* --- surfaces --- */

CUresult cushim__mock_SurfRefSetArray(CUsurfref hSurfRef, struct mock_array *array,
                                      unsigned int Flags)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    struct mock_texture *surface;
    CUresult code = cushim__mock_object_find(hSurfRef, MOCK_TEXTURE, &surface);

    if (code)
        return code;
    if (Flags != 0 || !(array->descriptor.Flags & CUDA_ARRAY3D_SURFACE_LDST))
        return CUDA_ERROR_INVALID_VALUE;
    resource.res.array.hArray = array->object.handle;
    surface->surface = true;
    bind(surface, &resource);
    return CUDA_SUCCESS;
}

CUresult cushim__mock_SurfRefGetArray(CUarray *phArray, CUsurfref hSurfRef)
{
    struct mock_texture *surface;
    CUresult code = cushim__mock_object_find(hSurfRef, MOCK_TEXTURE, &surface);

    if (code)
        return code;
    if (!phArray || !surface->bound)
        return CUDA_ERROR_INVALID_VALUE;
    *phArray = surface->resource.res.array.hArray;
    return CUDA_SUCCESS;
}

/* This call does nothing, because a kernel knows its references without it. */
CUresult cushim__mock_ParamSetTexRef(int texunit)
{
    return texunit == CU_PARAM_TR_DEFAULT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
