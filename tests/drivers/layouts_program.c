/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Print the file that dlopen() or cushim finds for libcuda.so.1 in this process.
 *
 *     layouts_program [open FILE | plugin FILE | namespace FILE]... dlopen|cushim
 *
 * It prints the path without symbolic links, or otherwise the reason on standard error. `open`
 * opens a file first. `plugin` lets a plugin search, which is this source built as a library;
 * `namespace` does the same in a namespace of dlmopen().
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/cushim.h>

/*
 * The caller prints, because a namespace has its own standard output. Both buffers have room for a
 * path.
 */
typedef bool find_driver(const char *how, char *path, char *error);

__attribute__((visibility("default"))) find_driver layouts_find_driver;

static bool find_by_dlopen(char *path, char *error)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    struct link_map *map;

    if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) {
        snprintf(error, PATH_MAX, "%s", dlerror());
        return false;
    }
    return realpath(map->l_name, path) != NULL;
}

static bool find_by_cushim(char *path, char *error)
{
    const CUresult code = cushim_driver_load(NULL);
    struct cushim_report *report;
    bool is_found = false;

    if (cushim_report_create(&report) != CUDA_SUCCESS)
        return false;
    if (code != CUDA_SUCCESS)
        snprintf(error, PATH_MAX, "%s", cushim_report_reason(report));
    else
        is_found = cushim_report_library(report)[0] == '/' &&
                   realpath(cushim_report_library(report), path) != NULL;
    cushim_report_destroy(report);
    return is_found;
}

bool layouts_find_driver(const char *how, char *path, char *error)
{
    return strcmp(how, "cushim") == 0 ? find_by_cushim(path, error) : find_by_dlopen(path, error);
}

static find_driver *function_of(void *plugin)
{
    void *address = plugin ? dlsym(plugin, "layouts_find_driver") : NULL;
    find_driver *function;

    if (!address) {
        fprintf(stderr, "%s\n", dlerror());
        exit(EXIT_FAILURE);
    }
    memcpy(&function, &address, sizeof function);
    return function;
}

int main(int argc, char **argv)
{
    char path[PATH_MAX] = "", error[PATH_MAX] = "";
    find_driver *find = layouts_find_driver;

    if (argc < 2)
        return EXIT_FAILURE;
    for (int i = 1; i + 2 < argc; i += 2) {
        void *library = strcmp(argv[i], "namespace") == 0
                            ? dlmopen(LM_ID_NEWLM, argv[i + 1], RTLD_NOW)
                            : dlopen(argv[i + 1], RTLD_NOW);
        if (strcmp(argv[i], "open") != 0)
            find = function_of(library);
    }
    if (!find(argv[argc - 1], path, error)) {
        fprintf(stderr, "%s\n", error);
        return EXIT_FAILURE;
    }
    puts(path);
    return EXIT_SUCCESS;
}
