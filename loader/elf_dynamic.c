/* SPDX-License-Identifier: Apache-2.0 */
/* The dynamic section: entries that lead to all that the dynamic linker reads. */
#define _GNU_SOURCE
#include "loader/elf_file.h"

#include <errno.h>
#include <string.h>

#include "loader/read.h"

/* Those of which older headers do not know. */
enum { TAG_RELRSZ = 35, TAG_RELR = 36, TAG_RELRENT = 37 };

/* Where the value of an entry goes, by its tag. */
static enum cushim__elf_entry entry_of(int64_t tag)
{
    switch (tag) {
    case DT_HASH:
        return CUSHIM__ELF_HASH;
    case DT_GNU_HASH:
        return CUSHIM__ELF_GNU_HASH;
    case DT_STRTAB:
        return CUSHIM__ELF_STRTAB;
    case DT_STRSZ:
        return CUSHIM__ELF_STRSZ;
    case DT_SYMTAB:
        return CUSHIM__ELF_SYMTAB;
    case DT_SYMENT:
        return CUSHIM__ELF_SYMENT;
    case DT_RELA:
        return CUSHIM__ELF_RELA;
    case DT_RELASZ:
        return CUSHIM__ELF_RELASZ;
    case DT_RELAENT:
        return CUSHIM__ELF_RELAENT;
    case DT_RELACOUNT:
        return CUSHIM__ELF_RELACOUNT;
    case DT_REL:
        return CUSHIM__ELF_REL;
    case DT_RELSZ:
        return CUSHIM__ELF_RELSZ;
    case DT_RELENT:
        return CUSHIM__ELF_RELENT;
    case DT_JMPREL:
        return CUSHIM__ELF_JMPREL;
    case DT_PLTRELSZ:
        return CUSHIM__ELF_PLTRELSZ;
    case DT_PLTREL:
        return CUSHIM__ELF_PLTREL;
    case TAG_RELR:
        return CUSHIM__ELF_RELR;
    case TAG_RELRSZ:
        return CUSHIM__ELF_RELRSZ;
    case TAG_RELRENT:
        return CUSHIM__ELF_RELRENT;
    case DT_VERSYM:
        return CUSHIM__ELF_VERSYM;
    case DT_VERNEED:
        return CUSHIM__ELF_VERNEED;
    case DT_VERDEF:
        return CUSHIM__ELF_VERDEF;
    case DT_INIT:
        return CUSHIM__ELF_INIT;
    case DT_FINI:
        return CUSHIM__ELF_FINI;
    case DT_INIT_ARRAY:
        return CUSHIM__ELF_INIT_ARRAY;
    case DT_INIT_ARRAYSZ:
        return CUSHIM__ELF_INIT_ARRAYSZ;
    case DT_FINI_ARRAY:
        return CUSHIM__ELF_FINI_ARRAY;
    case DT_FINI_ARRAYSZ:
        return CUSHIM__ELF_FINI_ARRAYSZ;
    case DT_TEXTREL:
        return CUSHIM__ELF_TEXTREL;
    case DT_FLAGS:
        return CUSHIM__ELF_FLAGS;
    case DT_FLAGS_1:
        return CUSHIM__ELF_FLAGS_1;
    default:
        return CUSHIM__ELF_NO_ENTRY;
    }
}

/* A table, the entries for its size and for that of one thing in it, and what that must be. */
static const struct table {
    enum cushim__elf_entry start, bytes;
    unsigned each; /* they are aligned to 8, but for texts */
    enum cushim__elf_entry each_entry;
} tables[] = {
    {CUSHIM__ELF_STRTAB, CUSHIM__ELF_STRSZ, 1, CUSHIM__ELF_NO_ENTRY},
    {CUSHIM__ELF_RELA, CUSHIM__ELF_RELASZ, sizeof(ElfW(Rela)), CUSHIM__ELF_RELAENT},
    {CUSHIM__ELF_REL, CUSHIM__ELF_RELSZ, sizeof(ElfW(Rel)), CUSHIM__ELF_RELENT},
    {CUSHIM__ELF_RELR, CUSHIM__ELF_RELRSZ, sizeof(ElfW(Addr)), CUSHIM__ELF_RELRENT},
    {CUSHIM__ELF_JMPREL, CUSHIM__ELF_PLTRELSZ, sizeof(ElfW(Rela)), CUSHIM__ELF_NO_ENTRY},
    {CUSHIM__ELF_INIT_ARRAY, CUSHIM__ELF_INIT_ARRAYSZ, sizeof(ElfW(Addr)), CUSHIM__ELF_NO_ENTRY},
    {CUSHIM__ELF_FINI_ARRAY, CUSHIM__ELF_FINI_ARRAYSZ, sizeof(ElfW(Addr)), CUSHIM__ELF_NO_ENTRY},
};

/* Entries whose value is an offset in the string table. */
static const int64_t text_tags[] = {
    DT_NEEDED, DT_SONAME, DT_RPATH, DT_RUNPATH, DT_AUXILIARY, DT_FILTER, DT_AUDIT, DT_DEPAUDIT,
};

