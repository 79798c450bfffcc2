/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc_peer.h"

#include <fcntl.h>
#include <io.h>
#include <stdint.h>
#include <stdio.h>

#include <windows.h>

#include "tests/mock/fixture.h"

const char *peer_program;

static HANDLE process_of(const struct peer *peer)
{
    return (HANDLE)(intptr_t)peer->process;
}

static HANDLE inheritable(HANDLE handle)
{
    SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    return handle;
}

void peer_start(struct peer *peer, const char *name)
{
    STARTUPINFOA info = {.cb = sizeof info, .dwFlags = STARTF_USESTDHANDLES};
    HANDLE their_input, to, from, their_output;
    PROCESS_INFORMATION made;
    char command[1024];

    assert_true(CreatePipe(&their_input, &to, NULL, 0));
    assert_true(CreatePipe(&from, &their_output, NULL, 0));
    snprintf(command, sizeof command, "\"%s\" --peer %s", peer_program, name);
    info.hStdInput = inheritable(their_input);
    info.hStdOutput = inheritable(their_output);
    info.hStdError = inheritable(GetStdHandle(STD_ERROR_HANDLE));
    assert_true(CreateProcessA(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &info, &made));
    CloseHandle(made.hThread);
    CloseHandle(their_input);
    CloseHandle(their_output);
    peer->process = (pid_t)(intptr_t)made.hProcess;
    peer->to = _open_osfhandle((intptr_t)to, _O_BINARY | _O_NOINHERIT);
    peer->from = _open_osfhandle((intptr_t)from, _O_BINARY | _O_NOINHERIT);
}

void peer_put(int file, const void *bytes, size_t size)
{
    assert_int_equal(_write(file, bytes, (unsigned)size), size);
}

void peer_get(int file, void *bytes, size_t size)
{
    size_t got = 0;

    while (got < size) {
        const int count = _read(file, (char *)bytes + got, (unsigned)(size - got));

        assert_true(count > 0);
        got += (size_t)count;
    }
}

CUresult peer_step(const struct peer *peer)
{
    int code;

    peer_put(peer->to, "", 1);
    peer_get(peer->from, &code, sizeof code);
    return (CUresult)code;
}

static DWORD end_of(struct peer *peer)
{
    DWORD code = 1;

    _close(peer->to);
    _close(peer->from);
    WaitForSingleObject(process_of(peer), INFINITE);
    GetExitCodeProcess(process_of(peer), &code);
    CloseHandle(process_of(peer));
    return code;
}

void peer_finish(struct peer *peer)
{
    assert_int_equal(end_of(peer), 0);
}

void peer_kill(const struct peer *peer)
{
    TerminateProcess(process_of(peer), 1);
}

void peer_forget(struct peer *peer)
{
    end_of(peer);
}

void peer_begin(void)
{
    _setmode(PEER_FROM, _O_BINARY);
    _setmode(PEER_TO, _O_BINARY);
}

void peer_stay(void)
{
    for (;;)
        Sleep(INFINITE);
}

void peer_report(CUresult code)
{
    const int word = (int)code;
    char go;

    peer_get(PEER_FROM, &go, 1);
    peer_put(PEER_TO, &word, sizeof word);
}
