/* SPDX-License-Identifier: Apache-2.0 */
/* A child finds the folder of its parent as that has made it, and makes nothing again. */
#include "tests/support/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "tests/support/environment.h"
#include "tests/support/replay_windows.h"

static const char variable[] = "CUSHIM_TEST_FOLDER";
static char folder[FOLDER_PATH_BYTES / 2];

static void must(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "%s: error %lu\n", what, GetLastError());
        abort();
    }
}

int folder_create(void **state)
{
    char base[FOLDER_PATH_BYTES / 4];

    (void)state;
    if (replay_is_repeating()) {
        must(GetEnvironmentVariableA(variable, folder, sizeof folder) > 0, variable);
        return 0;
    }
    must(GetTempPathA(sizeof base, base) > 0, "the folder for temporary files");
    snprintf(folder, sizeof folder, "%scushim-test-%lu", base, GetCurrentProcessId());
    must(CreateDirectoryA(folder, NULL), folder);
    environment_set(variable, folder);
    return 0;
}

static void remove_all(const char *path)
{
    char pattern[FOLDER_PATH_BYTES + 4], inner[2 * FOLDER_PATH_BYTES];
    WIN32_FIND_DATAA found;
    HANDLE search;

    snprintf(pattern, sizeof pattern, "%s\\*", path);
    search = FindFirstFileA(pattern, &found);
    while (search != INVALID_HANDLE_VALUE) {
        snprintf(inner, sizeof inner, "%s\\%s", path, found.cFileName);
        if (strcmp(found.cFileName, ".") != 0 && strcmp(found.cFileName, "..") != 0) {
            if (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)
                remove_all(inner);
            else
                DeleteFileA(inner);
        }
        if (!FindNextFileA(search, &found)) {
            FindClose(search);
            break;
        }
    }
    RemoveDirectoryA(path);
}

int folder_remove(void **state)
{
    (void)state;
    if (!replay_is_repeating())
        remove_all(folder);
    return 0;
}

const char *folder_path(const char *name)
{
    static char paths[8][FOLDER_PATH_BYTES];
    static unsigned next;
    char *path = paths[next++ % 8];

    snprintf(path, FOLDER_PATH_BYTES, "%s\\%s", folder, name);
    for (char *byte = path; *byte; byte++) {
        if (*byte == '/')
            *byte = '\\';
    }
    return path;
}

const char *folder_write(const char *name, const void *bytes, size_t size)
{
    const char *path = folder_path(name);
    FILE *file;

    if (replay_is_repeating())
        return path;
    file = fopen(path, "wb");
    must(file != NULL, path);
    must(size == 0 || fwrite(bytes, size, 1, file) == 1, path);
    must(fclose(file) == 0, path);
    return path;
}

/* A second name for the file: not everybody may make symbolic links here. */
const char *folder_link(const char *name, const char *target)
{
    const char *path = folder_path(name);

    must(replay_is_repeating() || CreateHardLinkA(path, target, NULL) ||
             CopyFileA(target, path, TRUE),
         path);
    return path;
}

const char *folder_subfolder(const char *name)
{
    const char *path = folder_path(name);

    must(replay_is_repeating() || CreateDirectoryA(path, NULL), path);
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
