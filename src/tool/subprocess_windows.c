/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process begins suspended, so that it is in its job before it can start another one. The end
 * of the job, also by the end of the caller, is that of all in it.
 */
#define _WIN32_WINNT 0x0602
#include "src/tool/subprocess.h"

#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include "loader/system.h"
#include "loader/wide_windows.h"

enum {
    LONGEST_NAP_MS = 20,
    MOST_LINE = 2 * CUSHIM__WIDE_PATH + 64,
    ATTRIBUTES_BYTES = 256,
    FIRST_EXCEPTION_SHIFT = 30, /* statuses of severity 3 are errors */
};

/* What belongs to one subprocess; a handle is NULL or good. */
struct parts {
    HANDLE from, to, nothing, job;
    PROCESS_INFORMATION process;
};

static CUresult cannot(struct subprocess *process, CUresult code, const char *what)
{
    const DWORD error = GetLastError();
    char message[120];

    cushim__wide_message(error, message, sizeof message);
    snprintf(process->problem, sizeof process->problem, "%s: %s", what, message);
    return code;
}

static void close_handle(HANDLE *handle)
{
    if (*handle)
        CloseHandle(*handle);
    *handle = NULL;
}

static bool open_parts(struct parts *parts)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {
        .BasicLimitInformation = {.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE}};

    if (!CreatePipe(&parts->from, &parts->to, NULL, 0) ||
        !SetHandleInformation(parts->to, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT))
        return false;
    parts->nothing =
        CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                    &inherited, OPEN_EXISTING, 0, NULL);
    if (parts->nothing == INVALID_HANDLE_VALUE) {
        parts->nothing = NULL;
        return false;
    }
    parts->job = CreateJobObjectW(NULL, NULL);
    return parts->job && SetInformationJobObject(parts->job, JobObjectExtendedLimitInformation,
                                                 &limits, sizeof limits);
}

/* Add a word in quotes, in which a backslash at the end would mean the quote. */
static bool add_word(wchar_t *line, const char *word)
{
    enum { AROUND = 5 }; /* a blank, two quotes, that backslash again, and the end */
    const size_t taken = wcslen(line) + AROUND;
    const size_t room = taken < MOST_LINE ? MOST_LINE - taken : 0;
    const size_t units = room < CUSHIM__WIDE_PATH ? room + 1 : CUSHIM__WIDE_PATH;
    wchar_t wide[CUSHIM__WIDE_PATH];

    if (room == 0 || strchr(word, '"') || !cushim__wide_from(word, wide, units)) {
        SetLastError(ERROR_INVALID_NAME);
        return false;
    }
    wcscat(wcscat(line, L" \""), wide);
    wcscat(line, wide[0] && wide[wcslen(wide) - 1] == L'\\' ? L"\\\"" : L"\"");
    return true;
}

/* Start it with the handles that are its streams, and no others. */
static bool create_process(const wchar_t *command, wchar_t *line, struct parts *parts)
{
    union {
        char room[ATTRIBUTES_BYTES];
        void *alignment;
    } attributes;
    LPPROC_THREAD_ATTRIBUTE_LIST list = (LPPROC_THREAD_ATTRIBUTE_LIST)attributes.room;
    HANDLE given[] = {parts->to, parts->nothing};
    STARTUPINFOEXW info = {.StartupInfo = {.cb = sizeof info,
                                           .dwFlags = STARTF_USESTDHANDLES,
                                           .hStdInput = parts->nothing,
                                           .hStdOutput = parts->to,
                                           .hStdError = parts->nothing},
                           .lpAttributeList = list};
    SIZE_T size = sizeof attributes.room;
    bool is_made;

    if (!InitializeProcThreadAttributeList(list, 1, 0, &size))
        return false;
    is_made = UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, given,
                                        sizeof given, NULL, NULL) &&
              CreateProcessW(command, line, NULL, NULL, TRUE,
                             CREATE_SUSPENDED | CREATE_NO_WINDOW | EXTENDED_STARTUPINFO_PRESENT,
                             NULL, NULL, &info.StartupInfo, &parts->process);
    DeleteProcThreadAttributeList(list);
    return is_made;
}

