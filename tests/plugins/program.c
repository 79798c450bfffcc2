/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses one function of the driver. */
#include <cushim/cushim.h>

int main(void)
{
    int count;

    return cushim_driver()->DeviceGetCount(&count) == CUDA_SUCCESS;
}
