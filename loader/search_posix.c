/* SPDX-License-Identifier: Apache-2.0 */
/* The search of glibc's dynamic linker, which tells its folders, but neither its cache nor the
 * subfolders that it tries in each. */
#define _GNU_SOURCE
#include "loader/search.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/cache.h"
#include "loader/elf.h"
#include "loader/mapped.h"
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

enum { MOST_SEEN = 16 };

/* What is read while a search is followed. Too large for a small thread's stack. */
struct search {
    size_t size; /* of all this */
    struct cushim_candidate file;
    struct {
        dev_t device;
        ino_t number;
    } seen[MOST_SEEN]; /* folders: a system has several names for one */
    unsigned seen_count;
    unsigned subfolder_count; /* those that the linker tries */
    bool is_certain;          /* nothing was met of which the linker may know more */
    Dl_serinfo folders;
};

/*
 * The first parts of what a linker tries in each folder before it looks into that itself. What
 * comes after the first is of glibc before 2.37.
 */
static const char *const subfolders[] = {
    "glibc-hwcaps",
#if defined(__x86_64__)
    "tls",          "haswell", "xeon_phi", "avx512_1", "x86_64",
#elif defined(__aarch64__)
    "tls",
    "atomics",
    "aarch64",
#endif
};

enum { OLD_SUBFOLDERS = sizeof subfolders / sizeof subfolders[0] };

/* How many of them this linker tries; 0: it cannot be told. */
static unsigned count_subfolders(void)
{
    static const char major[] = "glibc 2.";
    char version[32] = "";

    confstr(_CS_GNU_LIBC_VERSION, version, sizeof version);
    if (strncmp(version, major, sizeof major - 1) != 0)
        return 0;
    if (strtol(version + sizeof major - 1, NULL, 10) >= 37)
        return 1;
    /* Others can be asked for. */
    return OLD_SUBFOLDERS > 1 && !getenv("LD_HWCAP_MASK") && !getenv("GLIBC_TUNABLES")
               ? OLD_SUBFOLDERS
               : 0;
}

/* Whether somebody hears of the linker's searches, and may send them elsewhere. */
static bool is_audited(void)
{
    const struct r_debug *linker;
    uintptr_t address;

    if (getenv("LD_AUDIT") || cushim__mapped_program_entry(DT_AUDIT, &address) ||
        cushim__mapped_program_entry(DT_DEPAUDIT, &address))
        return true;
    /* Not there in a namespace of dlmopen(). In another version there are several. */
    if (!cushim__mapped_program_entry(DT_DEBUG, &address) || !address)
        return true;
    memcpy(&linker, &address, sizeof linker);
    return linker->r_version > 1;
}

/*
 * Whether dlopen() is the C library's. Another one, of a library that was loaded before the program
 * or of the program itself, may lead a search to where no look would find anything.
 */
static bool asks_the_linker(void)
{
    static const char *const libraries[] = {"libc.so", "libc-2", "libdl.so", "libdl-2"};
    const uintptr_t function = (uintptr_t)dlsym(RTLD_DEFAULT, "dlopen");
    char path[CUSHIM_REPORT_PATH_BYTES];
    const char *file;

    if (!function || !cushim__mapped_holding(function, path, sizeof path))
        return false;
    file = strrchr(path, '/');
    for (size_t i = 0; file && i < sizeof libraries / sizeof libraries[0]; i++) {
        if (strncmp(file + 1, libraries[i], strlen(libraries[i])) == 0)
            return true;
    }
    return false;
}

/* The part of the process that this is, for the search goes by who asks; close it again. */
static void *open_self(void)
{
    static const char here;
    char path[CUSHIM_REPORT_PATH_BYTES];
    const bool is_library = cushim__mapped_holding((uintptr_t)&here, path, sizeof path);

    return dlopen(is_library ? path : NULL, RTLD_LAZY | RTLD_NOLOAD);
}

/* Begin a search. NULL: its folders cannot be told. */
static struct search *read_folders(void)
{
    void *self = open_self();
    struct search *search = NULL;
    Dl_serinfo head;

    if (self && dlinfo(self, RTLD_DI_SERINFOSIZE, &head) == 0)
        search = cushim__memory_take(sizeof *search + head.dls_size);
    if (search) {
        search->size = sizeof *search + head.dls_size;
        search->folders = head;
        if (dlinfo(self, RTLD_DI_SERINFO, &search->folders) != 0) {
            cushim__memory_give_back(search, search->size);
            search = NULL;
        }
    }
    if (self)
        dlclose(self);
    return search;
}

