/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The usual error macro in a program for <cuda.h> without a driver, or, with the argument `old`,
 * with a driver that lacks a function and does not know the code for that. It must print the reason
 * instead of an undefined string. Built with <cushim/cuda.h> and with the stubs.
 */
#include <stdio.h>
#include <string.h>

#include <cuda.h>

int main(int argc, char **argv)
{
    const int is_old = argc > 1 && strcmp(argv[1], "old") == 0;
    CUcontext context;
    const CUresult code = is_old ? cuCtxGetCurrent(&context) : cuInit(0);
    const char *text = "?", *name = "?", *unknown = "?";
    int wrong = 0;

    /* 36 is CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, which old headers lack. */
    wrong += code != (is_old ? (CUresult)36 : CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    wrong += cuGetErrorString(code, &text) != CUDA_SUCCESS || !text ||
             !strstr(text, is_old ? "older" : "library");
    wrong += cuGetErrorName(code, &name) != CUDA_SUCCESS || !name ||
             strcmp(name, is_old ? "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER"
                                 : "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED") != 0;
    wrong += cuGetErrorString((CUresult)12345, &unknown) != CUDA_ERROR_INVALID_VALUE || unknown;
    wrong += cuGetErrorName(code, NULL) != CUDA_ERROR_INVALID_VALUE;
    printf("%s: %s; %d of 5 are wrong\n", name ? name : "(null)", text ? text : "(null)", wrong);
    return wrong != 0;
}
