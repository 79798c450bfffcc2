/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "src/base/system.h"
#include "src/library/library.h"

static HMODULE library;

/* Threads may run in the library, so it is never unloaded, like the ELF library with NODELETE. */
static void pin_library(void)
{
    HMODULE ignored;

    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                       (LPCWSTR)library, &ignored);
}

BOOL WINAPI DllMain(HINSTANCE instance, DWORD why, LPVOID reserved);

/* When a process ends, its other threads are gone: a lock that one of them held stays locked. */
BOOL WINAPI DllMain(HINSTANCE instance, DWORD why, LPVOID reserved)
{
    (void)reserved;
    if (why == DLL_PROCESS_ATTACH) {
        library = instance;
        pin_library();
        cushim__library_begin();
    } else if (why == DLL_PROCESS_DETACH) {
        cushim__library_end();
    }
    return TRUE;
}

/* DllMain() cannot load another library. */
bool cushim__library_kernels(struct cushim_mock *mock, char *message, size_t size)
{
    char *file = NULL;
    bool is_done;

    (void)mock;
    is_done = cushim__system_variable_nonempty("CUSHIM_MOCK_KERNELS", &file) && !file;
    if (!is_done)
        snprintf(message, size, "CUSHIM_MOCK_KERNELS is not supported on Windows: remove it");
    free(file);
    return is_done;
}

void cushim__library_kernels_print_unused(void)
{
}

/*
 * Hiding symbols: GetProcAddress() looks names up in the export directory of this DLL, which is
 * mapped. It has a sorted list of names, a list of their ordinals, and a list of functions by
 * ordinal. A hidden symbol is removed from all three.
 *
 * A program that is linked with the DLL has its functions bound before this runs; hidden functions
 * then return CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER.
 */
struct exports {
    const char *base;
    IMAGE_EXPORT_DIRECTORY *directory;
    DWORD *names, *functions;
    WORD *numbers;
};

static void *at(const struct exports *exports, DWORD offset)
{
    return (void *)(uintptr_t)(exports->base + offset);
}

static bool find(struct exports *exports, const IMAGE_DATA_DIRECTORY **room)
{
    const IMAGE_DOS_HEADER *head = (const IMAGE_DOS_HEADER *)(const void *)exports->base;
    const IMAGE_NT_HEADERS *image = at(exports, (DWORD)head->e_lfanew);

    *room = &image->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_EXPORT];
    if ((*room)->Size == 0)
        return false;
    exports->directory = at(exports, (*room)->VirtualAddress);
    exports->names = at(exports, exports->directory->AddressOfNames);
    exports->functions = at(exports, exports->directory->AddressOfFunctions);
    exports->numbers = at(exports, exports->directory->AddressOfNameOrdinals);
    return true;
}

/* The other symbols keep their order. */
static void remove_hidden(const struct exports *exports, bool (*is_hidden)(const char *name))
{
    DWORD kept = 0;

    for (DWORD i = 0; i < exports->directory->NumberOfNames; i++) {
        if (is_hidden(at(exports, exports->names[i]))) {
            exports->functions[exports->numbers[i]] = 0;
            continue;
        }
        exports->names[kept] = exports->names[i];
        exports->numbers[kept++] = exports->numbers[i];
    }
    exports->directory->NumberOfNames = kept;
}

bool cushim__hide_symbols(bool (*is_hidden)(const char *name))
{
    struct exports exports = {.base = (const char *)library};
    const IMAGE_DATA_DIRECTORY *room;
    DWORD protection, ignored;
    void *start;

    if (!exports.base || !find(&exports, &room))
        return false;
    start = exports.directory;
    if (!VirtualProtect(start, room->Size, PAGE_READWRITE, &protection))
        return false;
    remove_hidden(&exports, is_hidden);
    return VirtualProtect(start, room->Size, protection, &ignored);
}
