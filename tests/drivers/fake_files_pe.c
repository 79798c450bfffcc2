/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/drivers/fake_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "tests/support/folder.h"

const struct file files[] = {
    {"nvcuda.dll", CUSHIM_OUTCOME_REFUSED, "the path is not absolute", "Give the absolute path", 0},
    {"text", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is not a PE file", "Reinstall", 0},
    {"empty", CUSHIM_OUTCOME_NOT_A_LIBRARY, "the file is empty", "Reinstall", 0},
    {"folder", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is a directory", "Reinstall", 0},
    {"\\\\.\\NUL", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is not a regular file", "Reinstall", 0},
    {"gone", CUSHIM_OUTCOME_NOT_FOUND, "", "Check the path", 0},
    {"nowhere/gone", CUSHIM_OUTCOME_NOT_FOUND, "", "Check the path", 0},
    {"32-bit", CUSHIM_OUTCOME_WRONG_ARCHITECTURE, "it is built for 32-bit x86",
     "architecture of this program", 0},
    {"arm64", CUSHIM_OUTCOME_WRONG_ARCHITECTURE, "architecture", "architecture of this program", 0},
    {"other", CUSHIM_OUTCOME_WRONG_ARCHITECTURE, "it is built for another processor",
     "architecture of this program", 0},
    {"not-a-dll", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is not a shared library", "Reinstall", 0},
    {"program", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is not a shared library", "Reinstall", 0},
    {NULL, CUSHIM_OUTCOME_LOADED, NULL, NULL, 0},
};

static const IMAGE_NT_HEADERS64 *headers(const struct image *image)
{
    const IMAGE_DOS_HEADER *dos = (const void *)image->bytes;

    return (const void *)(image->bytes + dos->e_lfanew);
}

/* A copy with another 16-bit value in the file header. */
static void write_patched(const struct image *image, const char *name, size_t field,
                          unsigned short value)
{
    const size_t at = (size_t)((const unsigned char *)&headers(image)->FileHeader - image->bytes);
    unsigned char *copy = malloc(image->size);

    if (!copy)
        abort();
    memcpy(copy, image->bytes, image->size);
    memcpy(copy + at + field, &value, sizeof value);
    folder_write(name, copy, image->size);
    free(copy);
}

void files_make(const struct image *driver, const char *folder)
{
    const size_t machine = offsetof(IMAGE_FILE_HEADER, Machine);
    char program[FOLDER_PATH_BYTES];

    snprintf(program, sizeof program, "%s/program.exe", folder);
    folder_link("program", program);
    write_patched(driver, "32-bit", machine, IMAGE_FILE_MACHINE_I386);
    write_patched(driver, "arm64", machine, IMAGE_FILE_MACHINE_ARM64);
    write_patched(driver, "other", machine, 0x1234);
    write_patched(driver, "not-a-dll", offsetof(IMAGE_FILE_HEADER, Characteristics),
                  IMAGE_FILE_EXECUTABLE_IMAGE);
}

size_t files_cuts(const struct image *driver, size_t *lengths)
{
    const IMAGE_SECTION_HEADER *sections = IMAGE_FIRST_SECTION(headers(driver));
    const size_t header_end =
        (size_t)((const unsigned char *)&headers(driver)->OptionalHeader - driver->bytes);
    size_t count = 0;

    for (size_t length = 0; length < header_end; length += length < 4 ? 1 : 19)
        lengths[count++] = length;
    lengths[count++] = header_end - 1;
    lengths[count++] = header_end;
    for (unsigned i = 0; i < headers(driver)->FileHeader.NumberOfSections; i++) {
        const size_t start = sections[i].PointerToRawData;

        if (start == 0)
            continue;
        lengths[count++] = start;
        lengths[count++] = start + sections[i].SizeOfRawData - 1;
    }
    lengths[count++] = files_mapped_size(driver);
    lengths[count++] = driver->size;
    return count;
}

size_t files_magic_size(void)
{
    return 2;
}

size_t files_mapped_size(const struct image *driver)
{
    const IMAGE_SECTION_HEADER *sections = IMAGE_FIRST_SECTION(headers(driver));
    size_t end = 0;

    for (unsigned i = 0; i < headers(driver)->FileHeader.NumberOfSections; i++) {
        const size_t last = (size_t)sections[i].PointerToRawData + sections[i].SizeOfRawData;
        if (last > end)
            end = last;
    }
    return end;
}
