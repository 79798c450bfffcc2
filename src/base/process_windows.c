/* SPDX-License-Identifier: Apache-2.0 */
#define _WIN32_WINNT 0x0602
#include "src/base/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <windows.h>

#include "src/base/wide_windows.h"

void cushim__system_command_line(char *text, size_t size)
{
    if (WideCharToMultiByte(CP_UTF8, 0, GetCommandLineW(), -1, text, (int)size, NULL, NULL) == 0)
        text[size - 1] = '\0';
}

void cushim__system_program_name(char *text, size_t size)
{
    char path[1024] = "";
    const char *name;

    if (GetModuleFileNameA(NULL, path, sizeof path) == sizeof path)
        path[sizeof path - 1] = '\0';
    name = strrchr(path, '\\');
    snprintf(text, size, "%s", name ? name + 1 : path);
}

uint64_t cushim__system_thread_id(void)
{
    return GetCurrentThreadId();
}

bool cushim__system_thread_ended(uint64_t id)
{
    HANDLE thread = OpenThread(SYNCHRONIZE, FALSE, (DWORD)id);
    bool ended;

    if (!thread)
        return GetLastError() == ERROR_INVALID_PARAMETER;
    ended = WaitForSingleObject(thread, 0) == WAIT_OBJECT_0;
    CloseHandle(thread);
    return ended;
}

/* Windows counts steps of 100 ns since 1601. */
uint64_t cushim__system_unix_ns(void)
{
    FILETIME now;

    GetSystemTimeAsFileTime(&now);
    return (((uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime) - 116444736000000000u) * 100;
}

/*
 * Ask Windows, because each C runtime in the process has its own copy of the environment, and that
 * of this shared library may lack what the program has set.
 */
bool cushim__system_variable_copy(const char *name, char **value)
{
    wchar_t wide_name[64], *wide;
    DWORD units;
    int bytes;

    *value = NULL;
    if (!cushim__wide_from(name, wide_name, sizeof wide_name / sizeof *wide_name))
        return false;
    units = GetEnvironmentVariableW(wide_name, NULL, 0);
    if (units == 0)
        return true;
    wide = calloc(units, sizeof *wide);
    if (!wide)
        return false;
    /* A variable that another thread has made longer meanwhile is read as empty. */
    GetEnvironmentVariableW(wide_name, wide, units);
    bytes = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    *value = malloc((size_t)bytes);
    if (*value)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, *value, bytes, NULL, NULL);
    free(wide);
    return *value != NULL;
}

bool cushim__system_variable_nonempty(const char *name, char **value)
{
    const bool is_read = cushim__system_variable_copy(name, value);

    if (*value && !*value[0]) {
        free(*value);
        *value = NULL;
    }
    return is_read;
}
