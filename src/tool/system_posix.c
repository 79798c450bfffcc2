/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include "src/tool/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void system_hold_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        /* Opening takes the lowest number that is free: this one. For reading only, so that what
         * is written to a standard output that is closed still fails. */
        if (fcntl(stream, F_GETFD) == -1 && errno == EBADF &&
            open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY) != stream)
            exit(EXIT_FAILURE);
    }
}

char *system_absolute_path(const char *path)
{
    char *resolved = realpath(path, NULL);
    char *folder, *joined;
    size_t size;

    if (resolved)
        return resolved;
    folder = realpath(".", NULL);
    if (!folder)
        return NULL;
    size = strlen(folder) + strlen(path) + 2;
    joined = malloc(size);
    if (joined)
        snprintf(joined, size, "%s/%s", folder, path);
    free(folder);
    return joined;
}

bool system_error_is_terminal(void)
{
    return isatty(STDERR_FILENO) == 1;
}

double system_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
