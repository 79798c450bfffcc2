/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA arrays: rows of elements that programs reach by copies only. */
#ifndef CUSHIM_MOCK_ARRAY_H
#define CUSHIM_MOCK_ARRAY_H

#include "src/mock/core/object.h"

struct mock_array {
    struct mock_object object;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    size_t element_bytes, row_bytes;
    size_t rows, layers; /* at least 1 of each */
    CUdeviceptr memory;  /* row after row, layer after layer */
};

/* NULL is INVALID_HANDLE. */
CUresult cushim__mock_array_find(CUarray handle, struct mock_array **array);

#endif
