/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/drivers/real.h"
#include "loader/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/child.h"
#include "tests/support/folder.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { SKIPPED = 77 };

static const struct generation generations[] = {
    {"340.108", 6050, 243, CUDA_ERROR_NO_DEVICE, false},
    {"390.157", 9010, 321, CUDA_ERROR_UNKNOWN, true},
    {"418.226.00", 10010, 380, CUDA_ERROR_NO_DEVICE, true},
    {"450.248.02", 11000, 415, CUDA_ERROR_NO_DEVICE, false},
    {"470.256.02", 11040, 487, CUDA_ERROR_NO_DEVICE, false},
    {"525.147.05", 12000, 538, CUDA_ERROR_NO_DEVICE, false},
    {"535.261.03", 12020, 555, CUDA_ERROR_NO_DEVICE, false},
    {"550.163.01", 12040, 591, CUDA_ERROR_NO_DEVICE, false},
    {"555.58.02", 12050, 598, CUDA_ERROR_NO_DEVICE, false},
};

static const char *folder, *exceptions;

const char *real_library(const struct generation *generation)
{
    static char path[FOLDER_PATH_BYTES];

    snprintf(path, sizeof path, "%s/%s/libcuda.so.1", folder, generation->release);
    return path;
}

static bool is_here(const struct generation *generation)
{
    return access(real_library(generation), R_OK) == 0;
}

int real_begin(int argc, char **argv, real_visit visit)
{
    unsigned here = 0;

    if (argc != 3 && argc != 5)
        return EXIT_FAILURE;
    folder = argv[1];
    exceptions = argv[2];
    if (argc == 5) {
        visit(&generations[atoi(argv[3])], (enum route)atoi(argv[4]));
        child_end();
    }
    for (size_t i = 0; i < COUNT(generations); i++) {
        here += is_here(&generations[i]);
        if (!is_here(&generations[i]))
            printf("left out: %s is not in %s\n", generations[i].release, folder);
    }
    printf("%u of %zu driver generations\n", here, COUNT(generations));
    return here ? 0 : SKIPPED;
}

/* A visit that a child process makes. */
struct start {
    size_t generation;
    enum route route;
};

static void start_anew(const void *data)
{
    const struct start *start = data;
    const struct generation *generation = &generations[start->generation];
    const bool with_path = generation->needs_path || start->route == ROUTE_SEARCH;
    char index[24], route[24], path[FOLDER_PATH_BYTES];
    const char *const arguments[] = {folder, exceptions, index, route, NULL};

    snprintf(index, sizeof index, "%zu", start->generation);
    snprintf(route, sizeof route, "%d", (int)start->route);
    snprintf(path, sizeof path, "%s/%s", folder, generation->release);
    route_restart(with_path ? path : NULL, arguments);
}

unsigned real_each(enum route route)
{
    unsigned failures = 0;

    for (size_t i = 0; i < COUNT(generations); i++) {
        const struct start start = {i, route};
        char title[64];

        snprintf(title, sizeof title, "%s by %s", generations[i].release, route_name(route));
        if (is_here(&generations[i]))
            failures += !child_passes(title, start_anew, &start);
    }
    return failures;
}

/*
 * Whether the generation deviates from the registry in this symbol: `kind` is `missing` (old
 * enough, but not exported) or `early` (too new, but exported).
 */
static bool is_exception(const struct generation *generation, const char *symbol, const char *kind)
{
    char line[512], driver[64], row[128], deviation[32];
    bool found = false;
    FILE *file = fopen(exceptions, "r");

    check(file != NULL);
    while (!found && fgets(line, sizeof line, file))
        found = line[0] != '#' &&
                sscanf(line, "%63s %*d %127s %31s", driver, row, deviation) == 3 &&
                strcmp(driver, generation->release) == 0 && strcmp(row, symbol) == 0 &&
                strcmp(deviation, kind) == 0;
    fclose(file);
    return found;
}

bool real_has(const struct generation *generation, size_t index)
{
    const char *symbol = cushim__symbol_name(index);

    /* Only on Windows. */
    if (strcmp(symbol, "cuWGLGetDevice") == 0)
        return false;
    return cushim__symbol_since(index) <= generation->version
               ? !is_exception(generation, symbol, "missing")
               : is_exception(generation, symbol, "early");
}

bool real_without_gpu(void)
{
    return access("/dev/nvidia0", F_OK) != 0 && access("/dev/dxg", F_OK) != 0;
}
