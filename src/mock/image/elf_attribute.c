/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/image/elf_attribute.h"

#include <string.h>

enum { SIZED = 0x04 /* the format of an attribute that says how long it is */ };

bool cushim__attribute_next(const struct mock_elf_file *file, const Elf64_Shdr *section,
                            size_t *offset, struct cushim__attribute *attribute)
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

uint32_t cushim__mock_attribute_number(const struct cushim__attribute *attribute, unsigned index)
{
    uint32_t number;

    memcpy(&number, attribute->value + index * sizeof number, sizeof number);
    return number;
}
