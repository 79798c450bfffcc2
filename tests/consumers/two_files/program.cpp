// SPDX-License-Identifier: Apache-2.0
// C++ with the two files: the table, and then the names of <cuda.h>, asked for late.
#include <cstdio>

#include "cushim.h"

static int devices_by_table()
{
    int devices = -1;

    return cushim_driver()->DeviceGetCount(&devices) == CUDA_SUCCESS ? devices : -1;
}

#define CUSHIM_CUDA_NAMES
#include "cushim.h"

namespace
{
template <CUresult(CUDAAPI *count)(int *)> int devices_by()
{
    int devices = -1;

    return count(&devices) == CUDA_SUCCESS ? devices : -1;
}
} // namespace

int main()
{
    std::printf("cuInit answers %d\n", static_cast<int>(cuInit(0)));
    return devices_by_table() == devices_by<&cuDeviceGetCount>() ? 0 : 1;
}
