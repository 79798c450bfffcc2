/* SPDX-License-Identifier: Apache-2.0 */
/* The hash table, which alone tells how many symbols there are, and the symbols. */
#include "loader/elf_file.h"

#include <stdio.h>
#include <string.h>

#include "loader/read.h"
#include "loader/symbols.h"
#include "loader/system.h"

enum { LINK = sizeof(uint32_t), NO_SYMBOL = 0 /* STN_UNDEF */ };

/* The types of a symbol, and the number of what is defined as a number and by no section. */
enum { TYPE_NONE = 0, TYPE_FUNCTION = 2, TYPE_THREAD = 6, TYPE_INDIRECT = 10, TYPE_MASK = 15 };

static bool hash_lies_outside(struct cushim__elf *elf)
{
    return cushim__elf_damaged(elf, elf->dynamic.p_offset,
                               "its hash table is not in the library's memory");
}

/* A chain of symbols ends at the first whose lowest bit is set. Count up to that. */
static bool follow_chain(struct cushim__elf *elf, uint64_t address, uint64_t first)
{
    uint64_t place, run, room;

    for (uint64_t i = first;; i += run) {
        const uint32_t *words;
        if (!cushim__elf_place(elf, address + (i - first) * LINK, LINK, PF_R, &place))
            return hash_lies_outside(elf);
        room = elf->size / LINK;
        words = cushim__elf_run(elf, place, LINK, room, &run);
        if (!words)
            return hash_lies_outside(elf);
        for (uint64_t j = 0; j < run; j++) {
            if (!cushim__elf_place(elf, address + (i + j - first) * LINK, LINK, PF_R, &place))
                return hash_lies_outside(elf);
            if (words[j] & 1) {
                elf->symbol_count = i + j + 1;
                elf->is_counted = true;
                return true;
            }
        }
    }
}

/* GNU's: all buckets lead into one row of chains, so the last of these is the end of all. */
static bool check_gnu_hash(struct cushim__elf *elf)
{
    enum { BUCKETS, FIRST_SYMBOL, FILTER_WORDS, SHIFT, HEAD_WORDS };
    const uint64_t address = elf->values[CUSHIM__ELF_GNU_HASH];
    uint32_t head[HEAD_WORDS], first, highest = NO_SYMBOL;
    uint64_t place, run, size;
    const uint32_t *words;

    if (address % sizeof(ElfW(Addr)) != 0 ||
        !cushim__elf_place(elf, address, sizeof head, PF_R, &place) ||
        !(words = cushim__elf_run(elf, place, sizeof head, 1, &run)))
        return hash_lies_outside(elf);
    memcpy(head, words, sizeof head);
    if (head[BUCKETS] == 0 || head[FILTER_WORDS] == 0 ||
        (head[FILTER_WORDS] & (head[FILTER_WORDS] - 1)) != 0)
        return cushim__elf_damaged(elf, place, "its hash table has no buckets, or no filter");
    first = head[FIRST_SYMBOL];
    size = sizeof head + (uint64_t)head[FILTER_WORDS] * sizeof(ElfW(Addr));
    if (!cushim__elf_place(elf, address, size + (uint64_t)head[BUCKETS] * LINK, PF_R, &place))
        return hash_lies_outside(elf);
    place += size;
    for (uint64_t i = 0; i < head[BUCKETS]; i += run) {
        words = cushim__elf_run(elf, place + i * LINK, LINK, head[BUCKETS] - i, &run);
        if (!words)
            return hash_lies_outside(elf);
        for (uint64_t j = 0; j < run; j++) {
            if (words[j] > highest)
                highest = words[j];
            if (words[j] < first && words[j] != NO_SYMBOL)
                return cushim__elf_damaged(elf, place + (i + j) * LINK,
                                           "a bucket leads before all chains");
        }
    }
    /* A library without symbols of its own may lead to one that has them. */
    if (highest == NO_SYMBOL)
        return true;
    size += ((uint64_t)head[BUCKETS] + (highest - first)) * LINK;
    return follow_chain(elf, address + size, highest);
}

/*
 * The older table: buckets and chains hold the next symbol. Where no symbol is the next of two, no
 * bucket leads into a circle.
 */
