/* SPDX-License-Identifier: Apache-2.0 */
#include "src/base/print.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void cushim__print(const char *text)
{
    size_t left = strlen(text);

    while (left > 0) {
        const long written = (long)write(STDERR_FILENO, text, (unsigned)left);

        if (written < 0 && errno != EINTR)
            return;
        text += written > 0 ? written : 0;
        left -= written > 0 ? (size_t)written : 0;
    }
}

void cushim__print_format(const char *format, ...)
{
    char text[4096];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    cushim__print(text);
}
