/* SPDX-License-Identifier: Apache-2.0 */
/* Host functions, as graphs meet them. */
#ifndef CUSHIM_MOCK_HOST_FUNCTION_H
#define CUSHIM_MOCK_HOST_FUNCTION_H

#include <cuda.h>

struct mock_operation;

/* The operation of a host node, and its parameters again. */
CUresult cushim__mock_host_operation(const CUDA_HOST_NODE_PARAMS *parameters,
                                     struct mock_operation **operation);
void cushim__mock_host_parameters(const struct mock_operation *operation,
                                  CUDA_HOST_NODE_PARAMS *parameters);

#endif
