/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <windows.h>

#include "tests/probe/actions.h"

static void hang(void)
{
    Sleep(INFINITE);
}

static void spin(void)
{
    for (volatile unsigned turns = 0;; turns++)
        continue;
}

static void write_nowhere(void)
{
    volatile int *volatile nowhere = NULL;

    *nowhere = 1;
}

static void call_exit(void)
{
    exit(3);
}

static void call_quick_exit(void)
{
    TerminateProcess(GetCurrentProcess(), 4);
}

static void end_well(void)
{
    TerminateProcess(GetCurrentProcess(), 0);
}

/* Does not use the C runtime, whose functions wait for each other while a library is opened. */
static void print(void)
{
    static const char words[] = "cushim 4 is printed here\n";
    DWORD written;

    for (int i = 0; i < 1000; i++) {
        WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), words, sizeof words - 1, &written, NULL);
        WriteFile(GetStdHandle(STD_ERROR_HANDLE), words, sizeof words - 1, &written, NULL);
    }
}

const struct fake_driver_action fake_driver_actions[] = {
    {"call-exit", call_exit},
    {"call-quick-exit", call_quick_exit},
    {"end-well", end_well},
    {"hang", hang},
    {"print", print},
    {"spin", spin},
    {"write-nowhere", write_nowhere},
    {NULL, NULL},
};
