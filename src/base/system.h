/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the mock and the layer need from the operating system, apart from pages (memory/),
 * conditions (lock.h) and what processes share.
 */
#ifndef CUSHIM_SRC_BASE_SYSTEM_H
#define CUSHIM_SRC_BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Whether drivers for this system have the symbols that exist on Windows only. */
extern const bool cushim__host_is_windows;

/* A monotonic clock of the host, in nanoseconds. */
uint64_t cushim__host_ns(void);

/*
 * Open a file to read its bytes; programs that this one starts do not inherit it. On failure, errno
 * says why: EISDIR if the system does not open folders, ENOTSUP for a pipe or a device, which may
 * block, never end, or have an effect when it is opened.
 */
FILE *cushim__host_file(const char *path);

/* Create a text file, or empty an existing one. Does not wait for a reader. */
FILE *cushim__host_new_file(const char *path);

/* The characters that separate the folders of a path. */
extern const char cushim__host_separators[];

/* Whether a path of `length` characters begins at the root, or at a drive. */
bool cushim__host_path_is_rooted(const char *path, size_t length);

/* Allocate and free memory aligned to a power of two, at most a page. NULL if memory runs out. */
void *cushim__host_memory(size_t alignment, size_t bytes);
void cushim__host_memory_free(void *memory);

/* Copy memory of this process that may not exist. Returns false if not all of it can be read. */
bool cushim__host_read(void *to, const void *from, size_t bytes);

/*
 * The value of an environment variable, to be freed. NULL if it is not set, or the process has more
 * rights than the user who may have set it (set-user-ID and its like). False if memory runs out.
 */
bool cushim__variable(const char *name, char **value);

/* The same, but an empty variable counts as not set. */
bool cushim__variable_said(const char *name, char **value);

/*
 * Handlers around fork(). The layer and the mock hold their locks across a fork, so that the child
 * finds them free. The locks are taken in the order of this enum, whichever part registered first.
 */
enum cushim__fork_part { CUSHIM__FORK_LAYER, CUSHIM__FORK_MOCK, CUSHIM__FORK_PARTS };

struct cushim__fork_handlers {
    void (*prepare)(void); /* before the fork */
    void (*parent)(void);  /* after the fork, in the parent, in reverse order */
    void (*child)(void);   /* after the fork, in the child, in reverse order */
};

/* Register handlers. Repeated calls change nothing, and Windows has no forks. */
void cushim__set_fork_handlers(enum cushim__fork_part part,
                               const struct cushim__fork_handlers *handlers);

#endif
