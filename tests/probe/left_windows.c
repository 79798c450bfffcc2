/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of this process; that no process is left is the job's doing, which has one of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <windows.h>

#include "tests/probe/probing.h"

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

    (void)state;
    /* The first one opens what the system keeps. */
    if (!is_warm)
        probing_probe(probing_driver("one-device", path, sizeof path), 0);
    is_warm = true;
    handles = count_handles();
    return 0;
}

int left_check(void **state)
{
    (void)state;
    assert_int_equal(count_handles(), handles);
    return 0;
}
