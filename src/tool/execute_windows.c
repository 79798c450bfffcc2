/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cushim run` on Windows. A program that asks for nvcuda.dll by its name gets, in this order, the
 * one that it has loaded, that of its own folder, of the system's folders, of the current folder,
 * and of the PATH. So a driver of the machine comes before the mock.
 */
#define _WIN32_WINNT 0x0602
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <windows.h>

#include "loader/wide_windows.h"
#include "src/tool/system.h"

const char system_mock_library[] = "nvcuda.dll";
const char system_search_variable[] = "PATH";
const char system_search_separator[] = ";";
const char system_search_forbidden[] = ";";

bool system_path_is_absolute(const char *path)
{
    return path[0] == '/' || path[0] == '\\' || (path[0] && path[1] == ':');
}

static bool is_elevated(void)
{
    TOKEN_ELEVATION_TYPE type = TokenElevationTypeDefault;
    HANDLE token;
    DWORD size;

    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return false;
    GetTokenInformation(token, TokenElevationType, &type, sizeof type, &size);
    CloseHandle(token);
    return type == TokenElevationTypeFull;
}

static bool has_driver(void)
{
    wchar_t path[MAX_PATH + 16];
    const UINT length = GetSystemDirectoryW(path, MAX_PATH);

    if (length == 0 || length > MAX_PATH)
        return false;
    wcscpy(path + length, L"\\nvcuda.dll");
    return GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES;
}

const char *system_search_obstacle(void)
{
    const bool elevated = is_elevated();

    if (elevated && has_driver())
        return "This machine has a driver, which programs find before the mock driver; run this "
               "without elevation for those that use cushim.";
    if (elevated)
        return "Programs that use cushim will not find the mock driver, since they trust no "
               "environment when they are elevated.";
    return has_driver() ? "This machine has a driver, which all programs but those that use cushim "
                          "find before the mock driver."
                        : NULL;
}

/* Add a word to a command line, so that the C runtime of the program reads it as it is. */
static char *put_word(char *to, const char *word)
{
    size_t backslashes = 0;

    *to++ = '"';
    for (; *word; word++) {
        if (*word == '"') { /* it and the backslashes before it each take one more */
            memset(to, '\\', backslashes + 1);
            to += backslashes + 1;
        }
        backslashes = *word == '\\' ? backslashes + 1 : 0;
        *to++ = *word;
    }
    memset(to, '\\', backslashes);
    to += backslashes;
    *to++ = '"';
    return to;
}

/* All words as one line; free it. NULL: out of memory, or it is no UTF-8. */
static wchar_t *command_line(char **words)
{
    size_t size = 1;
    char *line, *end;
    wchar_t *wide;

    for (char **word = words; *word; word++)
        size += 2 * strlen(*word) + 3;
    line = end = malloc(size);
    wide = malloc(size * sizeof *wide);
    for (char **word = words; line && *word; word++) {
        if (word != words)
            *end++ = ' ';
        end = put_word(end, *word);
    }
    if (line)
        *end = '\0';
    if (!line || !wide || !cushim__wide_from(line, wide, size)) {
        free(wide);
        wide = NULL;
    }
    free(line);
    return wide;
}

/* A key that interrupts is the program's: it ends, or not, and so do we. */
static BOOL WINAPI leave_to_program(DWORD event)
{
    return event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
}

void system_execute(char **words, struct failure *failure)
{
    STARTUPINFOW info = {.cb = sizeof info};
    PROCESS_INFORMATION made;
    wchar_t *line = command_line(words);
    char message[160] = "memory ran out, or it is no UTF-8";
    DWORD code = 1, error = ERROR_SUCCESS;

    SetConsoleCtrlHandler(leave_to_program, TRUE);
    if (line && CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &info, &made)) {
        WaitForSingleObject(made.hProcess, INFINITE);
        GetExitCodeProcess(made.hProcess, &code);
        ExitProcess(code);
    }
    if (line) {
        error = GetLastError();
        cushim__wide_message(error, message, sizeof message);
    }
    free(line);
    if (error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND)
        failure_set(failure, STATUS_NOT_FOUND,
                    "Name a program of your PATH, or a file by its path.",
                    "The program '%.160s' was not found.", words[0]);
    else
        failure_set(failure, STATUS_NOT_EXECUTABLE, "",
                    "The program '%.160s' cannot be executed: %s", words[0], message);
}
