/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search of the dynamic linker, as far as files and the environment show it, and the folders in
 * which a library may be that no search finds. Both are read once, because a command is short.
 */
#ifndef CUSHIM_TOOL_INFO_DIAGNOSTICS_SEARCH_H
#define CUSHIM_TOOL_INFO_DIAGNOSTICS_SEARCH_H

#include "src/tool/info/diagnostics_files.h"

enum search_kind {
    SEARCH_VARIABLE,   /* of LD_LIBRARY_PATH */
    SEARCH_CONFIGURED, /* of /etc/ld.so.conf; searched by way of the cache */
    SEARCH_DEFAULT,    /* of the linker itself */
};

struct search_folder {
    enum search_kind kind;
    const char *path;
    const char *source; /* the variable or file that names it; NULL for the linker */
};

extern const char search_cache_file[];

/* The folders in the linker's order of kinds, ending with a NULL path. */
const struct search_folder *search_folders(const struct system_info *info);

/* Each libcuda.so.1 of the linker's cache, ending with NULL; and whether a path is one of these. */
const char *const *search_cache(const struct system_info *info);
bool search_is_cached(const struct system_info *info, const char *path);

/* Make the path of a name in a folder. Returns false if it is too long to exist, or not there. */
bool search_has_file(const struct system_info *info, const struct search_folder *folder,
                     const char *name, char path[FILE_PATH_BYTES]);

/* How a folder came to be looked at. */
enum search_place {
    PLACE_SEARCHED, /* the linker's folders, and that of the loaded library */
    PLACE_NAMED,    /* those that the user has named */
    PLACE_KNOWN,    /* loader/places.h */
    PLACE_FOREIGN,  /* the same, of another root file system */
};

/*
 * Find a file by a pattern of its name that passes a test, in the folders of `first` and of the
 * places after it.
 */
bool search_find(const struct system_info *info, enum search_place first, const char *name,
                 bool (*test)(const struct system_info *info, const char *path),
                 char path[FILE_PATH_BYTES], enum search_place *place);

/* Tests: a library for this process; one of another name than libcuda.so.1; one not searched. */
bool search_is_library(const struct system_info *info, const char *path);
bool search_is_versioned(const struct system_info *info, const char *path);
bool search_is_unfound(const struct system_info *info, const char *path);

/* Whether there is a library that the search has not reached: elsewhere, or without its link. */
bool search_has_unfound(const struct system_info *info);

/* The library of a release, other than the one that is loaded. */
bool search_release(const struct system_info *info, const char *release,
                    char path[FILE_PATH_BYTES]);

/* A libcuda.so.1, and the name that leads to it. */
struct search_library {
    char path[FILE_PATH_BYTES];
    char resolved[FILE_PATH_BYTES]; /* without links: a system has several names for a folder */
    const char *source;             /* a variable or a file; NULL if it is searched anyway */
    bool is_searched;               /* by the linker or by cushim, as far as files show */
};

enum { SEARCH_MOST_LIBRARIES = 16 };

struct search_libraries {
    struct search_library rows[SEARCH_MOST_LIBRARIES];
    int count;
};

/*
 * Every libcuda.so.1 in the order of glibc's search: LD_LIBRARY_PATH, the cache in the order of the
 * configuration that it was made from, the rest of the cache, and the default folders; then the
 * places where only cushim looks; last, those that no search finds, because the configuration is
 * newer than the cache.
 */
const struct search_libraries *search_libraries(const struct system_info *info);

/* Whether the linker ignores a file that it finds, and continues its search. */
bool search_passes_over(const struct cushim__candidate *look);

#endif
