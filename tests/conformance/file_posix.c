/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "file.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/verdict.h"

_Static_assert((int)FILE_PATH_BYTES >= PATH_MAX, "realpath() writes as much");

const char file_of_the_driver[] = "libcuda.so.1";

bool file_absolute(const char *path, char absolute[FILE_PATH_BYTES])
{
    return realpath(path, absolute) != NULL;
}

bool file_of(const void *symbol, char absolute[FILE_PATH_BYTES])
{
    Dl_info info;

    return dladdr(symbol, &info) != 0 && file_absolute(info.dli_fname, absolute);
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

const char *file_write(const void *bytes, size_t size)
{
    static char path[64];
    int file;

    snprintf(path, sizeof path, "%s/cushim-conformance-XXXXXX", file_folder());
    file = mkstemp(path);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size)
        fail("%s cannot be written", path);
    close(file);
    return path;
}

const char *file_folder(void)
{
    return "/tmp";
}

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}
