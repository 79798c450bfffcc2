/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/wide_windows.h"

#include <string.h>
#include <windows.h>

#include "src/base/text.h"

/* A unit of UTF-16 takes at most three bytes of UTF-8. */
enum { MOST_MESSAGE = 400, BYTES_PER_UNIT = 3 };

bool cushim__wide_from(const char *text, wchar_t *wide, size_t units)
{
    return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, (int)units) > 0;
}

bool cushim__wide_path(const char *path, wchar_t *wide, size_t units)
{
    if (!cushim__wide_from(path, wide, units))
        return false;
    for (; *wide; wide++) {
        if (*wide == L'/')
            *wide = L'\\';
    }
    return true;
}

void cushim__wide_to(const wchar_t *wide, char *text, size_t size)
{
    char whole[CUSHIM__WIDE_PATH * BYTES_PER_UNIT + 1];

    const size_t units = wcslen(wide);
    const int length = WideCharToMultiByte(
        CP_UTF8, 0, wide, (int)(units < CUSHIM__WIDE_PATH ? units : CUSHIM__WIDE_PATH), whole,
        sizeof whole - 1, NULL, NULL);

    whole[length] = '\0';
    cushim__text_copy(text, size, whole);
}

void cushim__wide_message(unsigned long error, char *text, size_t size)
{
    wchar_t message[MOST_MESSAGE];
    DWORD length = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS |
                                      FORMAT_MESSAGE_MAX_WIDTH_MASK,
                                  NULL, error, 0, message, MOST_MESSAGE, NULL);
    struct cushim__text words;

    while (length > 0 && (message[length - 1] <= L' ' || message[length - 1] == L'.'))
        length--;
    if (length > 0) {
        message[length] = L'\0';
        cushim__wide_to(message, text, size);
        return;
    }
    cushim__text_begin(&words, text, size);
    cushim__text_format(&words, "Windows error %lu", error);
}
