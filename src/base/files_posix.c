/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

const char cushim__system_separators[] = "/";

/* A folder counts too: it can be opened, and has errors of its own. */
static bool is_file(const struct stat *status)
{
    return S_ISREG(status->st_mode) || S_ISDIR(status->st_mode);
}

/* The type is checked before open(), which may affect a device, and after, since it may change. */
FILE *cushim__system_open_file(const char *path)
{
    struct stat status;
    FILE *file = NULL;
    int descriptor = -1;

    if (stat(path, &status) != 0)
        return NULL;
    if (is_file(&status))
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    else
        errno = ENOTSUP;
    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &status) != 0 || !is_file(&status))
        errno = ENOTSUP;
    else
        file = fdopen(descriptor, "rb");
    if (!file)
        close(descriptor);
    return file;
}

/* A pipe without a reader is refused, because it would block the whole driver. */
FILE *cushim__system_create_file(const char *path)
{
    const int descriptor =
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    FILE *file = NULL;

    if (descriptor >= 0 && fcntl(descriptor, F_SETFL, 0) == 0)
        file = fdopen(descriptor, "w");
    if (!file && descriptor >= 0)
        close(descriptor);
    return file;
}

bool cushim__system_path_is_relative(const char *path, size_t length)
{
    return length == 0 || path[0] != '/';
}
