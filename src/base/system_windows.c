/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows itself speaks UTF-16. Texts here are UTF-8, as everywhere in cushim; a path that is not
 * is taken as one of the process's code page, which is what the C runtime hands to main().
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

/* Free it. NULL: out of memory, or no text. */
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
    FILE *file = wide ? _wfopen(wide, L"wb") : NULL; /* lines end as they do elsewhere */

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

/* What GetEnvironmentVariableW() gives; free it. NULL: it is not set. False: out of memory. */
static bool wide_variable(const char *name, wchar_t **value)
{
    wchar_t *wide_name = wide_of(name), *text = NULL;
    DWORD room = wide_name ? GetEnvironmentVariableW(wide_name, NULL, 0) : 0;
    bool is_read = wide_name != NULL;

    while (room > 0) {
        wchar_t *grown = realloc(text, room * sizeof *text);
        DWORD length;

        if (!grown) {
            free(text);
            text = NULL;
            is_read = false;
            break;
        }
        text = grown;
        text[0] = L'\0';
        length = GetEnvironmentVariableW(wide_name, text, room);
        if (length < room)
            break;
        room = length; /* another thread has set it meanwhile */
    }
    free(wide_name);
    *value = text;
    return is_read;
}

/*
 * From the process itself: each C runtime of a process has a copy of its own, and that of this
 * library need not know what the program has set.
 */
bool cushim__variable(const char *name, char **value)
{
    wchar_t *wide = NULL;
    const bool is_read = wide_variable(name, &wide);
    const int bytes = wide ? WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL) : 0;
    const bool is_empty = bytes <= 0;

    *value = is_empty ? NULL : malloc((size_t)bytes);
    if (*value)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, *value, bytes, NULL, NULL);
    free(wide);
    return is_read && (is_empty || *value);
}

/* There are no set-user-ID programs. */
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
