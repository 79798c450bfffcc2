/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detectors of what is wrong between the dynamic linker's search and the driver's library. The
 * folders of the search and the libraries of the linker's cache are read once, into static memory,
 * as a command is short.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/system.h"
#include "src/base/text.h"
#include "src/tool/diagnostics.h"

enum { DEEPEST_INCLUDE = 4, MOST_FOLDERS = 1024, MOST_CACHED = 64, MOST_LIBRARIES = 16 };

static const char cache[] = "/etc/ld.so.cache";

enum folder_kind {
    FOLDER_VARIABLE,   /* of LD_LIBRARY_PATH */
    FOLDER_CONFIGURED, /* of /etc/ld.so.conf; searched by way of the cache */
    FOLDER_DEFAULT,    /* of the linker itself */
};

struct folder {
    enum folder_kind kind;
    const char *path;
    const char *source; /* the variable or file that names it; NULL for the linker */
};

static struct {
    bool is_read;
    int depth;                               /* of files that include others */
    struct folder folders[MOST_FOLDERS + 1]; /* ends with a NULL path */
    size_t folder_count;
    char *cache_bytes;
    const char *cached[MOST_CACHED + 1]; /* each libcuda.so.1 of the cache; ends with NULL */
    size_t cached_count;
} search;

static void add_folder(enum folder_kind kind, const char *path, size_t length, const char *source)
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
        (struct folder){kind, copy, source ? copy + length + 1 : NULL};
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
            add_folder(FOLDER_CONFIGURED, word, length, path);
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
    char *bytes = file_read_all(info, cache, &length), *next = bytes;

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
        add_folder(FOLDER_VARIABLE, next, length, "LD_LIBRARY_PATH");
        next += length + (next[length] != '\0');
    }
    read_configuration(info, "/etc/ld.so.conf");
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        add_folder(FOLDER_DEFAULT, defaults[i], strlen(defaults[i]), NULL);
    read_cache(info);
}

/* Whether the linker's cache has a path. */
static bool is_cached(const char *path)
{
    for (const char **cached = search.cached; *cached; cached++) {
        if (strcmp(*cached, path) == 0)
            return true;
    }
    return false;
}

/* Make the path of a name in a folder. Returns false if it is too long to exist. */
static bool join(char path[FILE_PATH_BYTES], const struct folder *folder, const char *name)
{
    return snprintf(path, FILE_PATH_BYTES, "%s/%s", folder->path, name) < FILE_PATH_BYTES;
}

static bool has_file(const struct system_info *info, const struct folder *folder, const char *name,
                     char path[FILE_PATH_BYTES])
{
    return join(path, folder, name) && file_exists(info, path);
}

/* Whether a path ends with this text, apart from trailing slashes. */
static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    return length >= strlen(end) && strncmp(path + length - strlen(end), end, strlen(end)) == 0;
}

bool detect_stub_folder(const struct system_info *info, struct evidence *evidence)
{
    char path[FILE_PATH_BYTES];

    read_search(info);
    for (const struct folder *folder = search.folders; folder->path; folder++) {
        if (ends_in(folder->path, "/stubs") && (has_file(info, folder, "libcuda.so.1", path) ||
                                                has_file(info, folder, "libcuda.so", path)))
            return evidence_set(evidence, "%s leads to %s", folder->source, path);
    }
    for (const char **cached = search.cached; *cached; cached++) {
        if (ends_in(*cached, "/stubs/libcuda.so.1"))
            return evidence_set(evidence, "%s leads to %s", cache, *cached);
    }
    return false;
}

bool detect_link_name_only(const struct system_info *info, struct evidence *evidence)
{
    char path[FILE_PATH_BYTES];

    read_search(info);
    for (const struct folder *folder = search.folders; folder->path; folder++) {
        if (has_file(info, folder, "libcuda.so.1", path))
            return false;
    }
    for (const struct folder *folder = search.folders; folder->path; folder++) {
        if (!ends_in(folder->path, "/stubs") && has_file(info, folder, "libcuda.so", path))
            return evidence_set(evidence, "%s", path);
    }
    return false;
}

bool detect_dangling_link(const struct system_info *info, struct evidence *evidence)
{
    char path[FILE_PATH_BYTES];

    read_search(info);
    for (const struct folder *folder = search.folders; folder->path; folder++) {
        if (join(path, folder, "libcuda.so.1") && file_is_link(info, path) &&
            file_open_error(info, path) == ENOENT)
            return evidence_set(evidence, "%s", path);
    }
    return false;
}

