/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of symbols: those that the library needs of others, and those that it defines. */
#include "loader/elf_file.h"

#include <string.h>

#include "loader/mapped.h"

/* The number of a version is in the lower bits. More records than these are refused. */
enum { NUMBER_MASK = 0x7fff, MOST_RECORDS = 65536, MOST_NAME = 256 };

static bool versions_lie_outside(struct cushim__elf *elf)
{
    return cushim__elf_damaged(elf, elf->dynamic.p_offset,
                               "its versions of symbols are not in the library's memory");
}

/* Copy one record. Each leads to the next by its distance. */
static bool read_record(struct cushim__elf *elf, uint64_t address, void *copy, size_t size)
{
    uint64_t place, run;
    const void *bytes;

    if (address % sizeof(uint32_t) != 0 || !cushim__elf_place(elf, address, size, PF_R, &place) ||
        !(bytes = cushim__elf_run(elf, place, size, 1, &run)))
        return versions_lie_outside(elf);
    memcpy(copy, bytes, size);
    return true;
}

static void note_number(struct cushim__elf *elf, unsigned number)
{
    if ((number & NUMBER_MASK) > elf->last_version)
        elf->last_version = number & NUMBER_MASK;
}

static bool check_name(struct cushim__elf *elf, uint64_t name)
{
    return name < elf->values[CUSHIM__ELF_STRSZ]
               ? true
               : cushim__elf_damaged(elf, elf->dynamic.p_offset,
                                     "the name of a version lies beyond its string table");
}

static bool is_needed(const struct cushim__elf *elf, uint64_t name)
{
    for (size_t i = 0; i < elf->entry_count; i++) {
        if (elf->entries[i].d_tag == DT_NEEDED && elf->entries[i].d_un.d_val == name)
            return true;
    }
    return false;
}

/* glibc's linker ends the process if a version is of a library that is not there. */
static bool check_library(struct cushim__elf *elf, uint64_t name)
{
    char path[CUSHIM_REPORT_PATH_BYTES], wanted[MOST_NAME], needed[MOST_NAME];

    if (is_needed(elf, name))
        return true;
    cushim__elf_string(elf, name, wanted, sizeof wanted);
    for (size_t i = 0; i < elf->entry_count; i++) {
        if (elf->entries[i].d_tag != DT_NEEDED)
            continue;
        cushim__elf_string(elf, elf->entries[i].d_un.d_val, needed, sizeof needed);
        if (strcmp(needed, wanted) == 0)
            return true;
    }
    return cushim__mapped_find(wanted, path, sizeof path)
               ? true
               : cushim__elf_damaged(elf, elf->dynamic.p_offset,
                                     "it needs a version of a library that it does not need");
}

/* A kind of record, each of which leads to the next by its distance. */
struct record_kind {
    size_t bytes, distance; /* of one, and where in it the distance is; 0 is the last one's */
    bool (*check)(struct cushim__elf *elf, uint64_t address, const void *one, unsigned *count);
};

/* `count` is that of all records that were met, in whichever list. */
static bool check_list(struct cushim__elf *elf, const struct record_kind *kind, uint64_t address,
                       unsigned *count)
{
    union {
        ElfW(Verneed) need;
        ElfW(Vernaux) needed;
        ElfW(Verdef) defined;
    } one;
    ElfW(Word) distance;

    do {
        if (!read_record(elf, address, &one, kind->bytes) ||
            !kind->check(elf, address, &one, count))
            return false;
        if (++*count > MOST_RECORDS)
            return versions_lie_outside(elf);
        memcpy(&distance, (const unsigned char *)&one + kind->distance, sizeof distance);
        address += distance;
    } while (distance != 0);
    return true;
}

static bool check_needed(struct cushim__elf *elf, uint64_t address, const void *one,
                         unsigned *count)
{
    const ElfW(Vernaux) *version = one;

    (void)address;
    (void)count;
    note_number(elf, version->vna_other);
    return check_name(elf, version->vna_name);
}

static bool check_need(struct cushim__elf *elf, uint64_t address, const void *one, unsigned *count)
{
    static const struct record_kind needed = {sizeof(ElfW(Vernaux)),
                                              offsetof(ElfW(Vernaux), vna_next), check_needed};
    const ElfW(Verneed) *need = one;

    return check_name(elf, need->vn_file) && check_library(elf, need->vn_file) &&
           check_list(elf, &needed, address + need->vn_aux, count);
}

static bool check_definition(struct cushim__elf *elf, uint64_t address, const void *one,
                             unsigned *count)
{
    const ElfW(Verdef) *definition = one;
    ElfW(Verdaux) name;

    (void)count;
    note_number(elf, definition->vd_ndx);
    return read_record(elf, address + definition->vd_aux, &name, sizeof name) &&
           check_name(elf, name.vda_name);
}

/* All bits that are set in any of these numbers, of which several are read at once. */
static unsigned all_bits(const uint16_t *numbers, uint64_t count)
{
    enum { AT_ONCE = sizeof(uint64_t) / sizeof *numbers };
    uint64_t bits = 0, word;
    uint64_t i = 0;

    for (; i + AT_ONCE <= count; i += AT_ONCE) {
        memcpy(&word, numbers + i, sizeof word);
        bits |= word;
    }
    bits |= bits >> 32;
    bits |= bits >> 16;
    for (; i < count; i++)
        bits |= numbers[i];
    return (unsigned)bits & NUMBER_MASK;
}

/* The number that each symbol has. */
static bool check_numbers(struct cushim__elf *elf)
{
    const uint64_t address = elf->values[CUSHIM__ELF_VERSYM], count = elf->symbol_count;
    const uint64_t last = elf->last_version;
    uint64_t start, run;

    if (address % sizeof(uint16_t) != 0 ||
        !cushim__elf_place(elf, address, count * sizeof(uint16_t), PF_R, &start))
        return versions_lie_outside(elf);
    for (uint64_t i = 0; i < count; i += run) {
        const uint64_t place = start + i * sizeof(uint16_t);
        const uint16_t *numbers = cushim__elf_run(elf, place, sizeof *numbers, count - i, &run);
        if (!numbers)
            return versions_lie_outside(elf);
        if (all_bits(numbers, run) <= last)
            continue;
        for (const uint16_t *number = numbers; number < numbers + run; number++) {
            if ((*number & NUMBER_MASK) > last)
                return cushim__elf_damaged(elf, place,
                                           "a symbol is of a version that there is not");
        }
    }
    return true;
}

bool cushim__elf_check_versions(struct cushim__elf *elf)
{
    static const struct record_kind needs = {sizeof(ElfW(Verneed)),
                                             offsetof(ElfW(Verneed), vn_next), check_need};
    static const struct record_kind definitions = {
        sizeof(ElfW(Verdef)), offsetof(ElfW(Verdef), vd_next), check_definition};
    const uint64_t *values = elf->values;
    const bool has_needed = cushim__elf_has(elf, CUSHIM__ELF_VERNEED);
    const bool has_defined = cushim__elf_has(elf, CUSHIM__ELF_VERDEF);
    unsigned count = 0;

    if (cushim__elf_has(elf, CUSHIM__ELF_VERSYM) != (has_needed || has_defined))
        return cushim__elf_damaged(elf, elf->dynamic.p_offset,
                                   "it has versions without numbers, or numbers without versions");
    if ((has_needed && !check_list(elf, &needs, values[CUSHIM__ELF_VERNEED], &count)) ||
        (has_defined && !check_list(elf, &definitions, values[CUSHIM__ELF_VERDEF], &count)))
        return false;
    return (has_needed || has_defined) && elf->is_counted ? check_numbers(elf) : true;
}
