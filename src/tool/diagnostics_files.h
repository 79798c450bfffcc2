/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system that the diagnostics look at: what became of the driver, the environment, and the
 * files of Linux. All paths are absolute and stand below a root: an empty string for the machine's
 * own files, a folder for a test that lays out a machine. A file that cannot be read counts as
 * missing.
 */
#ifndef CUSHIM_TOOL_DIAGNOSTICS_FILES_H
#define CUSHIM_TOOL_DIAGNOSTICS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/report.h"
#include "src/tool/probe.h"

struct system_info {
    const struct cushim_report *report; /* what became of the driver */
    const char *root;                   /* of the file system */
    const char *command;                /* path of cushim, to try libraries; NULL: unknown */
    uint64_t seconds;                   /* after which a library that is tried counts as hung */
};

enum { FILE_PATH_BYTES = 1024 };

bool file_exists(const struct system_info *info, const char *path);

/* Whether a path leads to a device file, as opposed to an empty one in its place. */
bool file_is_device(const struct system_info *info, const char *path);

/* The beginning of a file, closed by NUL. False: there is none, and the text is empty. */
bool file_read(const struct system_info *info, const char *path, char *text, size_t size);

/* All of a file of at most 16 MiB; free it. NULL: there is none, or it is empty. */
char *file_read_all(const struct system_info *info, const char *path, size_t *length);

/*
 * How many paths match a pattern of the shell and pass a test; NULL: any does. `first` receives the
 * first of these; it may be NULL.
 */
int file_count(const struct system_info *info, const char *pattern,
               bool (*test)(const struct system_info *info, const char *path), char *first);

/* The path without links, below the root again. False: it leads nowhere. */
bool file_resolve(const struct system_info *info, const char *path, char *resolved);

/*
 * Whether this process could load a file as a library, as far as a look at the file shows. If not,
 * the candidate's outcome and message say why.
 */
bool file_is_library(const struct system_info *info, const char *path,
                     struct cushim__candidate *candidate);

/* The error number with which a file cannot be opened to read and write; 0: it can. */
int file_open_error(const struct system_info *info, const char *path);

/* Whether a path is a link itself, wherever it leads. */
bool file_is_link(const struct system_info *info, const char *path);

#endif
