/* SPDX-License-Identifier: Apache-2.0 */
/* Shared libraries by the loader of Windows. */
#define _WIN32_WINNT 0x0602
#include "loader/library.h"

#include <string.h>
#include <windows.h>

#include "src/base/system.h"
#include "src/base/text.h"
#include "src/base/wide_windows.h"

/*
 * The program's folder, the current one and PATH are not searched, since others may have put a file
 * there.
 */
const struct cushim__place cushim__places[] = {
    {CUSHIM_ORIGIN_SEARCH, "nvcuda.dll"},
    {CUSHIM_ORIGIN_SEARCH, NULL},
};

/* Where Windows looks: in its system folder and, for a driver given by path, also beside it. */
enum {
    SEARCH = LOAD_LIBRARY_SEARCH_SYSTEM32,
    SEARCH_NAMED = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32,
};

/* A function's address in the form in which GetModuleHandleExW() takes it instead of a name. */
static const wchar_t *by_address(cushim_function function)
{
    const wchar_t *address;

    memcpy(&address, &function, sizeof address);
    return address;
}

/* Pin a library until the process ends, whatever else frees it. */
static void *pin(HMODULE library)
{
    HMODULE pinned = NULL;

    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                       (const wchar_t *)(void *)library, &pinned);
    return pinned ? pinned : library;
}

/* The outcome for a file that exists but that Windows refuses. */
static enum cushim_outcome classify(DWORD error)
{
    switch (error) {
    case ERROR_MOD_NOT_FOUND: /* a library that it needs; the file itself exists */
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

static void set_failure(struct cushim__candidate *candidate, DWORD error)
{
    /* The system's text for this error has placeholders. */
    if (classify(error) == CUSHIM_OUTCOME_WRONG_ARCHITECTURE) {
        cushim__reject(candidate, CUSHIM_OUTCOME_WRONG_ARCHITECTURE,
                       "it, or a library that it needs, is not built for this process's "
                       "architecture");
        return;
    }
    candidate->outcome = classify(error);
    cushim__wide_message(error, candidate->message, sizeof candidate->message);
}

static void *load_image(struct cushim__candidate *candidate, const wchar_t *name, DWORD flags)
{
    DWORD mode, error;
    HMODULE library;

    /* Without this, Windows may show a window and wait for a user to close it. */
    SetThreadErrorMode(SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX, &mode);
    library = LoadLibraryExW(name, NULL, flags);
    error = GetLastError();
    if (!library)
        set_failure(candidate, error);
    SetThreadErrorMode(mode, NULL);
    return library ? pin(library) : NULL;
}

/* Put the path of the file that the search found before the message. */
static void prefix_path(struct cushim__candidate *candidate, const wchar_t *path)
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

/* A name without a folder: a library that is loaded already, or a file in the system folder. */
static void *search_library(struct cushim__candidate *candidate, const wchar_t *name)
{
    wchar_t path[CUSHIM__WIDE_PATH];
    const UINT length = GetSystemDirectoryW(path, MAX_PATH);
    HMODULE library = NULL;

    /* A loaded library has already run its code, so a second driver would be no safer. */
    if (GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN, name, &library))
        return library;
    if (length == 0 || length >= MAX_PATH) {
        cushim__reject(candidate, CUSHIM_OUTCOME_NOT_LOADABLE,
                       "the system folder is unknown (GetSystemDirectory failed)");
        return NULL;
    }
    path[length] = L'\\';
    wcscpy(path + length + 1, name);
    if (!cushim__pe_check(candidate, path)) {
        prefix_path(candidate, path);
        return NULL;
    }
    return load_image(candidate, name, SEARCH);
}

void *cushim__library_open(struct cushim__candidate *candidate)
{
    wchar_t path[CUSHIM__WIDE_PATH], name[CUSHIM__WIDE_PATH + 1];

    if (!cushim__wide_path(candidate->path, path, CUSHIM__WIDE_PATH)) {
        cushim__reject(candidate, CUSHIM_OUTCOME_REFUSED, "the path is not valid UTF-8");
        return NULL;
    }
    if (!cushim__system_path_is_absolute(candidate->path))
        return search_library(candidate, path);
    if (!cushim__pe_check(candidate, path))
        return NULL;
    wcscpy(name, path);
    if (!wcschr(wcsrchr(path, L'\\'), L'.'))
        wcscat(name, L"."); /* otherwise Windows looks for a file whose name ends with .dll */
    return load_image(candidate, name, SEARCH_NAMED);
}

void cushim__library_close(void *library)
{
    FreeLibrary(library);
}

cushim_function cushim__library_symbol(const char *symbol, void *library)
{
    return (cushim_function)GetProcAddress(library, symbol);
}

void cushim__library_path(void *library, char *path, size_t size)
{
    wchar_t wide[CUSHIM__WIDE_PATH];
    const DWORD length = GetModuleFileNameW(library, wide, CUSHIM__WIDE_PATH);

    path[0] = '\0';
    if (length > 0 && length < CUSHIM__WIDE_PATH)
        cushim__wide_to(wide, path, size);
}

void cushim__function_path(cushim_function function, char *path, size_t size)
{
    HMODULE library;

    path[0] = '\0';
    if (GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                               GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                           by_address(function), &library))
        cushim__library_path(library, path, size);
}

/* The search takes the library that the process has, so only a named one can be the second. */
void cushim__other_driver(const char *library, char *path, size_t size)
{
    static const wchar_t name[] = L"nvcuda.dll";
    const HMODULE other = GetModuleHandleW(name);

    path[0] = '\0';
    if (other)
        cushim__library_path(other, path, size);
    if (strcmp(path, library) == 0 || cushim__system_path_is_same_file(path, library))
        path[0] = '\0';
}
