/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search of musl's dynamic linker, which tells nobody of it: LD_LIBRARY_PATH, the program's own
 * run path, and the list in /etc/ld-musl-ARCHITECTURE.path or a list of its own. It takes the first
 * file that it can open, whatever is in it, and does not ask which processor that is for.
 */
#define _GNU_SOURCE
#include "loader/search.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loader/elf.h"
#include "loader/system.h"
#include "loader/text.h"

#ifndef __GLIBC__

typedef ElfW(Dyn) dynamic_entry;

/* What is read while a search is followed. Too large for a small thread's stack. */
struct search {
    char folders[4096];
    struct cushim_candidate file;
};

/* Not every linker adds the base to the addresses in there. */
static const char *name_at(const struct dl_phdr_info *object, uintptr_t names, size_t offset)
{
    return (const char *)(names < object->dlpi_addr ? names + object->dlpi_addr : names) + offset;
}

static const dynamic_entry *dynamic_of(const struct dl_phdr_info *object)
{
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const dynamic_entry *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    }
    return NULL;
}

/* The first object is the program. */
static int look_for_run_path(struct dl_phdr_info *program, size_t size, void *found)
{
    const dynamic_entry *entry = dynamic_of(program);

    (void)size;
    for (; entry && entry->d_tag != DT_NULL; entry++)
        *(bool *)found |= entry->d_tag == DT_RPATH || entry->d_tag == DT_RUNPATH;
    return 1;
}

/* The linker's own file is called ld-musl-ARCHITECTURE.so.1: the name of its list. */
static int name_list(struct dl_phdr_info *object, size_t size, void *list)
{
    static const char start[] = "ld-musl-", end[] = ".so.1";
    const char *name = strrchr(object->dlpi_name, '/');
    const size_t length = name ? strlen(++name) : 0;

    (void)size;
    if (length < sizeof start + sizeof end || strncmp(name, start, sizeof start - 1) != 0 ||
        strcmp(name + length - (sizeof end - 1), end) != 0)
        return 0;
    snprintf(list, CUSHIM_REPORT_PATH_BYTES, "/etc/%.*s.path", (int)(length - (sizeof end - 1)),
             name);
    return 1;
}

/* Read the folders of the system into `folders`. False: they cannot be told. */
static bool read_system_folders(struct search *search)
{
    static const char defaults[] = "/lib:/usr/local/lib:/usr/lib";
    char *list = search->file.path;
    ssize_t length;
    int file;

    if (!dl_iterate_phdr(name_list, list))
        return false;
    file = open(list, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        memcpy(search->folders, defaults, sizeof defaults);
        return true;
    }
    length = read(file, search->folders, sizeof search->folders);
    close(file);
    if (length < 0 || (size_t)length == sizeof search->folders)
        return false;
    search->folders[length] = '\0';
    return true;
}

/* Whether the search has its file in one of these folders, which is then looked at in `file`. */
static bool look_into(const char *folders, const char *name, struct cushim_candidate *file)
{
    for (size_t length; *(folders += strspn(folders, ":\n")); folders += length) {
        length = strcspn(folders, ":\n");
        memset(file, 0, sizeof *file);
        if (snprintf(file->path, sizeof file->path, "%.*s/%s", (int)length, folders, name) >=
            (int)sizeof file->path)
            continue;
        if (cushim__elf_check(file) || (file->outcome != CUSHIM_OUTCOME_NOT_FOUND &&
                                        file->outcome != CUSHIM_OUTCOME_NO_PERMISSION))
            return true;
    }
    return false;
}

bool cushim__search_check(struct cushim_candidate *candidate, struct cushim_candidate *passed_over)
{
    const char *folders = secure_getenv("LD_LIBRARY_PATH");
    struct search *search = cushim__memory_take(sizeof *search);
    bool found, has_run_path = false, usable;

    passed_over->path[0] = '\0';
    if (!search)
        return true;
    found = folders && look_into(folders, candidate->path, &search->file);
    /* Where that leads is not known here, so neither is what would come after it. */
    dl_iterate_phdr(look_for_run_path, &has_run_path);
    if (!found && !has_run_path && read_system_folders(search))
        found = look_into(search->folders, candidate->path, &search->file);
    usable = !found || search->file.outcome == CUSHIM_OUTCOME_LOADED;
    if (!usable)
        cushim__search_adopt(candidate, &search->file);
    cushim__memory_give_back(search, sizeof *search);
    return usable;
}

/* An object to be found, and the path that it was opened by. */
struct mapped {
    const char *name;
    char path[CUSHIM_REPORT_PATH_BYTES];
};

static int look_for_name(struct dl_phdr_info *object, size_t size, void *data)
{
    struct mapped *mapped = data;
    const char *file = strrchr(object->dlpi_name, '/');
    const dynamic_entry *entry = dynamic_of(object);
    uintptr_t names = 0;
    size_t own = 0;

    (void)size;
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_STRTAB)
            names = entry->d_un.d_ptr;
        else if (entry->d_tag == DT_SONAME)
            own = entry->d_un.d_val;
    }
    if (!file || (strcmp(file + 1, mapped->name) != 0 &&
                  !(names && own && strcmp(name_at(object, names, own), mapped->name) == 0)))
        return 0;
    cushim__text_copy(mapped->path, sizeof mapped->path, object->dlpi_name);
    return 1;
}

/* The linker itself knows a library by its file only, not by the name in it. */
void *cushim__search_mapped(const char *name)
{
    struct mapped mapped = {.name = name};

    if (!dl_iterate_phdr(look_for_name, &mapped))
        return NULL;
    return dlopen(mapped.path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | RTLD_NOLOAD);
}

#endif
