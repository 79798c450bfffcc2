/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search of glibc's dynamic linker, which tells its folders, but neither its cache nor the
 * subfolders that it tries in each.
 */
#define _GNU_SOURCE
#include "loader/search.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/cache.h"
#include "loader/elf.h"
#include "loader/linker.h"
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
    const char *name;
    struct cushim_candidate file;
    struct cushim_candidate cached; /* to which the linker's cache leads */
    char path[CUSHIM_REPORT_PATH_BYTES];
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
 * The parts of what a linker tries in each folder before it looks into that itself, in the order in
 * which they stand in one path. Those that come after the first are of glibc before 2.37.
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

/* What is in the first of them. */
static const char *const levels[] = {
#if defined(__x86_64__)
    "x86-64-v4",
    "x86-64-v3",
    "x86-64-v2",
#endif
    NULL,
};

enum { OLD_SUBFOLDERS = sizeof subfolders / sizeof subfolders[0] };

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

/* Write a part behind the path. Returns the length before, to cut it off again; 0: no room. */
static size_t enter_part(struct search *search, const char *part)
{
    const size_t length = strlen(search->path);
    struct cushim__text text;

    cushim__text_begin(&text, search->path + length, sizeof search->path - length);
    cushim__text_add(&text, "/");
    cushim__text_add(&text, part);
    if (text.length < text.size)
        return length;
    search->path[length] = '\0';
    search->is_certain = false;
    return 0;
}

static void leave_part(struct search *search, size_t length)
{
    search->path[length] = '\0';
}

/* Whether the search would go on beyond this folder, stop at a file there, or take that. */
enum find { GOES_ON, STOPS, TAKES };

/* What the linker would do with a file that it comes upon. */
static enum find judge_file(struct cushim_candidate *file, const char *path)
{
    memset(file, 0, sizeof *file);
    cushim__text_copy(file->path, sizeof file->path, path);
    if (cushim__elf_check(file))
        return TAKES;
    return file->outcome == CUSHIM_OUTCOME_TRUNCATED || file->outcome == CUSHIM_OUTCOME_DAMAGED ||
                   file->outcome == CUSHIM_OUTCOME_NOT_A_LIBRARY
               ? STOPS
               : GOES_ON;
}

/* Look at the file of the wanted name in the folder that the path leads to, if it is there. */
static enum find look_here(struct search *search)
{
    const size_t length = enter_part(search, search->name);
    enum find find = GOES_ON;

    if (!length)
        return GOES_ON;
    if (access(search->path, F_OK) == 0 || errno != ENOENT) {
        search->is_certain = false;
        find = judge_file(&search->file, search->path);
    }
    leave_part(search, length);
    return find;
}

/* Which of these the linker would take is a matter of the processor, but none must harm. */
static enum find look_at_levels(struct search *search)
{
    enum find find = GOES_ON;

    for (unsigned i = 0; levels[i] && find != STOPS; i++) {
        const size_t length = enter_part(search, levels[i]);
        if (!length)
            continue;
        find = look_here(search);
        leave_part(search, length);
    }
    return find == STOPS ? STOPS : GOES_ON;
}

/* Look into all subfolders that the linker may try; each may have those that follow it. */
static enum find look_below(struct search *search, unsigned first)
{
    enum find find = GOES_ON;

    for (unsigned i = first; i < search->subfolder_count && find != STOPS; i++) {
        const size_t length = enter_part(search, subfolders[i]);
        if (!length)
            continue;
        if (access(search->path, F_OK) == 0 || errno != ENOENT) {
            search->is_certain = false;
            find = i == 0 ? look_at_levels(search) : look_below(search, i + 1);
            if (find != STOPS && i > 0)
                find = look_here(search);
        }
        leave_part(search, length);
    }
    return find == STOPS ? STOPS : GOES_ON;
}

static enum find look_into(struct search *search, const char *folder)
{
    struct stat status;
    enum find find;

