/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that diagnostics look at are those of Linux. Here none is there, so that only what the
 * environment tells is told.
 */
#include "src/tool/files.h"

bool files_exists(const char *root, const char *path)
{
    (void)root;
    (void)path;
    return false;
}

bool files_is_device(const char *root, const char *path)
{
    (void)root;
    (void)path;
    return false;
}

bool files_is_dangling(const char *root, const char *path)
{
    (void)root;
    (void)path;
    return false;
}

bool files_read(const char *root, const char *path, char *text, size_t size)
{
    (void)root;
    (void)path;
    if (size > 0)
        text[0] = '\0';
    return false;
}

bool files_each(const char *root, const char *pattern, bool (*visit)(void *data, const char *path),
                void *data)
{
    (void)root;
    (void)pattern;
    (void)visit;
    (void)data;
    return false;
}

bool files_resolve(const char *root, const char *path, char *resolved, size_t size)
{
    (void)root;
    (void)path;
    (void)resolved;
    (void)size;
    return false;
}

bool files_is_refused(const char *root, const char *path, const char **why)
{
    (void)root;
    (void)path;
    (void)why;
    return false;
}

bool files_is_library(const char *root, const char *path, struct cushim__candidate *candidate)
{
    (void)root;
    (void)path;
    (void)candidate;
    return false;
}

bool files_look(const char *root, const char *path, struct files_entry *entry)
{
    (void)root;
    (void)path;
    (void)entry;
    return false;
}

unsigned long files_user(void)
{
    return 0;
}

bool files_each_string(const char *root, const char *path, const char *end,
                       bool (*visit)(void *data, const char *string), void *data)
{
    (void)root;
    (void)path;
    (void)end;
    (void)visit;
    (void)data;
    return false;
}