static bool damaged_entries(struct cushim__elf *elf, const char *why)
{
    return cushim__elf_damaged(elf, elf->dynamic.p_offset, why);
}

/* Of several entries of a kind, the linker takes the last. */
static void note_entry(struct cushim__elf *elf, const ElfW(Dyn) * entry)
{
    const enum cushim__elf_entry kind = entry_of(entry->d_tag);

    if (kind == CUSHIM__ELF_NO_ENTRY)
        return;
    elf->present |= (uint64_t)1 << kind;
    elf->values[kind] = entry->d_un.d_val;
}

/* The linker reads on until an entry says that it is the last. */
static bool read_entries(struct cushim__elf *elf)
{
    size_t bytes = sizeof elf->entries, count;
    ssize_t got;

    if (bytes > elf->dynamic.p_filesz)
        bytes = (size_t)elf->dynamic.p_filesz;
    got = cushim__read_at(elf->file, elf->entries, bytes, elf->dynamic.p_offset);
    if (got < 0)
        elf->error = errno;
    count = got > 0 ? (size_t)got / sizeof *elf->entries : 0;
    for (size_t i = 0; i < count; i++) {
        elf->entry_count = i;
        if (elf->entries[i].d_tag == DT_NULL)
            return true;
        note_entry(elf, &elf->entries[i]);
    }
    return damaged_entries(elf, "its dynamic section has no end");
}

static bool check_bounds(struct cushim__elf *elf, const struct table *table)
{
    const bool has_start = cushim__elf_has(elf, table->start);
    const uint64_t start = elf->values[table->start], bytes = elf->values[table->bytes];
    uint64_t place;

    if (!has_start && bytes == 0)
        return true;
    if (!has_start || !cushim__elf_has(elf, table->bytes))
        return damaged_entries(elf, "a table has a size and no place, or a place and no size");
    if (table->each_entry != CUSHIM__ELF_NO_ENTRY && elf->values[table->each_entry] != table->each)
        return damaged_entries(elf, "the entries of a table are of an unknown size");
    if (bytes % table->each != 0 || (table->each > 1 && start % sizeof(ElfW(Addr)) != 0))
        return damaged_entries(elf, "a table is not aligned, or not of whole entries");
    if (bytes > 0 && !cushim__elf_place(elf, start, bytes, PF_R, &place))
        return damaged_entries(elf, "a table is not in the library's memory");
    return true;
}

/* What glibc's linker demands of these, or ends the process. */
static bool check_kinds(struct cushim__elf *elf)
{
    const bool has_plt = cushim__elf_has(elf, CUSHIM__ELF_PLTREL);

    if (has_plt != cushim__elf_has(elf, CUSHIM__ELF_JMPREL) ||
        (has_plt && elf->values[CUSHIM__ELF_PLTREL] != DT_RELA))
        return damaged_entries(elf, "the relocations of its calls are of an unknown kind");
    if (elf->values[CUSHIM__ELF_RELSZ] > 0)
        return damaged_entries(elf, "its relocations are of another processor's kind");
    if (cushim__elf_has(elf, CUSHIM__ELF_SYMENT) &&
        elf->values[CUSHIM__ELF_SYMENT] != sizeof(ElfW(Sym)))
        return damaged_entries(elf, "its symbols are of an unknown size");
    return true;
}

static bool check_functions(struct cushim__elf *elf)
{
    static const enum cushim__elf_entry functions[] = {CUSHIM__ELF_INIT, CUSHIM__ELF_FINI};

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (cushim__elf_has(elf, functions[i]) &&
            !cushim__elf_is_code(elf, elf->values[functions[i]]))
            return damaged_entries(elf, "what runs at its start or end is no code");
    }
    return true;
}

static bool check_strings(struct cushim__elf *elf)
{
    const uint64_t bytes = elf->values[CUSHIM__ELF_STRSZ];

    if (!cushim__elf_has(elf, CUSHIM__ELF_STRTAB) || bytes == 0 ||
        !cushim__elf_place(elf, elf->values[CUSHIM__ELF_STRTAB], bytes, PF_R, &elf->strings))
        return damaged_entries(elf, "it has no string table");
    for (size_t i = 0; i < elf->entry_count; i++) {
        for (size_t name = 0; name < sizeof text_tags / sizeof *text_tags; name++) {
            if (elf->entries[i].d_tag == text_tags[name] && elf->entries[i].d_un.d_val >= bytes)
                return damaged_entries(elf, "a name lies beyond its string table");
        }
    }
    return true;
}

bool cushim__elf_check_dynamic(struct cushim__elf *elf)
{
    if (elf->dynamic.p_type != PT_DYNAMIC)
        return cushim__elf_refuse(elf, CUSHIM_OUTCOME_NOT_A_LIBRARY, "it has no dynamic section");
    if (!read_entries(elf))
        return false;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (!check_bounds(elf, &tables[i]))
            return false;
    }
    return check_kinds(elf) && check_functions(elf) && check_strings(elf);
}
