/* SPDX-License-Identifier: Apache-2.0 */
/* Detectors of reasons why the dynamic linker's search does not find the driver's library. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/base/text.h"
#include "src/tool/info/diagnostics.h"
#include "src/tool/info/diagnostics_machine.h"
#include "src/tool/info/diagnostics_search.h"

/* Whether a path ends with this text, apart from trailing slashes. */
static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    return length >= strlen(end) && strncmp(path + length - strlen(end), end, strlen(end)) == 0;
}

/* Whether a path is in a folder of the toolkit's stubs, or leads there. */
static bool is_stub(const struct system_info *info, const char *path)
{
    char resolved[FILE_PATH_BYTES];

    return strstr(path, "/stubs/") ||
           (file_resolve(info, path, resolved) && strstr(resolved, "/stubs/"));
}

bool detect_stub_folder(const struct system_info *info, struct evidence *evidence)
{
    char path[FILE_PATH_BYTES];

    for (const struct search_folder *folder = search_folders(info); folder->path; folder++) {
        if (search_has_file(info, folder, "libcuda.so.1", path) && is_stub(info, path))
            return evidence_set(evidence, "%s leads to %s",
                                folder->source ? folder->source : "the search", path);
        if (ends_in(folder->path, "/stubs") && search_has_file(info, folder, "libcuda.so", path))
            return evidence_set(evidence, "%s leads to %s", folder->source, path);
    }
    for (const char *const *cached = search_cache(info); *cached; cached++) {
        if (ends_in(*cached, "/stubs/libcuda.so.1"))
            return evidence_set(evidence, "%s leads to %s", search_cache_file, *cached);
    }
    return false;
}

/* Whether the folder of a path has a usable libcuda.so.1. `folder` is the length of its name. */
static bool has_link(const struct system_info *info, const char *path, int folder)
{
    char link[FILE_PATH_BYTES];

    snprintf(link, sizeof link, "%.*s/libcuda.so.1", folder, path);
    return search_is_library(info, link);
}

bool detect_link_missing(const struct system_info *info, struct evidence *evidence)
{
    char path[FILE_PATH_BYTES], release[MACHINE_RELEASE_BYTES];
    enum search_place place;
    const char *name;
    int folder;

    /* A link whose driver the search has found, or would, is not what is missing. */
    if (!(machine_module_release(info, release) && search_release(info, release, path)) &&
        !search_find(info, PLACE_SEARCHED, "libcuda.so.[0-9]*", search_is_versioned, path, &place))
        return false;
    name = strrchr(path, '/') + 1;
    folder = (int)(name - 1 - path);
    if (has_link(info, path, folder))
        return false;
    evidence_advise(
        evidence,
        "Run `ldconfig -n %.*s` as root: it makes the link libcuda.so.1 by the name in "
        "the file. If it cannot (a read-only root, for example), make the link when the "
        "image is built, or set CUSHIM_LIBRARY=%s.",
        folder, path, path);
    return evidence_set(evidence, "%s is there, the link %.*s/libcuda.so.1 is not", path, folder,
                        path);
}

bool detect_link_name_only(const struct system_info *info, struct evidence *evidence)
{
    char path[FILE_PATH_BYTES];

    if (info->report->state != CUSHIM_STATE_NOT_FOUND || search_has_unfound(info))
        return false;
    for (const struct search_folder *folder = search_folders(info); folder->path; folder++) {
        if (search_has_file(info, folder, "libcuda.so.1", path))
            return false;
    }
    for (const struct search_folder *folder = search_folders(info); folder->path; folder++) {
        if (ends_in(folder->path, "/stubs") || !search_has_file(info, folder, "libcuda.so", path))
            continue;
        evidence_advise(
            evidence,
            machine_is_tegra(info)
                ? "Install the driver's libraries again, and run ldconfig; in a container, "
                  "start it with --runtime nvidia."
                : "Install the NVIDIA driver. Do not make a link: a libcuda.so by "
                  "itself is a name for linking, and often a copy of the toolkit's "
                  "stub.");
        return evidence_set(evidence, "%s", path);
    }
    return false;
}

bool detect_dangling_link(const struct system_info *info, struct evidence *evidence)
{
    char path[FILE_PATH_BYTES];

    if (search_has_unfound(info))
        return false;
    for (const struct search_folder *folder = search_folders(info); folder->path; folder++) {
        if (snprintf(path, sizeof path, "%s/libcuda.so.1", folder->path) < (int)sizeof path &&
            file_is_link(info, path) && file_open_error(info, path, false) == ENOENT)
            return evidence_set(evidence, "%s", path);
    }
    return false;
}

bool detect_stale_cache(const struct system_info *info, struct evidence *evidence)
{
    struct cushim__candidate look;
    char path[FILE_PATH_BYTES];

    for (const struct search_folder *folder = search_folders(info); folder->path; folder++) {
        if (folder->kind == SEARCH_CONFIGURED && !ends_in(folder->path, "/stubs") &&
            search_has_file(info, folder, "libcuda.so.1", path) &&
            file_is_library(info, path, &look) && !search_is_cached(info, path))
            return evidence_set(evidence, "%s names the folder of %s, which is not in %s",
                                folder->source, path, search_cache_file);
    }
    return false;
}

