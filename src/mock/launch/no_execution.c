/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Built in place of execution.c with -Dkernels=disabled. The settings then refuse to execute
 * kernels, so no launch calls these functions.
 */
#include "src/mock/launch/execution.h"

CUresult cushim__mock_execution_find(const struct mock_variables *variables, const char *name,
                                     size_t *kernel)
{
    (void)variables, (void)name, (void)kernel;
    return CUDA_ERROR_NOT_FOUND;
}

struct mock_execution *cushim__mock_execution_create(const struct mock_executed *what)
{
    (void)what;
    return NULL;
}

bool cushim__mock_execution_step(struct mock_execution *execution, uint64_t *duration_ns)
{
    (void)execution;
    *duration_ns = 0;
    return false;
}

CUresult cushim__mock_execution_end(struct mock_execution *execution)
{
    (void)execution;
    return CUDA_ERROR_NOT_SUPPORTED;
}

void cushim__mock_execution_destroy(struct mock_execution *execution)
{
    (void)execution;
}
