/* SPDX-License-Identifier: Apache-2.0 */
/* A program with NVIDIA's CUDA runtime linked in: exit status 0 if that finds a device. */
#include <cuda_runtime_api.h>

int main(void)
{
    int count = 0;

    for (int i = 0; i < 3; i++) {
        if (cudaGetDeviceCount(&count) != cudaSuccess)
            count = 0;
    }
    return count == 0;
}
