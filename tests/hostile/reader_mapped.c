/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/hostile/readers.h"

#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "loader/mapped.h"

enum { PAGE = 4096 };

typedef int (*callback)(struct dl_phdr_info *object, size_t size, void *data);

int __wrap_dl_iterate_phdr(callback function, void *data);
int __real_dl_iterate_phdr(callback function, void *data);

static struct dl_phdr_info mapped;

/* Linked in the place of dl_iterate_phdr(): the process has the mutant mapped, and nothing else. */
int __wrap_dl_iterate_phdr(callback function, void *data)
{
    return mapped.dlpi_phnum ? function(&mapped, sizeof mapped, data)
                             : __real_dl_iterate_phdr(function, data);
}

/*
 * Where the headers of the mutant are; those of what is mapped are the victim's, as the linker's.
 */
static ElfW(Phdr) headers[64];

static size_t read_headers(const struct victim *victim, const struct mutant *mutant)
{
    const ElfW(Ehdr) *header = (const void *)victim->bytes;
    size_t end = 0;

    if (header->e_phnum > sizeof headers / sizeof *headers)
        reader_fail("the victim has too many segments");
    for (unsigned i = 0; i < header->e_phnum; i++) {
        const size_t place = header->e_phoff + i * sizeof *headers;
        const ElfW(Phdr) *sound = (const void *)(victim->bytes + place);
        memcpy(&headers[i], mutant->bytes + place, sizeof *headers);
        if (sound->p_type == PT_LOAD || headers[i].p_type == PT_LOAD)
            headers[i] = *sound;
        if (sound->p_type == PT_LOAD && sound->p_vaddr + sound->p_memsz > end)
            end = sound->p_vaddr + sound->p_memsz;
    }
    mapped.dlpi_phdr = headers;
    mapped.dlpi_phnum = header->e_phnum;
    return end;
}

/* As glibc's linker adds the base to what the dynamic section leads to, and musl's does not. */
static void add_base(unsigned char *memory, const ElfW(Phdr) * dynamic)
{
    ElfW(Dyn) *entry = (void *)(memory + dynamic->p_vaddr);

    for (size_t i = 0; i < dynamic->p_memsz / sizeof *entry; i++) {
        if (entry[i].d_tag == DT_STRTAB)
            entry[i].d_un.d_ptr += (uintptr_t)memory;
    }
}

static unsigned char *map(const struct victim *victim, const struct mutant *mutant)
{
    const size_t end = read_headers(victim, mutant);
    unsigned char *memory = aligned_alloc(PAGE, (end + PAGE - 1) / PAGE * PAGE);

    if (!memory)
        abort();
    memset(memory, 0, end);
    for (unsigned i = 0; i < mapped.dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &headers[i];
        if (segment->p_type == PT_LOAD)
            memcpy(memory + segment->p_vaddr, mutant->bytes + segment->p_offset, segment->p_filesz);
    }
    for (unsigned i = 0; i < mapped.dlpi_phnum; i++) {
        const ElfW(Ehdr) *header = (const void *)victim->bytes;
        const ElfW(Phdr) *sound = (const void *)(victim->bytes + header->e_phoff);
        if (sound[i].p_type == PT_DYNAMIC && mutant->size % 2 == 0)
            add_base(memory, &sound[i]);
    }
    mapped.dlpi_addr = (uintptr_t)memory;
    mapped.dlpi_name = "/nowhere/driver";
    return memory;
}

static unsigned read_mapped(const struct victim *victim, const struct mutant *mutant)
{
    unsigned char *memory = map(victim, mutant);
    char path[64] = "";
    uintptr_t value;
    const bool by_name = cushim__mapped_find("libcuda.so.1", path, sizeof path);
    const bool by_address = cushim__mapped_holding((uintptr_t)memory, path, sizeof path);
    const bool has_entry = cushim__mapped_program_entry(DT_STRTAB, &value);

    mapped.dlpi_phnum = 0;
    free(memory);
    return (unsigned)by_name + 2 * (unsigned)has_entry + 4 * (unsigned)by_address;
}

static const char *name_of_found(unsigned index)
{
    static const char *const names[] = {
        "nothing", "name",          "entry",          "name, entry",
        "address", "name, address", "entry, address", "name, entry, address",
    };

    return names[index];
}

const struct reader reader_mapped = {"mapped", victim_open, read_mapped, name_of_found};
