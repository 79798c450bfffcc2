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

/* Where the table of imports is; 0: there is none. */
static size_t find_imports(const struct image *image)
{
    const IMAGE_DOS_HEADER *dos = at(image, 0, sizeof *dos);
    const void *start = dos && dos->e_lfanew >= 0
                            ? at(image, (size_t)dos->e_lfanew, sizeof(IMAGE_NT_HEADERS64))
                            : NULL;
    IMAGE_NT_HEADERS64 headers;

    if (!start)
        return 0;
    memcpy(&headers, start, sizeof headers);
    return headers.OptionalHeader.Magic == IMAGE_NT_OPTIONAL_HDR64_MAGIC &&
                   headers.OptionalHeader.NumberOfRvaAndSizes > IMAGE_DIRECTORY_ENTRY_IMPORT
               ? headers.OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT].VirtualAddress
               : 0;
}

void cushim__imports_visit(const unsigned char *bytes, size_t size,
                           bool (*visit)(const char *name, void *data), void *data)
{
    const struct image image = {bytes, size};
    const size_t table = find_imports(&image);
    IMAGE_IMPORT_DESCRIPTOR row;

    for (size_t i = 0; table && i < MOST_IMPORTS; i++) {
        const void *start = at(&image, table + i * sizeof row, sizeof row);
        const char *name;
        if (!start)
            return;
        memcpy(&row, start, sizeof row);
        name = row.Name ? text_at(&image, row.Name) : NULL;
        if (row.Name == 0 || (name && !visit(name, data)))
            return;
    }
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

/* What is looked for among the imports of a library, and where the answer goes. */
struct lacking {
    const wchar_t *path;
    char *name;
    size_t size;
    bool is_lacking;
};

static bool look_for(const char *name, void *data)
{
    struct lacking *lacking = data;

    if (is_found(lacking->path, name))
        return true;
    cushim__text_copy(lacking->name, lacking->size, name);
    lacking->is_lacking = true;
    return false;
}

/* How much is mapped from there on, whatever its headers say. */
static size_t mapped_size(const unsigned char *bytes)
{
    const unsigned char *end = bytes;
    MEMORY_BASIC_INFORMATION region;

    while (VirtualQuery(end, &region, sizeof region) == sizeof region &&
           region.AllocationBase == (void *)bytes && region.State == MEM_COMMIT)
        end = (const unsigned char *)region.BaseAddress + region.RegionSize;
    return (size_t)(end - bytes);
}

bool cushim__imports_lacking(const wchar_t *path, char *name, size_t size)
{
    HMODULE mapped =
        LoadLibraryExW(path, NULL, LOAD_LIBRARY_AS_DATAFILE | LOAD_LIBRARY_AS_IMAGE_RESOURCE);
    /* The lowest bits of such a handle say how it was mapped. */
    const unsigned char *bytes = (const unsigned char *)((uintptr_t)mapped & ~(uintptr_t)3);
    struct lacking lacking = {path, name, size, false};

    if (!mapped)
        return false;
    cushim__imports_visit(bytes, mapped_size(bytes), look_for, &lacking);
    FreeLibrary(mapped);
    return lacking.is_lacking;
}
