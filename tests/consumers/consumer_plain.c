/* SPDX-License-Identifier: Apache-2.0 */
/* A program that was written for -lcuda. */
#include <stdio.h>

#include <cuda.h>

int main(void)
{
    CUresult(CUDAAPI * init)(unsigned int) = cuInit;

    printf("cuInit answers %d\n", (int)init(0));
    return 0;
}
