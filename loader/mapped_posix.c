/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "loader/mapped.h"

#include <link.h>
#include <string.h>

#include "loader/text.h"

typedef ElfW(Dyn) dynamic_entry;

/* How many bytes an object has mapped from an address on, to be read; 0: it is not its own. */
static size_t readable_from(const struct dl_phdr_info *object, uintptr_t address)
{
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const uintptr_t offset = address - (object->dlpi_addr + segment->p_vaddr);
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) && offset < segment->p_memsz)
            return segment->p_memsz - offset;
    }
    return 0;
}

/* The entries of an object's dynamic section: as many as there can be, for the last is marked. */
struct entries {
    const dynamic_entry *first, *end;
};

/* A library need not be what it says of itself, as long as nobody asks the linker for that part. */
static struct entries entries_of(const struct dl_phdr_info *object)
{
    struct entries entries = {NULL, NULL};
    uintptr_t address;
    size_t count;

    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        address = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        count = readable_from(object, address) / sizeof *entries.first;
        if (address % sizeof(ElfW(Addr)) == 0) {
            entries.first = (const dynamic_entry *)address;
            entries.end = entries.first + count;
        }
        break;
    }
    return entries;
}

/* The name that an object has for itself; NULL: none. */
static const char *inner_name(const struct dl_phdr_info *object)
{
    const struct entries entries = entries_of(object);
    const dynamic_entry *entry = entries.first;
    uintptr_t names = 0, name;
    size_t own = 0, size;

    for (; entry < entries.end && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_STRTAB)
            names = entry->d_un.d_ptr;
        else if (entry->d_tag == DT_SONAME)
            own = entry->d_un.d_val;
    }
    if (!names || !own)
        return NULL;
    /* Not every linker adds the base to the addresses in there. */
    name = (names < object->dlpi_addr ? names + object->dlpi_addr : names) + own;
    size = readable_from(object, name);
    return size && memchr((const char *)name, '\0', size) ? (const char *)name : NULL;
}

/* What an object is looked for by, and where its path goes. */
struct wanted {
    const char *name;
    uintptr_t address;
    char *path;
    size_t size;
};

static int look_for_name(struct dl_phdr_info *object, size_t size, void *data)
{
    const struct wanted *wanted = data;
    const char *file = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL, *inner;

    (void)size;
    if (!file)
        return 0; /* the program, or what the kernel has mapped */
    if (strcmp(file + 1, wanted->name) != 0) {
        inner = inner_name(object);
        if (!inner || strcmp(inner, wanted->name) != 0)
            return 0;
    }
    cushim__text_copy(wanted->path, wanted->size, object->dlpi_name);
    return 1;
}

bool cushim__mapped_find(const char *name, char *path, size_t size)
{
    struct wanted wanted = {.name = name, .path = path, .size = size};

    return dl_iterate_phdr(look_for_name, &wanted) != 0;
}

static int look_for_address(struct dl_phdr_info *object, size_t size, void *data)
{
    const struct wanted *wanted = data;

    (void)size;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD ||
            wanted->address - (object->dlpi_addr + segment->p_vaddr) >= segment->p_memsz)
            continue;
        cushim__text_copy(wanted->path, wanted->size, object->dlpi_name ? object->dlpi_name : "");
        return 1;
    }
    return 0;
}

bool cushim__mapped_holding(uintptr_t address, char *path, size_t size)
{
    struct wanted wanted = {.address = address, .path = path, .size = size};

    return dl_iterate_phdr(look_for_address, &wanted) != 0 && path[0];
}

/* An entry to be found, and its value. */
struct wanted_entry {
    intptr_t tag;
    uintptr_t value;
    bool is_found;
};

/* The first object is the program. */
static int look_for_entry(struct dl_phdr_info *program, size_t size, void *data)
{
    struct wanted_entry *wanted = data;
    const struct entries entries = entries_of(program);
    const dynamic_entry *entry = entries.first;

    (void)size;
    for (; entry < entries.end && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag != wanted->tag)
            continue;
        wanted->value = entry->d_un.d_val;
        wanted->is_found = true;
    }
    return 1;
}

bool cushim__mapped_program_entry(intptr_t tag, uintptr_t *value)
{
    struct wanted_entry wanted = {.tag = tag};

    dl_iterate_phdr(look_for_entry, &wanted);
    *value = wanted.value;
    return wanted.is_found;
}
