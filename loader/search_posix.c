/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "loader/search.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "loader/elf.h"
#include "loader/system.h"
#include "loader/text.h"

void cushim__search_adopt(struct cushim_candidate *candidate, const struct cushim_candidate *file)
{
    struct cushim__text text;

    candidate->outcome = file->outcome;
    cushim__text_begin(&text, candidate->message, sizeof candidate->message);
    cushim__text_add(&text, file->path);
    cushim__text_add(&text, ": ");
    cushim__text_add(&text, file->message);
}

#ifdef __GLIBC__

/* The folders of the search in order; NULL: they cannot be told. Give `*size` back with it. */
static Dl_serinfo *read_folders(size_t *size)
{
    void *program = dlopen(NULL, RTLD_LAZY);
    Dl_serinfo head, *folders;

    if (!program || dlinfo(program, RTLD_DI_SERINFOSIZE, &head) != 0)
        return NULL;
    *size = head.dls_size;
    folders = cushim__memory_take(*size);
    if (!folders)
        return NULL;
    *folders = head;
    if (dlinfo(program, RTLD_DI_SERINFO, folders) == 0)
        return folders;
    cushim__memory_give_back(folders, *size);
    return NULL;
}

/* Whether the search would go on beyond this file, stop at it, or take it. */
enum find { GOES_ON, STOPS, TAKES };

static enum find look_at(const char *folder, const char *name, struct cushim_candidate *file)
{
    memset(file, 0, sizeof *file);
    if (snprintf(file->path, sizeof file->path, "%s/%s", folder, name) >= (int)sizeof file->path ||
        access(file->path, F_OK) != 0)
        return GOES_ON;
    if (cushim__elf_check(file))
        return TAKES;
    return file->outcome == CUSHIM_OUTCOME_TRUNCATED ||
                   file->outcome == CUSHIM_OUTCOME_NOT_A_LIBRARY
               ? STOPS
               : GOES_ON;
}

bool cushim__search_check(struct cushim_candidate *candidate, struct cushim_candidate *passed_over)
{
    size_t size = 0;
    Dl_serinfo *folders = read_folders(&size);
    struct cushim_candidate *file = cushim__memory_take(sizeof *file);
    enum find find = GOES_ON;

    passed_over->path[0] = '\0';
    for (unsigned i = 0; folders && file && i < folders->dls_cnt && find == GOES_ON; i++) {
        find = look_at(folders->dls_serpath[i].dls_name, candidate->path, file);
        if (find == GOES_ON && file->outcome == CUSHIM_OUTCOME_WRONG_ARCHITECTURE)
            *passed_over = *file;
    }
    if (find == STOPS)
        cushim__search_adopt(candidate, file);
    if (file)
        cushim__memory_give_back(file, sizeof *file);
    if (folders)
        cushim__memory_give_back(folders, size);
    return find != STOPS;
}

/* Whether a mapped object is called like a driver: its file may carry the whole release. */
static int is_called_like_a_driver(struct dl_phdr_info *object, size_t size, void *found)
{
    const char *name = strrchr(object->dlpi_name, '/');

    (void)size;
    name = name ? name + 1 : object->dlpi_name;
    *(bool *)found |= strncmp(name, "libcuda.so", strlen("libcuda.so")) == 0;
    return 0;
}

void *cushim__search_mapped(const char *name)
{
    struct cushim_candidate file = {.path = ""}, passed_over;
    bool found = false;

    /* One that is called otherwise is known by its inner name, but the linker searches first. */
    dl_iterate_phdr(is_called_like_a_driver, &found);
    cushim__text_copy(file.path, sizeof file.path, name);
    if (!found && !cushim__search_check(&file, &passed_over))
        return NULL;
    return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | RTLD_NOLOAD);
}

#endif
