/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As many copies of the library as there can be, each in a namespace of its own with a driver of its
 * own: until the linker refuses one, by an error and nothing else. `namespaces_test LIBCUSHIM DRIVER`
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/cushim.h>

/* glibc has 16 namespaces, of which the program is in one. */
enum { MOST = 16, FEWEST = 2 };

static void *copies[MOST];

static CUresult initialise(void *copy, const char *driver)
{
    const struct cushim_load_options options = {.size = sizeof options, .library = driver};
    void *address = dlsym(copy, "cushim_init");
    CUresult (*init)(const struct cushim_load_options *) = NULL;

    memcpy(&init, &address, sizeof init);
    return init ? init(&options) : CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
}

int main(int argc, char **argv)
{
    int count = 0, lost = 0;
    char why[256] = "";

    if (argc != 3)
        return EXIT_FAILURE;
    while (count < MOST) {
        copies[count] = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
        if (!copies[count]) {
            const char *words = dlerror(); /* good until the next call of its kind */
            snprintf(why, sizeof why, "%s", words ? words : "");
            break;
        }
        lost += initialise(copies[count++], argv[2]) != CUDA_SUCCESS;
    }
    /* Those that are there are none the worse for it. */
    for (int i = 0; i < count; i++)
        lost += initialise(copies[i], argv[2]) != CUDA_SUCCESS;
    printf("namespaces: %d copies, %d lost; then: %s\n", count, lost, why);
    return count >= FEWEST && lost == 0 && why[0] ? EXIT_SUCCESS : EXIT_FAILURE;
}
