/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/detect_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/system.h"
#include "src/tool/files.h"

enum { DEEPEST_INCLUDE = 4, MOST_LIBRARIES = 16 };

static const char cache[] = "/etc/ld.so.cache";

/* A folder that the linker searches, and who says so. */
struct folder {
    const char *path;
    const char *source; /* a variable or a file; NULL: it is searched anyway */
    bool is_cached;     /* by way of the linker's cache */
};

struct walk {
    const struct system_info *info;
    struct evidence *evidence;
    bool (*visit)(struct walk *walk, const struct folder *folder);
    void *data; /* of the visitor */
    int depth;  /* of files that include others */
    bool is_done;
};

/* Whether a folder has a file. */
static bool has_file(const struct walk *walk, const char *folder, const char *name, char *path,
                     size_t size)
{
    return snprintf(path, size, "%s/%s", folder, name) < (int)size &&
           system_info_has(walk->info, path);
}

static bool is_stub_folder(const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    return length >= 6 && strncmp(path + length - 6, "/stubs", 6) == 0;
}

static bool read_configuration(void *data, const char *path);

/* The next word of a line, which is cut up; NULL: there is none. */
static char *next_word(char **line)
{
    char *word = *line + strspn(*line, " \t\r");
    const size_t length = strcspn(word, " \t\r");

    *line = word + length + (word[length] != '\0');
    word[length] = '\0';
    return length ? word : NULL;
}

/* One line of ld.so.conf: a folder, or patterns of files to include. */
static void read_line(struct walk *walk, char *line, const char *source)
{
    char pattern[FILES_PATH_BYTES];
    char *word;

    line[strcspn(line, "#")] = '\0';
    word = next_word(&line);
    if (word && word[0] == '/') {
        /* As ldconfig writes it into the cache. */
        for (size_t end = strlen(word); end > 1 && word[end - 1] == '/'; end--)
            word[end - 1] = '\0';
        const struct folder folder = {.path = word, .source = source, .is_cached = true};
        walk->is_done = walk->visit(walk, &folder);
    }
    if (!word || strcmp(word, "include") != 0)
        return;
    while (!walk->is_done && (word = next_word(&line))) {
        snprintf(pattern, sizeof pattern, "%s%s", word[0] == '/' ? "" : "/etc/", word);
        files_each(walk->info->root, pattern, read_configuration, walk);
    }
}

static bool read_configuration(void *data, const char *path)
{
    struct walk *walk = data;
    char text[8192];
    char *line = text;

    if (walk->depth == DEEPEST_INCLUDE || !files_read(walk->info->root, path, text, sizeof text))
        return false;
    walk->depth++;
    while (*line && !walk->is_done) {
        const size_t length = strcspn(line, "\n");
        char *next = line + length + (line[length] == '\n');
        line[length] = '\0';
        read_line(walk, line, path);
        line = next;
    }
    walk->depth--;
    return walk->is_done;
}

static void walk_variable(struct walk *walk)
{
    const char *next = getenv("LD_LIBRARY_PATH");
    char path[FILES_PATH_BYTES];

    while (next && *next && !walk->is_done) {
        const size_t length = strcspn(next, ":;");
        const struct folder folder = {.path = path, .source = "LD_LIBRARY_PATH"};
        if (length > 0 && length < sizeof path && next[0] == '/') {
            memcpy(path, next, length);
            path[length] = '\0';
            walk->is_done = walk->visit(walk, &folder);
        }
        next += length + (next[length] != '\0');
    }
}

