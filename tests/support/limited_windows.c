/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run a command without elevation, for scripts: limited.exe COMMAND [ARGUMENT]...
 *
 * Wine runs everything elevated, and the library does not trust the environment of such a process.
 */
#include <stdbool.h>
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

#include "tests/support/start_windows.h"

/* What follows the first word of the command line. */
static const wchar_t *rest(const wchar_t *line)
{
    bool is_quoted = false;

    for (; *line && (is_quoted || *line != L' '); line++) {
        if (*line == L'"')
            is_quoted = !is_quoted;
    }
    return line + wcsspn(line, L" ");
}

int main(void)
{
    const wchar_t *command = rest(GetCommandLineW());
    void *process = start_command(command, NULL, NULL, NULL, start_is_elevated());

    if (!process) {
        fprintf(stderr, "limited: error %lu: %ls\n", GetLastError(), command);
        return 1;
    }
    return (int)start_await(process, 600);
}
