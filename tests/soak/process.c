/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "process.h"

#include <dirent.h>
#include <dlfcn.h>
#ifdef SOAK_MALLINFO2
#include <malloc.h>
#endif
#include <stdio.h>
#include <string.h>
#include <unistd.h>

double process_resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    double bytes = -1;

    if (!file)
        return -1;
    if (fscanf(file, "%*u %lu", &pages) == 1)
        bytes = (double)pages * (double)sysconf(_SC_PAGESIZE);
    fclose(file);
    return bytes;
}

double process_heap_bytes(void)
{
#ifdef SOAK_MALLINFO2
    const struct mallinfo2 info = mallinfo2();

    return (double)info.uordblks + (double)info.hblkhd;
#else
    return -1;
#endif
}

/* How many things a folder of /proc has. */
static double entries(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    double count = 0;

    if (!folder)
        return -1;
    while ((entry = readdir(folder)))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

double process_descriptors(void)
{
    /* One is that of the folder itself. */
    return entries("/proc/self/fd") - 1;
}

double process_threads(void)
{
    return entries("/proc/self/task");
}

/* Write a function's address where a pointer to it stands. */
static bool find(void *library, const char *name, void *function, size_t size)
{
    void *found = dlsym(library, name);

    memcpy(function, &found, size);
    return found != NULL;
}

bool process_mock_state(struct cushim_mock_state *state)
{
    struct cushim_mock *(*current)(void) = NULL;
    CUresult (*get)(struct cushim_mock *, struct cushim_mock_state *) = NULL;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    bool is_mock = false;

    if (!library)
        return false;
    if (find(library, "cushim_mock_current", &current, sizeof current) &&
        find(library, "cushim_mock_state_get", &get, sizeof get))
        is_mock = get(current(), state) == CUDA_SUCCESS;
    dlclose(library);
    return is_mock;
}