static void walk_system(struct walk *walk)
{
    static const char *const paths[] = {
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

    for (size_t i = 0; i < sizeof paths / sizeof paths[0] && !walk->is_done; i++) {
        const struct folder folder = {.path = paths[i]};
        walk->is_done = walk->visit(walk, &folder);
    }
}

/* Every folder of the search, until one shows what is looked for. */
static bool walk_folders(const struct system_info *info, struct evidence *evidence,
                         bool (*visit)(struct walk *walk, const struct folder *folder))
{
    struct walk walk = {.info = info, .evidence = evidence, .visit = visit};

    walk_variable(&walk);
    if (!walk.is_done)
        read_configuration(&walk, "/etc/ld.so.conf");
    if (!walk.is_done)
        walk_system(&walk);
    return walk.is_done;
}

static bool visit_stubs(struct walk *walk, const struct folder *folder)
{
    char path[FILES_PATH_BYTES];

    if (!is_stub_folder(folder->path) ||
        !(has_file(walk, folder->path, "libcuda.so.1", path, sizeof path) ||
          has_file(walk, folder->path, "libcuda.so", path, sizeof path)))
        return false;
    return evidence_set(walk->evidence, "%s leads to %s", folder->source, path);
}

static bool visit_cached_stub(void *data, const char *path)
{
    struct evidence *evidence = data;

    return evidence_set(evidence, "%s leads to %s", cache, path);
}

bool detect_stub_folder(const struct system_info *info, struct evidence *evidence)
{
    return walk_folders(info, evidence, visit_stubs) ||
           files_each_string(info->root, cache, "/stubs/libcuda.so.1", visit_cached_stub, evidence);
}

static bool visit_library(struct walk *walk, const struct folder *folder)
{
    char path[FILES_PATH_BYTES];

    return has_file(walk, folder->path, "libcuda.so.1", path, sizeof path);
}

static bool visit_link_name(struct walk *walk, const struct folder *folder)
{
    char path[FILES_PATH_BYTES];

    return !is_stub_folder(folder->path) &&
           has_file(walk, folder->path, "libcuda.so", path, sizeof path) &&
           evidence_set(walk->evidence, "%s", path);
}

bool detect_link_name_only(const struct system_info *info, struct evidence *evidence)
{
    return !walk_folders(info, evidence, visit_library) &&
           walk_folders(info, evidence, visit_link_name);
}

static bool visit_dangling(struct walk *walk, const struct folder *folder)
{
    char path[FILES_PATH_BYTES];

    return snprintf(path, sizeof path, "%s/libcuda.so.1", folder->path) < (int)sizeof path &&
           files_is_dangling(walk->info->root, path) && evidence_set(walk->evidence, "%s", path);
}

bool detect_dangling_link(const struct system_info *info, struct evidence *evidence)
{
    return walk_folders(info, evidence, visit_dangling);
}

static bool is_string(void *data, const char *string)
{
    const char **wanted = data;

    return strcmp(string, *wanted) == 0;
}

/* Whether the linker's cache has a path. */
static bool is_cached(const struct system_info *info, const char *path)
{
    return files_each_string(info->root, cache, path, is_string, &path);
}

static bool visit_uncached(struct walk *walk, const struct folder *folder)
{
    struct cushim__candidate look;
    char path[FILES_PATH_BYTES];

    return folder->is_cached && has_file(walk, folder->path, "libcuda.so.1", path, sizeof path) &&
           files_is_library(walk->info->root, path, &look) && !is_cached(walk->info, path) &&
           evidence_set(walk->evidence, "%s names the folder of %s, which is not in %s",
                        folder->source, path, cache);
}

bool detect_stale_cache(const struct system_info *info, struct evidence *evidence)
{
    return walk_folders(info, evidence, visit_uncached);
}

struct outside {
    const struct system_info *info;
    struct evidence *evidence;
};

static bool visit_outside(void *data, const char *path)
{
    const struct outside *outside = data;
    struct cushim__candidate look;

    return files_is_library(outside->info->root, path, &look) &&
           evidence_set(outside->evidence, "%s", path);
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
    struct outside outside = {.info = info, .evidence = evidence};
    struct evidence other;

    /* With a stale cache its folder is searched already. */
    if (detect_stale_cache(info, &other))
        return false;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        if (files_each(info->root, patterns[i], visit_outside, &outside))
            return true;
    }
    return false;
}