bool detect_stale_cache(const struct system_info *info, struct evidence *evidence)
{
    struct cushim__candidate look;
    char path[FILE_PATH_BYTES];

    read_search(info);
    for (const struct folder *folder = search.folders; folder->path; folder++) {
        if (folder->kind == FOLDER_CONFIGURED && has_file(info, folder, "libcuda.so.1", path) &&
            file_is_library(info, path, &look) && !is_cached(path))
            return evidence_set(evidence, "%s names the folder of %s, which is not in %s",
                                folder->source, path, cache);
    }
    return false;
}

static bool is_library(const struct system_info *info, const char *path)
{
    struct cushim__candidate look;

    return file_is_library(info, path, &look);
}

bool detect_library_outside(const struct system_info *info, struct evidence *evidence)
{
    static const char *const patterns[] = {
        "/usr/local/nvidia/lib64/libcuda.so.1",
        "/usr/local/nvidia/lib/libcuda.so.1",
        "/usr/lib/*-linux-gnu/nvidia/libcuda.so.1",
        "/usr/lib/*-linux-gnu/nvidia/current/libcuda.so.1",
        "/usr/lib/*-linux-gnu/libcuda.so.1",
        "/usr/lib64/nvidia/libcuda.so.1",
        "/usr/lib64/libcuda.so.1",
        "/usr/lib/nvidia*/libcuda.so.1",
        "/usr/lib/libcuda.so.1",
        "/home/kubernetes/bin/nvidia/lib64/libcuda.so.1",
    };
    char path[FILE_PATH_BYTES];
    struct evidence other;

    /* If the cache is stale, the folder is already among those to be searched. */
    if (detect_stale_cache(info, &other))
        return false;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        if (file_count(info, patterns[i], is_library, path) > 0)
            return evidence_set(evidence, "%s", path);
    }
    return false;
}

bool detect_nixos(const struct system_info *info, struct evidence *evidence)
{
    return file_exists(info, "/etc/NIXOS") &&
           !file_exists(info, "/run/opengl-driver/lib/libcuda.so.1") &&
           evidence_set(evidence,
                        "/etc/NIXOS is there, /run/opengl-driver/lib/libcuda.so.1 is not");
}

/* A libcuda.so.1, and the name that leads to it. */
struct library {
    char path[FILE_PATH_BYTES];
    char resolved[FILE_PATH_BYTES]; /* without links: a system has several names for a folder */
    const char *source;             /* a variable or a file; NULL if it is searched anyway */
    bool is_searched;               /* by the linker or by cushim, as far as files show */
};

struct libraries {
    struct library rows[MOST_LIBRARIES];
    int count;
};

