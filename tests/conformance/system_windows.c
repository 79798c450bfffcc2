/* SPDX-License-Identifier: Apache-2.0 */
/* Files. Statement 9 is about fork(), which Windows lacks. */
#include "system.h"

#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "cases.h"
#include "tests/support/verdict.h"

const char file_of_the_driver[] = "nvcuda.dll";

bool file_absolute(const char *path, char absolute[FILE_PATH_BYTES])
{
    const DWORD length = GetFullPathNameA(path, FILE_PATH_BYTES, absolute, NULL);

    return length > 0 && length < FILE_PATH_BYTES && file_exists(absolute);
}

bool file_of(const void *symbol, char absolute[FILE_PATH_BYTES])
{
    HMODULE library;

    return GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                  GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                              symbol, &library) &&
           GetModuleFileNameA(library, absolute, FILE_PATH_BYTES) > 0;
}

bool file_exists(const char *path)
{
    return GetFileAttributesA(path) != INVALID_FILE_ATTRIBUTES;
}

const char *file_write(const void *bytes, size_t size)
{
    static char path[MAX_PATH];
    FILE *file;

    if (GetTempFileNameA(file_folder(), "csh", 0, path) == 0)
        fail("a temporary file cannot be created: error %lu", GetLastError());
    file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        fail("%s cannot be written", path);
    return path;
}

const char *file_folder(void)
{
    static char folder[MAX_PATH];

    if (GetTempPathA(sizeof folder, folder) == 0)
        fail("there is no folder for temporary files");
    return folder;
}

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '\\');

    return slash ? slash + 1 : path;
}

#define NO_FORK(statement, claim, of_class)                                 \
    CASE(statement, claim, .class = of_class, .may_skip = ON_MOCK | ON_GPU) \
    {                                                                       \
        skip("Windows has no fork");                                        \
    }
NO_FORK(009, forked_child_is_not_initialised, MEASURED)
NO_FORK(009, inherited_event_is_undefined, MEASURED)
NO_FORK(209, wrong_arguments_come_first_in_a_forked_child, MEASURED)
NO_FORK(cushim, driver_refuses_a_forked_child, CUSHIM)
