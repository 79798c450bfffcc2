/* SPDX-License-Identifier: Apache-2.0 */
/* A library of kernels whose only kernel has no name, which the mock refuses. */
#include <cushim/testing/mock.h>

CUresult cushim_mock_kernels_register(const struct cushim_mock_functions *functions);

CUresult cushim_mock_kernels_register(const struct cushim_mock_functions *functions)
{
    const struct cushim_mock_kernel kernel = {.size = sizeof kernel};

    return functions->register_kernel(functions->mock, &kernel);
}
