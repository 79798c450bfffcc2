/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of an ELF library. */
#include "tests/hostile/victim.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/folder.h"

/* Older headers do not know it. */
enum { TAG_RELR = 36 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MEMBER(type, member)                                            \
    {                                                                   \
#member, offsetof(type, member), sizeof(((type *)0)->member), 0 \
    }

struct member {
    const char *name;
    size_t offset, bytes;
    enum field_kind kind;
};

static const struct member header_members[] = {
    {"e_class", EI_CLASS, 1, 0},     {"e_data", EI_DATA, 1, 0},   {"e_osabi", EI_OSABI, 1, 0},
    {"e_ident_end", 15, 1, 0},       MEMBER(ElfW(Ehdr), e_type),  MEMBER(ElfW(Ehdr), e_machine),
    MEMBER(ElfW(Ehdr), e_version),   MEMBER(ElfW(Ehdr), e_entry), MEMBER(ElfW(Ehdr), e_phoff),
    MEMBER(ElfW(Ehdr), e_shoff),     MEMBER(ElfW(Ehdr), e_flags), MEMBER(ElfW(Ehdr), e_ehsize),
    MEMBER(ElfW(Ehdr), e_phentsize), MEMBER(ElfW(Ehdr), e_phnum), MEMBER(ElfW(Ehdr), e_shnum),
};

static const struct member segment_members[] = {
    {"p_type", offsetof(ElfW(Phdr), p_type), 4, FIELD_SEGMENT_TYPE},
    MEMBER(ElfW(Phdr), p_flags),
    MEMBER(ElfW(Phdr), p_offset),
    MEMBER(ElfW(Phdr), p_vaddr),
    MEMBER(ElfW(Phdr), p_filesz),
    MEMBER(ElfW(Phdr), p_memsz),
    MEMBER(ElfW(Phdr), p_align),
};

static const struct member entry_members[] = {
    {"d_tag", offsetof(ElfW(Dyn), d_tag), sizeof(ElfW(Sxword)), FIELD_ENTRY_TAG},
    {"d_val", offsetof(ElfW(Dyn), d_un), sizeof(ElfW(Xword)), 0},
};

static const struct member symbol_members[] = {
    MEMBER(ElfW(Sym), st_name),  MEMBER(ElfW(Sym), st_info),  MEMBER(ElfW(Sym), st_other),
    MEMBER(ElfW(Sym), st_shndx), MEMBER(ElfW(Sym), st_value), MEMBER(ElfW(Sym), st_size),
};

static const struct member relocation_members[] = {
    MEMBER(ElfW(Rela), r_offset),
    {"type", offsetof(ElfW(Rela), r_info), 4, 0},
    {"symbol", offsetof(ElfW(Rela), r_info) + 4, 4, 0},
    MEMBER(ElfW(Rela), r_addend),
};

static const struct member need_members[] = {
    MEMBER(ElfW(Verneed), vn_version), MEMBER(ElfW(Verneed), vn_cnt),
    MEMBER(ElfW(Verneed), vn_file),    MEMBER(ElfW(Verneed), vn_aux),
    MEMBER(ElfW(Verneed), vn_next),
};

static const struct member version_members[] = {
    MEMBER(ElfW(Vernaux), vna_hash),  MEMBER(ElfW(Vernaux), vna_flags),
    MEMBER(ElfW(Vernaux), vna_other), MEMBER(ElfW(Vernaux), vna_name),
    MEMBER(ElfW(Vernaux), vna_next),
};

static const struct member definition_members[] = {
    MEMBER(ElfW(Verdef), vd_version), MEMBER(ElfW(Verdef), vd_flags), MEMBER(ElfW(Verdef), vd_ndx),
    MEMBER(ElfW(Verdef), vd_cnt),     MEMBER(ElfW(Verdef), vd_hash),  MEMBER(ElfW(Verdef), vd_aux),
    MEMBER(ElfW(Verdef), vd_next),
};

static const struct member name_members[] = {
    MEMBER(ElfW(Verdaux), vda_name),
    MEMBER(ElfW(Verdaux), vda_next),
};

static const struct member byte_members[] = {{"byte", 0, 1, 0}};
static const struct member half_members[] = {{"number", 0, 2, 0}};
static const struct member word_members[] = {{"word", 0, 4, 0}};
static const struct member long_members[] = {{"long", 0, 8, 0}};

/* Of the rows from `place` on: the first `all`, and then each that is `step` away. */
struct rows {
    const char *table;
    const struct member *members;
    size_t member_count;
    size_t place, size, count, all, step;
};

#define ROWS(name, list, ...)                                                    \
    &(const struct rows)                                                         \
    {                                                                            \
        .table = name, .members = list, .member_count = COUNT(list), __VA_ARGS__ \
    }

static void add_rows(struct victim *victim, const struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i += i < rows->all ? 1 : rows->step) {
        for (size_t m = 0; m < rows->member_count; m++) {
            const struct member *member = &rows->members[m];
            const size_t place = rows->place + i * rows->size + member->offset;
            if (victim->field_count == VICTIM_MOST_FIELDS || place + member->bytes > victim->size)
                return;
            victim->fields[victim->field_count++] = (struct field){
                place,      (unsigned)member->bytes, member->kind, rows->table, member->name,
                (unsigned)i};
        }
    }
}

