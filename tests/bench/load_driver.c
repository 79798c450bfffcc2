/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A load of a driver, and what it is held against: load WAY DRIVER
 *
 * linker   the library is opened, and one symbol is found
 * names    so are all symbols of the registry, by their names
 * cushim   cushim_driver_load() of the library at that path; by search, if it is a name without a
 * folder
 *
 * opened-names, opened-cushim   the same on a machine's driver, which was opened before and may be
 *          older than the registry: symbols that it lacks are no failure
 *
 * Prints the nanoseconds that it took, and the KiB of memory that it has written to since.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cushim/cushim.h>

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* KiB of pages that are this process's own by now; 0: the system does not report it. */
static long written_kib(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    long kib = 0;

    while (file && fgets(line, sizeof line, file))
        sscanf(line, "Private_Dirty: %ld", &kib);
    if (file)
        fclose(file);
    return kib;
}

static int load_cushim(const char *path)
{
    const struct cushim_load_options options = {
        .size = sizeof options,
        .library = strchr(path, '/') ? path : NULL,
    };

    return cushim_driver_load(&options) != CUDA_SUCCESS;
}

/* Inside the library, which is linked statically: the name alone, so that the loop costs nothing. */
const char *cushim__symbol_name(size_t index);

/* A complete driver has them all: one that is not found is a failure. */
static int load_names(const char *path, size_t count)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    int missing = library == NULL;

    for (size_t i = 0; library && i < count; i++)
        missing |= !dlsym(library, cushim__symbol_name(i));
    return missing;
}

/* A program's first use of a machine's driver. Exit status 77: there is none. */
static void open_before(const char *path)
{
    if (!dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
        printf("%s\n", dlerror());
        exit(77);
    }
}

static int load(const char *way, const char *path)
{
    if (strcmp(way, "opened-names") == 0)
        return load_names(path, cushim_symbol_count()), 0;
    if (strcmp(way, "opened-cushim") == 0)
        return load_cushim(path);
    if (strcmp(way, "cushim") == 0)
        return load_cushim(path);
    return load_names(path, strcmp(way, "names") == 0 ? cushim_symbol_count() : 1);
}

int main(int count, char **words)
{
    double start, end;
    long before;
    int failed;

    if (count != 3) {
        fprintf(stderr, "usage: load [opened-]names|cushim|linker DRIVER\n");
        return 2;
    }
    if (strncmp(words[1], "opened-", 7) == 0)
        open_before(words[2]);
    written_kib(); /* what it needs itself is there from now on */
    before = written_kib();
    start = now_ns();
    failed = load(words[1], words[2]);
    end = now_ns();
    printf("%.0f %ld %zu\n", end - start, written_kib() - before, cushim_symbol_count());
    return failed;
}