/* A libcuda.so.1, and who leads to it. */
struct library {
    const char *path;
    const char *source; /* a variable or a file; NULL: a place that is searched anyway */
    bool is_searched;   /* by the linker or by cushim, as far as is known */
};

struct libraries {
    const struct system_info *info;
    bool (*visit)(void *data, const struct library *library);
    void *data;
    bool is_searched; /* what is visited now */
    int count;
    char seen[MOST_LIBRARIES][FILES_PATH_BYTES]; /* without links: a system has several names */
};

static bool visit_once(struct libraries *libraries, const char *path, const char *source)
{
    const struct library library = {path, source, libraries->is_searched};
    char *here = libraries->seen[libraries->count];

    if (libraries->count == MOST_LIBRARIES ||
        !files_resolve(libraries->info->root, path, here, FILES_PATH_BYTES))
        return false;
    for (int i = 0; i < libraries->count; i++) {
        if (strcmp(libraries->seen[i], here) == 0)
            return false;
    }
    libraries->count++;
    return libraries->visit(libraries->data, &library);
}

static bool visit_folder(struct walk *walk, const struct folder *folder)
{
    struct libraries *libraries = walk->data;
    char path[FILES_PATH_BYTES];

    return has_file(walk, folder->path, "libcuda.so.1", path, sizeof path) &&
           (!folder->is_cached || !libraries->is_searched || is_cached(walk->info, path)) &&
           visit_once(libraries, path, folder->source);
}

static bool visit_cached(void *data, const char *path)
{
    struct libraries *libraries = data;

    return visit_once(libraries, path, cache);
}

/*
 * Every libcuda.so.1 in the order of glibc's search, until `visit` returns true: LD_LIBRARY_PATH, the
 * cache in the order of the configuration that it was made from, what else the cache has, and the
 * system's folders; then the places where only cushim looks; last, what nobody comes to, since the
 * configuration is newer than the cache.
 */
static bool walk_libraries(const struct system_info *info,
                           bool (*visit)(void *data, const struct library *library), void *data)
{
    struct libraries libraries = {.info = info, .visit = visit, .data = data, .is_searched = true};
    struct walk walk = {.info = info, .visit = visit_folder, .data = &libraries};

    walk_variable(&walk);
    if (!walk.is_done)
        read_configuration(&walk, "/etc/ld.so.conf");
    if (!walk.is_done)
        walk.is_done =
            files_each_string(info->root, cache, "/libcuda.so.1", visit_cached, &libraries);
    if (!walk.is_done)
        walk_system(&walk);
    for (const struct cushim__place *place = cushim__places; place->path && !walk.is_done;
         place++) {
        if (place->origin == CUSHIM_ORIGIN_WELL_KNOWN)
            walk.is_done = visit_once(&libraries, place->path, NULL);
    }
    libraries.is_searched = false;
    if (!walk.is_done)
        read_configuration(&walk, "/etc/ld.so.conf");
    return walk.is_done;
}

static bool is_same(const struct system_info *info, const char *path, const char *other)
{
    char one[FILES_PATH_BYTES], another[FILES_PATH_BYTES];

    return other[0] == '/' && files_resolve(info->root, path, one, sizeof one) &&
           files_resolve(info->root, other, another, sizeof another) && strcmp(one, another) == 0;
}

/* Whether the linker goes on with its search where it meets a file. */
static bool is_passed_over(const struct cushim__candidate *look)
{
    return look->outcome == CUSHIM_OUTCOME_WRONG_ARCHITECTURE ||
           look->outcome == CUSHIM_OUTCOME_NO_PERMISSION;
}

struct searched {
    const struct system_info *info;
    char *path;
    size_t size;
};

static bool visit_searched(void *data, const struct library *library)
{
    const struct searched *searched = data;
    struct cushim__candidate look;

    return library->is_searched &&
           (files_is_library(searched->info->root, library->path, &look) ||
            !is_passed_over(&look)) &&
           snprintf(searched->path, searched->size, "%s", library->path) < (int)searched->size;
}

