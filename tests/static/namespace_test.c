/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library in a namespace of its own, where the first object is not the program: that is no static
 * program. `namespace_test LIBCUSHIM DRIVER`
 *
 * Once more as an argument of the linker, beside which the kernel puts no other.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cushim/cushim.h>

/* The first object is the program, which names its linker. */
static int look_for_linker(struct dl_phdr_info *program, size_t size, void *linker)
{
    (void)size;
    for (unsigned i = 0; i < program->dlpi_phnum; i++) {
        if (program->dlpi_phdr[i].p_type == PT_INTERP)
            *(char **)linker = (char *)(program->dlpi_addr + program->dlpi_phdr[i].p_vaddr);
    }
    return 1;
}

/* Returns where no linker can be executed, as on an emulator. */
static void start_again(char **argv)
{
    char *words[] = {NULL, argv[0], argv[1], argv[2], NULL};

    dl_iterate_phdr(look_for_linker, &words[0]);
    if (words[0])
        execv(words[0], words);
}

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
    else if (getauxval(AT_BASE) != 0)
        start_again(argv);
    return code == CUDA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
