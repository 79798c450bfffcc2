/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two copies of the library in separate namespaces, in which the first object is not the program.
 * The library must not mistake that for a static program. `namespace_test LIBCUSHIM DRIVER`
 *
 * The test runs a second time with the dynamic linker as the program, for which the kernel loads no
 * other linker.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cushim/cushim.h>

static CUresult load_a_copy(const char *libcushim, const char *driver)
{
    const struct cushim_load_options options = {.size = sizeof options, .library = driver};
    void *library = dlmopen(LM_ID_NEWLM, libcushim, RTLD_NOW);
    void *address = library ? dlsym(library, "cushim_driver_load") : NULL;
    CUresult (*load)(const struct cushim_load_options *) = NULL;

    memcpy(&load, &address, sizeof load);
    return load ? load(&options) : CUDA_ERROR_NOT_FOUND;
}

/* The first object is the program, whose PT_INTERP segment names the dynamic linker. */
static int look_for_linker(struct dl_phdr_info *program, size_t size, void *linker)
{
    (void)size;
    for (unsigned i = 0; i < program->dlpi_phnum; i++) {
        if (program->dlpi_phdr[i].p_type == PT_INTERP)
            *(char **)linker = (char *)(program->dlpi_addr + program->dlpi_phdr[i].p_vaddr);
    }
    return 1;
}

int main(int argc, char **argv)
{
    char *words[] = {NULL, argv[0], argv[1], argv[2], NULL};

    for (int copies = 0; copies < 2; copies++) {
        if (argc != 3 || load_a_copy(argv[1], argv[2]) != CUDA_SUCCESS)
            return EXIT_FAILURE;
    }
    dl_iterate_phdr(look_for_linker, &words[0]);
    /* execv() returns if the dynamic linker cannot be executed, such as on an emulator. */
    if (getauxval(AT_BASE) != 0 && words[0])
        execv(words[0], words);
    return EXIT_SUCCESS;
}
