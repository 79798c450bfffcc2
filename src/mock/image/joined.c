/* SPDX-License-Identifier: Apache-2.0 */
#include "src/mock/image/joined.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "src/mock/image/image.h"

enum { MACHINE_CUDA = 190, ABI = 0x41, ABI_VERSION = 8, FIRST_SECTIONS = 2, ALIGNMENT = 16 };

/* The names of sections: of the table itself at 1, of the images behind it. */
static const char names[] = "\0.shstrtab\0" MOCK_JOINED_SECTION;

enum { NAMES_NAME = 1, IMAGE_NAME = 11 };

static size_t align(size_t offset)
{
    return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* As ptxas begins its files; version and architecture do not matter to who reads this. */
static Elf64_Ehdr head(size_t sections_offset, size_t section_count)
{
    return (Elf64_Ehdr){
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT, ABI,
                    ABI_VERSION},
        .e_type = ET_EXEC,
        .e_machine = MACHINE_CUDA,
        .e_version = EV_CURRENT,
        .e_shoff = sections_offset,
        .e_ehsize = sizeof(Elf64_Ehdr),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = (Elf64_Half)section_count,
        .e_shstrndx = 1,
    };
}

static void put_section(unsigned char *file, size_t offset, const Elf64_Shdr *section)
{
    memcpy(file + offset, section, sizeof *section);
}

/* Without any image there is an empty one: it tells whose file this is. */
void *cushim__mock_image_join(const struct mock_joined_part *parts, size_t count, size_t *bytes)
{
    const size_t section_count = FIRST_SECTIONS + (count > 0 ? count : 1);
    size_t offset = align(sizeof(Elf64_Ehdr) + sizeof names), sections;
    unsigned char *file;
    Elf64_Ehdr header;

    if (section_count >= SHN_LORESERVE)
        return NULL;
    for (size_t i = 0; i < count; i++)
        offset = align(offset + parts[i].bytes + 1);
    sections = offset;
    *bytes = sections + section_count * sizeof(Elf64_Shdr);
    file = calloc(1, *bytes);
    if (!file)
        return NULL;

    header = head(sections, section_count);
    memcpy(file, &header, sizeof header);
    memcpy(file + sizeof header, names, sizeof names);
    put_section(file, sections + sizeof(Elf64_Shdr),
                &(Elf64_Shdr){.sh_name = NAMES_NAME,
                              .sh_type = SHT_STRTAB,
                              .sh_offset = sizeof header,
                              .sh_size = sizeof names,
                              .sh_addralign = 1});
    offset = align(sizeof header + sizeof names);
    for (size_t i = 0; i < section_count - FIRST_SECTIONS; i++) {
        const struct mock_joined_part part =
            i < count ? parts[i] : (struct mock_joined_part){"", 0};

        memcpy(file + offset, part.start, part.bytes);
        put_section(file, sections + (FIRST_SECTIONS + i) * sizeof(Elf64_Shdr),
                    &(Elf64_Shdr){.sh_name = IMAGE_NAME,
                                  .sh_type = SHT_PROGBITS,
                                  .sh_offset = offset,
                                  .sh_size = part.bytes,
                                  .sh_addralign = ALIGNMENT});
        offset = align(offset + part.bytes + 1);
    }
    return file;
}
