/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/drivers/fake_files.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/folder.h"

#if defined(__aarch64__)
#define OWN_NAME "aarch64"
#else
#define OWN_NAME "x86-64"
#endif

/* The results of the two dynamic linkers for a file. musl ignores the ELF class. */
#if defined(__GLIBC__)
#define BY_LINKER(glibc, musl) (glibc)
#else
#define BY_LINKER(glibc, musl) (musl)
#endif

#define IN_HEADER(field) offsetof(ElfW(Ehdr), field)

const struct file files[] = {
    {"libcuda.so.1", CUSHIM_OUTCOME_REFUSED, "the path is not absolute", "Give the absolute path",
     0},
    {"./complete.so", CUSHIM_OUTCOME_REFUSED, "the path is not absolute", "Give the absolute path",
     0},
    {"text", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is not an ELF file", "Reinstall",
     CUSHIM_OUTCOME_NOT_A_LIBRARY},
    {"empty", CUSHIM_OUTCOME_NOT_A_LIBRARY, "the file is empty", "Reinstall",
     BY_LINKER(CUSHIM_OUTCOME_TRUNCATED, CUSHIM_OUTCOME_NOT_A_LIBRARY)},
    {"folder", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is a directory", "Reinstall",
     CUSHIM_OUTCOME_NOT_A_LIBRARY},
    {"pipe", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is not a regular file", "Reinstall", 0},
    {"/dev/null", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is not a regular file", "Reinstall", 0},
    {"gone", CUSHIM_OUTCOME_NOT_FOUND, "No such file", "Check the path", CUSHIM_OUTCOME_NOT_FOUND},
    {"text/driver", CUSHIM_OUTCOME_NOT_FOUND, "Not a directory", "Check the path", 0},
    {"loop", CUSHIM_OUTCOME_NOT_LOADABLE, "ymbolic link", ".", 0},
    {"arm", CUSHIM_OUTCOME_WRONG_ARCHITECTURE, "it is built for ARM, and this process is " OWN_NAME,
     "architecture of this program", 0},
    {"other", CUSHIM_OUTCOME_WRONG_ARCHITECTURE, "it is built for another processor, and",
     "architecture of this program", 0},
    {"big-endian", CUSHIM_OUTCOME_WRONG_ARCHITECTURE, "it is built for ",
     "architecture of this program", 0},
    {"32-bit", CUSHIM_OUTCOME_WRONG_ARCHITECTURE, "it is built for 32-bit " OWN_NAME ", and",
     "architecture of this program",
     BY_LINKER(CUSHIM_OUTCOME_WRONG_ARCHITECTURE, CUSHIM_OUTCOME_LOADED)},
    {"object", CUSHIM_OUTCOME_NOT_A_LIBRARY, "it is not a shared library", "Reinstall",
     CUSHIM_OUTCOME_NOT_A_LIBRARY},
    {"overlapping", CUSHIM_OUTCOME_DAMAGED, "its segments overlap or are not in order", "Reinstall",
     0},
    {"zeroed", CUSHIM_OUTCOME_DAMAGED, "its dynamic section lacks a table", "Reinstall", 0},
#if defined(__GLIBC__) /* musl opens executables, and ignores class and versions */
    {"program", CUSHIM_OUTCOME_NOT_A_LIBRARY, "cannot dynamically load", "Reinstall",
     CUSHIM_OUTCOME_NOT_A_LIBRARY},
    {"newer-libc", CUSHIM_OUTCOME_NOT_LOADABLE, "version `GLIBC_9.", "Reinstall",
     CUSHIM_OUTCOME_NOT_LOADABLE},
#endif
    {NULL, CUSHIM_OUTCOME_LOADED, NULL, NULL, 0},
};

static void write_patched(const struct image *image, const char *name, size_t at, const char *bytes,
                          size_t size)
{
    unsigned char *copy = malloc(image->size);

    if (!copy)
        abort();
    memcpy(copy, image->bytes, image->size);
    memcpy(copy + at, bytes, size);
    folder_write(name, copy, image->size);
    free(copy);
}

static const ElfW(Phdr) * segment_of(const struct image *image, unsigned index)
{
    const ElfW(Ehdr) *header = (const void *)image->bytes;
    const ElfW(Phdr) *segments = (const void *)(image->bytes + header->e_phoff);

    return index < header->e_phnum ? &segments[index] : NULL;
}

/* A file of the right size whose end is zeros, as after a lost write. */
static void write_zeroed(const struct image *driver)
{
    const ElfW(Phdr) *segment = segment_of(driver, 0);
    char *zeroes = calloc(1, driver->size);

    for (unsigned i = 0; segment->p_type != PT_DYNAMIC; i++)
        segment = segment_of(driver, i);
    write_patched(driver, "zeroed", segment->p_offset, zeroes, driver->size - segment->p_offset);
    free(zeroes);
}

static void write_overlapping(const struct image *driver)
{
    const ElfW(Phdr) *last = NULL, *segment;
    static const char zeroes[sizeof segment->p_vaddr];

    for (unsigned i = 0; (segment = segment_of(driver, i)); i++)
        last = segment->p_type == PT_LOAD ? segment : last;
    write_patched(driver, "overlapping",
                  (size_t)((const unsigned char *)&last->p_vaddr - driver->bytes), zeroes,
                  sizeof zeroes);
}

/* A library that needs newer versions of functions than this process's C library has. */
static void write_newer_libc(const char *folder)
{
    static const char version[] = "GLIBC_2.";
    char path[FOLDER_PATH_BYTES];
    struct image image;
    unsigned char *found;

    /* This driver calls functions of the C library, including some that no sanitizer intercepts. */
    snprintf(path, sizeof path, "%s/misbehaving.so", folder);
    image.bytes = folder_read(path, &image.size);
    for (size_t at = 0;
         (found = memmem(image.bytes + at, image.size - at, version, sizeof version - 1)) != NULL;
         at = (size_t)(found - image.bytes))
        found[sizeof version - 3] = '9';
    folder_write("newer-libc", image.bytes, image.size);
    free(image.bytes);
}

void files_make(const struct image *driver, const char *folder)
{
    char program[FOLDER_PATH_BYTES];

    snprintf(program, sizeof program, "%s/program", folder);
    folder_link("program", program);
    folder_pipe("pipe");
    folder_link("loop", folder_path("loop"));
    write_patched(driver, "arm", IN_HEADER(e_machine), (const char[]){EM_ARM, 0}, 2);
    write_patched(driver, "other", IN_HEADER(e_machine), (const char[]){0x12, 0x34}, 2);
    write_patched(driver, "big-endian", EI_DATA, (const char[]){ELFDATA2MSB}, 1);
    write_patched(driver, "32-bit", EI_CLASS, (const char[]){ELFCLASS32}, 1);
    write_patched(driver, "object", IN_HEADER(e_type), (const char[]){ET_REL, 0}, 2);
    write_overlapping(driver);
    write_zeroed(driver);
    write_newer_libc(folder);
}

size_t files_cuts(const struct image *driver, size_t *lengths)
{
    const ElfW(Ehdr) *header = (const void *)driver->bytes;
    const ElfW(Phdr) * segment;
    size_t count = 0;

    for (size_t length = 0; length <= sizeof *header + header->e_phnum * sizeof *segment;
         length += length < 8 ? 1 : 13)
        lengths[count++] = length;
    for (unsigned i = 0; (segment = segment_of(driver, i)); i++) {
        if (segment->p_type != PT_LOAD)
            continue;
        lengths[count++] = segment->p_offset + 1;
        lengths[count++] = segment->p_offset + segment->p_filesz / 2;
        lengths[count++] = segment->p_offset + segment->p_filesz - 1;
        lengths[count++] = segment->p_offset + segment->p_filesz;
    }
    for (size_t part = 1; part < 20; part++)
        lengths[count++] = driver->size / 20 * part;
    return count;
}

size_t files_magic_size(void)
{
    return SELFMAG;
}

size_t files_mapped_size(const struct image *driver)
{
    const ElfW(Phdr) * segment;
    size_t end = 0;

    for (unsigned i = 0; (segment = segment_of(driver, i)); i++) {
        if (segment->p_type == PT_LOAD && segment->p_offset + segment->p_filesz > end)
            end = segment->p_offset + segment->p_filesz;
    }
    return end;
}
