/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a DLL. */
#include "tests/hostile/victim.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "tests/support/folder.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MEMBER(type, member)                                         \
    {                                                                \
#member, offsetof(type, member), sizeof(((type *)0)->member) \
    }

struct member {
    const char *name;
    size_t offset, bytes;
};

static const struct member dos_members[] = {
    MEMBER(IMAGE_DOS_HEADER, e_magic),
    MEMBER(IMAGE_DOS_HEADER, e_lfanew),
};

static const struct member header_members[] = {
    MEMBER(IMAGE_NT_HEADERS64, Signature),
    MEMBER(IMAGE_NT_HEADERS64, FileHeader.Machine),
    MEMBER(IMAGE_NT_HEADERS64, FileHeader.NumberOfSections),
    MEMBER(IMAGE_NT_HEADERS64, FileHeader.PointerToSymbolTable),
    MEMBER(IMAGE_NT_HEADERS64, FileHeader.NumberOfSymbols),
    MEMBER(IMAGE_NT_HEADERS64, FileHeader.SizeOfOptionalHeader),
    MEMBER(IMAGE_NT_HEADERS64, FileHeader.Characteristics),
    MEMBER(IMAGE_NT_HEADERS64, OptionalHeader.Magic),
    MEMBER(IMAGE_NT_HEADERS64, OptionalHeader.AddressOfEntryPoint),
    MEMBER(IMAGE_NT_HEADERS64, OptionalHeader.ImageBase),
    MEMBER(IMAGE_NT_HEADERS64, OptionalHeader.SectionAlignment),
    MEMBER(IMAGE_NT_HEADERS64, OptionalHeader.FileAlignment),
    MEMBER(IMAGE_NT_HEADERS64, OptionalHeader.SizeOfImage),
    MEMBER(IMAGE_NT_HEADERS64, OptionalHeader.SizeOfHeaders),
    MEMBER(IMAGE_NT_HEADERS64, OptionalHeader.NumberOfRvaAndSizes),
};

static const struct member directory_members[] = {
    MEMBER(IMAGE_DATA_DIRECTORY, VirtualAddress),
    MEMBER(IMAGE_DATA_DIRECTORY, Size),
};

static const struct member section_members[] = {
    MEMBER(IMAGE_SECTION_HEADER, Misc.VirtualSize),
    MEMBER(IMAGE_SECTION_HEADER, VirtualAddress),
    MEMBER(IMAGE_SECTION_HEADER, SizeOfRawData),
    MEMBER(IMAGE_SECTION_HEADER, PointerToRawData),
    MEMBER(IMAGE_SECTION_HEADER, PointerToRelocations),
    MEMBER(IMAGE_SECTION_HEADER, Characteristics),
};

static const struct member import_members[] = {
    MEMBER(IMAGE_IMPORT_DESCRIPTOR, OriginalFirstThunk),
    MEMBER(IMAGE_IMPORT_DESCRIPTOR, TimeDateStamp),
    MEMBER(IMAGE_IMPORT_DESCRIPTOR, ForwarderChain),
    MEMBER(IMAGE_IMPORT_DESCRIPTOR, Name),
    MEMBER(IMAGE_IMPORT_DESCRIPTOR, FirstThunk),
};

static void add_rows(struct victim *victim, const char *table, const struct member *members,
                     size_t member_count, size_t place, size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t m = 0; m < member_count; m++)
            victim->fields[victim->field_count++] =
                (struct field){place + i * size + members[m].offset,
                               (unsigned)members[m].bytes,
                               FIELD_NUMBER,
                               table,
                               members[m].name,
                               (unsigned)i};
    }
}

static void add_edge(struct victim *victim, uint64_t edge)
{
    if (victim->edge_count < VICTIM_MOST_EDGES)
        victim->edges[victim->edge_count++] = edge;
}

static void add_sections(struct victim *victim, const IMAGE_NT_HEADERS64 *headers)
{
    const IMAGE_SECTION_HEADER *sections = IMAGE_FIRST_SECTION(headers);
    const size_t count = headers->FileHeader.NumberOfSections;
    const size_t imports = headers->OptionalHeader.DataDirectory[1].VirtualAddress;
    const size_t place = (size_t)((const unsigned char *)sections - victim->bytes);

    add_rows(victim, "section", section_members, COUNT(section_members), place, sizeof *sections,
             count);
    victim->tables[0] = (struct row_table){"section", place, sizeof *sections, count};
    victim->head = place + count * sizeof *sections;
    for (size_t i = 0; i < count; i++) {
        const size_t start = sections[i].VirtualAddress, size = sections[i].SizeOfRawData;
        const size_t table = imports - start + sections[i].PointerToRawData;
        add_edge(victim, start);
        add_edge(victim, start + size);
        add_edge(victim, (uint64_t)sections[i].PointerToRawData + size);
        if (imports >= start && imports - start < size) {
            add_rows(victim, "import", import_members, COUNT(import_members), table,
                     sizeof(IMAGE_IMPORT_DESCRIPTOR), 3);
            victim->tables[1] =
                (struct row_table){"import", table, sizeof(IMAGE_IMPORT_DESCRIPTOR), 3};
        }
    }
}

struct victim *victim_open(const char *path)
{
    struct victim *victim = calloc(1, sizeof *victim);
    const IMAGE_NT_HEADERS64 *headers;
    size_t start;

    if (!victim)
        abort();
    victim->path = path;
    victim->bytes = folder_read(path, &victim->size);
    start = (size_t)((const IMAGE_DOS_HEADER *)victim->bytes)->e_lfanew;
    headers = (const void *)(victim->bytes + start);
    add_rows(victim, "dos", dos_members, COUNT(dos_members), 0, sizeof(IMAGE_DOS_HEADER), 1);
    add_rows(victim, "header", header_members, COUNT(header_members), start, sizeof *headers, 1);
    add_rows(victim, "directory", directory_members, COUNT(directory_members),
             start + offsetof(IMAGE_NT_HEADERS64, OptionalHeader.DataDirectory),
             sizeof(IMAGE_DATA_DIRECTORY), 16);
    add_edge(victim, headers->OptionalHeader.SizeOfImage);
    add_sections(victim, headers);
    return victim;
}

void victim_close(struct victim *victim)
{
    free(victim->bytes);
    free(victim);
}
