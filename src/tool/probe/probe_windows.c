/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process of a probe: how it is started, watched and ended, and its end of the pipe.
 *
 * It starts suspended, so that it is in its job before it can start another process. The end of the
 * job, even if caused by the end of the caller, ends all processes in it.
 */
#define _WIN32_WINNT 0x0602
#include "src/tool/probe/probe.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "src/base/system.h"
#include "src/base/wide_windows.h"
#include "src/tool/base/system.h"

enum {
    LONGEST_NAP_MS = 20,
    ATTRIBUTES_BYTES = 256,
    FIRST_EXCEPTION_SHIFT = 30, /* statuses of severity 3 are errors */
};

/* What belongs to one process; each handle is NULL or valid. */
struct parts {
    HANDLE from, to, nothing, job;
    PROCESS_INFORMATION process;
};

static bool cannot(struct probe_process *process, const char *what)
{
    const DWORD error = GetLastError();
    char message[120];

    cushim__wide_message(error, message, sizeof message);
    snprintf(process->problem, sizeof process->problem, "%s: %s", what, message);
    return false;
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

/* Start the process with the handles of its streams, and no others. */
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

static bool start(struct probe_process *process, struct parts *parts)
{
    const char *const words[] = {"cushim", PROBE_WORD, process->library, NULL};
    wchar_t command[CUSHIM__WIDE_PATH], *line = system_command_line(words);
    bool is_made;

    if (!line || !cushim__wide_path(process->command, command, CUSHIM__WIDE_PATH)) {
        free(line);
        SetLastError(ERROR_INVALID_NAME);
        return cannot(process, process->library);
    }
    if (!open_parts(parts)) {
        free(line);
        return cannot(process, "no pipe or job can be made");
    }
    is_made = create_process(command, line, parts);
    free(line);
    if (!is_made)
        return cannot(process, process->command);
    /* Our handle must not be the last one that keeps the pipe open. */
    close_handle(&parts->to);
    close_handle(&parts->nothing);
    if (AssignProcessToJobObject(parts->job, parts->process.hProcess) &&
        ResumeThread(parts->process.hThread) != (DWORD)-1)
        return true;
    cannot(process, process->command);
    TerminateProcess(parts->process.hProcess, 1);
    return false;
}

static void read_answer(struct probe_process *process, HANDLE from)
{
    DWORD there = 0, got = 0;

    while (!probe_answer_is_full(process) && PeekNamedPipe(from, NULL, 0, NULL, &there, NULL) &&
           there > 0) {
        const size_t room = sizeof process->answer - process->length;
        if (!ReadFile(from, process->answer + process->length, there < room ? there : (DWORD)room,
                      &got, NULL))
            return;
        process->length += got;
    }
}

static void watch(struct probe_process *process, const struct parts *parts, uint64_t begin)
{
    for (DWORD nap_ms = 1;; nap_ms = nap_ms < LONGEST_NAP_MS ? 2 * nap_ms : LONGEST_NAP_MS) {
        const bool is_over = WaitForSingleObject(parts->process.hProcess, 0) == WAIT_OBJECT_0;

        read_answer(process, parts->from);
        if (is_over || probe_answer_is_full(process))
            return;
        if (cushim__system_clock_ns() - begin >= process->timeout_ns) {
            process->is_late = true;
            return;
        }
        WaitForSingleObject(parts->process.hProcess, nap_ms);
    }
}

static void end_group(struct probe_process *process, const struct parts *parts)
{
    const bool is_ours = process->is_late || probe_answer_is_full(process);
    DWORD code = 0;

    TerminateJobObject(parts->job, 1);
    if (WaitForSingleObject(parts->process.hProcess, (DWORD)(PROBE_GRACE_NS / 1000000)) !=
        WAIT_OBJECT_0)
        process->unreaped_pid = (long)parts->process.dwProcessId;
    else if (is_ours || !GetExitCodeProcess(parts->process.hProcess, &code))
        return;
    else if (code >> FIRST_EXCEPTION_SHIFT == 3)
        process->signal = code;
    else
        process->exit_status = (int)code;
}

bool probe_process_run(struct probe_process *process)
{
    const uint64_t begin = cushim__system_clock_ns();
    struct parts parts = {.from = NULL};
    const bool is_started = start(process, &parts);

    if (is_started) {
        watch(process, &parts, begin);
        end_group(process, &parts);
    }
    close_handle(&parts.process.hThread);
    close_handle(&parts.process.hProcess);
    close_handle(&parts.job);
    close_handle(&parts.nothing);
    close_handle(&parts.to);
    close_handle(&parts.from);
    return is_started;
}

const char *probe_signal_name(unsigned number)
{
    switch (number) {
    case EXCEPTION_ACCESS_VIOLATION:
        return "access violation";
    case EXCEPTION_ILLEGAL_INSTRUCTION:
        return "illegal instruction";
    case EXCEPTION_INT_DIVIDE_BY_ZERO:
        return "division by zero";
    case EXCEPTION_STACK_OVERFLOW:
        return "stack overflow";
    case 0xc0000374:
        return "heap corruption";
    case 0xc0000409:
        return "abort or stack overrun";
    default:
        return NULL;
    }
}

/* --- In the child --- */

static HANDLE channel;

bool probe_channel_open(void)
{
    HANDLE own = GetCurrentProcess();
    const int nothing = _open("NUL", _O_WRONLY);

    /* A crash must end the process without a dialog. */
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    if (nothing < 0 ||
        !DuplicateHandle(own, GetStdHandle(STD_OUTPUT_HANDLE), own, &channel, 0, FALSE,
                         DUPLICATE_SAME_ACCESS) ||
        _dup2(nothing, 1) != 0)
        return false;
    SetStdHandle(STD_OUTPUT_HANDLE, (HANDLE)_get_osfhandle(1));
    _close(nothing);
    return true;
}

bool probe_channel_write(const void *bytes, size_t length)
{
    DWORD written = 0;

    return WriteFile(channel, bytes, (DWORD)length, &written, NULL) && written == length;
}
