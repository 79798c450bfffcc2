/* SPDX-License-Identifier: Apache-2.0 */
/* The job of probe_run() ends with the caller, and this process with it. */
#define _WIN32_WINNT 0x0602
#include "src/tool/probe_child.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

static HANDLE channel;

bool probe_channel_open(void)
{
    HANDLE own = GetCurrentProcess();
    const int nothing = _open("NUL", _O_WRONLY);

    /* A crash ends the process, and asks nobody to press a key. */
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

bool probe_channel_write(const char *text, size_t length)
{
    DWORD written = 0;

    return WriteFile(channel, text, (DWORD)length, &written, NULL) && written == length;
}
