/* SPDX-License-Identifier: Apache-2.0 */
/* Result codes that older toolkit headers lack. cushim builds with headers from 11.2 on. */
#ifndef CUSHIM_LOADER_CODES_H
#define CUSHIM_LOADER_CODES_H

#include <cuda.h>

/* CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, which headers up to 12.5 lack. */
#define CUSHIM__REQUIRES_NEWER_DRIVER ((CUresult)36)

#endif
