/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/support/folder.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[FOLDER_PATH_BYTES / 2];

static void must(int ok, const char *what)
{
    if (!ok) {
        perror(what);
        abort();
    }
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

int folder_create(void **state)
{
    const char *base = getenv("TMPDIR");

    (void)state;
    snprintf(folder, sizeof folder, "%s/cushim-test-XXXXXX",
             base && base[0] == '/' ? base : "/tmp");
    must(mkdtemp(folder) != NULL, folder);
    must(chmod(folder, 0755) == 0, folder);
    return 0;
}

int folder_remove(void **state)
{
    (void)state;
    return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *folder_path(const char *name)
{
    static char paths[8][FOLDER_PATH_BYTES];
    static unsigned next;
    char *path = paths[next++ % 8];

    snprintf(path, FOLDER_PATH_BYTES, "%s/%s", folder, name);
    return path;
}

const char *folder_write(const char *name, const void *bytes, size_t size)
{
    const char *path = folder_path(name);
    FILE *file = fopen(path, "wb");

    must(file != NULL, path);
    must(size == 0 || fwrite(bytes, size, 1, file) == 1, path);
    must(fclose(file) == 0, path);
    return path;
}

const char *folder_link(const char *name, const char *target)
{
    const char *path = folder_path(name);

    must(symlink(target, path) == 0, path);
    return path;
}

const char *folder_subfolder(const char *name)
{
    const char *path = folder_path(name);

    must(mkdir(path, 0755) == 0, path);
    return path;
}

const char *folder_pipe(const char *name)
{
    const char *path = folder_path(name);

    must(mkfifo(path, 0644) == 0, path);
    return path;
}

unsigned char *folder_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes;
    long length;

    must(file != NULL, path);
    must(fseek(file, 0, SEEK_END) == 0, path);
    length = ftell(file);
    must(length > 0, path);
    rewind(file);
    bytes = malloc((size_t)length);
    must(bytes != NULL && fread(bytes, (size_t)length, 1, file) == 1, path);
    must(fclose(file) == 0, path);
    *size = (size_t)length;
    return bytes;
}
