/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries by the loader of Windows. */
#define _WIN32_WINNT 0x0602
#include "loader/library.h"

#include <string.h>
#include <windows.h>

#include "loader/imports_windows.h"
#include "loader/pe.h"
#include "loader/system.h"
#include "loader/text.h"
#include "loader/wide_windows.h"

/* Where Windows looks: in its own folder for a driver that nobody names, else beside it, too. */
enum {
    SEARCH = LOAD_LIBRARY_SEARCH_SYSTEM32,
    SEARCH_NAMED = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32,
};

/* What GetModuleHandleExW() takes in the place of a name. */
static const wchar_t *by_address(cushim_function function)
{
    const wchar_t *address;

    memcpy(&address, &function, sizeof address);
    return address;
}

/* Keep a library for as long as the process lives, whoever lets go of it. */
static void *keep(HMODULE library)
{
    HMODULE kept = NULL;

    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                       (const wchar_t *)(void *)library, &kept);
    return kept ? kept : library;
}

/* The outcome of a file that is there and that Windows refuses. */
static enum cushim_outcome judge(DWORD error)
{
    switch (error) {
    case ERROR_MOD_NOT_FOUND: /* one that it needs: the file itself is there */
        return CUSHIM_OUTCOME_LACKS_LIBRARY;
    case ERROR_ACCESS_DENIED:
        return CUSHIM_OUTCOME_NO_PERMISSION;
    case ERROR_BAD_EXE_FORMAT:
    case ERROR_EXE_MACHINE_TYPE_MISMATCH:
        return CUSHIM_OUTCOME_WRONG_ARCHITECTURE;
    case ERROR_TOO_MANY_OPEN_FILES:
        return CUSHIM_OUTCOME_NO_DESCRIPTOR;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT:
        return CUSHIM_OUTCOME_NO_MEMORY;
    default:
        return CUSHIM_OUTCOME_NOT_LOADABLE;
    }
}

static void say_why(struct cushim_candidate *candidate, const wchar_t *path, DWORD error)
{
    char needed[MAX_PATH];
    struct cushim__text text;

    candidate->outcome = judge(error);
    cushim__text_begin(&text, candidate->message, sizeof candidate->message);
    if (candidate->outcome == CUSHIM_OUTCOME_WRONG_ARCHITECTURE) /* the system's words have gaps */
        cushim__text_add(&text, "Windows takes it, or a library that it needs, for no library of "
                                "this process's architecture");
    else if (error == ERROR_MOD_NOT_FOUND && cushim__imports_lacking(path, needed, sizeof needed))
        cushim__text_format(&text, "it needs %s, which is not found", needed);
    else
        cushim__wide_message(error, candidate->message, sizeof candidate->message);
}

/* `path` is where the library is, `name` by what it is to be found. */
static void *load_image(struct cushim_candidate *candidate, const wchar_t *path,
                        const wchar_t *name, DWORD flags)
{
    DWORD mode, error;
    HMODULE library;

    /* Without it, Windows may show a window and wait for somebody to close it. */
    SetThreadErrorMode(SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX, &mode);
    library = LoadLibraryExW(name, NULL, flags);
    error = GetLastError();
    if (!library)
        say_why(candidate, path, error);
    SetThreadErrorMode(mode, NULL);
    return library ? keep(library) : NULL;
}

/* Say of a file that the search leads to which it is. */
static void name_file(struct cushim_candidate *candidate, const wchar_t *path)
{
    char file[MAX_PATH], message[CUSHIM_REPORT_MESSAGE_BYTES];
    struct cushim__text text;

    if (candidate->outcome == CUSHIM_OUTCOME_NOT_FOUND)
        return;
    cushim__wide_to(path, file, sizeof file);
    cushim__text_copy(message, sizeof message, candidate->message);
    cushim__text_begin(&text, candidate->message, sizeof candidate->message);
    cushim__text_add(&text, file);
    cushim__text_add(&text, ": ");
    cushim__text_add(&text, message);
}

/* A name without a folder: in the system's folder, or nowhere. */
static void *search_library(struct cushim_candidate *candidate, const wchar_t *name)
{
    wchar_t path[CUSHIM__WIDE_PATH];
    const UINT length = GetSystemDirectoryW(path, MAX_PATH);

    if (length == 0 || length >= MAX_PATH) {
        candidate->outcome = CUSHIM_OUTCOME_NOT_LOADABLE;
        cushim__text_copy(candidate->message, sizeof candidate->message,
                          "Windows does not tell its folder");
        return NULL;
    }
    path[length] = L'\\';
    wcscpy(path + length + 1, name);
    if (!cushim__pe_check(candidate, path)) {
        name_file(candidate, path);
        return NULL;
    }
    return load_image(candidate, path, name, SEARCH);
}

void *cushim__library_open(struct cushim_candidate *candidate)
{
    wchar_t path[CUSHIM__WIDE_PATH], name[CUSHIM__WIDE_PATH + 1];

    if (!cushim__wide_path(candidate->path, path, CUSHIM__WIDE_PATH)) {
        candidate->outcome = CUSHIM_OUTCOME_REFUSED;
        cushim__text_copy(candidate->message, sizeof candidate->message, "the path is no UTF-8");
        return NULL;
    }
    if (!cushim__path_is_absolute(candidate->path))
        return search_library(candidate, path);
    if (!cushim__pe_check(candidate, path))
        return NULL;
    wcscpy(name, path);
    if (!wcschr(wcsrchr(path, L'\\'), L'.'))
        wcscat(name, L"."); /* else Windows looks for another file, whose name ends with .dll */
    return load_image(candidate, path, name, SEARCH_NAMED);
}

void *cushim__library_mapped(const char *name)
{
    wchar_t wide[CUSHIM__WIDE_PATH];
    HMODULE library = NULL;

    if (!cushim__wide_from(name, wide, CUSHIM__WIDE_PATH))
        return NULL;
    return GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN, wide, &library) ? library : NULL;
}

cushim_function cushim__library_symbol(void *library, const char *symbol)
{
    return (cushim_function)GetProcAddress(library, symbol);
}

void cushim__library_path(cushim_function function, char *path, size_t size)
{
    wchar_t wide[CUSHIM__WIDE_PATH];
    HMODULE library;
    DWORD length;

    path[0] = '\0';
    if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            by_address(function), &library))
        return;
    length = GetModuleFileNameW(library, wide, CUSHIM__WIDE_PATH);
    if (length > 0 && length < CUSHIM__WIDE_PATH)
        cushim__wide_to(wide, path, size);
}
