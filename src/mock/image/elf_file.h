/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file in memory, whose offsets and sizes may be anything: nothing outside it is touched. */
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
    Elf64_Shdr names; /* of sections */
};

/* A section by its number. False: there is none, or its bytes are not all in the file. */
bool cushim__mock_elf_section(const struct mock_elf_file *file, unsigned index,
                              Elf64_Shdr *section);

/* A text in a table of texts. NULL: it is not in there, or has no end. */
const char *cushim__mock_elf_text(const struct mock_elf_file *file, const Elf64_Shdr *table,
                                  uint32_t offset);

/* Never NULL. */
const char *cushim__mock_elf_section_name(const struct mock_elf_file *file,
                                          const Elf64_Shdr *section);

/* The section whose name is a prefix and a name: `.nv.info.NAME` and its like. */
bool cushim__mock_elf_find_section(const struct mock_elf_file *file, const char *prefix,
                                   const char *name, Elf64_Shdr *section);

/* Sections of cubins: which of them have bytes in the file. */

/* What relocatable cubins have instead of SHT_NOBITS: for variables, and for shared memory. */
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
 * The next attribute of a section whose bytes are in the file. `*offset` is 0 before the first, and
 * is moved on. False: there is none, or it is cut off.
 */
bool cushim__mock_elf_attribute_next(const struct mock_elf_file *file, const Elf64_Shdr *section,
                                     size_t *offset, struct mock_elf_attribute *attribute);

/* A number of the value, which has it. */
uint32_t cushim__mock_elf_attribute_number(const struct mock_elf_attribute *attribute,
                                           unsigned index);

#endif
