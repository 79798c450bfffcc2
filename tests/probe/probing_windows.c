/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probing on Windows: the handles of this process. The probe's job ensures that no process is left,
 * and is itself a handle.
 */
#include <windows.h>

#include "tests/probe/probing.h"
#include "tests/support/cmocka.h"

int left_orphans;

static DWORD handles;

static DWORD count_handles(void)
{
    DWORD count = 0;

    assert_true(GetProcessHandleCount(GetCurrentProcess(), &count));
    return count;
}

int left_begin(void **state)
{
    static bool is_warm;
    char path[1024];

    /* The first probe opens handles that the system keeps. */
    if (!is_warm)
        probing_probe(probing_driver("one-device", path, sizeof path), PROBING_LONG_NS);
    is_warm = true;
    handles = count_handles();
    return 0;
}

void left_await(long process)
{
    HANDLE opened = OpenProcess(SYNCHRONIZE, FALSE, (DWORD)process);

    if (!opened)
        return;
    WaitForSingleObject(opened, INFINITE);
    CloseHandle(opened);
}

int left_check(void **state)
{
    assert_int_equal(count_handles(), handles);
    return 0;
}

/* A part of a reason. */
#define ENDED " has ended its process"

const struct misbehaviour misbehaviours[] = {
    {"call-exit", PROBE_BROKEN, 3, 0, ENDED " with exit status 3", false, false},
    {"call-quick-exit", PROBE_BROKEN, 4, 0, ENDED " with exit status 4", false, false},
    {"end-well", PROBE_BROKEN, 0, 0, ENDED " with exit status 0", false, false},
    {"hang", PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"print", PROBE_USABLE, 0, 0, "has 1 device.", false, false},
    {"spin", PROBE_HUNG, -1, 0, "it hangs", false, false},
    {"write-nowhere", PROBE_BROKEN, -1, EXCEPTION_ACCESS_VIOLATION,
     ENDED " by 0xc0000005 (access violation)", false, true},
    {NULL, PROBE_UNKNOWN, 0, 0, NULL, false, false},
};
