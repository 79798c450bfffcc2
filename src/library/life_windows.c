/* SPDX-License-Identifier: Apache-2.0 */
#include "src/library/life.h"

#include <stddef.h>

#include <windows.h>

static HMODULE library;

const char *cushim__library_base(void)
{
    return (const char *)library;
}

/* Threads may run in the library, so it stays, as ELF's NODELETE says it for the other one. */
static void stay(void)
{
    HMODULE ignored;

    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                       (LPCWSTR)library, &ignored);
}

/* When a process ends there are no other threads any more: a lock that one held is never free. */
BOOL WINAPI DllMain(HINSTANCE instance, DWORD why, LPVOID reserved);

BOOL WINAPI DllMain(HINSTANCE instance, DWORD why, LPVOID reserved)
{
    (void)reserved;
    if (why == DLL_PROCESS_ATTACH) {
        library = instance;
        stay();
        cushim__library_begin();
    } else if (why == DLL_PROCESS_DETACH) {
        cushim__library_end();
    }
    return TRUE;
}
