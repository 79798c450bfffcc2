/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A check of a PE file before Windows maps it: whether it is a library for this process, and
 * complete. Windows checks more, but has one error code for all that it finds.
 */
#include <stdint.h>
#include <windows.h>

#include "loader/library.h"
#include "src/base/wide_windows.h"

#if defined(_M_ARM64) || defined(__aarch64__)
enum { OWN_MACHINE = IMAGE_FILE_MACHINE_ARM64 };
#elif defined(_M_X64) || defined(__x86_64__)
enum { OWN_MACHINE = IMAGE_FILE_MACHINE_AMD64 };
#else
#error "cushim is for 64-bit Windows"
#endif

enum { MOST_SECTIONS = 96 };

/* The headers at the beginning of a file that 32-bit and 64-bit files share. */
struct head {
    IMAGE_DOS_HEADER dos;
    DWORD signature;
    IMAGE_FILE_HEADER file;
};

static bool refuse_error(struct cushim__candidate *candidate, DWORD error)
{
    const bool absent = error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND ||
                        error == ERROR_INVALID_NAME || error == ERROR_BAD_NETPATH ||
                        error == ERROR_BAD_NET_NAME || error == ERROR_INVALID_DRIVE;

    candidate->outcome = absent                         ? CUSHIM_OUTCOME_NOT_FOUND
                         : error == ERROR_ACCESS_DENIED ? CUSHIM_OUTCOME_NO_PERMISSION
                                                        : CUSHIM_OUTCOME_NOT_LOADABLE;
    cushim__wide_message(error, candidate->message, sizeof candidate->message);
    return false;
}

static bool read_at(HANDLE file, void *memory, DWORD size, uint64_t offset)
{
    OVERLAPPED place = {.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
    DWORD got = 0;

    return ReadFile(file, memory, size, &got, &place) && got == size;
}

/* Whether every section that would be mapped lies within the file. */
static bool has_its_sections(HANDLE file, const struct head *head, uint64_t size)
{
    const uint64_t first = (uint64_t)head->dos.e_lfanew + sizeof head->signature +
                           sizeof head->file + head->file.SizeOfOptionalHeader;

    if (head->file.NumberOfSections == 0 || head->file.NumberOfSections > MOST_SECTIONS)
        return false;
    for (unsigned i = 0; i < head->file.NumberOfSections; i++) {
        IMAGE_SECTION_HEADER section;
        if (!read_at(file, &section, sizeof section, first + i * sizeof section))
            return false;
        if ((uint64_t)section.PointerToRawData + section.SizeOfRawData > size)
            return false;
    }
    return true;
}

static bool check_file(struct cushim__candidate *candidate, HANDLE file)
{
    struct head head = {0};
    LARGE_INTEGER size;

    /* Reading from a pipe may block forever. */
    if (GetFileType(file) != FILE_TYPE_DISK)
        return cushim__reject(candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is not a regular file");
    if (!GetFileSizeEx(file, &size))
        return refuse_error(candidate, GetLastError());
    if (size.QuadPart == 0)
        return cushim__reject(candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY, "the file is empty");
    if (!read_at(file, &head.dos.e_magic, sizeof head.dos.e_magic, 0) ||
        head.dos.e_magic != IMAGE_DOS_SIGNATURE)
        return cushim__reject(candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is not a PE file");
    if (!read_at(file, &head.dos, sizeof head.dos, 0) || head.dos.e_lfanew < 0 ||
        !read_at(file, &head.signature, sizeof head.signature + sizeof head.file,
                 (uint64_t)head.dos.e_lfanew))
        return cushim__reject(candidate, CUSHIM_OUTCOME_TRUNCATED,
                              "the file ends within its header");
    if (head.signature != IMAGE_NT_SIGNATURE)
        return cushim__reject(candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is not a PE file");
    /* An ARM64 file may also hold code for x86-64, so Windows decides. */
    if (head.file.Machine != OWN_MACHINE && head.file.Machine != IMAGE_FILE_MACHINE_ARM64)
        return cushim__reject(candidate, CUSHIM_OUTCOME_WRONG_ARCHITECTURE,
                              head.file.Machine == IMAGE_FILE_MACHINE_I386
                                  ? "it is built for 32-bit x86"
                                  : "it is built for another processor");
    if (!(head.file.Characteristics & IMAGE_FILE_DLL))
        return cushim__reject(candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY,
                              "it is not a shared library");
    if (!has_its_sections(file, &head, (uint64_t)size.QuadPart))
        return cushim__reject(candidate, CUSHIM_OUTCOME_TRUNCATED,
                              "the file is shorter than its headers say");
    return true;
}

bool cushim__pe_check(struct cushim__candidate *candidate, const wchar_t *path)
{
    const DWORD attributes = GetFileAttributesW(path);
    HANDLE file;
    bool usable;

    /* Opening a directory as a file would fail for lack of permission. */
    if (attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_DIRECTORY)
        return cushim__reject(candidate, CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is a directory");
    file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                       FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return refuse_error(candidate, GetLastError());
    usable = check_file(candidate, file);
    CloseHandle(file);
    return usable;
}
