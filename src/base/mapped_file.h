/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is memory: what is written there stays when the process is killed. */
#ifndef CUSHIM_SRC_BASE_MAPPED_FILE_H
#define CUSHIM_SRC_BASE_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Make a file of so many bytes of zeros, which take no room before they are written, and map it.
 * NULL: errno says why not; EEXIST if there is one already.
 */
void *cushim__file_map(const char *path, uint64_t bytes);
void cushim__file_unmap(void *pages, uint64_t bytes);

/* A path that leads there from any current folder; free it. NULL: out of memory. */
char *cushim__file_absolute(const char *path);

/*
 * Have room on the disk for a part of the file, which is mapped at `pages`: to write where there is
 * none kills the process. False: there is no room. Linux before 5.14 has to open the file again for
 * it, since programs close what they did not open.
 */
bool cushim__file_reserve(const char *path, void *pages, uint64_t offset, uint64_t bytes);

/* Cut the file of a mapping whose rest nobody uses. Windows does not do that: the file stays. */
void cushim__file_cut(const char *path, uint64_t bytes);

/* Of this process: its number, and its command line, as far as there is room. */
uint32_t cushim__process_id(void);
void cushim__process_words(char *text, size_t size);

/* The time of day in nanoseconds since 1970. */
uint64_t cushim__unix_ns(void);

#endif
