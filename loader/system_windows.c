/* SPDX-License-Identifier: Apache-2.0 */
/* The system behind the loader: 64-bit Windows 8 or newer (7 with the update KB2533623). */
#define _WIN32_WINNT 0x0602
#include "loader/system.h"

#include <string.h>
#include <windows.h>

#include "loader/imports_windows.h"
#include "loader/pe.h"
#include "loader/text.h"
#include "loader/wide_windows.h"

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION /* of Windows 10, version 1803 */
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 0x2
#endif

enum { PAGE = 4096 };
enum { TABLE_ROOM = sizeof(struct cushim_table) / PAGE * PAGE + 2 * PAGE };

/* Where Windows looks: in its own folder for a driver that nobody names, else beside it, too. */
enum {
    SEARCH = LOAD_LIBRARY_SEARCH_SYSTEM32,
    SEARCH_NAMED = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32,
};

const bool cushim__system_is_windows = true;

/*
 * Never by the folders of the program, the current one or those of PATH: anybody may have left a
 * file of this name there. One that the process has mapped has had its say already, wherever it is
 * from; a second driver beside it would be no safer.
 */
const struct cushim__place cushim__places[] = {
    {CUSHIM_ORIGIN_MAPPED, "nvcuda.dll"},
    {CUSHIM_ORIGIN_SEARCH, "nvcuda.dll"},
    {CUSHIM_ORIGIN_SEARCH, NULL},
};

uint64_t cushim__self(void)
{
    return (uint64_t)(GetCurrentProcessId() & INT32_MAX) << 32 | GetCurrentThreadId();
}

uint32_t cushim__process_of(uint64_t self)
{
    return (uint32_t)(self >> 32);
}

/* There are no children that do. */
bool cushim__shares_memory(uint32_t process)
{
    (void)process;
    return false;
}

void cushim__pause(unsigned turns)
{
    /* Who waits longer than for another processor's moment sleeps 50 us, and later 1 ms. */
    if (turns < 16)
        SwitchToThread();
    else
        cushim__sleep_ns(turns < 64 ? 50 * 1000 : 1000 * 1000);
}

uint64_t cushim__clock_ns(void)
{
    LARGE_INTEGER frequency, now;
    uint64_t per_second, ticks;

    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&now);
    per_second = (uint64_t)frequency.QuadPart;
    ticks = (uint64_t)now.QuadPart;
    return ticks / per_second * 1000000000u + ticks % per_second * 1000000000u / per_second;
}

void cushim__sleep_ns(uint64_t duration)
{
    /* Sleep() lasts a turn of the system's clock, which may be 16 ms; a timer has its own. */
    HANDLE timer = CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION,
                                          SYNCHRONIZE | TIMER_MODIFY_STATE);
    const uint64_t steps = duration / 100 + 1;
    LARGE_INTEGER from_now;

    from_now.QuadPart = -(LONGLONG)(steps < INT64_MAX ? steps : INT64_MAX);
    if (timer && SetWaitableTimer(timer, &from_now, 0, NULL, NULL, FALSE))
        WaitForSingleObject(timer, INFINITE);
    else
        Sleep(duration < UINT64_C(1000000000000000) ? (DWORD)(duration / 1000000 + 1)
                                                    : (DWORD)1000000000);
    if (timer)
        CloseHandle(timer);
}

/*
 * Whether the process runs with more rights than its user's others: elevated by the question that
 * Windows asks. What such a user sets for all programs, any program of theirs may have set.
 */
static bool is_elevated(void)
{
    TOKEN_ELEVATION_TYPE type = TokenElevationTypeFull;
    HANDLE token;
    DWORD size;

    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return true;
    if (!GetTokenInformation(token, TokenElevationType, &type, sizeof type, &size))
        type = TokenElevationTypeFull;
    CloseHandle(token);
    return type == TokenElevationTypeFull;
}

const char *cushim__environment(const char *name, char *room, size_t size)
{
    wchar_t wide_name[64], *value;
    DWORD units, length;

    if (is_elevated() || !cushim__wide_from(name, wide_name, sizeof wide_name / sizeof *wide_name))
        return NULL;
    units = GetEnvironmentVariableW(wide_name, NULL, 0);
    value = units ? cushim__memory_take(units * sizeof *value) : NULL;
    if (!value)
        return NULL;
    length = GetEnvironmentVariableW(wide_name, value, units);
    if (length >= units) /* another thread has made it longer */
        length = 0;
    value[length] = L'\0';
    cushim__wide_to(value, room, size);
    cushim__memory_give_back(value, units * sizeof *value);
    return room;
}

bool cushim__path_is_absolute(const char *path)
{
    const bool has_drive = (path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z');

    if (has_drive)
        return path[1] == ':' && (path[2] == '\\' || path[2] == '/');
    return (path[0] == '\\' || path[0] == '/') && path[1] == path[0];
}

static bool read_identity(const char *path, BY_HANDLE_FILE_INFORMATION *identity)
{
    wchar_t wide[CUSHIM__WIDE_PATH];
    HANDLE file;
    bool known;

    if (!cushim__wide_path(path, wide, CUSHIM__WIDE_PATH))
        return false;
    file = CreateFileW(wide, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                       OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    known = GetFileInformationByHandle(file, identity);
    CloseHandle(file);
    return known;
}

bool cushim__path_is_same_file(const char *one, const char *other)
{
    BY_HANDLE_FILE_INFORMATION a, b;

    return read_identity(one, &a) && read_identity(other, &b) &&
           a.dwVolumeSerialNumber == b.dwVolumeSerialNumber &&
           a.nFileIndexHigh == b.nFileIndexHigh && a.nFileIndexLow == b.nFileIndexLow;
}

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

void *cushim__memory_take(size_t size)
{
    return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void cushim__memory_give_back(void *memory, size_t size)
{
    (void)size;
    VirtualFree(memory, 0, MEM_RELEASE);
}

void *cushim__pages(enum cushim__pages which)
{
    static unsigned char rooms[CUSHIM__PAGES_COUNT][TABLE_ROOM];

    return (void *)(((uintptr_t)rooms[which] + PAGE - 1) / PAGE * PAGE);
}

bool cushim__pages_seal(void *memory, size_t size)
{
    DWORD former;

    return VirtualProtect(memory, (size + PAGE - 1) / PAGE * PAGE, PAGE_READONLY, &former);
}

/* Threads are not cancelled on Windows. */
int cushim__cancelling_put_off(void)
{
    return 0;
}

void cushim__cancelling_put_back(int former)
{
    (void)former;
}

/* There is no fork on Windows: a process begins anew, and its driver with it. */
void cushim__watch_fork(void (*before)(void), void (*child)(void))
{
    (void)before;
    (void)child;
}
