/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file: its sections, and the attributes in those of a cubin. */
#include "src/mock/image/elf_file.h"

#include <string.h>

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
    const char *text;

    if (table->sh_type != SHT_STRTAB || offset >= table->sh_size)
        return NULL; /* another section need not lie in the file */
    text = (const char *)file->start + table->sh_offset + offset;
    return memchr(text, '\0', table->sh_size - offset) ? text : NULL;
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

enum { SIZED = 0x04 /* the format of an attribute that says how long it is */ };

bool cushim__mock_elf_attribute_next(const struct mock_elf_file *file, const Elf64_Shdr *section,
                                     size_t *offset, struct mock_elf_attribute *attribute)
{
    const unsigned char *head;

    if (section->sh_size < 4 || *offset > section->sh_size - 4)
        return false;
    head = file->start + section->sh_offset + *offset;
    attribute->kind = head[1];
    attribute->bytes = head[0] == SIZED ? (size_t)head[2] | (size_t)head[3] << 8 : 0;
    attribute->value = head + 4;
    *offset += 4 + attribute->bytes;
    return *offset <= section->sh_size;
}

uint32_t cushim__mock_elf_attribute_number(const struct mock_elf_attribute *attribute,
                                           unsigned index)
{
    uint32_t number;

    memcpy(&number, attribute->value + index * sizeof number, sizeof number);
    return number;
}
