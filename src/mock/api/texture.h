/* SPDX-License-Identifier: Apache-2.0 */
/* Textures and surfaces: objects, and references that modules declare. */
#ifndef CUSHIM_MOCK_API_TEXTURE_H
#define CUSHIM_MOCK_API_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "src/mock/core/object.h"

struct ptx_texture;

struct mock_texture {
    struct mock_object object;
    bool surface, bound; /* bound: `resource` is there */
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC sampling;
    /* Of a reference: what linear memory that is bound to it holds. */
    CUarray_format format;
    unsigned channels;
    /* Of an object that was destroyed: its handle, and the last operation that may use it. */
    uint64_t ended_handle, ended_number;
    struct mock_texture *next_ended;
};

/* The reference of a module, by its handle as a number. OUT_OF_MEMORY. */
CUresult cushim__mock_reference_create(struct mock_context *context, CUdeviceptr *handle);
/* The handle becomes that of a copy; none that is not any more. OUT_OF_MEMORY: it is 0. */
CUresult cushim__mock_reference_copy(struct mock_context *context, uint64_t *handle);
void cushim__mock_reference_destroy(uint64_t handle);

/* What a kernel, the operation of a number, sees of a handle. False: it is none, or nothing is bound to it. */
bool cushim__mock_texture_describe(uint64_t handle, uint64_t number, struct ptx_texture *texture);

/* The mock ends, and no kernel is pending: free what was kept for them. */
void cushim__mock_textures_clear(void);

#endif
