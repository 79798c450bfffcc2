/* SPDX-License-Identifier: Apache-2.0 */
/* A user's test: code that calls cushim_driver() runs on the mock, which reports a mistake. */
#include <stdio.h>

#include <cushim/cushim.h>
#include <cushim/testing/mock.h>

int main(void)
{
    const struct cushim_mock_options options = {.size = sizeof options, .settings = "devices = 3"};
    struct cushim_mock *mock;
    int devices = 0;

    if (cushim_mock_create(&options, &mock) != CUDA_SUCCESS ||
        cushim_mock_install(mock) != CUDA_SUCCESS)
        return 1;
    if (cushim_driver()->Init(0) != CUDA_SUCCESS ||
        cushim_driver()->DeviceGetCount(&devices) != CUDA_SUCCESS)
        return 2;
    if (cushim_driver()->EventQuery((CUevent)0x1234) != CUDA_ERROR_INVALID_HANDLE)
        return 3;
    printf("%d devices; %s\n", devices, cushim_mock_misuse(mock, 0));
    return cushim_mock_destroy(mock) == CUDA_ERROR_ILLEGAL_STATE ? 0 : 4;
}
