/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "src/tool/info/diagnostics_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/library.h"
#include "loader/places.h"
#include "src/tool/info/diagnostics.h"

enum { DEEPEST_INCLUDE = 4, MOST_FOLDERS = 1024, MOST_CACHED = 64 };

const char search_cache_file[] = "/etc/ld.so.cache";

static struct {
    bool is_read;
    int depth;                                      /* of files that include others */
    struct search_folder folders[MOST_FOLDERS + 1]; /* ends with a NULL path */
    size_t folder_count;
    char *cache_bytes;
    const char *cached[MOST_CACHED + 1]; /* each libcuda.so.1 of the cache; ends with NULL */
    size_t cached_count;
} search;

static void add_folder(enum search_kind kind, const char *path, size_t length, const char *source)
{
    const size_t source_size = source ? strlen(source) + 1 : 0;
    char *copy;

    if (length == 0 || length >= FILE_PATH_BYTES || path[0] != '/' ||
        search.folder_count == MOST_FOLDERS)
        return;
    copy = output_memory(length + 1 + source_size);
    memcpy(copy, path, length);
    copy[length] = '\0';
    if (source)
        memcpy(copy + length + 1, source, source_size);
    search.folders[search.folder_count++] =
        (struct search_folder){kind, copy, source ? copy + length + 1 : NULL};
}

/* The next word of a line, which is cut up; NULL if there is none. */
static char *next_word(char **line)
{
    char *word = *line + strspn(*line, " \t\r");
    const size_t length = strcspn(word, " \t\r");

    *line = word + length + (word[length] != '\0');
    word[length] = '\0';
    return length ? word : NULL;
}

/* Read a file such as ld.so.conf: each line is a folder, or patterns of files to include. */
static bool read_configuration(const struct system_info *info, const char *path)
{
    char text[8192], pattern[FILE_PATH_BYTES], *rest = text, *line;

    if (search.depth == DEEPEST_INCLUDE || !file_read(info, path, text, sizeof text))
        return false;
    search.depth++;
    while ((line = strsep(&rest, "\n"))) {
        const char *word, *file;
        size_t length;

        line[strcspn(line, "#")] = '\0';
        word = next_word(&line);
        length = word ? strlen(word) : 0;
        /* ldconfig writes the path into the cache without these slashes. */
        while (length > 1 && word[length - 1] == '/')
            length--;
        if (word)
            add_folder(SEARCH_CONFIGURED, word, length, path);
        while (word && strcmp(word, "include") == 0 && (file = next_word(&line))) {
            snprintf(pattern, sizeof pattern, "%s%s", file[0] == '/' ? "" : "/etc/", file);
            file_count(info, pattern, read_configuration, NULL);
        }
    }
    search.depth--;
    return true;
}

/* The cache contains its paths as strings that end with a NUL. */
static void read_cache(const struct system_info *info)
{
    static const char end[] = "/libcuda.so.1";
    size_t length = 0;
    char *bytes = file_read_all(info, search_cache_file, &length), *next = bytes;

    search.cache_bytes = bytes;
    while (next && search.cached_count < MOST_CACHED) {
        const char *start = next = memmem(next, length - (size_t)(next - bytes), end, sizeof end);
        if (!next)
            break;
        while (start > bytes && start[-1])
            start--;
        search.cached[search.cached_count++] = start;
        next += sizeof end;
    }
}

static void read_search(const struct system_info *info)
{
    static const char *const defaults[] = {
#if defined(__x86_64__)
        "/lib/x86_64-linux-gnu",
        "/usr/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
        "/lib/aarch64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
#endif
        "/lib64",
        "/usr/lib64",
        "/lib",
        "/usr/lib",
    };
    const char *next = getenv("LD_LIBRARY_PATH");

    if (search.is_read)
        return;
    search.is_read = true;
    while (next && *next) {
        const size_t length = strcspn(next, ":;");
        add_folder(SEARCH_VARIABLE, next, length, "LD_LIBRARY_PATH");
        next += length + (next[length] != '\0');
    }
    read_configuration(info, "/etc/ld.so.conf");
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        add_folder(SEARCH_DEFAULT, defaults[i], strlen(defaults[i]), NULL);
    read_cache(info);
}

const struct search_folder *search_folders(const struct system_info *info)
{
    read_search(info);
    return search.folders;
}

const char *const *search_cache(const struct system_info *info)
{
    read_search(info);
    return search.cached;
}

