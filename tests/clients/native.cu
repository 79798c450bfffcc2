// SPDX-License-Identifier: Apache-2.0
// Without CUDA's headers: only the code for the device is looked at.
extern "C" __attribute__((global)) void fill(int *out)
{
    *out = 1;
}
