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

#endif