static void add_library(struct libraries *libraries, const struct system_info *info,
                        const char *path, const char *source, bool is_searched)
{
    struct library *row = &libraries->rows[libraries->count];

    if (libraries->count == MOST_LIBRARIES || !file_resolve(info, path, row->resolved))
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

static void add_folders(struct libraries *libraries, const struct system_info *info,
                        enum folder_kind kind, bool is_searched)
{
    char path[FILE_PATH_BYTES];

    for (const struct folder *folder = search.folders; folder->path; folder++) {
        if (folder->kind == kind && has_file(info, folder, "libcuda.so.1", path) &&
            (kind != FOLDER_CONFIGURED || !is_searched || is_cached(path)))
            add_library(libraries, info, path, folder->source, is_searched);
    }
}

/*
 * Every libcuda.so.1 in the order of glibc's search: LD_LIBRARY_PATH, the cache in the order of the
 * configuration that it was made from, the rest of the cache, and the default folders; then the
 * places where only cushim looks; last, those that no search finds, because the configuration is
 * newer than the cache.
 */
static const struct libraries *find_libraries(const struct system_info *info)
{
    static struct libraries libraries;

    read_search(info);
    libraries.count = 0;
    add_folders(&libraries, info, FOLDER_VARIABLE, true);
    add_folders(&libraries, info, FOLDER_CONFIGURED, true);
    for (const char **cached = search.cached; *cached; cached++)
        add_library(&libraries, info, *cached, cache, true);
    add_folders(&libraries, info, FOLDER_DEFAULT, true);
    for (const struct cushim__place *place = cushim__places; place->path; place++) {
        if (place->origin == CUSHIM_ORIGIN_WELL_KNOWN)
            add_library(&libraries, info, place->path, NULL, true);
    }
    add_folders(&libraries, info, FOLDER_CONFIGURED, false);
    return &libraries;
}

/* Whether the linker continues its search when it meets a file. */
static bool is_passed_over(const struct cushim__candidate *look)
{
    return look->outcome == CUSHIM_OUTCOME_WRONG_ARCHITECTURE ||
           look->outcome == CUSHIM_OUTCOME_NO_PERMISSION;
}

bool detect_searched_library(const struct system_info *info, char *path, size_t size)
{
    const struct libraries *libraries = find_libraries(info);

    for (int i = 0; i < libraries->count && libraries->rows[i].is_searched; i++) {
        struct cushim__candidate look;
        if (file_is_library(info, libraries->rows[i].path, &look) || !is_passed_over(&look))
            return snprintf(path, size, "%s", libraries->rows[i].path) < (int)size;
    }
    return false;
}

/*
 * Load a library as the driver in a separate process, so that it can do no harm. Returns true if it
 * is a driver; `result` then says whether it can be initialised.
 */
static bool try_driver(const struct system_info *info, const char *path,
                       struct probe_result *result)
{
    char library[PROBE_PATH_BYTES];

    return info->command &&
           snprintf(library, sizeof library, "%s%s", info->root, path) < (int)sizeof library &&
           probe_run(info->command, library, info->seconds * 1000000000, result) == CUDA_SUCCESS &&
           result->stage == PROBE_STAGE_DONE && result->driver_version > 0;
}

/* How certain it is that a file hides the driver. */
enum certainty { NOTHING, PASSED_OVER, UNUSABLE, REPORTED };

struct shadow {
    const struct library *library;
    enum certainty certainty;
    char why[CUSHIM_REPORT_MESSAGE_BYTES]; /* what a look at the file shows, or empty */
};

static void note_shadow(struct shadow *shadow, enum certainty certainty,
                        const struct library *library, const char *why)
{
    if (!library->is_searched || certainty <= shadow->certainty)
        return;
    shadow->certainty = certainty;
    shadow->library = library;
    snprintf(shadow->why, sizeof shadow->why, "%s", why);
}

static bool report_shadow(struct evidence *evidence, const struct shadow *shadow,
                          const struct library *driver, const char *reason)
{
    const struct library *hiding = shadow->library;
    struct cushim__text advice;

    if (!hiding)
        return false;
    cushim__text_begin(&advice, evidence->advice, sizeof evidence->advice);
    cushim__text_format(&advice,
                        "Set CUSHIM_LIBRARY=%s for programs that use cushim; for all programs, "
                        "remove %s, or take its folder out of LD_LIBRARY_PATH, or out of "
                        "/etc/ld.so.conf and its includes and run ldconfig.",
                        driver->path, hiding->path);
    return evidence_set(evidence, "%s leads to %s%s%s; there is also %s: %s",
                        hiding->source ? hiding->source : "the search", hiding->path,
                        shadow->why[0] ? ": " : "", shadow->why, driver->path, reason);
}

/* Stops at the first driver, or, if the reported one is a driver that fails, at one that works. */
bool detect_shadowed_driver(const struct system_info *info, struct evidence *evidence)
{
    const struct libraries *libraries = find_libraries(info);
    const struct cushim_report *report = info->report;
    const char *reported = report->library[0] ? report->library : report->candidates[0].path;
    const bool is_failing = report->state == CUSHIM_STATE_NO_DEVICE ||
                            report->state == CUSHIM_STATE_KERNEL_MISMATCH ||
                            report->state == CUSHIM_STATE_INIT_FAILED;
    char resolved[FILE_PATH_BYTES] = "";
    struct shadow shadow = {.library = NULL};
    struct probe_result result;

    if (reported[0] == '/')
        file_resolve(info, reported, resolved);
    for (int i = 0; i < libraries->count; i++) {
        const struct library *library = &libraries->rows[i];
        struct cushim__candidate look;
        const bool is_fit = file_is_library(info, library->path, &look);

        if (strcmp(library->resolved, resolved) == 0)
            note_shadow(&shadow, REPORTED, library, is_fit ? "" : look.message);
        else if (!is_fit)
            note_shadow(&shadow, is_passed_over(&look) ? PASSED_OVER : UNUSABLE, library,
                        look.message);
        else if (!try_driver(info, library->path, &result))
            note_shadow(&shadow, UNUSABLE, library, "");
        else if (!is_failing || result.verdict == PROBE_USABLE)
            return report_shadow(evidence, &shadow, library, result.reason);
    }
    return false;
}
