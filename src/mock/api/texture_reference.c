/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface references, by which programs up to CUDA 11 name what kernels read. */
#include <stdlib.h>
#include <string.h>

#include "src/mock/api/api.h"
#include "src/mock/api/copy.h"
#include "src/mock/api/execution.h"
#include "src/mock/api/module.h"
#include "src/mock/api/texture.h"
#include "src/mock/kernel/program.h"

static struct mock_texture *make(struct mock_context *context)
{
    struct mock_texture *made =
        cushim__mock_object_create(sizeof *made, MOCK_TEXTURE, context, NULL);

    if (made) {
        made->format = CU_AD_FORMAT_FLOAT;
        made->channels = 1;
    }
    return made;
}

CUresult cushim__mock_reference_create(struct mock_context *context, CUdeviceptr *handle)
{
    struct mock_texture *made = make(context);

    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->object.internal = true;
    *handle = (uintptr_t)made->object.handle;
    return CUDA_SUCCESS;
}

CUresult cushim__mock_reference_copy(struct mock_context *context, uint64_t *handle)
{
    const struct mock_texture *from =
        cushim__mock_object_lookup((void *)(uintptr_t)*handle, MOCK_TEXTURE);
    struct mock_texture *made = make(context);

    *handle = 0;
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->object.internal = true;
    if (from) {
        made->surface = from->surface;
        made->bound = from->bound;
        made->resource = from->resource;
        made->sampling = from->sampling;
    }
    *handle = (uintptr_t)made->object.handle;
    return CUDA_SUCCESS;
}

static void free_reference(struct mock_texture *texture)
{
    cushim__mock_object_remove(texture);
    free(texture);
}

void cushim__mock_reference_destroy(uint64_t handle)
{
    struct mock_texture *texture =
        cushim__mock_object_lookup((void *)(uintptr_t)handle, MOCK_TEXTURE);

    if (texture)
        free_reference(texture);
}

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

MOCK_APPROXIMATE(ModuleGetTexRef, "only those of PTX that is executed are found")
(const struct mock_module *module, CUtexref *NOT_NULL pTexRef, const char *NOT_NULL name)
{
    CUdeviceptr handle;
    CUresult code = of_module(module, name, &handle);

    if (code == CUDA_SUCCESS)
        *pTexRef = (CUtexref)(uintptr_t)handle;
    return code;
}

MOCK_APPROXIMATE(ModuleGetSurfRef, "only those of PTX that is executed are found")
(const struct mock_module *module, CUsurfref *NOT_NULL pSurfRef, const char *NOT_NULL name)
{
    CUdeviceptr handle;
    CUresult code = of_module(module, name, &handle);

    if (code == CUDA_SUCCESS)
        *pSurfRef = (CUsurfref)(uintptr_t)handle;
    return code;
}

MOCK_EXACT(TexRefCreate)(struct mock_context *current, struct mock_texture **NOT_NULL pTexRef)
{
    struct mock_texture *made = make(current);

    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *pTexRef = made;
    return CUDA_SUCCESS;
}

MOCK_EXACT(TexRefDestroy)(struct mock_texture *hTexRef)
{
    if (hTexRef->object.internal)
        return CUDA_ERROR_INVALID_VALUE;
    free_reference(hTexRef);
    return CUDA_SUCCESS;
}

/* --- binding --- */

static void bind(struct mock_texture *texture, const CUDA_RESOURCE_DESC *resource)
{
    texture->resource = *resource;
    texture->bound = true;
}

MOCK_APPROXIMATE(TexRefSetArray, "what the driver refuses was not measured")
(struct mock_texture *hTexRef, struct mock_array *array, unsigned int Flags)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};

    if (Flags != CU_TRSA_OVERRIDE_FORMAT)
        return CUDA_ERROR_INVALID_VALUE;
    resource.res.array.hArray = array->object.handle;
    hTexRef->format = array->descriptor.Format;
    hTexRef->channels = array->descriptor.NumChannels;
    bind(hTexRef, &resource);
    return CUDA_SUCCESS;
}

/* An address that is not aligned for textures begins `*ByteOffset` bytes after the texture. */
MOCK_APPROXIMATE(TexRefSetAddress_v2, "what the driver refuses was not measured")
(struct mock_texture *hTexRef, size_t *ByteOffset, CUdeviceptr dptr, size_t bytes)
{
    const size_t alignment =
        (size_t)cushim__mock->settings.profile.attributes[CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT];
    const size_t offset = alignment > 0 ? dptr % alignment : 0;
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};

    if (offset > 0 && !ByteOffset)
        return CUDA_ERROR_INVALID_VALUE;
    resource.res.linear.devPtr = dptr - offset;
    resource.res.linear.format = hTexRef->format;
    resource.res.linear.numChannels = hTexRef->channels;
    resource.res.linear.sizeInBytes = bytes + offset;
    if (ByteOffset)
        *ByteOffset = offset;
    bind(hTexRef, &resource);
    hTexRef->bound = dptr != 0;
    return CUDA_SUCCESS;
}

MOCK_ALSO(TexRefSetAddress2D_v2)
MOCK_APPROXIMATE(TexRefSetAddress2D_v3, "what the driver refuses was not measured")
(struct mock_texture *hTexRef, const CUDA_ARRAY_DESCRIPTOR *NOT_NULL desc, CUdeviceptr dptr,
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
    bind(hTexRef, &resource);
    return CUDA_SUCCESS;
}