bool detect_library_outside(const struct system_info *info, struct evidence *evidence)
{
    char path[FILE_PATH_BYTES];
    const char *sign;
    const enum machine_sandbox sandbox = machine_sandbox(info, &sign);
    enum search_place place;
    struct evidence other;
    int folder;

    /* If the cache is stale, the folder is already among those to be searched. */
    if (detect_stale_cache(info, &other) ||
        !search_find(info, PLACE_NAMED, "libcuda.so.1", search_is_unfound, path, &place))
        return false;
    folder = (int)(strrchr(path, '/') - path);
    if (place == PLACE_FOREIGN)
        evidence_advise(
            evidence,
            "The library belongs to another root file system than this one. Start the program "
            "in a container with its GPUs, or install the driver of this release here; "
            "to try the file, set CUSHIM_LIBRARY=%s.",
            path);
    else if (strncmp(path, "/usr/lib", 8) == 0 && file_exists(info, "/nix/store"))
        evidence_advise(evidence,
                        "A program of Nix does not search this system's folders: start it with "
                        "nixGL, or set CUSHIM_LIBRARY=%s.",
                        path);
    else if (sandbox == SANDBOX_FLATPAK)
        evidence_advise(evidence,
                        "The application's manifest should have the extension point "
                        "org.freedesktop.Platform.GL; until then this may help: flatpak override "
                        "--user --env=LD_LIBRARY_PATH=%.*s APP.",
                        folder, path);
    else if (sandbox == SANDBOX_SNAP)
        evidence_advise(evidence,
                        "Start the program as `snap run` does, or add %.*s to LD_LIBRARY_PATH in "
                        "the wrapper of the snap.",
                        folder, path);
    else
        evidence_advise(evidence,
                        "Add %.*s to LD_LIBRARY_PATH or to /etc/ld.so.conf.d (then run ldconfig), "
                        "or set CUSHIM_LIBRARY=%s. sudo, su and services drop LD_LIBRARY_PATH.",
                        folder, path, path);
    return evidence_set(evidence, "%s%s%s%s", path, sign ? "; " : "", sign ? sign : "",
                        sign ? " shows a sandbox" : "");
}

bool detect_nixos(const struct system_info *info, struct evidence *evidence)
{
    return file_exists(info, "/etc/NIXOS") &&
           !file_exists(info, "/run/opengl-driver/lib/libcuda.so.1") &&
           evidence_set(evidence,
                        "/etc/NIXOS is there, /run/opengl-driver/lib/libcuda.so.1 is not");
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
           probe_run(info->command, library, info->timeout_ns, result) == CUDA_SUCCESS &&
           result->stage == PROBE_STAGE_DONE && result->driver_version > 0;
}

/* How certain it is that a file hides the driver. */
enum certainty { NOTHING, PASSED_OVER, UNUSABLE, REPORTED };

struct shadow {
    const struct search_library *library;
    enum certainty certainty;
    char why[CUSHIM_REPORT_MESSAGE_BYTES]; /* what a look at the file shows, or empty */
};

static void note_shadow(struct shadow *shadow, enum certainty certainty,
                        const struct search_library *library, const char *why)
{
    if (!library->is_searched || certainty <= shadow->certainty)
        return;
    shadow->certainty = certainty;
    shadow->library = library;
    snprintf(shadow->why, sizeof shadow->why, "%s", why);
}

static bool report_shadow(struct evidence *evidence, const struct shadow *shadow,
                          const struct search_library *driver, const char *reason)
{
    const struct search_library *hiding = shadow->library;
    struct cushim__text advice;

    if (!hiding)
        return false;
    cushim__text_begin(&advice, evidence->advice, sizeof evidence->advice);
    cushim__text_format(&advice,
                        "Set CUSHIM_LIBRARY=%s for programs that use cushim; for all programs, "
                        "take the folder of %s out of LD_LIBRARY_PATH, or out of /etc/ld.so.conf "
                        "and its includes and run ldconfig, or remove the file.",
                        driver->path, hiding->path);
    return evidence_set(evidence, "%s leads to %s%s%s; there is also %s: %s",
                        hiding->source ? hiding->source : "the search", hiding->path,
                        shadow->why[0] ? ": " : "", shadow->why, driver->path, reason);
}

/* Stops at the first driver, or, if the reported one is a driver that fails, at one that works. */
bool detect_shadowed_driver(const struct system_info *info, struct evidence *evidence)
{
    const struct search_libraries *libraries = search_libraries(info);
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
        const struct search_library *library = &libraries->rows[i];
        struct cushim__candidate look;
        const bool is_fit = file_is_library(info, library->path, &look);

        if (strcmp(library->resolved, resolved) == 0)
            note_shadow(&shadow, REPORTED, library, is_fit ? "" : look.message);
        else if (!is_fit)
            note_shadow(&shadow, search_passes_over(&look) ? PASSED_OVER : UNUSABLE, library,
                        look.message);
        else if (!try_driver(info, library->path, &result))
            note_shadow(&shadow, UNUSABLE, library, "");
        else if (!is_failing || result.verdict == PROBE_USABLE)
            return report_shadow(evidence, &shadow, library, result.reason);
    }
    return false;
}
