/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/library/library.h"

__attribute__((constructor)) static void begin(void)
{
    cushim__library_begin();
}

__attribute__((destructor)) static void end(void)
{
    cushim__library_end();
}

/*
 * Hiding symbols: the dynamic linker looks names up in the symbol table of this library, which is
 * mapped, and skips entries that are marked as undefined. The library is linked with
 * --hash-style=both, because the size of the table is only in DT_HASH.
 *
 * A program that is linked with the library and binds its functions at the start gets them before
 * this runs; hidden functions then return CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER.
 */

typedef ElfW(Sym) elf_symbol;
typedef ElfW(Phdr) elf_part;

/* Defined by the linker: the beginning of this library, and its dynamic table. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

static uintptr_t base(void)
{
    return (uintptr_t)&__ehdr_start;
}

/* Find what an entry of the dynamic table points to. glibc adds the base to it, musl does not. */
static void *find_table(ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == tag)
            return (void *)(entry->d_un.d_ptr < base() ? base() + entry->d_un.d_ptr
                                                       : entry->d_un.d_ptr);
    }
    return NULL;
}

/* The protection of the pages around an address. */
static int protection_of(const void *place)
{
    const elf_part *parts = (const elf_part *)(base() + __ehdr_start.e_phoff);
    const uintptr_t offset = (uintptr_t)place - base();

    for (unsigned i = 0; i < __ehdr_start.e_phnum; i++) {
        const elf_part *part = &parts[i];

        if (part->p_type == PT_LOAD && offset - part->p_vaddr < part->p_memsz)
            return (part->p_flags & PF_R ? PROT_READ : 0) |
                   (part->p_flags & PF_W ? PROT_WRITE : 0) | (part->p_flags & PF_X ? PROT_EXEC : 0);
    }
    return 0;
}

static bool protect(const elf_symbol *symbols, size_t count, int protection)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t start = (uintptr_t)symbols / page * page;

    return mprotect((void *)start, (uintptr_t)(symbols + count) - start, protection) == 0;
}

bool cushim__hide_symbols(bool (*is_hidden)(const char *name))
{
    elf_symbol *symbols = find_table(DT_SYMTAB);
    const char *names = find_table(DT_STRTAB);
    const uint32_t *hash = find_table(DT_HASH);
    const int protection = symbols ? protection_of(symbols) : 0;
    bool is_writable = false;

    if (!names || !hash || protection == 0)
        return false;
    for (size_t i = 0; i < hash[1]; i++) {
        if (symbols[i].st_shndx == SHN_UNDEF || !is_hidden(names + symbols[i].st_name))
            continue;
        if (!is_writable && !protect(symbols, hash[1], PROT_READ | PROT_WRITE))
            return false;
        is_writable = true;
        symbols[i].st_shndx = SHN_UNDEF;
        symbols[i].st_value = 0;
    }
    return !is_writable || protect(symbols, hash[1], protection);
}
