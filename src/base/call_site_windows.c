/* SPDX-License-Identifier: Apache-2.0 */
/* Call sites by the tables with which Windows itself unwinds. */
#include "src/base/call_site.h"

#include <stdio.h>
#include <string.h>

#include <windows.h>

/* Frames that are deeper than this are not examined. */
enum { DEEPEST = 62 };

static uintptr_t function_of(uintptr_t address)
{
    DWORD64 base;
    const RUNTIME_FUNCTION *entry = RtlLookupFunctionEntry(address, &base, NULL);

    return entry ? (uintptr_t)base + entry->BeginAddress : 0;
}

void cushim__call_site_capture(struct cushim__call_site *site, uintptr_t function, uintptr_t outer)
{
    void *frames[DEEPEST];
    const unsigned count = CaptureStackBackTrace(0, DEEPEST, frames, NULL);
    unsigned i = 0, kept = 0;

    memset(site, 0, sizeof *site);
    while (i < count && function_of((uintptr_t)frames[i] - 1) != function)
        i++;
    i++;
    if (i < count && function_of((uintptr_t)frames[i] - 1) == outer)
        i++;
    for (; i < count && kept < CUSHIM__CALL_SITE_DEPTH; i++)
        site->addresses[kept++] = (uintptr_t)frames[i];
}

void cushim__code_file_find(uintptr_t address, struct cushim__code_file *file)
{
    char path[MAX_PATH];
    const char *last;
    HMODULE module;

    *file = (struct cushim__code_file){.name = "?", .offset = address};
    if (!GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            (const char *)address, &module) ||
        GetModuleFileNameA(module, path, sizeof path) == 0)
        return;
    path[sizeof path - 1] = '\0';
    last = strrchr(path, '\\');
    file->base = (uintptr_t)module;
    file->offset = address - file->base;
    snprintf(file->name, sizeof file->name, "%.*s", (int)sizeof file->name - 1,
             last ? last + 1 : path);
}
