/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The usual error macro, in a program for <cuda.h> that has no driver: it prints the reason, and not
 * what a string happens to hold. Built through <cushim/cuda.h> and with the stubs library.
 */
#include <stdio.h>
#include <string.h>

#include <cuda.h>

int main(void)
{
    const CUresult code = cuInit(0);
    const char *text = "?", *name = "?", *unknown = "?";
    int wrong = 0;

    /* CUSHIM_LIBRARY is none here. */
    wrong += code != CUDA_ERROR_SHARED_OBJECT_INIT_FAILED;
    wrong += cuGetErrorString(code, &text) != CUDA_SUCCESS || !strstr(text, "library");
    wrong += cuGetErrorName(code, &name) != CUDA_SUCCESS ||
             strcmp(name, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED") != 0;
    wrong += cuGetErrorString((CUresult)12345, &unknown) != CUDA_ERROR_INVALID_VALUE || unknown;
    wrong += cuGetErrorName(code, NULL) != CUDA_ERROR_INVALID_VALUE;
    printf("cuInit: %s: %s; %d of 5 are wrong\n", name, text, wrong);
    return wrong != 0;
}
