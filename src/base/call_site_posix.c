/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Return addresses come from the unwinder of the compiler's runtime, and files from the dynamic
 * linker. CUSHIM__UNWINDS is 0 where the unwinder cannot be linked: Debian's musl-gcc has that of a
 * gcc for glibc.
 */
#define _GNU_SOURCE
#include "src/base/call_site.h"

#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if CUSHIM__UNWINDS
#include <unwind.h>
#endif

struct search {
    uintptr_t address;
    struct cushim__code_file *file;
    bool is_found;
};

/* The dynamic linker may have no name for the program itself. */
static void name(struct cushim__code_file *file, const char *path)
{
    char own[PATH_MAX];
    const char *slash;
    ssize_t length;

    if (!path || !path[0]) {
        length = readlink("/proc/self/exe", own, sizeof own - 1);
        own[length > 0 ? length : 0] = '\0';
        path = own;
    }
    slash = strrchr(path, '/');
    snprintf(file->name, sizeof file->name, "%.*s", (int)sizeof file->name - 1,
             slash ? slash + 1 : path);
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

void cushim__code_file_find(uintptr_t address, struct cushim__code_file *file)
{
    struct search search = {.address = address, .file = file};

    dl_iterate_phdr(look, &search);
    if (!search.is_found)
        *file = (struct cushim__code_file){.name = "?", .offset = address};
}

#if CUSHIM__UNWINDS
/* Frames that are deeper than this are not examined. */
enum { DEEPEST = 64 };

struct walk {
    struct cushim__call_site *site;
    uintptr_t function, outer;
    unsigned depth, count;
    bool is_outside; /* the walk has passed the function */
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data)
{
    struct walk *walk = data;

    if (!walk->is_outside)
        walk->is_outside = _Unwind_GetRegionStart(context) == walk->function;
    else if (walk->count > 0 || _Unwind_GetRegionStart(context) != walk->outer)
        walk->site->addresses[walk->count++] = _Unwind_GetIP(context);
    return ++walk->depth == DEEPEST || walk->count == CUSHIM__CALL_SITE_DEPTH ? _URC_END_OF_STACK
                                                                              : _URC_NO_REASON;
}

void cushim__call_site_capture(struct cushim__call_site *site, uintptr_t function, uintptr_t outer)
{
    struct walk walk = {.site = site, .function = function, .outer = outer};

    memset(site, 0, sizeof *site);
    _Unwind_Backtrace(visit, &walk);
}
#else
void cushim__call_site_capture(struct cushim__call_site *site, uintptr_t function, uintptr_t outer)
{
    (void)function;
    (void)outer;
    memset(site, 0, sizeof *site);
}
#endif
