/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texture and surface objects and references, as kernels see them: what a handle refers to, and for
 * how long.
 */
#include "src/mock/texture/texture.h"

#include <stdlib.h>
#include <string.h>

#include "src/mock/copy/array.h"
#include "src/mock/core/state.h"
#include "src/mock/sim/sim.h"
#include "src/ptx/ptx.h"

enum { FLAG_READ_AS_INTEGER = 1, FLAG_NORMALISED = 2, FLAG_SRGB = 16 };

static bool texel_of(CUarray_format format, enum ptx_texel *texel)
{
    static const struct {
        CUarray_format format;
        enum ptx_texel texel;
    } texels[] = {
        {CU_AD_FORMAT_UNSIGNED_INT8, PTX_TEXEL_U8},   {CU_AD_FORMAT_SIGNED_INT8, PTX_TEXEL_S8},
        {CU_AD_FORMAT_UNSIGNED_INT16, PTX_TEXEL_U16}, {CU_AD_FORMAT_SIGNED_INT16, PTX_TEXEL_S16},
        {CU_AD_FORMAT_UNSIGNED_INT32, PTX_TEXEL_U32}, {CU_AD_FORMAT_SIGNED_INT32, PTX_TEXEL_S32},
        {CU_AD_FORMAT_HALF, PTX_TEXEL_F16},           {CU_AD_FORMAT_FLOAT, PTX_TEXEL_F32},
    };

    for (size_t i = 0; i < sizeof texels / sizeof *texels; i++) {
        *texel = texels[i].texel;
        if (texels[i].format == format)
            return true;
    }
    return false;
}

bool cushim__mock_texture_has_format(CUarray_format format)
{
    enum ptx_texel texel;

    return texel_of(format, &texel);
}

bool cushim__mock_texture_view(CUresourceViewFormat format, CUarray_format *texel,
                               unsigned *channels)
{
    /* Of each texel type three formats follow each other, with 1, 2 and 4 channels. */
    static const CUarray_format texels[] = {
        CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_SIGNED_INT8,    CU_AD_FORMAT_UNSIGNED_INT16,
        CU_AD_FORMAT_SIGNED_INT16,  CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32,
        CU_AD_FORMAT_HALF,          CU_AD_FORMAT_FLOAT,
    };
    const unsigned number = (unsigned)format - CU_RES_VIEW_FORMAT_UINT_1X8;

    if (number / 3 >= sizeof texels / sizeof *texels)
        return false;
    *texel = texels[number / 3];
    *channels = 1U << number % 3;
    return true;
}

/* A resource view of a mipmapped array limits the levels that are read. */
static const struct mock_array *first_level(const struct mock_texture *of, unsigned *levels)
{
    const struct mock_mipmap *mipmap =
        cushim__mock_object_lookup(of->resource.res.mipmap.hMipmappedArray, MOCK_MIPMAP);
    unsigned first, last;

    *levels = 1;
    if (of->resource.resType == CU_RESOURCE_TYPE_ARRAY)
        return cushim__mock_object_lookup(of->resource.res.array.hArray, MOCK_ARRAY);
    if (!mipmap)
        return NULL;
    first = of->viewed ? of->view.firstMipmapLevel : 0;
    last = mipmap->level_count - 1;
    if (of->viewed && of->view.lastMipmapLevel < last)
        last = of->view.lastMipmapLevel;
    *levels = last - first + 1;
    return mipmap->levels[first];
}

static bool describe_array(const struct mock_texture *of, struct ptx_texture *texture)
{
    const struct mock_array *array = first_level(of, &texture->levels);
    CUarray_format format;

    if (!array)
        return false;
    format = array->descriptor.Format;
    texture->address = array->memory;
    texture->row_bytes = array->row_bytes;
    texture->layer_bytes = array->row_bytes * array->rows;
    texture->width = (uint32_t)array->descriptor.Width;
    texture->height = (uint32_t)array->rows;
    texture->depth = (uint32_t)array->layers;
    texture->channels = array->descriptor.NumChannels;
    texture->layered = array->descriptor.Flags & CUDA_ARRAY3D_LAYERED;
    texture->cube = array->descriptor.Flags & CUDA_ARRAY3D_CUBEMAP;
    if (of->viewed)
        cushim__mock_texture_view(of->view.format, &format, &texture->channels);
    return texel_of(format, &texture->texel);
}

/*
 * A program may destroy an object while a pending kernel uses it. That is undefined, but mostly
 * works on a GPU. Which objects a kernel uses is not known before it has ended, because it may load
 * their handles from memory. So a destroyed object is kept until all operations have ended that
 * were submitted before its destruction. The list has the oldest first.
 */
