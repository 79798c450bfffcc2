/* SPDX-License-Identifier: Apache-2.0 */
#include "cubin.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

enum {
    NONE,
    NAMES,
    TEXTS,
    SYMBOLS,
    INFO,
    INFO_SCALE,
    TEXT_SCALE,
    INIT,
    ZEROS,
    CONSTANT,
    SHARED,
    SECTIONS
};

static const char *const names[SECTIONS] = {
    "",           ".shstrtab",      ".strtab",          ".symtab",
    ".nv.info",   ".nv.info.scale", ".text.scale",      ".nv.global.init",
    ".nv.global", ".nv.constant3",  ".nv.shared.scale",
};

struct file {
    unsigned char *bytes;
    size_t size;
    Elf64_Shdr sections[SECTIONS];
};

static void put(struct file *file, unsigned section, uint32_t type, const void *bytes, size_t size)
{
    file->size = (file->size + 7) / 8 * 8;
    file->sections[section].sh_type = type;
    file->sections[section].sh_offset = file->size;
    file->sections[section].sh_size = size;
    if (bytes) {
        memcpy(file->bytes + file->size, bytes, size);
        file->size += size;
    }
}

static void put_names(struct file *file)
{
    char table[256] = "";
    size_t end = 1;

    for (unsigned i = 1; i < SECTIONS; i++) {
        file->sections[i].sh_name = (uint32_t)end;
        memcpy(table + end, names[i], strlen(names[i]) + 1);
        end += strlen(names[i]) + 1;
    }
    put(file, NAMES, SHT_STRTAB, table, end);
}

static void put_symbols(struct file *file)
{
    static const char texts[] = "\0scale\0start\0zeros\0table";
    const Elf64_Sym symbols[] = {
        {.st_name = 0},
        {.st_name = 1,
         .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
         .st_other = 0x10,
         .st_shndx = TEXT_SCALE,
         .st_size = 16},
        {.st_name = 7,
         .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
         .st_shndx = INIT,
         .st_size = 8},
        {.st_name = 13,
         .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
         .st_shndx = ZEROS,
         .st_size = 12},
        {.st_name = 19,
         .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
         .st_shndx = CONSTANT,
         .st_size = 4},
    };

    put(file, TEXTS, SHT_STRTAB, texts, sizeof texts);
    put(file, SYMBOLS, SHT_SYMTAB, symbols, sizeof symbols);
    file->sections[SYMBOLS].sh_link = TEXTS;
    file->sections[SYMBOLS].sh_entsize = sizeof *symbols;
}

/*
 * The notes that ptxas writes: 40 registers and 8 bytes of local memory for symbol 1; its
 * parameters, at most 64 threads, and required blocks of 32 by 2.
 */
#define PARAMETER(number, offset, bytes) \
    0x000c1704, 0, (number) | (offset) << 16, 0x1f000u | (uint32_t)(bytes) << 18

static void put_info(struct file *file)
{
    const uint32_t all[] = {0x00082f04, 1, 40, 0x00081104, 1, 8};
    const uint32_t scale[] = {PARAMETER(2, 16, 4),
                              PARAMETER(1, 8, 8),
                              PARAMETER(0, 0, 1),
                              0x000c0504,
                              64,
                              1,
                              1,
                              0x000c1004,
                              32,
                              2,
                              1};

    put(file, INFO, SHT_LOPROC, all, sizeof all);
    put(file, INFO_SCALE, SHT_LOPROC, scale, sizeof scale);
}

size_t cubin_make(unsigned char *buffer, unsigned architecture)
{
    static const unsigned char code[16] = {0};
    const uint64_t start = 7;
    const uint32_t table = 5;
    struct file file = {.bytes = buffer, .size = sizeof(Elf64_Ehdr)};
    Elf64_Ehdr head = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 0x41,
                    8},
        .e_type = ET_EXEC,
        .e_machine = 190,
        .e_version = EV_CURRENT,
        .e_flags = architecture << 8,
        .e_ehsize = sizeof head,
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = SECTIONS,
        .e_shstrndx = NAMES,
    };

    memset(buffer, 0, CUBIN_BYTES);
    put_names(&file);
    put_symbols(&file);
    put_info(&file);
    put(&file, TEXT_SCALE, SHT_PROGBITS, code, sizeof code);
    put(&file, INIT, SHT_PROGBITS, &start, sizeof start);
    put(&file, ZEROS, SHT_NOBITS, NULL, 12);
    put(&file, CONSTANT, SHT_PROGBITS, &table, sizeof table);
    put(&file, SHARED, SHT_NOBITS, NULL, 1024 + 64);
    head.e_shoff = (file.size + 7) / 8 * 8;
    memcpy(buffer, &head, sizeof head);
    memcpy(buffer + head.e_shoff, file.sections, sizeof file.sections);
    return head.e_shoff + sizeof file.sections;
}

size_t cubin_section(const unsigned char *buffer, const char *name)
{
    uint64_t offset;

    memcpy(&offset, buffer + CUBIN_SECTIONS, sizeof offset);
    for (unsigned i = 0; i < SECTIONS; i++) {
        if (strcmp(names[i], name) == 0)
            return (size_t)offset + i * sizeof(Elf64_Shdr);
    }
    return 0;
}

struct fatbin {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
};

struct entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes;
    uint32_t compressed_bytes, options;
    uint16_t minor, major;
    uint32_t architecture, name, name_bytes;
    uint64_t flags, unused, plain_bytes;
};

size_t fatbin_begin(unsigned char *buffer)
{
    const struct fatbin head = {.magic = 0xba55ed50, .version = 1, .header_bytes = sizeof head};

    memset(buffer, 0, CUBIN_BYTES);
    memcpy(buffer, &head, sizeof head);
    return sizeof head;
}

size_t fatbin_add(unsigned char *buffer, unsigned kind, unsigned architecture, unsigned flags,
                  const void *bytes, size_t size)
{
    const size_t padded = (size + 7) / 8 * 8;
    const struct entry entry = {.kind = (uint16_t)kind,
                                .version = 0x101,
                                .header_bytes = sizeof entry,
                                .bytes = padded,
                                .architecture = architecture,
                                .flags = flags};
    struct fatbin head;
    size_t end;

    memcpy(&head, buffer, sizeof head);
    end = sizeof head + (size_t)head.bytes;
    memcpy(buffer + end, &entry, sizeof entry);
    memcpy(buffer + end + sizeof entry, bytes, size);
    head.bytes += sizeof entry + padded;
    memcpy(buffer, &head, sizeof head);
    return sizeof head + (size_t)head.bytes;
}
