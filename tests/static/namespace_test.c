/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library in a namespace of its own, where the first object is not the program: that is no static
 * program. `namespace_test LIBCUSHIM DRIVER`
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/cushim.h>

int main(int argc, char **argv)
{
    struct cushim_load_options options = {.size = sizeof options};
    void *library = argc == 3 ? dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW) : NULL;
    void *address = library ? dlsym(library, "cushim_load") : NULL;
    CUresult (*load)(const struct cushim_load_options *) = NULL;
    CUresult code;

    if (!address) {
        fprintf(stderr, "cushim_load() is not to be had: %s\n", dlerror());
        return EXIT_FAILURE;
    }
    memcpy(&load, &address, sizeof load);
    options.library = argv[2];
    code = load(&options);
    if (code != CUDA_SUCCESS)
        fprintf(stderr, "cushim_load() answers %d\n", (int)code);
    return code == CUDA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
