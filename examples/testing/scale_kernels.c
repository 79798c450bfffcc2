/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host function in place of the kernel of scale.c, in a library that `cushim run --kernels`
 * loads.
 */
#include <cushim/testing/mock.h>

static const struct cushim_mock_functions *mock;

static void scale(const struct cushim_mock_launch *launch, void *data)
{
    const CUdeviceptr memory = *(const CUdeviceptr *)launch->parameters[0];
    const unsigned count = *(const unsigned *)launch->parameters[1];
    const float factor = *(const float *)launch->parameters[2];
    float *numbers = mock->memory(mock->mock, memory, count * sizeof *numbers);

    (void)data;
    for (unsigned i = 0; numbers && i < count; i++)
        numbers[i] *= factor;
}

CUresult cushim_mock_kernels_register(const struct cushim_mock_functions *functions);

CUresult cushim_mock_kernels_register(const struct cushim_mock_functions *functions)
{
    const struct cushim_mock_kernel kernel = {.size = sizeof kernel, .name = "scale", .run = scale};

    mock = functions;
    return mock->register_kernel(mock->mock, &kernel);
}
