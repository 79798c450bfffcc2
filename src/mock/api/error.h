/* SPDX-License-Identifier: Apache-2.0 */
/* Result codes by name. */
#ifndef CUSHIM_MOCK_ERROR_H
#define CUSHIM_MOCK_ERROR_H

#include <stddef.h>

#include <cuda.h>

/* The name of a code, as `CUDA_ERROR_OUT_OF_MEMORY`; NULL: there is no such code. */
const char *cushim__mock_error_name(CUresult code);

/* All of them by number from 0; NULL behind the last. */
const char *cushim__mock_error_listed(size_t index, CUresult *code);

#endif
