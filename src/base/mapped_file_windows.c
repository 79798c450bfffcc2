/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/mapped_file.h"

#include <errno.h>
#include <string.h>
#include <windows.h>
#include <winioctl.h>

#include "src/base/name.h"

static HANDLE open_new(const char *path)
{
    wchar_t wide[MAX_PATH];

    if (MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, MAX_PATH) == 0)
        return INVALID_HANDLE_VALUE;
    return CreateFileW(wide, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, NULL, CREATE_NEW,
                       FILE_ATTRIBUTE_NORMAL, NULL);
}

/* The mapping keeps the file open. */
void *cushim__file_map(const char *path, uint64_t bytes)
{
    const HANDLE file = open_new(path);
    HANDLE mapping;
    void *pages = NULL;
    DWORD ignored;

    if (file == INVALID_HANDLE_VALUE) {
        errno = GetLastError() == ERROR_FILE_EXISTS ? EEXIST : EACCES;
        return NULL;
    }
    DeviceIoControl(file, FSCTL_SET_SPARSE, NULL, 0, NULL, 0, &ignored, NULL);
    mapping =
        CreateFileMappingW(file, NULL, PAGE_READWRITE, (DWORD)(bytes >> 32), (DWORD)bytes, NULL);
    if (mapping) {
        pages = MapViewOfFile(mapping, FILE_MAP_ALL_ACCESS, 0, 0, 0);
        CloseHandle(mapping);
    }
    CloseHandle(file);
    if (!pages)
        errno = ENOMEM;
    return pages;
}

void cushim__file_unmap(void *pages, uint64_t bytes)
{
    (void)bytes;
    UnmapViewOfFile(pages);
}

/* Returns the path unchanged, since a file is opened only once. */
char *cushim__file_absolute(const char *path)
{
    return cushim__name_copy(path, strlen(path));
}

/* A page without disk space raises an exception; Windows has no way to ask before. */
bool cushim__file_reserve(const char *path, void *pages, uint64_t offset, uint64_t bytes)
{
    (void)path;
    (void)pages;
    (void)offset;
    (void)bytes;
    return true;
}

void cushim__file_cut(const char *path, uint64_t bytes)
{
    (void)path;
    (void)bytes;
}
