/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/tool/info/diagnostics_files.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/library.h"
#include "src/tool/base/output.h"

/* Larger files are read only up to this size, which is more than the linker's cache has. */
enum { MOST_BYTES = 16 << 20 };

/* Where a path is on this machine; empty if it is too long. */
struct location {
    char path[PATH_MAX];
};

static const char *locate(struct location *location, const struct system_info *info,
                          const char *path)
{
    const int length = snprintf(location->path, sizeof location->path, "%s%s", info->root, path);

    return length < (int)sizeof location->path ? location->path : "";
}

/* Open without blocking, because the path may lead to a pipe. */
static int open_file(const struct system_info *info, const char *path, int flags)
{
    struct location location;

    return open(locate(&location, info, path), flags | O_CLOEXEC | O_NONBLOCK);
}

bool file_exists(const struct system_info *info, const char *path)
{
    struct location location;

    return access(locate(&location, info, path), F_OK) == 0;
}

bool file_is_device(const struct system_info *info, const char *path)
{
    struct location location;
    struct stat status;

    return stat(locate(&location, info, path), &status) == 0 && S_ISCHR(status.st_mode);
}

/* Read up to `size` bytes. Files of /proc and /sys come in pieces. */
static size_t read_bytes(int file, char *bytes, size_t size)
{
    size_t length = 0;
    ssize_t piece;

    while (length < size && (piece = read(file, bytes + length, size - length)) > 0)
        length += (size_t)piece;
    return length;
}

bool file_read(const struct system_info *info, const char *path, char *text, size_t size)
{
    const int file = open_file(info, path, O_RDONLY);

    text[0] = '\0';
    if (file < 0)
        return false;
    text[read_bytes(file, text, size - 1)] = '\0';
    close(file);
    return true;
}

char *file_read_all(const struct system_info *info, const char *path, size_t *length)
{
    const int file = open_file(info, path, O_RDONLY);
    struct stat status;
    char *bytes = NULL;

    if (file < 0)
        return NULL;
    if (fstat(file, &status) == 0 && status.st_size > 0) {
        *length = status.st_size < MOST_BYTES ? (size_t)status.st_size : (size_t)MOST_BYTES;
        bytes = output_memory(*length);
        *length = read_bytes(file, bytes, *length);
    }
    close(file);
    return bytes;
}

int file_each(const struct system_info *info, const char *pattern,
              bool (*visit)(const struct system_info *info, const char *path, void *data),
              void *data)
{
    struct location location;
    glob_t found = {0};
    int count = 0;

    if (glob(locate(&location, info, pattern), 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            count += visit(info, found.gl_pathv[i] + strlen(info->root), data);
    }
    globfree(&found);
    return count;
}

struct first_match {
    bool (*test)(const struct system_info *info, const char *path);
    char *path; /* NULL once it is found, or if the caller does not ask for it */
};

static bool match(const struct system_info *info, const char *path, void *data)
{
    struct first_match *first = data;

    if (first->test && !first->test(info, path))
        return false;
    if (first->path)
        snprintf(first->path, FILE_PATH_BYTES, "%s", path);
    first->path = NULL;
    return true;
}

int file_count(const struct system_info *info, const char *pattern,
               bool (*test)(const struct system_info *info, const char *path), char *first)
{
    return file_each(info, pattern, match, &(struct first_match){test, first});
}

bool file_resolve(const struct system_info *info, const char *path, char *resolved)
{
    char base[PATH_MAX] = "", final[PATH_MAX];
    struct location location;
    size_t length;

    if (!realpath(locate(&location, info, path), final) ||
        (info->root[0] && !realpath(info->root, base)))
        return false;
    length = strlen(base);
    return snprintf(resolved, FILE_PATH_BYTES, "%s",
                    strncmp(final, base, length) == 0 ? final + length : final) < FILE_PATH_BYTES;
}

bool file_is_library(const struct system_info *info, const char *path,
                     struct cushim__candidate *candidate)
{
    *candidate = (struct cushim__candidate){.outcome = CUSHIM_OUTCOME_REFUSED};
    return snprintf(candidate->path, sizeof candidate->path, "%s%s", info->root, path) <
               (int)sizeof candidate->path &&
           cushim__elf_check(candidate);
}

int file_open_error(const struct system_info *info, const char *path, bool is_written)
{
    const int file = open_file(info, path, is_written ? O_RDWR : O_RDONLY);

    if (file < 0)
        return errno;
    close(file);
    return 0;
}

bool file_is_for_everybody(const struct system_info *info, const char *path)
{
    struct location location;
    struct stat status;

    return stat(locate(&location, info, path), &status) == 0 &&
           (status.st_mode & (S_IROTH | S_IWOTH)) == (S_IROTH | S_IWOTH);
}

bool file_is_empty(const struct system_info *info, const char *path)
{
    struct location location;
    struct stat status;

    return stat(locate(&location, info, path), &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_size == 0;
}

bool file_is_folder(const struct system_info *info, const char *path)
{
    struct location location;
    struct stat status;

    return stat(locate(&location, info, path), &status) == 0 && S_ISDIR(status.st_mode);
}

bool file_is_link(const struct system_info *info, const char *path)
{
    struct location location;
    struct stat status;

    return lstat(locate(&location, info, path), &status) == 0 && S_ISLNK(status.st_mode);
}
