/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of the machine, as the diagnostics look at them.
 *
 * Every path is absolute and stands below a root: an empty string for the machine's own files, a
 * folder for a test that lays out a machine. Whatever cannot be looked at counts as not there.
 */
#ifndef CUSHIM_TOOL_FILES_H
#define CUSHIM_TOOL_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "loader/report.h"

enum { FILES_PATH_BYTES = 1024 };

bool files_exists(const char *root, const char *path);

/* Whether a path leads to a device's file, as opposed to one that keeps its place. */
bool files_is_device(const char *root, const char *path);

/* Whether a path is a link that leads nowhere. */
bool files_is_dangling(const char *root, const char *path);

/* The beginning of a file, closed by NUL. False: there is none, and the text is empty. */
bool files_read(const char *root, const char *path, char *text, size_t size);

/*
 * The paths that match a pattern of the shell, in order, until `visit` returns true. Returns
 * whether it did.
 */
bool files_each(const char *root, const char *pattern, bool (*visit)(void *data, const char *path),
                void *data);

/* The path without links, below the root again. False: it leads nowhere. */
bool files_resolve(const char *root, const char *path, char *resolved, size_t size);

/* Whether this process may not open a file that is there, and the system's words for it. */
bool files_is_refused(const char *root, const char *path, const char **why);

/*
 * Whether this process could load a file as a library, as far as a look at the file shows. If not,
 * the candidate's outcome and message say why.
 */
bool files_is_library(const char *root, const char *path, struct cushim__candidate *candidate);

/* One entry of a folder: a link itself, and not what it leads to. */
struct files_entry {
    bool is_folder, is_link;
    unsigned long user, group;     /* to whom it belongs */
    unsigned mode;                 /* bits of chmod() */
    char target[FILES_PATH_BYTES]; /* of a link */
};

/* Look at an entry. False: it is not there, or cannot be told. */
bool files_look(const char *root, const char *path, struct files_entry *entry);

/* The user whose rights this process has. */
unsigned long files_user(void);

/*
 * The strings with this end in a file of strings that are closed by NUL, until `visit` returns
 * true. Returns whether it did.
 */
bool files_each_string(const char *root, const char *path, const char *end,
                       bool (*visit)(void *data, const char *string), void *data);

#endif
