/* SPDX-License-Identifier: Apache-2.0 */
/* A program with NVIDIA's static CUDA runtime: exits with 0 if the runtime finds a device. */
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
