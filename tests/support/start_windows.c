/* SPDX-License-Identifier: Apache-2.0 */
#define _WIN32_WINNT 0x0602
#include "tests/support/start_windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "tests/support/environment.h"

static HANDLE own_token(void)
{
    HANDLE token;

    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY | TOKEN_DUPLICATE, &token))
        abort();
    return token;
}

/* The token of the same user without elevation, or NULL. */
static HANDLE limited_token(void)
{
    HANDLE own = own_token(), primary = NULL;
    TOKEN_LINKED_TOKEN other;
    DWORD size;

    if (GetTokenInformation(own, TokenLinkedToken, &other, sizeof other, &size)) {
        if (!DuplicateTokenEx(other.LinkedToken, MAXIMUM_ALLOWED, NULL, SecurityImpersonation,
                              TokenPrimary, &primary))
            primary = NULL;
        CloseHandle(other.LinkedToken);
    }
    CloseHandle(own);
    return primary;
}

bool start_is_elevated(void)
{
    TOKEN_ELEVATION_TYPE type;
    HANDLE token = own_token();
    DWORD size;
    const bool is_known =
        GetTokenInformation(token, TokenElevationType, &type, sizeof type, &size) != 0;

    CloseHandle(token);
    return is_known && type == TokenElevationTypeFull;
}

/*
 * Wine sometimes fails to start a process with an internal error (1359); another attempt succeeds.
 */
static bool start(HANDLE token, wchar_t *command, STARTUPINFOW *info, PROCESS_INFORMATION *process)
{
    for (int tries = 0; tries < 20; tries++) {
        if (token ? CreateProcessAsUserW(token, NULL, command, NULL, NULL, TRUE, 0, NULL, NULL,
                                         info, process)
                  : CreateProcessW(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, info, process))
            return true;
        if (GetLastError() != ERROR_INTERNAL_ERROR)
            return false;
        Sleep(50);
    }
    return false;
}

static HANDLE inheritable(HANDLE given, DWORD standard)
{
    HANDLE handle = given ? given : GetStdHandle(standard);

    if (handle && handle != INVALID_HANDLE_VALUE)
        SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    return handle;
}

void *start_command(const wchar_t *command, void *input, void *output, void *error, bool limited)
{
    STARTUPINFOW info = {
        .cb = sizeof info,
        .dwFlags = STARTF_USESTDHANDLES,
        .hStdInput = inheritable(input, STD_INPUT_HANDLE),
        .hStdOutput = inheritable(output, STD_OUTPUT_HANDLE),
        .hStdError = inheritable(error, STD_ERROR_HANDLE),
    };
    wchar_t *writable = _wcsdup(command);
    HANDLE token = limited ? limited_token() : NULL;
    PROCESS_INFORMATION process = {0};

    if (!writable || (limited && !token))
        return NULL;
    if (!start(token, writable, &info, &process))
        process.hProcess = NULL;
    if (process.hThread)
        CloseHandle(process.hThread);
    if (token)
        CloseHandle(token);
    free(writable);
    return process.hProcess;
}

unsigned start_await(void *process, unsigned seconds)
{
    DWORD code = START_TIMED_OUT;

    if (WaitForSingleObject(process, seconds * 1000) == WAIT_TIMEOUT)
        TerminateProcess(process, START_TIMED_OUT);
    WaitForSingleObject(process, INFINITE);
    GetExitCodeProcess(process, &code);
    CloseHandle(process);
    return code;
}

void environment_set(const char *name, const char *value)
{
    enum { MOST_UNITS = 32767 };
    static wchar_t wide_name[256], wide_value[MOST_UNITS];

    if (MultiByteToWideChar(CP_UTF8, 0, name, -1, wide_name, 256) == 0 ||
        (value && MultiByteToWideChar(CP_UTF8, 0, value, -1, wide_value, MOST_UNITS) == 0))
        abort();
    if (!SetEnvironmentVariableW(wide_name, value ? wide_value : NULL) &&
        GetLastError() != ERROR_ENVVAR_NOT_FOUND)
        abort();
}

#ifdef LIMITED
/*
 * Run a command without elevation, for scripts: limited.exe COMMAND [ARGUMENT]...
 *
 * Wine elevates every process, and the library does not trust the environment of an elevated
 * process.
 */

/* The command line after its first word. */
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
#endif
