/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows itself uses UTF-16. Texts here are UTF-8, as everywhere in cushim; a path that is not
 * UTF-8 is read in the process's code page, in which the C runtime passes arguments to main().
 */
#include "src/base/system.h"

#include <errno.h>
#include <io.h>
#include <malloc.h>
#include <stdlib.h>

#include <windows.h>

const bool cushim__host_is_windows = true;
const char cushim__host_separators[] = "/\\";

uint64_t cushim__host_ns(void)
{
    const uint64_t second_ns = 1000000000;
    LARGE_INTEGER now, second;

    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&second);
    return (uint64_t)(now.QuadPart / second.QuadPart) * second_ns +
           (uint64_t)(now.QuadPart % second.QuadPart) * second_ns / (uint64_t)second.QuadPart;
}

/* Convert to UTF-16; the caller frees the result. NULL if memory runs out or there is no text. */
static wchar_t *wide_of(const char *text)
{
    UINT page = CP_UTF8;
    int units = MultiByteToWideChar(page, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide;

    if (units == 0)
        units = MultiByteToWideChar(page = CP_ACP, 0, text, -1, NULL, 0);
    wide = units > 0 ? malloc((size_t)units * sizeof *wide) : NULL;
    if (wide)
        MultiByteToWideChar(page, 0, text, -1, wide, units);
    return wide;
}

FILE *cushim__host_file(const char *path)
{
    wchar_t *wide = wide_of(path);
    FILE *file = wide ? _wfopen(wide, L"rbN") : NULL; /* N: not inherited */
    int why = wide ? errno : ENOMEM;
    DWORD attributes = wide && !file ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;

    free(wide);
    if (attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_DIRECTORY)
        why = EISDIR;
    if (file && GetFileType((HANDLE)_get_osfhandle(_fileno(file))) != FILE_TYPE_DISK) {
        fclose(file);
        file = NULL;
        why = ENOTSUP;
    }
    if (!file)
        errno = why;
    return file;
}

FILE *cushim__host_new_file(const char *path)
{
    wchar_t *wide = wide_of(path);
    FILE *file = wide ? _wfopen(wide, L"wb") : NULL; /* lines end as on other systems */

    free(wide);
    return file;
}

bool cushim__host_path_is_rooted(const char *path, size_t length)
{
    return (length > 0 && (path[0] == '/' || path[0] == '\\')) || (length > 1 && path[1] == ':');
}

void *cushim__host_memory(size_t alignment, size_t bytes)
{
    return _aligned_malloc(bytes, alignment);
}

void cushim__host_memory_free(void *memory)
{
    _aligned_free(memory);
}

/*
 * Ask the process itself, since each C runtime in it has its own copy of the environment, and this
 * library's need not know what the program has set.
 */
bool cushim__variable(const char *name, char **value)
{
    wchar_t *wide_name = wide_of(name);
    const DWORD units = wide_name ? GetEnvironmentVariableW(wide_name, NULL, 0) : 0;
    wchar_t *wide = units > 0 ? calloc(units, sizeof *wide) : NULL;
    bool is_read = wide_name && (units == 0 || wide);
    int bytes = 0;

    *value = NULL;
    /* A variable that another thread has made longer meanwhile is read as empty. */
    if (wide) {
        GetEnvironmentVariableW(wide_name, wide, units);
        bytes = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
        *value = malloc((size_t)bytes);
        is_read = *value != NULL;
    }
    if (*value)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, *value, bytes, NULL, NULL);
    free(wide_name);
    free(wide);
    return is_read;
}

/* Windows has no set-user-ID programs. */
bool cushim__variable_said(const char *name, char **value)
{
    const bool is_read = cushim__variable(name, value);

    if (*value && !*value[0]) {
        free(*value);
        *value = NULL;
    }
    return is_read;
}

/* There are no forks on Windows. */
void cushim__set_fork_handlers(enum cushim__fork_part part,
                               const struct cushim__fork_handlers *handlers)
{
    (void)part;
    (void)handlers;
}
