/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/library.h"

#include <stdio.h>
#include <string.h>
#include <windows.h>

enum { MOST_UNITS = 1024 };

static const wchar_t *widen(const char *path)
{
    static wchar_t wide[MOST_UNITS];

    if (MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, MOST_UNITS) == 0)
        wide[0] = L'\0';
    for (wchar_t *unit = wide; *unit; unit++) {
        if (*unit == L'/')
            *unit = L'\\';
    }
    return wide;
}

void *library_open(const char *path)
{
    return LoadLibraryW(widen(path));
}

void *library_mapped(const char *path)
{
    return GetModuleHandleW(widen(path));
}

void *library_symbol(void *library, const char *name)
{
    FARPROC function = GetProcAddress(library, name);
    void *address;

    memcpy(&address, &function, sizeof address);
    return address;
}

void library_close(void *library)
{
    FreeLibrary(library);
}

const char *library_error(void)
{
    static char text[32];

    snprintf(text, sizeof text, "error %lu", GetLastError());
    return text;
}
