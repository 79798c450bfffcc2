/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/mock/kernel_world.h"

CUmodule kernel_module;
CUstream kernel_stream;

int kernel_begin(const char *settings, const char *image)
{
    world_begin(settings);
    OK(driver->ModuleLoadData(&kernel_module, image));
    kernel_stream = world_stream();
    return 0;
}

int kernel_end(void **state)
{
    (void)state;
    OK(cushim_mock_drain(world));
    OK(driver->StreamDestroy_v2(kernel_stream));
    OK(driver->ModuleUnload(kernel_module));
    world_end();
    return 0;
}

CUfunction kernel_find(const char *name)
{
    CUfunction function = NULL;

    OK(driver->ModuleGetFunction(&function, kernel_module, name));
    return function;
}

CUresult kernel_launch(CUfunction function, void **parameters, void **extra)
{
    return driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, kernel_stream, parameters, extra);
}
