/* SPDX-License-Identifier: Apache-2.0 */
/* Host functions, as graphs meet them. */
#ifndef CUSHIM_MOCK_HOST_FUNCTION_H
#define CUSHIM_MOCK_HOST_FUNCTION_H

#include <cuda.h>

struct cushim__operation;

/* The operation of a host node, and its parameters again. */
CUresult cushim__host_operation(const CUDA_HOST_NODE_PARAMS *parameters,
                                struct cushim__operation **operation);
void cushim__host_parameters(const struct cushim__operation *operation,
                             CUDA_HOST_NODE_PARAMS *parameters);

#endif