static void free_ended(bool all)
{
    struct cushim_mock *const mock = cushim__mock;

    while (mock->first_ended &&
           (all || !cushim__mock_sim_pending_until(mock->first_ended->ended_number))) {
        struct mock_texture *const first = mock->first_ended;

        mock->first_ended = first->next_ended;
        free(first);
    }
    if (!mock->first_ended)
        mock->last_ended = NULL;
}

void cushim__mock_texture_end(struct mock_texture *texture)
{
    struct cushim_mock *const mock = cushim__mock;

    texture->ended_handle = (uintptr_t)texture->object.handle;
    cushim__mock_object_remove(texture);
    texture->ended_number = cushim__mock_sim_submitted();
    *(mock->last_ended ? &mock->last_ended->next_ended : &mock->first_ended) = texture;
    mock->last_ended = texture;
    free_ended(false);
}

void cushim__mock_textures_clear(void)
{
    free_ended(true);
}

static const struct mock_texture *find_ended(uint64_t handle, uint64_t number)
{
    for (const struct mock_texture *one = cushim__mock->first_ended; one; one = one->next_ended) {
        if (one->ended_handle == handle && number > 0 && number <= one->ended_number)
            return one;
    }
    return NULL;
}

bool cushim__mock_texture_describe(uint64_t handle, uint64_t number, struct ptx_texture *texture)
{
    const struct mock_texture *found =
        cushim__mock_object_lookup((void *)(uintptr_t)handle, MOCK_TEXTURE);
    const CUDA_RESOURCE_DESC *resource;

    if (!found)
        found = find_ended(handle, number);
    if (!found || !found->bound)
        return false;
    resource = &found->resource;
    *texture = (struct ptx_texture){
        .surface = found->surface,
        .height = 1,
        .depth = 1,
        .linear = found->sampling.filterMode == CU_TR_FILTER_MODE_LINEAR,
        .normalised = found->sampling.flags & FLAG_NORMALISED,
        .integers = found->sampling.flags & FLAG_READ_AS_INTEGER,
        .srgb = found->sampling.flags & FLAG_SRGB,
        .between_levels = found->sampling.mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR,
        .bias = found->sampling.mipmapLevelBias,
        .least = found->sampling.minMipmapLevelClamp,
        .most = found->sampling.maxMipmapLevelClamp,
    };
    for (size_t i = 0; i < 3; i++)
        texture->addressing[i] = (enum ptx_addressing)found->sampling.addressMode[i];
    memcpy(texture->border, found->sampling.borderColor, sizeof texture->border);
    if (resource->resType == CU_RESOURCE_TYPE_ARRAY ||
        resource->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
        return describe_array(found, texture);
    if (resource->resType == CU_RESOURCE_TYPE_PITCH2D) {
        texture->address = resource->res.pitch2D.devPtr;
        texture->row_bytes = resource->res.pitch2D.pitchInBytes;
        texture->width = (uint32_t)resource->res.pitch2D.width;
        texture->height = (uint32_t)resource->res.pitch2D.height;
        texture->channels = resource->res.pitch2D.numChannels;
        return texel_of(resource->res.pitch2D.format, &texture->texel);
    }
    /* Reads outside of linear memory return zeros, whatever the modes are. */
    texture->address = resource->res.linear.devPtr;
    texture->channels = resource->res.linear.numChannels;
    texture->width = (uint32_t)(resource->res.linear.sizeInBytes / texture->channels /
                                cushim__mock_array_channel_bytes(resource->res.linear.format));
    texture->linear = texture->normalised = false;
    for (size_t i = 0; i < 3; i++)
        texture->addressing[i] = PTX_BORDER;
    memset(texture->border, 0, sizeof texture->border);
    return texel_of(resource->res.linear.format, &texture->texel);
}

/* References. */

struct mock_texture *cushim__mock_reference_make(struct mock_context *context)
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
    struct mock_texture *made = cushim__mock_reference_make(context);

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
    struct mock_texture *made = cushim__mock_reference_make(context);

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

void cushim__mock_reference_free(struct mock_texture *texture)
{
    cushim__mock_object_remove(texture);
    free(texture);
}

void cushim__mock_reference_destroy(uint64_t handle)
{
    struct mock_texture *texture =
        cushim__mock_object_lookup((void *)(uintptr_t)handle, MOCK_TEXTURE);

    if (texture)
        cushim__mock_reference_free(texture);
}
