/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/support/counters.h"

static void say(const char *format, va_list arguments)
{
    static _Atomic unsigned said;
    char text[2048];

    vsnprintf(text, sizeof text, format, arguments);
    fprintf(stderr, "%s%s", said++ > 0 ? "; " : "", text);
}

/*
 * A process that has used the driver calls _exit(): what a case leaves behind on purpose (endless
 * work, a broken context) would block an ordinary exit.
 */
static _Noreturn void end(int status)
{
    fflush(NULL);
    counters_write();
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
