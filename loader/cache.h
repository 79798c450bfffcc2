/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUSHIM_LOADER_CACHE_H
#define CUSHIM_LOADER_CACHE_H

#include <stdbool.h>

/*
 * Whether the cache of glibc's dynamic linker, a file that ldconfig writes, leads to no library of
 * this name for any processor. The name begins with lib, as all do in there. False also if that
 * cannot be told: there is no such file, or one of another format.
 */
bool cushim__cache_lacks(const char *path, const char *name);

#endif
