/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_LOADER_CACHE_H
#define CUSHIM_LOADER_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* What a look at a cache came to. */
enum cushim__cached {
    CUSHIM__CACHED_UNKNOWN, /* there is no such file, or it is of another format */
    CUSHIM__CACHED_NONE,    /* it leads to no library of this name, for any processor */
    CUSHIM__CACHED_FILES,   /* it leads to some */
    CUSHIM__CACHED_STOPPED, /* `visit` did not want to go on */
};

/*
 * Look a library up in the cache of glibc's dynamic linker, a file that ldconfig writes. The name
 * begins with lib, as all do in there. Unless it is NULL, `visit` is called with the path of each
 * file of that name that is for this process, in the order of the cache, until it returns false.
 */
enum cushim__cached cushim__cache_look(const char *path, const char *name,
                                       bool (*visit)(const char *path, void *data), void *data);

/* The same for the bytes of such a file. */
enum cushim__cached cushim__cache_look_at(const unsigned char *bytes, size_t size, const char *name,
                                          bool (*visit)(const char *path, void *data), void *data);

/*
 * Whether the cache leads to no library of this name for any processor. False also if that cannot
 * be told.
 */
bool cushim__cache_lacks(const char *path, const char *name);

#endif
