/* SPDX-License-Identifier: Apache-2.0 */
#define _WIN32_WINNT 0x0602
#include "loader/imports_windows.h"

#include <stdint.h>
#include <string.h>
#include <windows.h>

#include "loader/text.h"
#include "loader/wide_windows.h"

enum { MOST_IMPORTS = 1024 };

/* A library as Windows maps it without running it; offsets are those of the image. */
struct image {
    const unsigned char *bytes;
    size_t size;
};

/* What is at an offset, if it is all within the image. */
static const void *at(const struct image *image, size_t offset, size_t size)
{
    return offset <= image->size && size <= image->size - offset ? image->bytes + offset : NULL;
}

static const char *text_at(const struct image *image, size_t offset)
{
    return offset < image->size && memchr(image->bytes + offset, 0, image->size - offset)
               ? (const char *)image->bytes + offset
               : NULL;
}

/* The table of imports; NULL if there is none. */
static const IMAGE_IMPORT_DESCRIPTOR *find_imports(struct image *image)
{
    const IMAGE_DOS_HEADER *dos = (const void *)image->bytes;
    const IMAGE_NT_HEADERS64 *headers = (const void *)(image->bytes + dos->e_lfanew);
    const IMAGE_DATA_DIRECTORY *directory =
        &headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];

    image->size = headers->OptionalHeader.SizeOfImage;
    if (headers->OptionalHeader.Magic != IMAGE_NT_OPTIONAL_HDR64_MAGIC ||
        headers->OptionalHeader.NumberOfRvaAndSizes <= IMAGE_DIRECTORY_ENTRY_IMPORT ||
        directory->VirtualAddress == 0)
        return NULL;
    return at(image, directory->VirtualAddress, sizeof(IMAGE_IMPORT_DESCRIPTOR));
}

/* Whether Windows finds a library of this name for the one at `path`; what is no file counts. */
static bool is_found(const wchar_t *path, const char *name)
{
    wchar_t wide[MAX_PATH], beside[CUSHIM__WIDE_PATH + MAX_PATH];
    const wchar_t *end = wcsrchr(path, L'\\');
    const size_t folder = end ? (size_t)(end - path) + 1 : 0;
    HMODULE library;

    if (_strnicmp(name, "api-", 4) == 0 || _strnicmp(name, "ext-", 4) == 0 ||
        !cushim__wide_from(name, wide, MAX_PATH) || GetModuleHandleW(wide))
        return true;
    memcpy(beside, path, folder * sizeof *path);
    wcscpy(beside + folder, wide);
    if (GetFileAttributesW(beside) != INVALID_FILE_ATTRIBUTES)
        return true;
    library = LoadLibraryExW(wide, NULL, LOAD_LIBRARY_AS_DATAFILE | LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (library)
        FreeLibrary(library);
    return library != NULL;
}

bool cushim__imports_lacking(const wchar_t *path, char *name, size_t size)
{
    HMODULE mapped =
        LoadLibraryExW(path, NULL, LOAD_LIBRARY_AS_DATAFILE | LOAD_LIBRARY_AS_IMAGE_RESOURCE);
    /* The lowest bits of such a handle say how it was mapped. */
    struct image image = {.bytes = (const unsigned char *)((uintptr_t)mapped & ~(uintptr_t)3)};
    const IMAGE_IMPORT_DESCRIPTOR *row = mapped ? find_imports(&image) : NULL;
    bool is_lacking = false;

    for (unsigned i = 0; row && row->Name != 0 && i < MOST_IMPORTS && !is_lacking; i++) {
        const char *needed = text_at(&image, row->Name);
        is_lacking = needed && !is_found(path, needed);
        if (is_lacking)
            cushim__text_copy(name, size, needed);
        row = at(&image, (size_t)((const unsigned char *)(row + 1) - image.bytes), sizeof *row);
    }
    if (mapped)
        FreeLibrary(mapped);
    return is_lacking;
}
