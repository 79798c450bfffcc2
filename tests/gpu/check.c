/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cushim/error.h>

#include "begin.h"
#include "loader/codes.h"

static char said[2048];

static void say(const char *format, va_list arguments)
{
    size_t length = strlen(said);

    if (length > 0 && length < sizeof said - 2) {
        strcpy(said + length, "; ");
        length += 2;
    }
    vsnprintf(said + length, sizeof said - length, format, arguments);
}

/*
 * A process that has used the driver ends at once: what a case left behind on purpose (work that
 * never ends, a broken context) would keep an orderly exit waiting.
 */
static _Noreturn void end(int status)
{
    fputs(said, status == CASE_PASSED ? stdout : stderr); /* a peer's stdout is its words' */
    fflush(NULL);
    _exit(status);
}

void detail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

void skip(const char *format, ...)
{
    va_list arguments;

    said[0] = '\0';
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    end(CASE_SKIPPED);
}

void fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    end(CASE_FAILED);
}

void pass(void)
{
    end(CASE_PASSED);
}

/* Whether the driver could not do better: it lacks a symbol, or is one that was named to run on. */
static bool is_beyond_the_driver(CUresult code)
{
    if (code == CUDA_ERROR_NOT_SUPPORTED)
        return begin_library != NULL;
    if (code != CUSHIM__REQUIRES_NEWER_DRIVER)
        return false;
    for (size_t i = 0; i < cushim_symbol_count(); i++) {
        if (cushim_symbol_missed(i))
            return true;
    }
    return false;
}

void check_code(const char *file, int line, const char *text, CUresult got, CUresult want)
{
    if (got == want)
        return;
    if (is_beyond_the_driver(got))
        skip("the driver answers %d %s to %s", (int)got, cushim_error_name(got), text);
    fail("%s:%d: %s answers %d %s instead of %d %s", file, line, text, (int)got,
         cushim_error_name(got), (int)want, cushim_error_name(want));
}

void check_true(const char *file, int line, const char *text, bool holds)
{
    if (!holds)
        fail("%s:%d: not so: %s", file, line, text);
}
