/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/base/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/name.h"

/* Exists since Linux 5.14; older headers lack it. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Making a file larger than this raises a signal that ends the process. */
static bool may_be_so_large(uint64_t bytes)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           bytes <= limit.rlim_cur;
}

void *cushim__file_map(const char *path, uint64_t bytes)
{
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
    void *pages = MAP_FAILED;
    int error;

    if (file < 0)
        return NULL;
    errno = EFBIG;
    if (may_be_so_large(bytes) && ftruncate(file, (off_t)bytes) == 0)
        pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    error = errno;
    close(file);
    if (pages != MAP_FAILED)
        return pages;
    unlink(path);
    errno = error;
    return NULL;
}

void cushim__file_unmap(void *pages, uint64_t bytes)
{
    munmap(pages, bytes);
}

char *cushim__file_absolute(const char *path)
{
    char folder[PATH_MAX], absolute[2 * PATH_MAX];

    if (path[0] == '/' || !getcwd(folder, sizeof folder))
        return cushim__name_copy(path, strlen(path));
    snprintf(absolute, sizeof absolute, "%s/%s", folder, path);
    return cushim__name_copy(absolute, strlen(absolute));
}

bool cushim__file_reserve(const char *path, void *pages, uint64_t offset, uint64_t bytes)
{
    bool has_room;
    int file;

    if (madvise((char *)pages + offset, bytes, MADV_POPULATE_WRITE) == 0)
        return true;
    if (errno == EFAULT)
        return false;
    file = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (file < 0)
        return false;
    has_room = fallocate(file, 0, (off_t)offset, (off_t)bytes) == 0 || errno == EOPNOTSUPP ||
               errno == ENOSYS;
    close(file);
    return has_room;
}

void cushim__file_cut(const char *path, uint64_t bytes)
{
    /* The file is complete even without this. */
    if (truncate(path, (off_t)bytes) != 0)
        errno = 0;
}
