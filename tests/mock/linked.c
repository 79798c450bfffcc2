/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that is linked to the driver, and prints the results of cuInit and cuDriverGetVersion.
 */
#include <stdio.h>

#include <cuda.h>

int main(void)
{
    int version = 0;

    printf("cuInit %d\n", (int)cuInit(0));
    printf("cuDriverGetVersion %d\n", (int)cuDriverGetVersion(&version));
    printf("version %d\n", version);
    return 0;
}
