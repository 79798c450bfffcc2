/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of ELF that readers and writers of cubins need, by the names of its specification, for
 * systems whose C library has no <elf.h>. Elsewhere this folder is not on the search path.
 */
#ifndef CUSHIM_MOCK_IMAGE_ELF_ELF_H
#define CUSHIM_MOCK_IMAGE_ELF_ELF_H

#include <stdint.h>

typedef uint16_t Elf64_Half;

enum { EI_CLASS = 4, EI_OSABI = 7, EI_NIDENT = 16 };
enum { ELFMAG0 = 0x7f, ELFMAG1 = 'E', ELFMAG2 = 'L', ELFMAG3 = 'F' };
enum { ELFCLASS32 = 1, ELFCLASS64 = 2, ELFDATA2LSB = 1, EV_CURRENT = 1 };
enum { ET_REL = 1, ET_EXEC = 2 };

typedef struct {
    unsigned char e_ident[EI_NIDENT];
    uint16_t e_type, e_machine;
    uint32_t e_version;
    uint64_t e_entry, e_phoff, e_shoff;
    uint32_t e_flags;
    uint16_t e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx;
} Elf64_Ehdr;

typedef struct {
    uint32_t p_type, p_flags;
    uint64_t p_offset, p_vaddr, p_paddr, p_filesz, p_memsz, p_align;
} Elf64_Phdr;

enum { SHT_NULL, SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_NOBITS = 8, SHT_LOPROC = 0x70000000 };
enum { SHN_UNDEF = 0, SHN_LORESERVE = 0xff00 };

typedef struct {
    uint32_t sh_name, sh_type;
    uint64_t sh_flags, sh_addr, sh_offset, sh_size;
    uint32_t sh_link, sh_info;
    uint64_t sh_addralign, sh_entsize;
} Elf64_Shdr;

enum { STB_LOCAL, STB_GLOBAL };
enum { STT_OBJECT = 1, STT_FUNC = 2 };

#define ELF64_ST_BIND(info) ((info) >> 4)
#define ELF64_ST_TYPE(info) ((info)&0xf)
#define ELF64_ST_INFO(bind, type) (((bind) << 4) + ((type)&0xf))

typedef struct {
    uint32_t st_name;
    unsigned char st_info, st_other;
    uint16_t st_shndx;
    uint64_t st_value, st_size;
} Elf64_Sym;

_Static_assert(sizeof(Elf64_Ehdr) == 64 && sizeof(Elf64_Phdr) == 56, "as files have them");
_Static_assert(sizeof(Elf64_Shdr) == 64 && sizeof(Elf64_Sym) == 24, "as files have them");

#endif
