/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the handles of objects that processes share, because threads and the C runtime open and
 * close other handles. Tries every possible handle value.
 */
#include "tests/support/descriptor.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include <windows.h>
#include <winternl.h>

enum { STEP = 4, END = 1 << 14, ROOM = 1024 };

/* Information classes of NtQueryObject(). Both results begin with a UNICODE_STRING. */
enum { NAME_OF_OBJECT = 1, TYPE_OF_OBJECT = 2 };

/* NtQueryObject() of ntdll.dll, which is looked up because an import library may be missing. */
typedef NTSTATUS(WINAPI *query_object)(HANDLE handle, int question, void *answer, ULONG bytes,
                                       ULONG *length);

static query_object query;

static bool answer_contains(HANDLE handle, int question, const wchar_t *words)
{
    union {
        UNICODE_STRING text;
        char room[ROOM];
    } answer = {.text = {0, 0, NULL}};
    wchar_t text[ROOM / sizeof(wchar_t)] = L"";
    ULONG length;

    if (query(handle, question, &answer, sizeof answer, &length) < 0 || !answer.text.Buffer)
        return false;
    wcsncpy(text, answer.text.Buffer, answer.text.Length / sizeof(wchar_t));
    return wcsstr(text, words) != NULL;
}

/* Compares the type first, because the query for the name of a pipe can block forever. */
static bool is_shared(HANDLE handle)
{
    return (answer_contains(handle, TYPE_OF_OBJECT, L"Section") ||
            answer_contains(handle, TYPE_OF_OBJECT, L"Event")) &&
           answer_contains(handle, NAME_OF_OBJECT, L"cushim-");
}

int descriptor_count(void)
{
    FARPROC found = GetProcAddress(GetModuleHandleA("ntdll.dll"), "NtQueryObject");
    int open = 0;

    if (!found)
        return -1;
    memcpy(&query, &found, sizeof query);
    for (intptr_t number = STEP; number < END; number += STEP) {
        DWORD flags;

        open += GetHandleInformation((HANDLE)number, &flags) && is_shared((HANDLE)number);
    }
    return open;
}
