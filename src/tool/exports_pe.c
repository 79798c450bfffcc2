/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exported names of a DLL: its export directory.
 *
 * Windows maps the file as an image without running anything of it or loading what it needs. The
 * names lie in the mapping, which stays until the command ends.
 */
#include <stdint.h>
#include <string.h>
#include <windows.h>

#include "loader/library.h"
#include "loader/wide_windows.h"
#include "src/tool/exports.h"
#include "src/tool/output.h"

struct image {
    const char *base;
    uint32_t size; /* in bytes */
};

/* What lies at an address of the image. NULL: the image ends before. */
static const void *part(const struct image *image, uint64_t address, uint64_t size)
{
    return address && address <= image->size && size <= image->size - address
               ? image->base + address
               : NULL;
}

static bool read_names(struct exports *exports, struct image *image)
{
    const IMAGE_DOS_HEADER *dos = (const void *)image->base;
    const IMAGE_NT_HEADERS64 *head = (const void *)(image->base + dos->e_lfanew);
    const IMAGE_DATA_DIRECTORY *entry =
        &head->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_EXPORT];
    const IMAGE_EXPORT_DIRECTORY *directory;
    const DWORD *names;

    image->size = head->OptionalHeader.SizeOfImage;
    directory = part(image, entry->VirtualAddress, sizeof *directory);
    if (!directory)
        return false;
    names = part(image, directory->AddressOfNames, (uint64_t)directory->NumberOfNames * 4);
    if (!names)
        return directory->NumberOfNames == 0;
    exports->names = output_memory((directory->NumberOfNames + 1) * sizeof *exports->names);
    for (DWORD i = 0; i < directory->NumberOfNames; i++) {
        const char *name = part(image, names[i], 1);
        if (!name || !memchr(name, '\0', image->size - names[i]))
            return false;
        exports->names[exports->count++] = name;
    }
    return true;
}

bool exports_read(struct exports *exports, const char *path, struct failure *failure)
{
    struct cushim__candidate candidate = {0};
    wchar_t wide[CUSHIM__WIDE_PATH];
    struct image image = {0};
    HMODULE module;

    if (!cushim__wide_path(path, wide, CUSHIM__WIDE_PATH)) {
        exports_refuse(failure, path, "the path is too long or not valid UTF-8");
        return false;
    }
    if (!cushim__pe_check(&candidate, wide)) {
        exports_refuse(failure, path, candidate.message);
        return false;
    }
    module = LoadLibraryExW(wide, NULL, LOAD_LIBRARY_AS_DATAFILE | LOAD_LIBRARY_AS_IMAGE_RESOURCE);
    if (!module) {
        cushim__wide_message(GetLastError(), candidate.message, sizeof candidate.message);
        exports_refuse(failure, path, candidate.message);
        return false;
    }
    /* The lowest two bits say how it is mapped. */
    image.base = (const char *)((uintptr_t)module & ~(uintptr_t)3);
    if (!read_names(exports, &image)) {
        exports_refuse(failure, path, "it has no directory of exports that is whole");
        return false;
    }
    return true;
}