static void add_edge(struct victim *victim, uint64_t edge)
{
    if (victim->edge_count < VICTIM_MOST_EDGES)
        victim->edges[victim->edge_count++] = edge;
}

static const ElfW(Phdr) * segments_of(const struct victim *victim)
{
    return (const void *)(victim->bytes + ((const ElfW(Ehdr) *)victim->bytes)->e_phoff);
}

static size_t segment_count(const struct victim *victim)
{
    return ((const ElfW(Ehdr) *)victim->bytes)->e_phnum;
}

/* Where in the file an address stands; the beginning, if nowhere. */
static size_t place_of(const struct victim *victim, uint64_t address)
{
    for (size_t i = 0; i < segment_count(victim); i++) {
        const ElfW(Phdr) *segment = &segments_of(victim)[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz)
            return (size_t)(address - segment->p_vaddr + segment->p_offset);
    }
    return 0;
}

static uint32_t word_at(const struct victim *victim, size_t place)
{
    uint32_t word;

    memcpy(&word, victim->bytes + place, sizeof word);
    return word;
}

static void add_gnu_hash(struct victim *victim, size_t place)
{
    const size_t buckets = word_at(victim, place), filter = word_at(victim, place + 8);
    const size_t first = place + 16 + filter * 8;

    add_rows(victim,
             ROWS("gnu hash", word_members, .place = place, .size = 4, .count = 4, .all = 4));
    add_rows(victim, ROWS("filter", long_members, .place = place + 16, .size = 8, .count = filter,
                          .all = 2, .step = 32));
    add_rows(victim, ROWS("bucket", word_members, .place = first, .size = 4, .count = buckets,
                          .all = 4, .step = 16));
    add_rows(victim, ROWS("chain", word_members, .place = first + buckets * 4, .size = 4,
                          .count = 680, .all = 4, .step = 32));
}

static void add_old_hash(struct victim *victim, size_t place)
{
    const size_t count = word_at(victim, place) + word_at(victim, place + 4);

    add_rows(victim, ROWS("hash", word_members, .place = place, .size = 4, .count = 2 + count,
                          .all = 6, .step = 24));
}

static void add_symbols(struct victim *victim, size_t place)
{
    add_rows(victim, ROWS("symbol", symbol_members, .place = place, .size = sizeof(ElfW(Sym)),
                          .count = 690, .all = 8, .step = 48));
}

static void add_relocations(struct victim *victim, size_t place)
{
    add_rows(victim, ROWS("relocation", relocation_members, .place = place,
                          .size = sizeof(ElfW(Rela)), .count = 8, .all = 8));
}

static void add_call_relocations(struct victim *victim, size_t place)
{
    add_rows(victim, ROWS("call relocation", relocation_members, .place = place,
                          .size = sizeof(ElfW(Rela)), .count = 1, .all = 1));
}

static void add_packed(struct victim *victim, size_t place)
{
    add_rows(victim, ROWS("packed", long_members, .place = place, .size = 8, .count = 2, .all = 2));
}

static void add_numbers(struct victim *victim, size_t place)
{
    add_rows(victim, ROWS("versym", half_members, .place = place, .size = 2, .count = 690, .all = 8,
                          .step = 64));
}

