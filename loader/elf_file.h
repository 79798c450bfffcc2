/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library's file while it is looked at, in the order in which the dynamic linker reads it:
 *
 *   elf.c              is it a file, and an ELF library for this process
 *   elf_file.c         its bytes, and where in it a piece of its memory stands
 *   elf_segments.c     the program headers
 *   elf_dynamic.c      the dynamic section, which leads to all tables
 *   elf_symbols.c      the hash table, symbols, and the versions of symbols
 *   elf_versions.c     what versions there are
 *   elf_relocations.c  where the linker would write
 *
 * The linker believes all of these. Each check stops at the first thing that would lead it out of
 * the file, to memory that is not the library's, or round in a circle.
 */
#ifndef CUSHIM_LOADER_ELF_FILE_H
#define CUSHIM_LOADER_ELF_FILE_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/report.h>

#if defined(__x86_64__)
enum { CUSHIM__ELF_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { CUSHIM__ELF_MACHINE = EM_AARCH64 };
#else
enum { CUSHIM__ELF_MACHINE = EM_NONE }; /* unknown here: left to the dynamic linker */
#endif

/* Files with more than these are refused; the page is the smallest that a system has. */
enum {
    CUSHIM__ELF_MOST_SEGMENTS = 256,
    CUSHIM__ELF_MOST_ENTRIES = 1024,
    CUSHIM__ELF_WINDOW = 32768,
    CUSHIM__ELF_PAGE = 4096,
};

/* Entries of the dynamic section that are read, by their place among the values. */
enum cushim__elf_entry {
    CUSHIM__ELF_HASH,
    CUSHIM__ELF_GNU_HASH,
    CUSHIM__ELF_STRTAB,
    CUSHIM__ELF_STRSZ,
    CUSHIM__ELF_SYMTAB,
    CUSHIM__ELF_SYMENT,
    CUSHIM__ELF_RELA,
    CUSHIM__ELF_RELASZ,
    CUSHIM__ELF_RELAENT,
    CUSHIM__ELF_RELACOUNT,
    CUSHIM__ELF_REL,
    CUSHIM__ELF_RELSZ,
    CUSHIM__ELF_RELENT,
    CUSHIM__ELF_JMPREL,
    CUSHIM__ELF_PLTRELSZ,
    CUSHIM__ELF_PLTREL,
    CUSHIM__ELF_RELR,
    CUSHIM__ELF_RELRSZ,
    CUSHIM__ELF_RELRENT,
    CUSHIM__ELF_VERSYM,
    CUSHIM__ELF_VERNEED,
    CUSHIM__ELF_VERDEF,
    CUSHIM__ELF_INIT,
    CUSHIM__ELF_FINI,
    CUSHIM__ELF_INIT_ARRAY,
    CUSHIM__ELF_INIT_ARRAYSZ,
    CUSHIM__ELF_FINI_ARRAY,
    CUSHIM__ELF_FINI_ARRAYSZ,
    CUSHIM__ELF_TEXTREL,
    CUSHIM__ELF_FLAGS,
    CUSHIM__ELF_FLAGS_1,
    CUSHIM__ELF_ENTRY_KINDS,
    CUSHIM__ELF_NO_ENTRY = CUSHIM__ELF_ENTRY_KINDS,
};

/* Too large for a small thread's stack. */
struct cushim__elf {
    struct cushim_candidate *candidate;
    int file;
    int error;     /* why a part of the file could not be read; 0: none was refused */
    uint64_t size; /* of the file */
    ElfW(Ehdr) header;
    ElfW(Phdr) dynamic; /* p_type is PT_NULL if there is none */
    bool has_tls;
    unsigned load_count; /* segments that are mapped */
    size_t entry_count;  /* of the dynamic section, without its end */
    uint64_t present;    /* a bit for each cushim__elf_entry */
    uint64_t values[CUSHIM__ELF_ENTRY_KINDS];
    uint64_t strings;                /* where the string table stands in the file */
    uint64_t symbol_count;           /* by the hash table */
    bool is_counted;                 /* it tells their number, for it has any */
    uint64_t last_version;           /* highest number that the tables of versions define */
    uint64_t code_start, code_bytes; /* the segment of code that was asked for last */
    uint64_t window_start;           /* part of the file that is in `window` */
    size_t window_bytes;
    ElfW(Phdr) loads[CUSHIM__ELF_MOST_SEGMENTS];
    ElfW(Dyn) entries[CUSHIM__ELF_MOST_ENTRIES];
    unsigned char window[CUSHIM__ELF_WINDOW];
};

/* --- elf_file.c --- */

/*
 * Refuse the file. Both return false; the latter for a file that contradicts itself, and `place` is
 * where in it that stands.
 */
bool cushim__elf_refuse(struct cushim__elf *elf, enum cushim_outcome outcome, const char *message);
bool cushim__elf_damaged(struct cushim__elf *elf, uint64_t place, const char *why);

/*
 * What stands at a place of the file: as many of `count` things of `size` bytes as there are in one
 * piece, at least one, and their number. NULL: the file has not even one. Good until the next call.
 */
const void *cushim__elf_run(struct cushim__elf *elf, uint64_t place, size_t size, uint64_t count,
                            uint64_t *run);

/*
 * Where in the file a piece of the library's memory stands. False: it is not all within one segment
 * with these flags, or it is what the file does not have.
 */
bool cushim__elf_place(const struct cushim__elf *elf, uint64_t address, uint64_t size,
                       ElfW(Word) flags, uint64_t *place);

/* Whether a function may be there: in a segment of code, which is kept for the next question. */
bool cushim__elf_find_code(struct cushim__elf *elf, uint64_t address);

static inline bool cushim__elf_is_code(struct cushim__elf *elf, uint64_t address)
{
    return address - elf->code_start < elf->code_bytes || cushim__elf_find_code(elf, address);
}

/* Copy the text at an offset of the string table, cut at `size`. */
void cushim__elf_string(struct cushim__elf *elf, uint64_t offset, char *text, size_t size);

static inline bool cushim__elf_has(const struct cushim__elf *elf, enum cushim__elf_entry entry)
{
    return elf->present >> entry & 1;
}

/* --- the others: whether the linker can be given these parts of the file --- */

bool cushim__elf_check_segments(struct cushim__elf *elf);
bool cushim__elf_check_dynamic(struct cushim__elf *elf);
bool cushim__elf_check_symbols(struct cushim__elf *elf);
bool cushim__elf_check_versions(struct cushim__elf *elf);
bool cushim__elf_check_relocations(struct cushim__elf *elf);

#endif