bool search_is_cached(const struct system_info *info, const char *path)
{
    char resolved[FILE_PATH_BYTES], other[FILE_PATH_BYTES];

    if (!file_resolve(info, path, resolved))
        return false;
    /* ldconfig writes one of several names of a file. */
    for (const char *const *cached = search_cache(info); *cached; cached++) {
        if (strcmp(*cached, path) == 0 ||
            (file_resolve(info, *cached, other) && strcmp(other, resolved) == 0))
            return true;
    }
    return false;
}

bool search_has_file(const struct system_info *info, const struct search_folder *folder,
                     const char *name, char path[FILE_PATH_BYTES])
{
    return snprintf(path, FILE_PATH_BYTES, "%s/%s", folder->path, name) < FILE_PATH_BYTES &&
           file_exists(info, path);
}

bool search_is_library(const struct system_info *info, const char *path)
{
    struct cushim__candidate look;

    return file_is_library(info, path, &look);
}

bool search_is_versioned(const struct system_info *info, const char *path)
{
    return strcmp(strrchr(path, '/'), "/libcuda.so.1") != 0 && search_is_library(info, path);
}

/* Look for a name in a folder of this many characters, which may be a pattern. */
static bool look_in(const struct system_info *info, const char *folder, size_t length,
                    const char *name,
                    bool (*test)(const struct system_info *info, const char *path),
                    char path[FILE_PATH_BYTES])
{
    char pattern[FILE_PATH_BYTES];

    return length > 0 &&
           snprintf(pattern, sizeof pattern, "%.*s/%s", (int)length, folder, name) <
               (int)sizeof pattern &&
           file_count(info, pattern, test, path) > 0;
}

static bool look_in_searched(const struct system_info *info, const char *name,
                             bool (*test)(const struct system_info *info, const char *path),
                             char path[FILE_PATH_BYTES])
{
    const char *library = info->report->library, *end = strrchr(library, '/');

    for (const struct search_folder *folder = search_folders(info); folder->path; folder++) {
        if (look_in(info, folder->path, strlen(folder->path), name, test, path))
            return true;
    }
    return end && look_in(info, library, (size_t)(end - library), name, test, path);
}

bool search_find(const struct system_info *info, enum search_place first, const char *name,
                 bool (*test)(const struct system_info *info, const char *path),
                 char path[FILE_PATH_BYTES], enum search_place *place)
{
#define KNOWN(folder) {PLACE_KNOWN, folder},
#define FOREIGN(folder) {PLACE_FOREIGN, folder},
    static const struct {
        enum search_place place;
        const char *folder;
    } places[] = {CUSHIM__FOLDERS(KNOWN, KNOWN, KNOWN, FOREIGN)};
    const char *next = info->folders ? info->folders : "";

    *place = PLACE_SEARCHED;
    if (first <= PLACE_SEARCHED && look_in_searched(info, name, test, path))
        return true;
    *place = PLACE_NAMED;
    while (*next) {
        const size_t length = strcspn(next, "\n");
        if (look_in(info, next, length, name, test, path))
            return true;
        next += length + (next[length] != '\0');
    }
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        *place = places[i].place;
        if (look_in(info, places[i].folder, strlen(places[i].folder), name, test, path))
            return true;
    }
    return false;
}

bool search_release(const struct system_info *info, const char *release, char path[FILE_PATH_BYTES])
{
    char name[64], one[FILE_PATH_BYTES], other[FILE_PATH_BYTES];
    enum search_place place;

    snprintf(name, sizeof name, "libcuda.so.%s", release);
    return search_find(info, PLACE_SEARCHED, name, search_is_library, path, &place) &&
           place != PLACE_FOREIGN && file_resolve(info, path, one) &&
           (!file_resolve(info, info->report->library, other) || strcmp(one, other) != 0);
}

static void add_library(struct search_libraries *libraries, const struct system_info *info,
                        const char *path, const char *source, bool is_searched)
{
    struct search_library *row = &libraries->rows[libraries->count];

    if (libraries->count == SEARCH_MOST_LIBRARIES || !file_resolve(info, path, row->resolved))
        return;
    for (int i = 0; i < libraries->count; i++) {
        if (strcmp(libraries->rows[i].resolved, row->resolved) == 0)
            return;
    }
    snprintf(row->path, sizeof row->path, "%s", path);
    row->source = source;
    row->is_searched = is_searched;
    libraries->count++;
}

