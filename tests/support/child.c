/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/child.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/counters.h"

void child_end(void)
{
    fflush(NULL);
    counters_write();
    _exit(EXIT_SUCCESS);
}

void child_fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(NULL);
    counters_write();
    _exit(EXIT_FAILURE);
}

void child__check_int(long actual, long expected, const char *what, const char *file, int line)
{
    if (actual != expected)
        child_fail("%s:%d: %s is %ld, not %ld\n", file, line, what, actual, expected);
}

void child__check_text(const char *actual, const char *expected, bool ok, const char *what,
                       const char *file, int line)
{
    if (!ok)
        child_fail("%s:%d: %s is \"%s\", expected \"%s\"\n", file, line, what, actual, expected);
}