static CUresult start(struct subprocess *process, struct parts *parts)
{
    wchar_t command[CUSHIM__WIDE_PATH], line[MOST_LINE] = L"cushim";
    DWORD error;

    if (!cushim__wide_path(process->command, command, CUSHIM__WIDE_PATH))
        return cannot(process, CUDA_ERROR_INVALID_VALUE, process->command);
    for (const char *const *word = process->words; *word; word++) {
        if (!add_word(line, *word))
            return cannot(process, CUDA_ERROR_INVALID_VALUE, *word);
    }
    if (!open_parts(parts))
        return cannot(process, CUDA_ERROR_OPERATING_SYSTEM, "no pipe or job can be made");
    if (!create_process(command, line, parts)) {
        error = GetLastError();
        return cannot(process,
                      error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND
                          ? CUDA_ERROR_FILE_NOT_FOUND
                          : CUDA_ERROR_OPERATING_SYSTEM,
                      process->command);
    }
    /* Ours must not be the last one that keeps the pipe open. */
    close_handle(&parts->to);
    close_handle(&parts->nothing);
    if (AssignProcessToJobObject(parts->job, parts->process.hProcess) &&
        ResumeThread(parts->process.hThread) != (DWORD)-1)
        return CUDA_SUCCESS;
    cannot(process, CUDA_ERROR_OPERATING_SYSTEM, process->command);
    TerminateProcess(parts->process.hProcess, 1);
    return CUDA_ERROR_OPERATING_SYSTEM;
}

/* Take what there is. */
static void take(struct subprocess *process, HANDLE from)
{
    DWORD there = 0, got = 0;

    while (PeekNamedPipe(from, NULL, 0, NULL, &there, NULL) && there > 0) {
        const size_t room = process->size - 1 - process->length;
        if (room == 0) {
            process->is_full = true;
            return;
        }
        if (!ReadFile(from, process->text + process->length, there < room ? there : (DWORD)room,
                      &got, NULL))
            return;
        process->length += got;
    }
}

static void watch(struct subprocess *process, const struct parts *parts, uint64_t begin)
{
    for (DWORD nap_ms = 1;; nap_ms = nap_ms < LONGEST_NAP_MS ? 2 * nap_ms : LONGEST_NAP_MS) {
        const bool is_over = WaitForSingleObject(parts->process.hProcess, 0) == WAIT_OBJECT_0;

        take(process, parts->from);
        if (is_over || process->is_full)
            return;
        if (cushim__clock_ns() - begin >= process->timeout_ns) {
            process->is_late = true;
            return;
        }
        WaitForSingleObject(parts->process.hProcess, nap_ms);
    }
}

static void end_group(struct subprocess *process, const struct parts *parts)
{
    const bool is_ours = process->is_late || process->is_full;
    DWORD code = 0;

    TerminateJobObject(parts->job, 1);
    if (WaitForSingleObject(parts->process.hProcess, (DWORD)(SUBPROCESS_GRACE_NS / 1000000)) !=
        WAIT_OBJECT_0)
        process->unreaped_pid = (long)parts->process.dwProcessId;
    else if (is_ours || !GetExitCodeProcess(parts->process.hProcess, &code))
        return;
    else if (code >> FIRST_EXCEPTION_SHIFT == 3)
        process->signal = code;
    else
        process->exit_status = (int)code;
}

CUresult subprocess_run(struct subprocess *process)
{
    const uint64_t begin = cushim__clock_ns();
    struct parts parts = {.from = NULL};
    const CUresult code = start(process, &parts);

    if (code == CUDA_SUCCESS) {
        watch(process, &parts, begin);
        end_group(process, &parts);
        process->text[process->length] = '\0';
    }
    close_handle(&parts.process.hThread);
    close_handle(&parts.process.hProcess);
    close_handle(&parts.job);
    close_handle(&parts.nothing);
    close_handle(&parts.to);
    close_handle(&parts.from);
    return code;
}

const struct subprocess_signal subprocess_signals[] = {
    {EXCEPTION_ACCESS_VIOLATION, "access misuse"},
    {EXCEPTION_ILLEGAL_INSTRUCTION, "illegal instruction"},
    {EXCEPTION_INT_DIVIDE_BY_ZERO, "division by zero"},
    {EXCEPTION_STACK_OVERFLOW, "stack overflow"},
    {0xc0000374, "heap corruption"},
    {0xc0000409, "abort or stack overrun"},
    {0, NULL},
};
