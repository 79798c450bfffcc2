/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that loads a driver as other programs do, for tests of the mock's library. It knows
 * nothing of cushim.
 *
 *     client LIBRARY WORD...    `default`: the library that the process has already loaded
 *
 * Each word is a symbol that the program calls with zeros; it prints the result. `has:SYMBOL`
 * prints whether the symbol exists. `stream` creates a context and a stream and destroys neither.
 * `garbage` queries an invalid event. `fork` runs the remaining words in a child.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "tests/support/library.h"

typedef int (*function)(uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static void *library;

static function find(const char *symbol)
{
    void *found = library_symbol(library, symbol);
    function result = NULL;

    memcpy(&result, &found, sizeof result);
    return result;
}

static int call(const char *symbol, uintptr_t argument)
{
    function found = find(symbol);

    return found ? found(argument, 0, 0, 0) : -1;
}

static int leave_a_stream(void)
{
    void *context, *stream;
    int code = find("cuCtxCreate_v2")((uintptr_t)&context, 0, 0, 0);

    return code ? code : find("cuStreamCreate")((uintptr_t)&stream, 0, 0, 0);
}

/*
 * Returns only in a forked child; the parent exits with the child's status. On Windows this fails.
 */
static void go_on_in_child(void)
{
#ifdef _WIN32
    puts("Windows has no fork");
    exit(1);
#else
    const pid_t child = fork();
    int status = 1;

    if (child == 0)
        return;
    waitpid(child, &status, 0);
    exit(status == 0 ? 0 : 1);
#endif
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    library = strcmp(argv[1], "default") == 0 ? NULL : library_open(argv[1]);
    if (strcmp(argv[1], "default") != 0 && !library) {
        puts(library_error());
        return 1;
    }
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "fork") == 0)
            go_on_in_child();
        else if (strncmp(argv[i], "has:", 4) == 0)
            printf("%s %d\n", argv[i] + 4, find(argv[i] + 4) != NULL);
        else if (strcmp(argv[i], "garbage") == 0)
            printf("garbage %d\n", call("cuEventQuery", 0x1234));
        else if (strcmp(argv[i], "stream") == 0)
            printf("stream %d\n", leave_a_stream());
        else
            printf("%s %d\n", argv[i], call(argv[i], 0));
        fflush(stdout);
    }
    return 0;
}
