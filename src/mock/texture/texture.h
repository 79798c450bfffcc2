/* SPDX-License-Identifier: Apache-2.0 */
/* Textures and surfaces: objects, and references that modules declare. */
#ifndef CUSHIM_MOCK_TEXTURE_TEXTURE_H
#define CUSHIM_MOCK_TEXTURE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "src/mock/core/object.h"

struct ptx_texture;

struct mock_texture {
    struct mock_object object;
    bool surface, bound, viewed; /* bound: `resource` is set; viewed: so is `view` */
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC sampling;
    CUDA_RESOURCE_VIEW_DESC view;
    /* For a reference: the contents of linear memory that is bound to it. */
    CUarray_format format;
    unsigned channels;
    /* For a destroyed object: its handle, and the last operation that may use it. */
    uint64_t ended_handle, ended_number;
    struct mock_texture *next_ended;
};

/* Whether kernels can read elements of this format. */
bool cushim__mock_texture_has_format(CUarray_format format);

/* The texels of views in this format. Returns false if it is compressed or none. */
bool cushim__mock_texture_view(CUresourceViewFormat format, CUarray_format *texel,
                               unsigned *channels);

/* Destroy an object. Kernels that are pending may still use it. */
void cushim__mock_texture_end(struct mock_texture *texture);

/* Create a reference that nothing is bound to, or free one. NULL if memory runs out. */
struct mock_texture *cushim__mock_reference_make(struct mock_context *context);
void cushim__mock_reference_free(struct mock_texture *texture);

/* Create a reference of a module, whose handle is a number. Fails with OUT_OF_MEMORY. */
CUresult cushim__mock_reference_create(struct mock_context *context, CUdeviceptr *handle);
/*
 * Replace the handle of a reference by that of a copy; the copy is unbound if the reference no
 * longer exists. On OUT_OF_MEMORY the handle becomes 0.
 */
CUresult cushim__mock_reference_copy(struct mock_context *context, uint64_t *handle);
void cushim__mock_reference_destroy(uint64_t handle);

/* Describe a texture for the launch `number`. False if there is no such texture or none bound. */
bool cushim__mock_texture_describe(uint64_t handle, uint64_t number, struct ptx_texture *texture);

/* When the mock ends, and no kernel is pending: free the objects that were kept for kernels. */
void cushim__mock_textures_clear(void);

#endif
