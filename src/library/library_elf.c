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
 * --hash-style=both, as the size of the table is only in DT_HASH.
 *
 * A program that is linked with the library and binds its functions at the start gets them before
 * this runs; hidden functions then return CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER.
 */

typedef ElfW(Sym) elf_symbol;
typedef ElfW(Dyn) elf_entry;
typedef ElfW(Phdr) elf_part;

struct object {
    uintptr_t base;
    elf_symbol *symbols;
    const char *names;
    size_t count;
    int protection; /* of the pages with the symbols */
};

/* glibc adds the base to these addresses, musl does not. */
static uintptr_t address_of(const struct object *object, const elf_entry *entry)
{
    const uintptr_t address = (uintptr_t)entry->d_un.d_ptr;

    return address < object->base ? object->base + address : address;
}

static void read_dynamic(struct object *object, const elf_entry *entry)
{
    for (; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SYMTAB)
            object->symbols = (elf_symbol *)address_of(object, entry);
        else if (entry->d_tag == DT_STRTAB)
            object->names = (const char *)address_of(object, entry);
        else if (entry->d_tag == DT_HASH)
            object->count = ((const uint32_t *)address_of(object, entry))[1];
    }
}

static bool contains(const struct dl_phdr_info *info, const elf_part *part, const void *place)
{
    const uintptr_t start = info->dlpi_addr + part->p_vaddr;

    return part->p_type == PT_LOAD && (uintptr_t)place >= start &&
           (uintptr_t)place < start + part->p_memsz;
}

static const elf_part *part_with(const struct dl_phdr_info *info, const void *place)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        if (contains(info, &info->dlpi_phdr[i], place))
            return &info->dlpi_phdr[i];
    }
    return NULL;
}

/* Called for each object of the process. Stops at this library, which contains `here`. */
static int read_object(struct dl_phdr_info *info, size_t size, void *data)
{
    static const char here;
    struct object *object = data;
    const elf_part *part;

    (void)size;
    if (!part_with(info, &here))
        return 0;
    object->base = info->dlpi_addr;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            read_dynamic(object, (const elf_entry *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
    }
    part = part_with(info, object->symbols);
    if (part)
        object->protection = (part->p_flags & PF_R ? PROT_READ : 0) |
                             (part->p_flags & PF_W ? PROT_WRITE : 0) |
                             (part->p_flags & PF_X ? PROT_EXEC : 0);
    return 1;
}

static bool protect(const struct object *object, int protection)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t start = (uintptr_t)object->symbols / page * page;
    const uintptr_t end = (uintptr_t)(object->symbols + object->count);

    return mprotect((void *)start, end - start, protection) == 0;
}

bool cushim__hide_symbols(bool (*is_hidden)(const char *name))
{
    struct object object = {0};
    bool writable = false;

    if (!dl_iterate_phdr(read_object, &object) || !object.symbols || !object.names ||
        object.count == 0 || object.protection == 0)
        return false;
    for (size_t i = 0; i < object.count; i++) {
        if (object.symbols[i].st_shndx == SHN_UNDEF ||
            !is_hidden(object.names + object.symbols[i].st_name))
            continue;
        if (!writable && !protect(&object, PROT_READ | PROT_WRITE))
            return false;
        writable = true;
        object.symbols[i].st_shndx = SHN_UNDEF;
        object.symbols[i].st_value = 0;
    }
    return !writable || protect(&object, object.protection);
}
