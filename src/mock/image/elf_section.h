/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of cubins: which of them have bytes in the file. */
#ifndef CUSHIM_MOCK_IMAGE_ELF_SECTION_H
#define CUSHIM_MOCK_IMAGE_ELF_SECTION_H

#include <elf.h>
#include <stdbool.h>

/* What relocatable cubins have instead of SHT_NOBITS: for variables, and for shared memory. */
enum { MOCK_SECTION_GLOBAL = 0x70000007, MOCK_SECTION_SHARED = 0x7000000a };

static inline bool cushim__mock_section_has_bytes(const Elf64_Shdr *section)
{
    return section->sh_type != SHT_NULL && section->sh_type != SHT_NOBITS &&
           section->sh_type != MOCK_SECTION_GLOBAL && section->sh_type != MOCK_SECTION_SHARED;
}

#endif
