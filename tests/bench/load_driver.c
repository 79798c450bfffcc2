/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Load a driver, or do what the load is compared with: load WAY DRIVER
 *
 * linker   open the library, and look up one symbol
 * names    look up all symbols of the registry by their names
 * cushim   cushim_driver_load() of the library at that path, or by a search for a name without a
 *          folder
 *
 * opened-names, opened-cushim   the same with a machine's driver, which was opened before and may
 *          be older than the registry: missing symbols are no failure
 *
 * Prints the nanoseconds that it took, and the KiB of memory that were written to meanwhile.
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

/* KiB of private pages of this process; 0: the system does not report it. */
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

/* A function inside the library, which is linked statically; it costs the loop almost nothing. */
const char *cushim__symbol_name(size_t index);

/* A complete driver has every symbol, so a missing one is a failure. */
static int load_names(const char *path, size_t count)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    int missing = library == NULL;

    for (size_t i = 0; library && i < count; i++)
        missing |= !dlsym(library, cushim__symbol_name(i));
    return missing;
}

/* Open a machine's driver for the first time. Exit status 77: there is none. */
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
    if (strcmp(way, "opened-cushim") == 0 || strcmp(way, "cushim") == 0)
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
    written_kib(); /* allocates what the function itself needs */
    before = written_kib();
    start = now_ns();
    failed = load(words[1], words[2]);
    end = now_ns();
    printf("%.0f %ld %zu\n", end - start, written_kib() - before, cushim_symbol_count());
    return failed;
}
