/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows itself uses UTF-16. Texts here are UTF-8, as everywhere in cushim; a path that is not
 * UTF-8 is read in the process's code page, in which the C runtime passes arguments to main().
 */
#include "src/base/system.h"

#include <errno.h>
#include <io.h>
#include <stdlib.h>

#include <windows.h>

const char cushim__system_separators[] = "/\\";

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

FILE *cushim__system_open_file(const char *path)
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

FILE *cushim__system_create_file(const char *path)
{
    wchar_t *wide = wide_of(path);
    FILE *file = wide ? _wfopen(wide, L"wb") : NULL; /* lines end as on other systems */

    free(wide);
    return file;
}

bool cushim__system_path_is_relative(const char *path, size_t length)
{
    return (length < 1 || (path[0] != '/' && path[0] != '\\')) && (length < 2 || path[1] != ':');
}
