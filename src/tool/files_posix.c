/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/tool/files.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/report.h"

#include "loader/library.h"
#include "src/tool/output.h"

/* More than any list of libraries has: a file that is larger is read up to here. */
enum { MOST_BYTES = 16 << 20 };

/* Where a path is on this machine. NULL: it is too long to be there. */
static const char *place(char *buffer, size_t size, const char *root, const char *path)
{
    return snprintf(buffer, size, "%s%s", root, path) < (int)size ? buffer : NULL;
}

static int open_file(const char *root, const char *path, int flags)
{
    char buffer[PATH_MAX];
    const char *there = place(buffer, sizeof buffer, root, path);

    if (!there) {
        errno = ENAMETOOLONG;
        return -1;
    }
    /* Not blocking: the path may lead to a pipe. */
    return open(there, flags | O_CLOEXEC | O_NONBLOCK);
}

bool files_exists(const char *root, const char *path)
{
    char buffer[PATH_MAX];
    const char *there = place(buffer, sizeof buffer, root, path);

    return there && access(there, F_OK) == 0;
}

bool files_is_device(const char *root, const char *path)
{
    char buffer[PATH_MAX];
    const char *there = place(buffer, sizeof buffer, root, path);
    struct stat status;

    return there && stat(there, &status) == 0 && S_ISCHR(status.st_mode);
}

bool files_is_dangling(const char *root, const char *path)
{
    char buffer[PATH_MAX];
    const char *there = place(buffer, sizeof buffer, root, path);
    struct stat status;

    return there && lstat(there, &status) == 0 && S_ISLNK(status.st_mode) &&
           access(there, F_OK) != 0 && errno == ENOENT;
}

/* Up to `size` bytes. Those of /proc and /sys come in pieces. */
static size_t read_bytes(int file, char *bytes, size_t size)
{
    size_t length = 0;
    ssize_t piece;

    while (length < size && (piece = read(file, bytes + length, size - length)) > 0)
        length += (size_t)piece;
    return length;
}

bool files_read(const char *root, const char *path, char *text, size_t size)
{
    const int file = open_file(root, path, O_RDONLY);

    text[0] = '\0';
    if (file < 0)
        return false;
    text[read_bytes(file, text, size - 1)] = '\0';
    close(file);
    return true;
}

bool files_each(const char *root, const char *pattern, bool (*visit)(void *data, const char *path),
                void *data)
{
    char buffer[PATH_MAX];
    const char *there = place(buffer, sizeof buffer, root, pattern);
    glob_t found = {0};
    bool is_done = false;

    if (there && glob(there, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && !is_done; i++)
            is_done = visit(data, found.gl_pathv[i] + strlen(root));
    }
    globfree(&found);
    return is_done;
}

bool files_resolve(const char *root, const char *path, char *resolved, size_t size)
{
    char buffer[PATH_MAX], base[PATH_MAX] = "", final[PATH_MAX];
    const char *there = place(buffer, sizeof buffer, root, path);
    size_t length;

    if (!there || !realpath(there, final) || (root[0] && !realpath(root, base)))
        return false;
    length = strlen(base);
    return snprintf(resolved, size, "%s",
                    strncmp(final, base, length) == 0 ? final + length : final) < (int)size;
}

bool files_is_refused(const char *root, const char *path, const char **why)
{
    const int file = open_file(root, path, O_RDWR);

    if (file >= 0) {
        close(file);
        return false;
    }
    *why = strerror(errno);
    return errno == EACCES || errno == EPERM;
}

bool files_is_library(const char *root, const char *path, struct cushim__candidate *candidate)
{
    *candidate = (struct cushim__candidate){.outcome = CUSHIM_OUTCOME_REFUSED};
    return place(candidate->path, sizeof candidate->path, root, path) &&
           cushim__elf_check(candidate);
}

bool files_look(const char *root, const char *path, struct files_entry *entry)
{
    char buffer[PATH_MAX];
    const char *there = place(buffer, sizeof buffer, root, path);
    struct stat status;
    ssize_t length = 0;

    if (!there || lstat(there, &status) != 0)
        return false;
    *entry = (struct files_entry){.is_folder = S_ISDIR(status.st_mode),
                                  .is_link = S_ISLNK(status.st_mode),
                                  .user = status.st_uid,
                                  .group = status.st_gid,
                                  .mode = status.st_mode & 07777};
    if (entry->is_link)
        length = readlink(there, entry->target, sizeof entry->target);
    if (length < 0 || (size_t)length == sizeof entry->target)
        return false;
    entry->target[length] = '\0';
    return true;
}

unsigned long files_user(void)
{
    return geteuid();
}

bool files_each_string(const char *root, const char *path, const char *end,
                       bool (*visit)(void *data, const char *string), void *data)
{
    const int file = open_file(root, path, O_RDONLY);
    const size_t end_size = strlen(end) + 1;
    struct stat status;
    char *bytes, *next;
    size_t length;
    bool is_done = false;

    if (file < 0)
        return false;
    if (fstat(file, &status) != 0 || status.st_size <= 0) {
        close(file);
        return false;
    }
    length = status.st_size < MOST_BYTES ? (size_t)status.st_size : (size_t)MOST_BYTES;
    bytes = output_memory(length);
    length = read_bytes(file, bytes, length);
    close(file);
    for (next = bytes; !is_done; next += end_size) {
        char *start = next = memmem(next, length - (size_t)(next - bytes), end, end_size);
        if (!next)
            break;
        while (start > bytes && start[-1])
            start--;
        is_done = visit(data, start);
    }
    free(bytes);
    return is_done;
}
