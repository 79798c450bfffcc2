/* SPDX-License-Identifier: Apache-2.0 */
#define _WIN32_WINNT 0x0602
#include "src/tool/base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <shellapi.h>

#include "src/base/system.h"
#include "src/base/wide_windows.h"

static UINT former_code_page;

static void restore_code_page(void)
{
    SetConsoleOutputCP(former_code_page);
}

/* Lines end with one line feed wherever the output goes, and text is UTF-8. */
static void prepare_streams(void)
{
    for (int stream = 0; stream <= 2; stream++) {
        if (_get_osfhandle(stream) == -1 &&
            _open("NUL", stream == 2 ? _O_WRONLY : _O_RDONLY) != stream)
            exit(EXIT_FAILURE);
        _setmode(stream, _O_BINARY);
    }
    former_code_page = GetConsoleOutputCP();
    if (former_code_page != 0 && SetConsoleOutputCP(CP_UTF8))
        atexit(restore_code_page);
}

/* A text of the system as UTF-8; free it. NULL if memory runs out. */
static char *narrow(const wchar_t *wide)
{
    const int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *text = size > 0 ? malloc((size_t)size) : NULL;

    if (text)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, size, NULL, NULL);
    return text;
}

bool system_begin(int *count, char ***words)
{
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), count);
    char **narrowed = wide ? calloc((size_t)*count + 1, sizeof *narrowed) : NULL;
    bool is_done = narrowed != NULL;

    prepare_streams();
    for (int i = 0; is_done && i < *count; i++) {
        narrowed[i] = narrow(wide[i]);
        is_done = narrowed[i] != NULL;
    }
    LocalFree(wide);
    *words = narrowed; /* kept as long as the process lives */
    return is_done;
}

char *system_absolute_path(const char *path)
{
    wchar_t wide[CUSHIM__WIDE_PATH], absolute[CUSHIM__WIDE_PATH];
    DWORD length;

    if (!cushim__wide_path(path, wide, CUSHIM__WIDE_PATH))
        return NULL;
    length = GetFullPathNameW(wide, CUSHIM__WIDE_PATH, absolute, NULL);
    return length > 0 && length < CUSHIM__WIDE_PATH ? narrow(absolute) : NULL;
}

char *system_own_path(void)
{
    wchar_t path[CUSHIM__WIDE_PATH];
    const DWORD length = GetModuleFileNameW(NULL, path, CUSHIM__WIDE_PATH);

    return length > 0 && length < CUSHIM__WIDE_PATH ? narrow(path) : NULL;
}

bool system_file_exists(const char *path)
{
    wchar_t wide[CUSHIM__WIDE_PATH];

    return cushim__wide_path(path, wide, CUSHIM__WIDE_PATH) &&
           GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES;
}

FILE *system_new_file(const char *path, const char **why)
{
    wchar_t wide[CUSHIM__WIDE_PATH];
    FILE *file;

    errno = ENAMETOOLONG;
    file = cushim__wide_path(path, wide, CUSHIM__WIDE_PATH) ? _wfopen(wide, L"w") : NULL;
    *why = file ? "" : strerror(errno);
    return file;
}

system_function system_library_function(const char *path, const char *name)
{
    wchar_t wide[CUSHIM__WIDE_PATH];
    HMODULE library;

    if (!path[0] || !cushim__wide_path(path, wide, CUSHIM__WIDE_PATH) ||
        !GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT, wide, &library))
        return NULL;
    return (system_function)GetProcAddress(library, name);
}

const char *system_get(const char *name)
{
    wchar_t wide_name[64], *wide;
    DWORD units;
    const char *value;

    if (!cushim__wide_from(name, wide_name, sizeof wide_name / sizeof *wide_name))
        return NULL;
    units = GetEnvironmentVariableW(wide_name, NULL, 0);
    wide = units > 0 ? malloc(units * sizeof *wide) : NULL;
    if (!wide)
        return NULL;
    value = GetEnvironmentVariableW(wide_name, wide, units) < units ? narrow(wide) : NULL;
    free(wide);
    return value; /* kept as long as the process lives */
}

bool system_set(const char *name, const char *value, struct failure *failure)
{
    const size_t size = strlen(value) + 1;
    wchar_t wide_name[64], *wide = malloc(size * sizeof *wide);
    char message[160] = "it is no UTF-8";
    bool is_set = false;

    if (wide && cushim__wide_from(name, wide_name, sizeof wide_name / sizeof *wide_name) &&
        cushim__wide_from(value, wide, size)) {
        is_set = SetEnvironmentVariableW(wide_name, wide);
        if (!is_set)
            cushim__wide_message(GetLastError(), message, sizeof message);
    }
    free(wide);
    if (!is_set)
        failure_set(failure, STATUS_FAILED, "", "%s cannot be set: %s", name, message);
    return is_set;
}

/* A name like NUL is a device in every folder, and only opening it shows that. */
bool system_is_replaceable(const char *path)
{
    const HANDLE file =
        CreateFileA(path, 0, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    const bool is_there = file != INVALID_HANDLE_VALUE;
    const bool is_file =
        is_there ? GetFileType(file) == FILE_TYPE_DISK : GetLastError() == ERROR_FILE_NOT_FOUND;

    if (is_there)
        CloseHandle(file);
    return is_file;
}

bool system_replace(const char *from, const char *path)
{
    if (MoveFileExA(from, path, MOVEFILE_REPLACE_EXISTING))
        return true;
    errno = EACCES;
    return false;
}

void system_end(int status)
{
    TerminateProcess(GetCurrentProcess(), (UINT)status);
}

bool system_is_terminal(FILE *stream)
{
    return _isatty(_fileno(stream)) != 0;
}

/*
 * A program that loads nvcuda.dll by name gets, in this order, the one that it has already loaded,
 * or the one in its own folder, the system's folders, the current folder, or the PATH. So a driver
 * of the machine comes before the mock.
 */
const char system_mock_library[] = "nvcuda.dll";
const char system_search_variable[] = "PATH";
const char system_search_separator[] = ";";
const char system_search_forbidden[] = ";";
const bool system_loads_kernels = false;

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
    const bool elevated = cushim__system_ignores_environment(NULL);

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

/* Add a word to a command line, quoted so that the program's C runtime reads it unchanged. */
static char *put_word(char *to, const char *word)
{
    size_t backslashes = 0;

    *to++ = '"';
    for (; *word; word++) {
        if (*word == '"') { /* the quote and each backslash before it take one more */
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

wchar_t *system_command_line(const char *const *words)
{
    size_t size = 1;
    char *line, *end;
    wchar_t *wide;

    for (const char *const *word = words; *word; word++)
        size += 2 * strlen(*word) + 3;
    line = end = malloc(size);
    wide = malloc(size * sizeof *wide);
    for (const char *const *word = words; line && *word; word++) {
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

/* Interrupting keys are left to the program: if it ends, so does this command. */
static BOOL WINAPI leave_to_program(DWORD event)
{
    return event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
}

void system_execute(char **words, struct failure *failure)
{
    STARTUPINFOW info = {.cb = sizeof info};
    PROCESS_INFORMATION made;
    wchar_t *line = system_command_line((const char *const *)words);
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
    failure_set_program(failure, words[0],
                        error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND, message);
}