bool searched_library(const struct system_info *info, char *path, size_t size)
{
    struct searched searched = {.info = info, .path = path, .size = size};

    return walk_libraries(info, visit_searched, &searched);
}

/* How surely a file is what stands in the way. */
enum certainty { NOTHING, PASSED_OVER, UNUSABLE, REPORTED };

struct shadow {
    const struct system_info *info;
    struct evidence *evidence;
    const char *reported; /* the library of the report; no path: it names none */
    bool is_failing;      /* that is a driver, and does not work */
    enum certainty certainty;
    char path[FILES_PATH_BYTES], source[FILES_PATH_BYTES];
    char why[CUSHIM_REPORT_MESSAGE_BYTES]; /* what a look shows; empty: nothing */
};

static void note_obstacle(struct shadow *shadow, enum certainty certainty,
                          const struct library *library, const char *why)
{
    if (!library->is_searched || certainty <= shadow->certainty)
        return;
    shadow->certainty = certainty;
    snprintf(shadow->path, sizeof shadow->path, "%s", library->path);
    snprintf(shadow->source, sizeof shadow->source, "%s",
             library->source ? library->source : "the search");
    snprintf(shadow->why, sizeof shadow->why, "%s%s", *why ? ": " : "", why);
}

/* Stops at a driver: where the reported one is one too, but fails, at one that works. */
static bool visit_shadowed(void *data, const struct library *library)
{
    struct shadow *shadow = data;
    struct cushim__candidate look;
    struct probe_result probe;
    const bool is_fit = files_is_library(shadow->info->root, library->path, &look);

    if (is_same(shadow->info, library->path, shadow->reported)) {
        note_obstacle(shadow, REPORTED, library, is_fit ? "" : look.message);
    } else if (!is_fit) {
        note_obstacle(shadow, is_passed_over(&look) ? PASSED_OVER : UNUSABLE, library,
                      look.message);
    } else if (!try_driver(shadow->info, library->path, &probe)) {
        note_obstacle(shadow, UNUSABLE, library, "");
    } else if (!shadow->is_failing || probe.verdict == PROBE_USABLE) {
        evidence_advise(
            shadow->evidence,
            "Set CUSHIM_LIBRARY=%s for programs that use cushim; for all programs, remove "
            "%s, or take its folder out of LD_LIBRARY_PATH, or out of /etc/ld.so.conf and "
            "its includes and run ldconfig.",
            library->path, shadow->path);
        return evidence_set(shadow->evidence, "%s leads to %s%s; there is also %s: %s",
                            shadow->source, shadow->path, shadow->why, library->path, probe.reason);
    }
    return false;
}

bool detect_shadowed_driver(const struct system_info *info, struct evidence *evidence)
{
    const struct cushim_report *report = info->report;
    struct shadow shadow = {
        .info = info,
        .evidence = evidence,
        .reported = report->library[0] ? report->library : report->candidates[0].path,
        .is_failing = report->state == CUSHIM_STATE_NO_DEVICE ||
                      report->state == CUSHIM_STATE_KERNEL_MISMATCH ||
                      report->state == CUSHIM_STATE_INIT_FAILED,
    };

    return walk_libraries(info, visit_shadowed, &shadow) && shadow.certainty != NOTHING;
}

bool detect_architecture(const struct system_info *info, struct evidence *evidence)
{
    const struct cushim_report *report = info->report;

    for (unsigned i = 0; i < report->candidate_count; i++) {
        const struct cushim__candidate *candidate = &report->candidates[i];
        if (candidate->outcome == CUSHIM_OUTCOME_WRONG_ARCHITECTURE)
            return evidence_set(evidence, "%.200s: %.250s", candidate->path, candidate->message);
    }
    return false;
}

bool detect_nixos(const struct system_info *info, struct evidence *evidence)
{
    return system_info_has(info, "/etc/NIXOS") &&
           !system_info_has(info, "/run/opengl-driver/lib/libcuda.so.1") &&
           evidence_set(evidence,
                        "/etc/NIXOS is there, /run/opengl-driver/lib/libcuda.so.1 is not");
}
