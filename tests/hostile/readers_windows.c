/* SPDX-License-Identifier: Apache-2.0 */
/* The look at a DLL's file, and at what a mapped one needs. */
#include "tests/hostile/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "loader/imports_windows.h"
#include "loader/pe.h"
#include "loader/report.h"
#include "loader/wide_windows.h"
#include "tests/support/folder.h"

/* Handles that the system itself opens meanwhile. */
enum { PAGE = 4096, FEW_HANDLES = 16 };

/* What is in the file; only what is different in the next mutant is written. */
static unsigned char *present;
static size_t present_size;

static void write_range(HANDLE file, const struct mutant *mutant, size_t first, size_t end)
{
    DWORD written = 0;

    if (SetFilePointer(file, (LONG)first, NULL, FILE_BEGIN) == INVALID_SET_FILE_POINTER ||
        !WriteFile(file, mutant->bytes + first, (DWORD)(end - first), &written, NULL) ||
        written != end - first)
        reader_fail("the file cannot be written");
}

static void write_file(const wchar_t *path, const struct victim *victim,
                       const struct mutant *mutant)
{
    const HANDLE file = CreateFileW(path, GENERIC_WRITE, 0, NULL, OPEN_ALWAYS, 0, NULL);
    size_t first = 0, end = mutant->size;

    if (!present && !(present = malloc(victim->size + MUTANT_MOST_MORE)))
        abort();
    while (first < mutant->size && first < present_size && present[first] == mutant->bytes[first])
        first++;
    if (mutant->size == present_size) {
        while (end > first && present[end - 1] == mutant->bytes[end - 1])
            end--;
    }
    if (first < end)
        write_range(file, mutant, first, end);
    if (mutant->size != present_size) {
        SetFilePointer(file, (LONG)mutant->size, NULL, FILE_BEGIN);
        SetEndOfFile(file);
    }
    CloseHandle(file);
    memcpy(present, mutant->bytes, mutant->size);
    present_size = mutant->size;
}

static unsigned read_pe(const struct victim *victim, const struct mutant *mutant)
{
    struct cushim_candidate candidate;
    wchar_t path[FOLDER_PATH_BYTES];

    memset(&candidate, 0, sizeof candidate);
    cushim__wide_from(folder_path("mutant.dll"), path, FOLDER_PATH_BYTES);
    write_file(path, victim, mutant);
    if (cushim__pe_check(&candidate, path) != (candidate.outcome == CUSHIM_OUTCOME_LOADED))
        reader_fail("the outcome is not the answer");
    if (candidate.outcome != CUSHIM_OUTCOME_LOADED && !candidate.message[0])
        reader_fail("it is refused without a word");
    if (mutant->size == victim->size && candidate.outcome != CUSHIM_OUTCOME_LOADED &&
        memcmp(mutant->bytes, victim->bytes, victim->size) == 0)
        reader_fail("the file is sound, and refused");
    return candidate.outcome;
}

static const char *name_of_outcome(unsigned index)
{
    return cushim_outcome_name((enum cushim_outcome)index);
}

static const IMAGE_NT_HEADERS64 *headers_of(const struct victim *victim)
{
    return (const void *)(victim->bytes + ((const IMAGE_DOS_HEADER *)victim->bytes)->e_lfanew);
}

/* The image as Windows would map it by the victim's headers; no page follows it. */
static unsigned char *map(const struct victim *victim, const struct mutant *mutant, size_t size)
{
    static unsigned char *room;
    const IMAGE_SECTION_HEADER *sections = IMAGE_FIRST_SECTION(headers_of(victim));
    const size_t pages = (size + PAGE - 1) / PAGE * PAGE;
    unsigned char *memory;
    DWORD before;

    if (!room) {
        room = VirtualAlloc(NULL, pages + PAGE, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
        if (!room || !VirtualProtect(room + pages, PAGE, PAGE_NOACCESS, &before))
            abort();
    }
    memory = room + pages - size;
    memset(memory, 0, size);
    memcpy(memory, mutant->bytes, headers_of(victim)->OptionalHeader.SizeOfHeaders);
    for (unsigned i = 0; i < headers_of(victim)->FileHeader.NumberOfSections; i++) {
        if (sections[i].PointerToRawData)
            memcpy(memory + sections[i].VirtualAddress,
                   mutant->bytes + sections[i].PointerToRawData,
                   sections[i].SizeOfRawData < sections[i].Misc.VirtualSize
                       ? sections[i].SizeOfRawData
                       : sections[i].Misc.VirtualSize);
    }
    return memory;
}

static bool count_name(const char *name, void *data)
{
    unsigned *count = data;

    *count += strlen(name) > 0;
    return true;
}

static unsigned read_imports(const struct victim *victim, const struct mutant *mutant)
{
    const size_t size = headers_of(victim)->OptionalHeader.SizeOfImage;
    unsigned count = 0;

    cushim__imports_visit(map(victim, mutant, size), size, count_name, &count);
    if (memcmp(mutant->bytes, victim->bytes, victim->size) == 0 && count == 0)
        reader_fail("the image is sound, and nothing is found");
    return count < 4 ? count : 4;
}

static const char *name_of_count(unsigned index)
{
    static const char *const names[] = {"needs none", "needs one", "needs two", "needs three",
                                        "needs more"};

    return names[index];
}

int main(int argc, char **argv)
{
    static const struct reader pe = {"pe", victim_open, read_pe, name_of_outcome};
    static const struct reader imports = {"imports", victim_open, read_imports, name_of_count};
    static const struct reader *const readers[] = {&pe, &imports, NULL};
    DWORD before = 0, after = 0;
    int status;

    folder_create(NULL);
    GetProcessHandleCount(GetCurrentProcess(), &before);
    status = reader_main(readers, argc, argv);
    GetProcessHandleCount(GetCurrentProcess(), &after);
    folder_remove(NULL);
    if (after > before + FEW_HANDLES)
        printf("%lu handles are left\n", after - before);
    return after > before + FEW_HANDLES ? EXIT_FAILURE : status;
}
