/* SPDX-License-Identifier: Apache-2.0 */
#include "src/tool/trap_search.h"

#include <stdio.h>
#include <string.h>

#include "src/tool/files.h"

enum { DEEPEST_INCLUDE = 4 };

/* A folder that the linker searches, and who says so. */
struct folder {
    const char *path;
    const char *source; /* a variable or a file; NULL: it is searched anyway */
    bool is_cached;     /* by way of the linker's cache */
};

struct walk {
    const struct trap_scene *scene;
    struct trap_evidence *evidence;
    bool (*visit)(struct walk *walk, const struct folder *folder);
    int depth; /* of files that include others */
    bool is_done;
};

/* Whether a folder has a file. */
static bool has_file(const struct walk *walk, const char *folder, const char *name, char *path,
                     size_t size)
{
    return snprintf(path, size, "%s/%s", folder, name) < (int)size && trap_has(walk->scene, path);
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
        const struct folder folder = {.path = word, .source = source, .is_cached = true};
        walk->is_done = walk->visit(walk, &folder);
    }
    if (!word || strcmp(word, "include") != 0)
        return;
    while (!walk->is_done && (word = next_word(&line))) {
        snprintf(pattern, sizeof pattern, "%s%s", word[0] == '/' ? "" : "/etc/", word);
        files_each(walk->scene->root, pattern, read_configuration, walk);
    }
}

static bool read_configuration(void *data, const char *path)
{
    struct walk *walk = data;
    char text[8192];
    char *line = text;

    if (walk->depth == DEEPEST_INCLUDE || !files_read(walk->scene->root, path, text, sizeof text))
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
    const char *next = trap_variable(walk->scene, "LD_LIBRARY_PATH");
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
static bool walk_folders(const struct trap_scene *scene, struct trap_evidence *evidence,
                         bool (*visit)(struct walk *walk, const struct folder *folder))
{
    struct walk walk = {.scene = scene, .evidence = evidence, .visit = visit};

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
    return trap_tell(walk->evidence, "%s leads to %s", folder->source, path);
}

bool trap_sees_stub_folder(const struct trap_scene *scene, struct trap_evidence *evidence)
{
    char path[FILES_PATH_BYTES];

    if (walk_folders(scene, evidence, visit_stubs))
        return true;
    return files_find_string(scene->root, "/etc/ld.so.cache", "/stubs/libcuda.so.1", path,
                             sizeof path) &&
           trap_tell(evidence, "/etc/ld.so.cache leads to %s", path);
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
           trap_tell(walk->evidence, "%s", path);
}

bool trap_sees_link_name_only(const struct trap_scene *scene, struct trap_evidence *evidence)
{
    return !walk_folders(scene, evidence, visit_library) &&
           walk_folders(scene, evidence, visit_link_name);
}

static bool visit_dangling(struct walk *walk, const struct folder *folder)
{
    char path[FILES_PATH_BYTES];

    return snprintf(path, sizeof path, "%s/libcuda.so.1", folder->path) < (int)sizeof path &&
           files_is_dangling(walk->scene->root, path) && trap_tell(walk->evidence, "%s", path);
}

bool trap_sees_dangling_link(const struct trap_scene *scene, struct trap_evidence *evidence)
{
    return walk_folders(scene, evidence, visit_dangling);
}

static bool visit_uncached(struct walk *walk, const struct folder *folder)
{
    char path[FILES_PATH_BYTES], found[FILES_PATH_BYTES];

    return folder->is_cached && has_file(walk, folder->path, "libcuda.so.1", path, sizeof path) &&
           files_is_library(walk->scene->root, path) &&
           !files_find_string(walk->scene->root, "/etc/ld.so.cache", path, found, sizeof found) &&
           trap_tell(walk->evidence, "%s names the folder of %s, which is not in /etc/ld.so.cache",
                     folder->source, path);
}

bool trap_sees_stale_cache(const struct trap_scene *scene, struct trap_evidence *evidence)
{
    return walk_folders(scene, evidence, visit_uncached);
}

struct outside {
    const struct trap_scene *scene;
    struct trap_evidence *evidence;
};

static bool visit_outside(void *data, const char *path)
{
    const struct outside *outside = data;

    return files_is_library(outside->scene->root, path) && trap_tell(outside->evidence, "%s", path);
}

bool trap_sees_library_outside(const struct trap_scene *scene, struct trap_evidence *evidence)
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
    struct outside outside = {.scene = scene, .evidence = evidence};
    struct trap_evidence other;

    /* With a stale cache its folder is searched already. */
    if (trap_sees_stale_cache(scene, &other))
        return false;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        if (files_each(scene->root, patterns[i], visit_outside, &outside))
            return true;
    }
    return false;
}

bool trap_sees_architecture(const struct trap_scene *scene, struct trap_evidence *evidence)
{
    const struct cushim_report *report = scene->report;

    for (unsigned i = 0; i < report->candidate_count; i++) {
        const struct cushim_candidate *candidate = &report->candidates[i];
        if (candidate->outcome == CUSHIM_OUTCOME_WRONG_ARCHITECTURE)
            return trap_tell(evidence, "%.200s: %.250s", candidate->path, candidate->message);
    }
    return false;
}

bool trap_sees_nixos(const struct trap_scene *scene, struct trap_evidence *evidence)
{
    return trap_has(scene, "/etc/NIXOS") &&
           !trap_has(scene, "/run/opengl-driver/lib/libcuda.so.1") &&
           trap_tell(evidence, "/etc/NIXOS is there, /run/opengl-driver/lib/libcuda.so.1 is not");
}