static void add_needed(struct victim *victim, size_t place)
{
    add_rows(victim, ROWS("verneed", need_members, .place = place, .size = sizeof(ElfW(Verneed)),
                          .count = 1, .all = 1));
    add_rows(victim, ROWS("vernaux", version_members, .place = place + sizeof(ElfW(Verneed)),
                          .size = sizeof(ElfW(Vernaux)), .count = 2, .all = 2));
}

static void add_defined(struct victim *victim, size_t place)
{
    add_rows(victim,
             ROWS("verdef", definition_members, .place = place, .size = 28, .count = 2, .all = 2));
    add_rows(victim, ROWS("verdaux", name_members, .place = place + sizeof(ElfW(Verdef)),
                          .size = 28, .count = 2, .all = 2));
}

static void add_strings(struct victim *victim, size_t place)
{
    add_rows(victim, ROWS("string", byte_members, .place = place, .size = 1, .count = 40, .all = 0,
                          .step = 4));
}

static void add_functions(struct victim *victim, size_t place)
{
    add_rows(victim,
             ROWS("function", long_members, .place = place, .size = 8, .count = 1, .all = 1));
}

/* What the dynamic section leads to. */
static const struct {
    int64_t tag;
    void (*add)(struct victim *victim, size_t place);
} leads[] = {
    {DT_GNU_HASH, add_gnu_hash}, {DT_HASH, add_old_hash},           {DT_SYMTAB, add_symbols},
    {DT_RELA, add_relocations},  {DT_JMPREL, add_call_relocations}, {TAG_RELR, add_packed},
    {DT_VERSYM, add_numbers},    {DT_VERNEED, add_needed},          {DT_VERDEF, add_defined},
    {DT_STRTAB, add_strings},    {DT_INIT_ARRAY, add_functions},    {DT_FINI_ARRAY, add_functions},
};

static void follow_entries(struct victim *victim, const ElfW(Phdr) * dynamic)
{
    const ElfW(Dyn) *entries = (const void *)(victim->bytes + dynamic->p_offset);
    size_t count = 0;

    while (entries[count].d_tag != DT_NULL)
        count++;
    victim->tables[1] = (struct row_table){"entry", dynamic->p_offset, sizeof *entries, count + 1};
    add_rows(victim, ROWS("entry", entry_members, .place = dynamic->p_offset,
                          .size = sizeof *entries, .count = count + 1, .all = count + 1));
    for (size_t i = 0; i < count; i++) {
        for (size_t lead = 0; lead < COUNT(leads); lead++) {
            if (leads[lead].tag != entries[i].d_tag)
                continue;
            add_edge(victim, entries[i].d_un.d_ptr);
            leads[lead].add(victim, place_of(victim, entries[i].d_un.d_ptr));
        }
    }
}

static void add_segment(struct victim *victim, const ElfW(Phdr) * segment)
{
    if (segment->p_type == PT_LOAD) {
        add_edge(victim, segment->p_vaddr);
        add_edge(victim, segment->p_vaddr + segment->p_filesz);
        add_edge(victim, segment->p_vaddr + segment->p_memsz);
        add_edge(victim, segment->p_offset + segment->p_filesz);
        if (victim->head == 0)
            victim->head = (size_t)segment->p_filesz;
    }
    if (segment->p_type == PT_NOTE)
        add_rows(victim, ROWS("note", word_members, .place = (size_t)segment->p_offset, .size = 4,
                              .count = 4, .all = 4));
    if (segment->p_type == PT_DYNAMIC)
        follow_entries(victim, segment);
}

struct victim *victim_open(const char *path)
{
    struct victim *victim = calloc(1, sizeof *victim);

    if (!victim)
        abort();
    victim->path = path;
    victim->bytes = folder_read(path, &victim->size);
    victim->tables[0] = (struct row_table){"segment", ((ElfW(Ehdr) *)victim->bytes)->e_phoff,
                                           sizeof(ElfW(Phdr)), segment_count(victim)};
    add_rows(victim, ROWS("header", header_members, .place = 0, .size = sizeof(ElfW(Ehdr)),
                          .count = 1, .all = 1));
    add_rows(victim, ROWS("segment", segment_members, .place = victim->tables[0].place,
                          .size = sizeof(ElfW(Phdr)), .count = segment_count(victim),
                          .all = segment_count(victim)));
    for (size_t i = 0; i < segment_count(victim); i++)
        add_segment(victim, &segments_of(victim)[i]);
    return victim;
}

void victim_close(struct victim *victim)
{
    free(victim->bytes);
    free(victim);
}
