/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system that the diagnostics examine: the report on the driver, the environment, and the files
 * of Linux. All paths are absolute, below a root: an empty string for the machine's own
 * files, or a folder in which a test imitates a machine. A file that cannot be read counts as
 * missing.
 */
#ifndef CUSHIM_TOOL_INFO_DIAGNOSTICS_FILES_H
#define CUSHIM_TOOL_INFO_DIAGNOSTICS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/report.h"
#include "src/tool/probe/probe.h"

struct system_info {
    const struct cushim_report *report; /* on the driver */
    const char *root;                   /* of the file system */
    const char *folders;                /* to look for the library in, one per line; may be NULL */
    const char *init;                   /* file whose cuInit is called; NULL if none is loaded */
    const char *command;                /* path of cushim, to try libraries; NULL if unknown */
    uint64_t timeout_ns;                /* after which a library that is tried counts as hung */
};

enum { FILE_PATH_BYTES = 1024 };

bool file_exists(const struct system_info *info, const char *path);

/* Whether a path leads to a device file, as opposed to an empty one in its place. */
bool file_is_device(const struct system_info *info, const char *path);

/* Read the beginning of a file and add a NUL. Returns false and an empty text if there is none. */
bool file_read(const struct system_info *info, const char *path, char *text, size_t size);

/* All of a file of at most 16 MiB, to be freed; NULL if there is none or it is empty. */
char *file_read_all(const struct system_info *info, const char *path, size_t *length);

/* Visit the paths that match a shell pattern, in order. Returns for how many `visit` was true. */
int file_each(const struct system_info *info, const char *pattern,
              bool (*visit)(const struct system_info *info, const char *path, void *data),
              void *data);

/*
 * How many paths match a shell pattern and pass `test`, unless that is NULL. `first` receives the
 * first of these; it may be NULL.
 */
int file_count(const struct system_info *info, const char *pattern,
               bool (*test)(const struct system_info *info, const char *path), char *first);

/* Resolve links; the result is below the root again. Returns false if the path leads nowhere. */
bool file_resolve(const struct system_info *info, const char *path, char *resolved);

/*
 * Whether this process could load a file as a library, as far as a look at the file shows. If not,
 * the candidate's outcome and message say why.
 */
bool file_is_library(const struct system_info *info, const char *path,
                     struct cushim__candidate *candidate);

/* The errno of opening a file to read, and, if `is_written`, to write; 0 if that works. */
int file_open_error(const struct system_info *info, const char *path, bool is_written);

/* Whether the mode of a file lets every user read and write it. */
bool file_is_for_everybody(const struct system_info *info, const char *path);

/* Whether there is a file of no bytes, such as a container's runtime leaves as a mount point. */
bool file_is_empty(const struct system_info *info, const char *path);

/* Whether there is a folder. */
bool file_is_folder(const struct system_info *info, const char *path);

/* Whether a path is a link itself, wherever it leads. */
bool file_is_link(const struct system_info *info, const char *path);

#endif