static bool check_links(struct cushim__elf *elf, uint64_t place, uint64_t count, uint64_t *seen)
{
    uint64_t run;

    for (uint64_t i = 0; i < count; i += run) {
        const uint32_t *words = cushim__elf_run(elf, place + i * LINK, LINK, count - i, &run);
        if (!words)
            return hash_lies_outside(elf);
        for (uint64_t j = 0; j < run; j++) {
            const uint32_t next = words[j];
            if (next == NO_SYMBOL)
                continue;
            if (next >= elf->symbol_count || seen[next / 64] >> next % 64 & 1)
                return cushim__elf_damaged(
                    elf, place + (i + j) * LINK,
                    "a chain of its hash table has no end, or leads out of it");
            seen[next / 64] |= (uint64_t)1 << next % 64;
        }
    }
    return true;
}

static bool check_old_hash(struct cushim__elf *elf)
{
    const uint64_t address = elf->values[CUSHIM__ELF_HASH];
    uint64_t place, run, words, bytes, *seen;
    uint32_t head[2]; /* buckets, symbols */
    const void *start;
    bool is_sound;

    if (address % LINK != 0 || !cushim__elf_place(elf, address, sizeof head, PF_R, &place) ||
        !(start = cushim__elf_run(elf, place, sizeof head, 1, &run)))
        return hash_lies_outside(elf);
    memcpy(head, start, sizeof head);
    words = (uint64_t)head[0] + head[1];
    if (head[0] == 0 || !cushim__elf_place(elf, address, sizeof head + words * LINK, PF_R, &place))
        return hash_lies_outside(elf);
    elf->symbol_count = head[1];
    elf->is_counted = true;
    bytes = ((uint64_t)head[1] / 64 + 1) * sizeof *seen;
    seen = cushim__memory_take((size_t)bytes);
    if (!seen)
        return cushim__elf_refuse(elf, CUSHIM_OUTCOME_NOT_LOADABLE, "no memory to look at it");
    is_sound = check_links(elf, place + sizeof head, words, seen);
    cushim__memory_give_back(seen, (size_t)bytes);
    return is_sound;
}

/* Whether the linker would take a symbol for the library's own, whatever others have. */
static bool binds_here(const ElfW(Sym) * symbol)
{
    return ELF64_ST_BIND(symbol->st_info) == STB_LOCAL ||
           ELF64_ST_VISIBILITY(symbol->st_other) != STV_DEFAULT;
}

/* What is wrong with a symbol; NULL: nothing. The first one is none. */
static const char *fault_of_symbol(struct cushim__elf *elf, const ElfW(Sym) * symbol,
                                   uint64_t index)
{
    const unsigned type = symbol->st_info & TYPE_MASK;

    if (symbol->st_name >= elf->values[CUSHIM__ELF_STRSZ])
        return "a symbol's name lies beyond its string table";
    if (symbol->st_shndx == SHN_UNDEF)
        return index > 0 && binds_here(symbol) ? "a symbol is its own and not defined" : NULL;
    if (symbol->st_shndx >= SHN_LORESERVE)
        return NULL;
    if ((type == TYPE_FUNCTION || type == TYPE_INDIRECT) &&
        !cushim__elf_is_code(elf, symbol->st_value))
        return "a function is no code of the library";
    return type == TYPE_THREAD && !elf->has_tls ? "a variable of threads has no memory" : NULL;
}

/* Names of symbols that stand near one another: the window holds the symbols meanwhile. */
struct names {
    uint64_t start; /* in the file */
    size_t count;
    char bytes[1024];
};

/* The text at an offset of the string table; empty: it is longer than any name of a driver's. */
static const char *name_of(const struct cushim__elf *elf, struct names *names, uint64_t offset)
{
    enum { LONGEST = 128 };
    const uint64_t place = elf->strings + offset;
    size_t rest;

    if (place < names->start || place - names->start + LONGEST > names->count) {
        const ssize_t got = cushim__read_at(elf->file, names->bytes, sizeof names->bytes, place);
        names->start = place;
        names->count = got > 0 ? (size_t)got : 0;
    }
    rest = names->count - (size_t)(place - names->start);
    return rest && memchr(names->bytes + (place - names->start), '\0', rest)
               ? names->bytes + (place - names->start)
               : "";
}

static bool is_code(struct cushim__elf *elf, const ElfW(Sym) * symbol)
{
    const unsigned type = symbol->st_info & TYPE_MASK;

    return symbol->st_shndx < SHN_LORESERVE &&
           (type == TYPE_FUNCTION || type == TYPE_INDIRECT ||
            (type == TYPE_NONE && cushim__elf_is_code(elf, symbol->st_value)));
}

