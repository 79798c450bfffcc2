/* SPDX-License-Identifier: Apache-2.0 */
/* 64-bit Windows 8 or newer (7 with update KB2533623). */
#define _WIN32_WINNT 0x0602
#include "src/base/system.h"

#include <windows.h>

#include "src/base/wide_windows.h"

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION /* since Windows 10, version 1803 */
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 0x2
#endif

const bool cushim__system_is_windows = true;

uint32_t cushim__system_process_id(void)
{
    return GetCurrentProcessId();
}

uintptr_t cushim__system_thread_token(void)
{
    return GetCurrentThreadId();
}

void cushim__system_yield(unsigned times)
{
    /* Yield 16 times, then sleep for 50 us, and from the 64th time on for 1 ms. */
    if (times < 16)
        SwitchToThread();
    else
        cushim__system_sleep_ns(times < 64 ? 50 * 1000 : 1000 * 1000);
}

uint64_t cushim__system_clock_ns(void)
{
    LARGE_INTEGER frequency, now;
    uint64_t per_second, ticks;

    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&now);
    per_second = (uint64_t)frequency.QuadPart;
    ticks = (uint64_t)now.QuadPart;
    return ticks / per_second * 1000000000u + ticks % per_second * 1000000000u / per_second;
}

void cushim__system_sleep_ns(uint64_t duration)
{
    /* Sleep() waits for a tick of the system clock, up to 16 ms; a timer does not. */
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
 * Whether the process was elevated by User Account Control. Its environment comes from the user,
 * and any other program of this user may have set it.
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

const char *cushim__system_variable(const char *name, char *buffer, size_t size)
{
    wchar_t wide_name[64], *value;
    DWORD units, length;

    if (is_elevated() || !cushim__wide_from(name, wide_name, sizeof wide_name / sizeof *wide_name))
        return NULL;
    units = GetEnvironmentVariableW(wide_name, NULL, 0);
    value = units ? cushim__system_map_pages(units * sizeof *value) : NULL;
    if (!value)
        return NULL;
    length = GetEnvironmentVariableW(wide_name, value, units);
    if (length >= units) /* another thread has made it longer */
        length = 0;
    value[length] = L'\0';
    cushim__wide_to(value, buffer, size);
    cushim__system_unmap_pages(value, units * sizeof *value);
    return buffer;
}

bool cushim__system_ignores_environment(const char *name)
{
    wchar_t wide[64];

    return is_elevated() && (!name || (cushim__wide_from(name, wide, sizeof wide / sizeof *wide) &&
                                       GetEnvironmentVariableW(wide, NULL, 0) > 0));
}

bool cushim__system_process_was_forked(void)
{
    return false;
}

bool cushim__system_path_is_absolute(const char *path)
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

bool cushim__system_path_is_same_file(const char *one, const char *other)
{
    BY_HANDLE_FILE_INFORMATION a, b;

    return read_identity(one, &a) && read_identity(other, &b) &&
           a.dwVolumeSerialNumber == b.dwVolumeSerialNumber &&
           a.nFileIndexHigh == b.nFileIndexHigh && a.nFileIndexLow == b.nFileIndexLow;
}

void *cushim__system_map_pages(size_t size)
{
    return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void cushim__system_unmap_pages(void *memory, size_t size)
{
    (void)size;
    VirtualFree(memory, 0, MEM_RELEASE);
}

/* Threads are not cancelled on Windows. */
int cushim__system_disable_cancellation(void)
{
    return 0;
}

void cushim__system_restore_cancellation(int former)
{
    (void)former;
}

/* There is no fork on Windows. */
void cushim__system_handle_forks(enum cushim__fork_part part, void (*on_prepare)(void),
                                 void (*on_parent)(void), void (*on_child)(void))
{
    (void)part;
    (void)on_prepare;
    (void)on_parent;
    (void)on_child;
}
