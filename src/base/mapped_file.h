/* SPDX-License-Identifier: Apache-2.0 */
/* A memory-mapped file, whose contents survive if the process is killed. */
#ifndef CUSHIM_SRC_BASE_MAPPED_FILE_H
#define CUSHIM_SRC_BASE_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Create a file of `bytes` zeros, which take no space before they are written, and map it. On
 * failure, returns NULL and errno says why; EEXIST if the file exists.
 */
void *cushim__file_map(const char *path, uint64_t bytes);
void cushim__file_unmap(void *pages, uint64_t bytes);

/* A path that is valid from any current folder, to be freed. NULL if memory runs out. */
char *cushim__file_absolute(const char *path);

/*
 * Reserve space on the disk for a part of the file, which is mapped at `pages`; writing without
 * space kills the process. Returns false if there is no space. Linux before 5.14 has to open the
 * file again for this, since programs close what they did not open.
 */
bool cushim__file_reserve(const char *path, void *pages, uint64_t offset, uint64_t bytes);

/* Truncate a mapped file whose rest nobody uses. Windows leaves the file unchanged. */
void cushim__file_cut(const char *path, uint64_t bytes);

#endif