static void add_folders(struct search_libraries *libraries, const struct system_info *info,
                        enum search_kind kind, bool is_searched)
{
    char path[FILE_PATH_BYTES];

    for (const struct search_folder *folder = search.folders; folder->path; folder++) {
        if (folder->kind == kind && search_has_file(info, folder, "libcuda.so.1", path) &&
            (kind != SEARCH_CONFIGURED || !is_searched || search_is_cached(info, path)))
            add_library(libraries, info, path, folder->source, is_searched);
    }
}

const struct search_libraries *search_libraries(const struct system_info *info)
{
    static struct search_libraries libraries;

    read_search(info);
    libraries.count = 0;
    add_folders(&libraries, info, SEARCH_VARIABLE, true);
    add_folders(&libraries, info, SEARCH_CONFIGURED, true);
    for (const char **cached = search.cached; *cached; cached++)
        add_library(&libraries, info, *cached, search_cache_file, true);
    add_folders(&libraries, info, SEARCH_DEFAULT, true);
    for (const struct cushim__place *place = cushim__places; place->path; place++) {
        if (place->origin == CUSHIM_ORIGIN_WELL_KNOWN)
            add_library(&libraries, info, place->path, NULL, true);
    }
    add_folders(&libraries, info, SEARCH_CONFIGURED, false);
    return &libraries;
}

bool search_passes_over(const struct cushim__candidate *look)
{
    return look->outcome == CUSHIM_OUTCOME_WRONG_ARCHITECTURE ||
           look->outcome == CUSHIM_OUTCOME_NO_PERMISSION;
}

bool detect_searched_library(const struct system_info *info, char *path, size_t size)
{
    const struct search_libraries *libraries = search_libraries(info);

    for (int i = 0; i < libraries->count && libraries->rows[i].is_searched; i++) {
        struct cushim__candidate look;
        if (file_is_library(info, libraries->rows[i].path, &look) || !search_passes_over(&look))
            return snprintf(path, size, "%s", libraries->rows[i].path) < (int)size;
    }
    return false;
}

bool search_meets_empty(const struct system_info *info, char path[FILE_PATH_BYTES])
{
    return detect_searched_library(info, path, FILE_PATH_BYTES) &&
           (file_is_empty(info, path) || file_is_folder(info, path));
}

bool search_meets_architecture(const struct system_info *info, struct evidence *evidence)
{
    const struct search_libraries *libraries = search_libraries(info);

    for (int i = 0; i < libraries->count; i++) {
        const struct search_library *library = &libraries->rows[i];
        struct cushim__candidate look;
        if (!file_is_library(info, library->path, &look) &&
            look.outcome == CUSHIM_OUTCOME_WRONG_ARCHITECTURE)
            return evidence_set(evidence, "%.200s: %.250s", library->path, look.message);
    }
    return false;
}

bool search_is_unfound(const struct system_info *info, const char *path)
{
    const struct search_libraries *libraries = search_libraries(info);
    char resolved[FILE_PATH_BYTES];

    if (strstr(path, "/stubs/") || !search_is_library(info, path) ||
        !file_resolve(info, path, resolved))
        return false;
    /* If the search has found nothing, it does not cover all folders that it seems to. */
    for (int i = 0; i < libraries->count && info->report->state != CUSHIM_STATE_NOT_FOUND; i++) {
        if (libraries->rows[i].is_searched && strcmp(libraries->rows[i].resolved, resolved) == 0)
            return false;
    }
    return true;
}

/* Whether there is another library behind the first, such as a stub, at which the search ends. */
static bool has_library_behind(const struct system_info *info)
{
    const struct search_libraries *libraries = search_libraries(info);
    char first[FILE_PATH_BYTES];

    if (info->report->state == CUSHIM_STATE_NOT_FOUND ||
        !detect_searched_library(info, first, sizeof first))
        return false;
    for (int i = 0; i < libraries->count; i++) {
        const char *path = libraries->rows[i].path;
        if (strcmp(path, first) != 0 && !strstr(path, "/stubs/") && search_is_library(info, path))
            return true;
    }
    return false;
}

bool search_has_unfound(const struct system_info *info)
{
    char path[FILE_PATH_BYTES];
    enum search_place place;

    return has_library_behind(info) ||
           search_find(info, PLACE_SEARCHED, "libcuda.so.[0-9]*", search_is_unfound, path, &place);
}
