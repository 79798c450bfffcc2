/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/process.h"

#include <fcntl.h>
#include <io.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <windows.h>

#include "tests/support/verdict.h"

enum { MOST_ARGUMENTS = 12, DEFAULT_SECONDS = 120, MOST_UNITS = 4096 };

/* The exit status that marks a timeout; only the tests use this number. */
#define TOO_LATE 0x4c415445u

const struct peer peer_parent = {0, 1, 0};

static const char *all[MOST_ARGUMENTS + 1];
static unsigned patience = DEFAULT_SECONDS;

void process_arguments(const char *const *arguments)
{
    size_t count = 0;

    for (; count < MOST_ARGUMENTS && arguments[count]; count++)
        all[count] = arguments[count];
    all[count] = NULL;
}

void process_patience(unsigned seconds)
{
    patience = seconds > 0 ? seconds : DEFAULT_SECONDS;
}

/* Suppress error dialogs and debuggers, so that the parent gets the exit code. */
static LONG WINAPI end_by_exception(EXCEPTION_POINTERS *what)
{
    TerminateProcess(GetCurrentProcess(), what->ExceptionRecord->ExceptionCode);
    return EXCEPTION_EXECUTE_HANDLER;
}

/* Peers exchange binary data. */
void process_begin(void)
{
    SetUnhandledExceptionFilter(end_by_exception);
    _setmode(0, _O_BINARY);
    _setmode(1, _O_BINARY);
}

static void add(wchar_t *command, const char *word)
{
    const size_t length = wcslen(command);

    if (_snwprintf(command + length, MOST_UNITS - length, L"%ls\"%hs\"", length > 0 ? L" " : L"",
                   word) < 0)
        fail("the command line is too long");
}

static DWORD WINAPI watch(void *process)
{
    if (WaitForSingleObject(process, patience * 1000) == WAIT_TIMEOUT)
        TerminateProcess(process, TOO_LATE);
    CloseHandle(process);
    return 0;
}

/* Start a thread that ends the process when it takes too long. */
static void start_watch(HANDLE process)
{
    HANDLE own, thread;

    if (!DuplicateHandle(GetCurrentProcess(), process, GetCurrentProcess(), &own, 0, FALSE,
                         DUPLICATE_SAME_ACCESS))
        fail("a process cannot be watched");
    thread = CreateThread(NULL, 0, watch, own, 0, NULL);
    if (!thread)
        fail("a process cannot be watched");
    CloseHandle(thread);
}

/* Make a pipe; the new process inherits the other end. */
static HANDLE passed_on(HANDLE handle)
{
    SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    return handle;
}

/* Start this program for one case with these standard streams, and close them here. */
static HANDLE start(const char *name, HANDLE input, HANDLE output, HANDLE error)
{
    STARTUPINFOW info = {.cb = sizeof info, .dwFlags = STARTF_USESTDHANDLES};
    wchar_t path[MAX_PATH], command[MOST_UNITS] = L"";
    PROCESS_INFORMATION made;

    info.hStdInput = passed_on(input);
    info.hStdOutput = passed_on(output);
    info.hStdError = passed_on(error);
    if (GetModuleFileNameW(NULL, path, MAX_PATH) == 0)
        fail("this program is not found");
    for (size_t i = 0; all[i]; i++)
        add(command, all[i]);
    add(command, "--run");
    add(command, name);
    fflush(NULL);
    if (!CreateProcessW(path, command, NULL, NULL, TRUE, 0, NULL, NULL, &info, &made))
        fail("a process cannot be started: error %lu", GetLastError());
    CloseHandle(made.hThread);
    start_watch(made.hProcess);
    return made.hProcess;
}

static struct process_end end_of(HANDLE process)
{
    struct process_end end = {.exited = false};
    DWORD code = 0;

    WaitForSingleObject(process, INFINITE);
    GetExitCodeProcess(process, &code);
    CloseHandle(process);
    end.crashed = code == EXCEPTION_ACCESS_VIOLATION;
    end.exited = code < 0x80000000u && code != TOO_LATE;
    end.status = (int)code;
    snprintf(end.death, sizeof end.death,
             code == TOO_LATE ? "was ended: it took too long" : "died of exception %#lx", code);
    return end;
}

struct process_end process_run(const char *name, char *output, size_t size)
{
    HANDLE from, to, none, process;
    size_t length = 0;
    char byte;
    DWORD got;

    if (!CreatePipe(&from, &to, NULL, 0))
        fail("a pipe cannot be created");
    none = CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                       OPEN_EXISTING, 0, NULL);
    process = start(name, none, to, to);
    CloseHandle(none);
    CloseHandle(to);
    while (ReadFile(from, &byte, 1, &got, NULL) && got == 1) {
        if (byte != '\r' && length + 1 < size)
            output[length++] = byte == '\n' ? ' ' : byte;
    }
    while (length > 0 && output[length - 1] == ' ')
        length--;
    output[length] = '\0';
    CloseHandle(from);
    return end_of(process);
}

void peer_start(struct peer *peer, const char *name)
{
    HANDLE their_input, to, from, their_output;

    if (!CreatePipe(&their_input, &to, NULL, 0) || !CreatePipe(&from, &their_output, NULL, 0))
        fail("a second process cannot be started: error %lu", GetLastError());
    peer->process =
        (pid_t)(intptr_t)start(name, their_input, their_output, GetStdHandle(STD_ERROR_HANDLE));
    CloseHandle(their_input);
    CloseHandle(their_output);
    peer->to = _open_osfhandle((intptr_t)to, _O_BINARY | _O_NOINHERIT);
    peer->from = _open_osfhandle((intptr_t)from, _O_BINARY | _O_NOINHERIT);
}

void peer_send(const struct peer *peer, const void *bytes, size_t size)
{
    if (_write(peer->to, bytes, (unsigned)size) != (int)size)
        fail("the other process cannot be written to");
}

void peer_receive(const struct peer *peer, void *bytes, size_t size)
{
    size_t length = 0;

    while (length < size) {
        const int got = _read(peer->from, (char *)bytes + length, (unsigned)(size - length));

        if (got <= 0)
            fail("the other process sends nothing");
        length += (size_t)got;
    }
}

void peer_kill(const struct peer *peer)
{
    TerminateProcess((HANDLE)(intptr_t)peer->process, 1);
}

void peer_forget(struct peer *peer)
{
    _close(peer->to);
    _close(peer->from);
    end_of((HANDLE)(intptr_t)peer->process);
}

void peer_end(struct peer *peer)
{
    struct process_end end;

    _close(peer->to);
    end = end_of((HANDLE)(intptr_t)peer->process);
    _close(peer->from);
    if (end.exited && end.status == CASE_SKIPPED)
        skip("the other process skips the case");
    if (!end.exited)
        fail("the other process %s", end.death);
    if (end.status != 0)
        fail("the other process ended with status %d", end.status);
}
