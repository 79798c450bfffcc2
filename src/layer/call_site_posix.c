/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the process, by what the dynamic linker tells of them. */
#define _GNU_SOURCE
#include "src/layer/call_site.h"

#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct search {
    uintptr_t address;
    struct cushim__place_file *file;
    bool is_found;
};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The program itself may have no name here. */
static void name(struct cushim__place_file *file, const char *path)
{
    char own[PATH_MAX];
    ssize_t length;

    if (!path || !path[0]) {
        length = readlink("/proc/self/exe", own, sizeof own - 1);
        own[length > 0 ? length : 0] = '\0';
        path = own;
    }
    snprintf(file->name, sizeof file->name, "%.*s", (int)sizeof file->name - 1, last_part(path));
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *search = data;

    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

        if (info->dlpi_phdr[i].p_type != PT_LOAD || search->address < start ||
            search->address - start >= info->dlpi_phdr[i].p_memsz)
            continue;
        search->is_found = true;
        search->file->base = info->dlpi_addr;
        search->file->offset = search->address - info->dlpi_addr;
        name(search->file, info->dlpi_name);
        return 1;
    }
    return 0;
}

void cushim__place_find(uintptr_t address, struct cushim__place_file *file)
{
    struct search search = {.address = address, .file = file};

    dl_iterate_phdr(look, &search);
    if (!search.is_found)
        *file = (struct cushim__place_file){.name = "?", .offset = address};
}