    memset(&search->file, 0, sizeof search->file);
    if (stat(folder, &status) != 0) {
        search->is_certain &= errno == ENOENT;
        return GOES_ON;
    }
    if (was_seen(search, &status))
        return GOES_ON;
    if (strlen(folder) >= sizeof search->path) {
        search->is_certain = false;
        return GOES_ON;
    }
    cushim__text_copy(search->path, sizeof search->path, folder);
    find = look_below(search, 0);
    return find == STOPS ? STOPS : look_here(search);
}

/* One of the system's own folders, which the linker searches after its cache. */
static bool is_system_folder(const char *folder)
{
    return strncmp(folder, "/lib", 4) == 0 || strncmp(folder, "/usr/lib", 8) == 0;
}

/* Look at a file that the cache names, unless it is the one that a folder has. */
static bool look_at_cached(const char *path, void *data)
{
    struct search *search = data;

    if (strlen(path) >= sizeof search->cached.path ||
        (search->file.path[0] && cushim__path_is_same_file(path, search->file.path)))
        return true;
    return judge_file(&search->cached, path) != STOPS;
}

/*
 * The linker has a cache beside its folders that may lead to more. Where it is kept is told by
 * nobody; a linker of the system's own folders, which it searches last, has the system's.
 */
static enum find look_into_cache(struct search *search)
{
    const Dl_serinfo *folders = &search->folders;
    const char *last = folders->dls_cnt ? folders->dls_serpath[folders->dls_cnt - 1].dls_name : "";
    enum cushim__cached cached = CUSHIM__CACHED_UNKNOWN;

    if (strncmp(last, "/usr/lib", 8) == 0)
        cached = cushim__cache_look("/etc/ld.so.cache", search->name, look_at_cached, search);
    search->is_certain = search->is_certain && cached == CUSHIM__CACHED_NONE;
    return cached == CUSHIM__CACHED_STOPPED ? STOPS : GOES_ON;
}

/*
 * Look along the folders, up to a file that decides. False: what was met must not be opened, and is
 * copied to `file`.
 */
static bool look_along_folders(struct search *search, struct cushim_candidate *passed_over)
{
    const char *folder = "";
    enum find find = GOES_ON;

    for (unsigned i = 0; i < search->folders.dls_cnt && find == GOES_ON; i++) {
        folder = search->folders.dls_serpath[i].dls_name;
        find = look_into(search, folder);
        if (find == GOES_ON && search->file.outcome == CUSHIM_OUTCOME_WRONG_ARCHITECTURE)
            *passed_over = search->file;
    }
    if (find == STOPS)
        return false;
    if ((find == GOES_ON || is_system_folder(folder)) && look_into_cache(search) == STOPS) {
        search->file = search->cached;
        return false;
    }
    return true;
}

enum cushim__look cushim__search_look(struct cushim_candidate *candidate,
                                      struct cushim_candidate *passed_over)
{
    struct search *search = read_folders();
    const struct cushim__linker linker = cushim__linker_ask();
    enum cushim__look look = CUSHIM__LOOK_ASK;

    passed_over->path[0] = '\0';
    if (!search)
        return look;
    search->name = candidate->path;
    search->subfolder_count = linker.has_old_subfolders ? OLD_SUBFOLDERS : 1;
    search->is_certain = linker.is_known;
    if (!look_along_folders(search, passed_over)) {
        cushim__search_adopt(candidate, &search->file);
        look = CUSHIM__LOOK_REFUSE;
    } else if (search->is_certain) {
        candidate->outcome = CUSHIM_OUTCOME_NOT_FOUND;
        cushim__text_copy(candidate->message, sizeof candidate->message,
                          "neither a folder of the dynamic linker's search nor its cache has it");
        look = CUSHIM__LOOK_NONE;
    }
    cushim__memory_give_back(search, search->size);
    return look;
}

#endif
