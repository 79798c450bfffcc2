/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes: what the `.nv.info` sections of a cubin tell, one after the other. */
#ifndef CUSHIM_MOCK_IMAGE_ELF_ATTRIBUTE_H
#define CUSHIM_MOCK_IMAGE_ELF_ATTRIBUTE_H

#include "src/mock/image/elf_file.h"

struct cushim__attribute {
    unsigned kind;
    size_t bytes;
    const unsigned char *value; /* in the file */
};

/*
 * The next attribute of a section whose bytes are in the file. `*offset` is 0 before the first, and
 * is moved on. False: there is none, or it is cut off.
 */
bool cushim__attribute_next(const struct mock_elf_file *file, const Elf64_Shdr *section,
                            size_t *offset, struct cushim__attribute *attribute);

/* A number of the value, which has it. */
uint32_t cushim__mock_attribute_number(const struct cushim__attribute *attribute, unsigned index);

#endif