MOCK_EXACT(TexRefGetArray)(const struct mock_texture *hTexRef, CUarray *NOT_NULL phArray)
{
    if (!hTexRef->bound || hTexRef->resource.resType != CU_RESOURCE_TYPE_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    *phArray = hTexRef->resource.res.array.hArray;
    return CUDA_SUCCESS;
}

MOCK_EXACT(TexRefGetAddress_v2)(const struct mock_texture *hTexRef, CUdeviceptr *NOT_NULL pdptr)
{
    if (!hTexRef->bound || hTexRef->resource.resType == CU_RESOURCE_TYPE_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    *pdptr = hTexRef->resource.resType == CU_RESOURCE_TYPE_LINEAR
                 ? hTexRef->resource.res.linear.devPtr
                 : hTexRef->resource.res.pitch2D.devPtr;
    return CUDA_SUCCESS;
}

/* --- how textures are read --- */

MOCK_EXACT(TexRefSetFormat)
(struct mock_texture *hTexRef, CUarray_format fmt, int NumPackedComponents)
{
    if (cushim__mock_array_channel_bytes(fmt) == 0 ||
        (NumPackedComponents != 1 && NumPackedComponents != 2 && NumPackedComponents != 4))
        return CUDA_ERROR_INVALID_VALUE;
    hTexRef->format = fmt;
    hTexRef->channels = (unsigned)NumPackedComponents;
    if (hTexRef->bound && hTexRef->resource.resType == CU_RESOURCE_TYPE_LINEAR) {
        hTexRef->resource.res.linear.format = fmt;
        hTexRef->resource.res.linear.numChannels = hTexRef->channels;
    }
    return CUDA_SUCCESS;
}

MOCK_EXACT(TexRefGetFormat)
(const struct mock_texture *hTexRef, CUarray_format *pFormat, int *pNumChannels)
{
    if (pFormat)
        *pFormat = hTexRef->format;
    if (pNumChannels)
        *pNumChannels = (int)hTexRef->channels;
    return CUDA_SUCCESS;
}

MOCK_EXACT(TexRefSetAddressMode)(struct mock_texture *hTexRef, int dim, CUaddress_mode am)
{
    if (dim < 0 || dim > 2 || (unsigned)am > CU_TR_ADDRESS_MODE_BORDER)
        return CUDA_ERROR_INVALID_VALUE;
    hTexRef->sampling.addressMode[dim] = am;
    return CUDA_SUCCESS;
}

MOCK_EXACT(TexRefGetAddressMode)
(const struct mock_texture *hTexRef, CUaddress_mode *NOT_NULL pam, int dim)
{
    if (dim < 0 || dim > 2)
        return CUDA_ERROR_INVALID_VALUE;
    *pam = hTexRef->sampling.addressMode[dim];
    return CUDA_SUCCESS;
}

MOCK_EXACT(TexRefSetFilterMode)(struct mock_texture *hTexRef, CUfilter_mode fm)
{
    if ((unsigned)fm > CU_TR_FILTER_MODE_LINEAR)
        return CUDA_ERROR_INVALID_VALUE;
    hTexRef->sampling.filterMode = fm;
    return CUDA_SUCCESS;
}

MOCK_EXACT(TexRefGetFilterMode)(const struct mock_texture *hTexRef, CUfilter_mode *NOT_NULL pfm)
{
    *pfm = hTexRef->sampling.filterMode;
    return CUDA_SUCCESS;
}

MOCK_EXACT(TexRefSetFlags)(struct mock_texture *hTexRef, unsigned int Flags)
{
    enum { KNOWN_FLAGS = 0x73 };

    if (Flags & ~(unsigned)KNOWN_FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    hTexRef->sampling.flags = Flags;
    return CUDA_SUCCESS;
}

MOCK_EXACT(TexRefGetFlags)(const struct mock_texture *hTexRef, unsigned int *NOT_NULL pFlags)
{
    *pFlags = hTexRef->sampling.flags;
    return CUDA_SUCCESS;
}

MOCK_EXACT(TexRefSetBorderColor)(struct mock_texture *hTexRef, float *NOT_NULL pBorderColor)
{
    memcpy(hTexRef->sampling.borderColor, pBorderColor, sizeof hTexRef->sampling.borderColor);
    return CUDA_SUCCESS;
}

MOCK_EXACT(TexRefGetBorderColor)(const struct mock_texture *hTexRef, float *NOT_NULL pBorderColor)
{
    memcpy(pBorderColor, hTexRef->sampling.borderColor, sizeof hTexRef->sampling.borderColor);
    return CUDA_SUCCESS;
}

MOCK_EXACT(TexRefSetMaxAnisotropy)(struct mock_texture *hTexRef, unsigned int maxAniso)
{
    hTexRef->sampling.maxAnisotropy = maxAniso;
    return CUDA_SUCCESS;
}

/* --- surfaces --- */

MOCK_APPROXIMATE(SurfRefSetArray, "what the driver refuses was not measured")
(CUsurfref hSurfRef, struct mock_array *array, unsigned int Flags)
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

MOCK_EXACT(SurfRefGetArray)(CUsurfref hSurfRef, CUarray *phArray)
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

/* A kernel knows its references without this call. */
MOCK_EXACT(ParamSetTexRef)
(struct mock_context *current, struct mock_function *hfunc, int texunit,
 struct mock_texture *hTexRef)
{
    return texunit == CU_PARAM_TR_DEFAULT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
