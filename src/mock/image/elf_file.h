/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ELF file in memory. Its offsets and sizes are not trusted: the functions read nothing outside
 * of it.
 */
#ifndef CUSHIM_MOCK_IMAGE_ELF_FILE_H
#define CUSHIM_MOCK_IMAGE_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mock_elf_file {
    const unsigned char *start;
    size_t bytes;
    Elf64_Ehdr header;
    Elf64_Shdr names; /* the names of sections */
};

/* Get a section by its number. False if there is none, or its bytes are not all in the file. */
bool cushim__mock_elf_section(const struct mock_elf_file *file, unsigned index,
                              Elf64_Shdr *section);

/* A string in a string table; NULL if it is not within the table, or not terminated. */
const char *cushim__mock_elf_text(const struct mock_elf_file *file, const Elf64_Shdr *table,
                                  uint32_t offset);

/* The name of a section; "" if it has none, never NULL. */
const char *cushim__mock_elf_section_name(const struct mock_elf_file *file,
                                          const Elf64_Shdr *section);

/* Find the section with a name after a prefix, such as `.nv.info.NAME`. */
bool cushim__mock_elf_find_section(const struct mock_elf_file *file, const char *prefix,
                                   const char *name, Elf64_Shdr *section);

/* Sections of cubins: which of them have bytes in the file. */

/* Relocatable cubins have these instead of SHT_NOBITS: for variables, and for shared memory. */
enum { MOCK_SECTION_GLOBAL = 0x70000007, MOCK_SECTION_SHARED = 0x7000000a };

static inline bool cushim__mock_section_has_bytes(const Elf64_Shdr *section)
{
    return section->sh_type != SHT_NULL && section->sh_type != SHT_NOBITS &&
           section->sh_type != MOCK_SECTION_GLOBAL && section->sh_type != MOCK_SECTION_SHARED;
}

/* Attributes: what the `.nv.info` sections of a cubin hold, one after the other. */

struct mock_elf_attribute {
    unsigned kind;
    size_t bytes;
    const unsigned char *value; /* in the file */
};

/*
 * Get the next attribute of a section whose bytes are in the file. `*offset` is 0 before the first
 * one, and is advanced. Returns false if there is none, or it is cut off.
 */
bool cushim__mock_elf_attribute_next(const struct mock_elf_file *file, const Elf64_Shdr *section,
                                     size_t *offset, struct mock_elf_attribute *attribute);

/* The number at an index of the value, which must be long enough. */
uint32_t cushim__mock_elf_attribute_number(const struct mock_elf_attribute *attribute,
                                           unsigned index);

#endif
