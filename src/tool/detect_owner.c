/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who owns and who may write what stands on the way to a library: the folders of its path, the
 * links in it with the folders of theirs, and the file. Access control lists are not examined.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/tool/diagnostics.h"

enum { UNKNOWN_USER = 65534 };

struct way {
    const struct system_info *info;
    struct evidence *evidence;
    char here[FILE_PATH_BYTES];     /* without links; empty: the root */
    char rest[2 * FILE_PATH_BYTES]; /* what is still to be walked */
    bool is_mapped; /* users of the machine that this container has not are all one number */
};

/* A container of a user's own shows what belongs to the machine's root as another user's. */
static bool has_mapped_users(const struct system_info *info)
{
    unsigned long inside, outside, count;
    char map[256];

    return file_read(info, "/proc/self/uid_map", map, sizeof map) &&
           sscanf(map, "%lu %lu %lu", &inside, &outside, &count) == 3 &&
           (inside != 0 || outside != 0 || count != 4294967295);
}

static bool is_trusted(const struct way *way, unsigned long number)
{
    return number == 0 || number == geteuid() || (way->is_mapped && number == UNKNOWN_USER);
}

/*
 * Whether somebody else may change this entry. In a folder that is sticky, as /tmp is, nobody takes
 * away what belongs to others; and a group with the number of the user is the user's own.
 */
static bool is_foreign(struct way *way, const struct stat *status)
{
    const char *path = way->here[0] ? way->here : "/";
    const unsigned long user = status->st_uid, group = status->st_gid;
    const unsigned mode = status->st_mode & 07777;
    const bool is_shared =
        !S_ISLNK(status->st_mode) && !(S_ISDIR(status->st_mode) && mode & S_ISVTX);

    if (!is_trusted(way, user))
        return evidence_set(way->evidence, "%.400s belongs to user %lu", path, user);
    if (is_shared && mode & S_IWOTH)
        return evidence_set(way->evidence, "everybody may write %.400s (mode %04o)", path, mode);
    if (is_shared && mode & S_IWGRP && !is_trusted(way, group))
        return evidence_set(way->evidence, "group %lu may write %.400s (mode %04o)", group, path,
                            mode);
    return false;
}

static void leave(struct way *way)
{
    char *last = strrchr(way->here, '/');

    if (last)
        *last = '\0';
}

/*
 * Go on where a link leads. False: that is too long to be there. Each link makes it longer by its
 * slash, so that links that lead to one another have an end.
 */
static bool follow(struct way *way, const char *target)
{
    char rest[sizeof way->rest];

    if (target[0] == '/')
        way->here[0] = '\0';
    else
        leave(way);
    if (snprintf(rest, sizeof rest, "%s/%s", target, way->rest) >= (int)sizeof rest)
        return false;
    memcpy(way->rest, rest, sizeof rest);
    return true;
}

/* Take the next part of the path. False: there is none, or it is too long. */
static bool take(struct way *way)
{
    const char *start = way->rest + strspn(way->rest, "/");
    const size_t length = strcspn(start, "/"), so_far = strlen(way->here);
    const bool is_up = length == 2 && strncmp(start, "..", 2) == 0;
    const bool is_here = length == 1 && *start == '.';

    if (length == 0 || so_far + length + 2 > sizeof way->here)
        return false;
    if (is_up)
        leave(way);
    else if (!is_here)
        snprintf(way->here + so_far, sizeof way->here - so_far, "/%.*s", (int)length, start);
    memmove(way->rest, start + length, strlen(start + length) + 1);
    return true;
}

static bool walk(struct way *way)
{
    char target[FILE_PATH_BYTES];
    struct stat status;

    do {
        if (!file_look(way->info, way->here[0] ? way->here : "/", &status, target))
            return false;
        if (is_foreign(way, &status))
            return true;
        if (target[0] && !follow(way, target))
            return false;
    } while (take(way));
    return false;
}

bool detect_foreign_writer(const struct system_info *info, struct evidence *evidence)
{
    struct way way = {.info = info, .evidence = evidence, .is_mapped = has_mapped_users(info)};
    const struct cushim_report *report = info->report;
    const char *path = report->library;

    /* One that was opened and is no driver has run its code, too. */
    for (unsigned i = 0; i < report->candidate_count && path[0] != '/'; i++)
        path = report->candidates[i].path;
    if (path[0] != '/')
        return false;
    snprintf(way.rest, sizeof way.rest, "%s", path);
    return walk(&way);
}