/*
 * The name of a driver's function that is data, a variable of threads, or a mere number: a call of it
 * would go there. NULL: it is none of these.
 */
static const char *called_in_vain(struct cushim__elf *elf, const ElfW(Sym) * symbol,
                                  struct names *names)
{
    const char *name;

    if (symbol->st_shndx == SHN_UNDEF || is_code(elf, symbol))
        return NULL;
    name = name_of(elf, names, symbol->st_name);
    for (unsigned i = 0; strncmp(name, "cu", 2) == 0 && i < CUSHIM__SYMBOL_COUNT; i++) {
        if (strcmp(name, cushim__slot_name(i)) == 0)
            return name;
    }
    return NULL;
}

static bool refuse_function(struct cushim__elf *elf, uint64_t place, const char *name)
{
    char why[160];

    snprintf(why, sizeof why, "%s is no function", name);
    return cushim__elf_damaged(elf, place, why);
}

/*
 * How many of the symbols, from the first on, are global functions of the code that was met last,
 * which is what nearly all are.
 */
static uint64_t count_plain(const struct cushim__elf *elf, const ElfW(Sym) * symbols,
                            const ElfW(Sym) * end)
{
    const unsigned char plain = ELF64_ST_INFO(STB_GLOBAL, TYPE_FUNCTION);
    const uint64_t names = elf->values[CUSHIM__ELF_STRSZ];
    const uint64_t start = elf->code_start, bytes = elf->code_bytes;
    const ElfW(Sym) *symbol = symbols;

    while (symbol < end && symbol->st_info == plain && symbol->st_value - start < bytes &&
           symbol->st_name < names)
        symbol++;
    return (uint64_t)(symbol - symbols);
}

static bool check_each_symbol(struct cushim__elf *elf)
{
    const uint64_t address = elf->values[CUSHIM__ELF_SYMTAB], count = elf->symbol_count;
    const size_t size = sizeof(ElfW(Sym));
    struct names names = {.count = 0};
    uint64_t start, run;

    if (!cushim__elf_has(elf, CUSHIM__ELF_SYMTAB) || address % sizeof(ElfW(Addr)) != 0 ||
        count > elf->size / size || !cushim__elf_place(elf, address, count * size, PF_R, &start))
        return cushim__elf_damaged(elf, elf->dynamic.p_offset,
                                   "its symbols are not in the library's memory");
    for (uint64_t i = 0; i < count; i += run) {
        const ElfW(Sym) *symbols = cushim__elf_run(elf, start + i * size, size, count - i, &run);
        if (!symbols)
            return cushim__elf_damaged(elf, start + i * size, "its symbols cannot be read");
        for (const ElfW(Sym) *symbol = symbols, *end = symbols + run; symbol < end;
             symbol += 1 + count_plain(elf, symbol + 1, end)) {
            const uint64_t index = i + (uint64_t)(symbol - symbols);
            const char *why = fault_of_symbol(elf, symbol, index), *name;
            if (why)
                return cushim__elf_damaged(elf, start + index * size, why);
            name = called_in_vain(elf, symbol, &names);
            if (name)
                return refuse_function(elf, start + index * size, name);
        }
    }
    return true;
}

/* The string table ends with NUL, so whatever begins in it ends in it. */
static bool check_end_of_strings(struct cushim__elf *elf)
{
    const uint64_t place = elf->strings + elf->values[CUSHIM__ELF_STRSZ] - 1;
    uint64_t run;
    const char *last = cushim__elf_run(elf, place, 1, 1, &run);

    return last && *last == '\0' ? true
                                 : cushim__elf_damaged(elf, place, "its string table has no end");
}

bool cushim__elf_check_symbols(struct cushim__elf *elf)
{
    bool is_sound;

    /* Linkers that know GNU's do not read the other. */
    if (cushim__elf_has(elf, CUSHIM__ELF_GNU_HASH))
        is_sound = check_gnu_hash(elf);
    else if (cushim__elf_has(elf, CUSHIM__ELF_HASH))
        is_sound = check_old_hash(elf);
    else
        is_sound = cushim__elf_damaged(elf, elf->dynamic.p_offset, "it has no hash table");
    return is_sound && (!elf->is_counted || check_each_symbol(elf)) && check_end_of_strings(elf);
}
