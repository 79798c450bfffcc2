/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search of musl's dynamic linker, which tells nobody of it: LD_LIBRARY_PATH, the program's own
 * run path, and the list in /etc/ld-musl-ARCHITECTURE.path or a list of its own. It takes the first
 * file that it can open, whatever is in it, and does not ask which processor that is for.
 */
#define _GNU_SOURCE
#include "loader/search.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loader/elf.h"
#include "loader/mapped.h"
#include "loader/read.h"
#include "loader/system.h"
#include "loader/text.h"

#ifndef __GLIBC__

/* What is read while a search is followed. Too large for a small thread's stack. */
struct followed {
    char folders[4096];
    struct cushim_candidate file;
};

static bool has_run_path(void)
{
    uintptr_t value;

    return cushim__mapped_program_entry(DT_RPATH, &value) ||
           cushim__mapped_program_entry(DT_RUNPATH, &value);
}

/* The linker's own file is called ld-musl-ARCHITECTURE.so.1: the name of its list. */
static int name_list(struct dl_phdr_info *object, size_t size, void *list)
{
    static const char start[] = "ld-musl-", end[] = ".so.1";
    const char *name = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
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
static bool read_system_folders(struct followed *search)
{
    static const char defaults[] = "/lib:/usr/local/lib:/usr/lib";
    char *list = search->file.path;
    ssize_t length;
    int file;

    if (!dl_iterate_phdr(name_list, list))
        return false;
    file = open(list, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        memcpy(search->folders, defaults, sizeof defaults);
        return true;
    }
    length = cushim__read_at(file, search->folders, sizeof search->folders, 0);
    close(file);
    if (length < 0 || (size_t)length == sizeof search->folders)
        return false;
    search->folders[length] = '\0';
    return true;
}

/* Whether the search has its file in one of these folders, which is then looked at in `file`. */
static bool look_along(const char *folders, const char *name, struct cushim_candidate *file)
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

/* Never certain that there is none: what musl has heard at the start may be another path. */
enum cushim__look cushim__search_look(struct cushim_candidate *candidate,
                                      struct cushim_candidate *passed_over)
{
    const char *folders = secure_getenv("LD_LIBRARY_PATH");
    struct followed *search = cushim__memory_take(sizeof *search);
    bool found, usable;

    passed_over->path[0] = '\0';
    if (!search)
        return CUSHIM__LOOK_ASK;
    found = folders && look_along(folders, candidate->path, &search->file);
    /* Where that leads is not known here, so neither is what would come after it. */
    if (!found && !has_run_path() && read_system_folders(search))
        found = look_along(search->folders, candidate->path, &search->file);
    usable = !found || search->file.outcome == CUSHIM_OUTCOME_LOADED;
    if (!usable)
        cushim__search_adopt(candidate, &search->file);
    cushim__memory_give_back(search, sizeof *search);
    return usable ? CUSHIM__LOOK_ASK : CUSHIM__LOOK_REFUSE;
}

#endif
