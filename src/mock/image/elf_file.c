/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/image/elf_file.h"

#include <string.h>

#include "src/mock/image/elf_section.h"

static bool within(const struct mock_elf_file *file, uint64_t offset, uint64_t bytes)
{
    return offset <= file->bytes && bytes <= file->bytes - offset;
}

bool cushim__mock_elf_section(const struct mock_elf_file *file, unsigned index, Elf64_Shdr *section)
{
    const uint64_t offset = file->header.e_shoff + (uint64_t)index * sizeof *section;

    if (index >= file->header.e_shnum || !within(file, offset, sizeof *section))
        return false;
    memcpy(section, file->start + offset, sizeof *section);
    return !cushim__mock_section_has_bytes(section) ||
           within(file, section->sh_offset, section->sh_size);
}

const char *cushim__mock_elf_text(const struct mock_elf_file *file, const Elf64_Shdr *table,
                                  uint32_t offset)
{
    const char *text = (const char *)file->start + table->sh_offset + offset;

    if (table->sh_type != SHT_STRTAB || offset >= table->sh_size ||
        !memchr(text, '\0', table->sh_size - offset))
        return NULL;
    return text;
}

const char *cushim__mock_elf_section_name(const struct mock_elf_file *file,
                                          const Elf64_Shdr *section)
{
    const char *name = cushim__mock_elf_text(file, &file->names, section->sh_name);

    return name ? name : "";
}

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool cushim__mock_elf_find_section(const struct mock_elf_file *file, const char *prefix,
                                   const char *name, Elf64_Shdr *section)
{
    for (unsigned i = 1; i < file->header.e_shnum; i++) {
        const char *found;

        if (!cushim__mock_elf_section(file, i, section))
            return false;
        found = cushim__mock_elf_section_name(file, section);
        if (begins(found, prefix) && strcmp(found + strlen(prefix), name) == 0)
            return true;
    }
    return false;
}
