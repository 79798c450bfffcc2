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

static bool check_name(struct cushim__elf *elf, uint64_t address, uint64_t name)
{
    (void)address;
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

static bool check_needed(struct cushim__elf *elf)
{
    uint64_t address = elf->values[CUSHIM__ELF_VERNEED];
    unsigned count = 0;
    ElfW(Verneed) need;

    do {
        uint64_t next = address;
        ElfW(Vernaux) version;
        if (!read_record(elf, address, &need, sizeof need))
            return false;
        if (!check_name(elf, address, need.vn_file) || !check_library(elf, need.vn_file))
            return false;
        next += need.vn_aux;
        do {
            if (!read_record(elf, next, &version, sizeof version) ||
                !check_name(elf, next, version.vna_name))
                return false;
            note_number(elf, version.vna_other);
            next += version.vna_next;
            if (++count > MOST_RECORDS)
                return versions_lie_outside(elf);
        } while (version.vna_next != 0);
        address += need.vn_next;
    } while (need.vn_next != 0);
    return true;
}

static bool check_defined(struct cushim__elf *elf)
{
    uint64_t address = elf->values[CUSHIM__ELF_VERDEF];
    unsigned count = 0;
    ElfW(Verdef) definition;

    do {
        ElfW(Verdaux) name;
        if (!read_record(elf, address, &definition, sizeof definition) ||
            !read_record(elf, address + definition.vd_aux, &name, sizeof name) ||
            !check_name(elf, address, name.vda_name))
            return false;
        note_number(elf, definition.vd_ndx);
        address += definition.vd_next;
        if (++count > MOST_RECORDS)
            return versions_lie_outside(elf);
    } while (definition.vd_next != 0);
    return true;
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
    const bool has_needed = cushim__elf_has(elf, CUSHIM__ELF_VERNEED);
    const bool has_defined = cushim__elf_has(elf, CUSHIM__ELF_VERDEF);

    if (cushim__elf_has(elf, CUSHIM__ELF_VERSYM) != (has_needed || has_defined))
        return cushim__elf_damaged(elf, elf->dynamic.p_offset,
                                   "it has versions without numbers, or numbers without versions");
    if ((has_needed && !check_needed(elf)) || (has_defined && !check_defined(elf)))
        return false;
    return (has_needed || has_defined) && elf->is_counted ? check_numbers(elf) : true;
}