static bool was_seen(struct search *search, const struct stat *folder)
{
    for (unsigned i = 0; i < search->seen_count; i++) {
        if (search->seen[i].device == folder->st_dev && search->seen[i].number == folder->st_ino)
            return true;
    }
    if (search->seen_count < MOST_SEEN) {
        search->seen[search->seen_count].device = folder->st_dev;
        search->seen[search->seen_count++].number = folder->st_ino;
    }
    return false;
}

/* Write the path of something in a folder. Whether it is there, or that cannot be told. */
static bool may_have(struct search *search, const char *folder, const char *name)
{
    char *path = search->file.path;
    struct cushim__text text;

    cushim__text_begin(&text, path, sizeof search->file.path);
    cushim__text_add(&text, folder);
    cushim__text_add(&text, "/");
    cushim__text_add(&text, name);
    if (text.length >= sizeof search->file.path) {
        path[0] = '\0';
        return true;
    }
    return access(path, F_OK) == 0 || errno != ENOENT;
}

/* Whether the search would go on beyond this folder, stop at a file there, or take that. */
enum find { GOES_ON, STOPS, TAKES };

static enum find look_into(struct search *search, const char *folder, const char *name)
{
    struct stat status;

    memset(&search->file, 0, sizeof search->file);
    if (stat(folder, &status) != 0) {
        search->is_certain &= errno == ENOENT;
        return GOES_ON;
    }
    if (was_seen(search, &status))
        return GOES_ON;
    for (unsigned i = 0; search->is_certain && i < search->subfolder_count; i++)
        search->is_certain = !may_have(search, folder, subfolders[i]);
    if (!may_have(search, folder, name))
        return GOES_ON;
    search->is_certain = false;
    if (!search->file.path[0])
        return GOES_ON;
    if (cushim__elf_check(&search->file))
        return TAKES;
    return search->file.outcome == CUSHIM_OUTCOME_TRUNCATED ||
                   search->file.outcome == CUSHIM_OUTCOME_DAMAGED ||
                   search->file.outcome == CUSHIM_OUTCOME_NOT_A_LIBRARY
               ? STOPS
               : GOES_ON;
}

/*
 * Whether the linker has a cache beside its folders that may lead to more. Where it is kept is told
 * by nobody; a linker of the system's own folders, which it searches last, has the system's.
 */
static bool cache_lacks(const Dl_serinfo *folders, const char *name)
{
    static const char system[] = "/usr/lib";
    const char *last = folders->dls_cnt ? folders->dls_serpath[folders->dls_cnt - 1].dls_name : "";

    return strncmp(last, system, sizeof system - 1) == 0 &&
           cushim__cache_lacks("/etc/ld.so.cache", name);
}

enum cushim__look cushim__search_look(struct cushim_candidate *candidate,
                                      struct cushim_candidate *passed_over)
{
    struct search *search = read_folders();
    enum cushim__look look = CUSHIM__LOOK_ASK;
    enum find find = GOES_ON;

    passed_over->path[0] = '\0';
    if (!search)
        return look;
    search->subfolder_count = count_subfolders();
    search->is_certain = search->subfolder_count > 0 && !is_audited() && asks_the_linker();
    for (unsigned i = 0; i < search->folders.dls_cnt && find == GOES_ON; i++) {
        find = look_into(search, search->folders.dls_serpath[i].dls_name, candidate->path);
        if (find == GOES_ON && search->file.outcome == CUSHIM_OUTCOME_WRONG_ARCHITECTURE)
            *passed_over = search->file;
    }
    if (find == STOPS) {
        cushim__search_adopt(candidate, &search->file);
        look = CUSHIM__LOOK_REFUSE;
    } else if (search->is_certain && cache_lacks(&search->folders, candidate->path)) {
        candidate->outcome = CUSHIM_OUTCOME_NOT_FOUND;
        cushim__text_copy(candidate->message, sizeof candidate->message,
                          "neither a folder of the dynamic linker's search nor its cache has it");
        look = CUSHIM__LOOK_NONE;
    }
    cushim__memory_give_back(search, search->size);
    return look;
}

#endif
