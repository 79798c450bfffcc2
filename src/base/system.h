/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the mock and the layer need of the operating system, apart from pages (memory/), conditions
 * (lock.h) and what processes share.
 */
#ifndef CUSHIM_SRC_BASE_SYSTEM_H
#define CUSHIM_SRC_BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Whether drivers for this system have the symbols that are Windows' alone. */
extern const bool cushim__host_is_windows;

/* A clock of the host that only goes forward. */
uint64_t cushim__host_ns(void);

/*
 * Open a file to read its bytes; programs that this one starts do not get it. errno says why not:
 * EISDIR if the system does not open folders, ENOTSUP for a pipe or a device, which may let one
 * wait, never end, or do something when it is opened.
 */
FILE *cushim__host_file(const char *path);

/* Make a file of text, or what is there empty. Nobody is waited for to read it. */
FILE *cushim__host_new_file(const char *path);

/* What stands between the folders of a path: any of these characters. */
extern const char cushim__host_separators[];

/* Whether a path of so many characters leads from the root, or from that of a drive. */
bool cushim__host_path_is_rooted(const char *path, size_t length);

/* Memory at a multiple of a power of two that is at most a page, and its end. NULL: out of it. */
void *cushim__host_memory(size_t alignment, size_t bytes);
void cushim__host_memory_free(void *memory);

/* Copy from memory of this process that may not be there. False: not all of it can be read. */
bool cushim__host_read(void *to, const void *from, size_t bytes);

/*
 * What a variable of the environment says; free it. NULL: it is not set, or the process has more
 * rights than the user who may have set it (set-user-ID and its like). False: out of memory.
 */
bool cushim__variable(const char *name, char **value);

/* The same, if it says anything. */
bool cushim__variable_said(const char *name, char **value);

/*
 * Handlers around fork(). The layer and the mock hold their locks across one, so that the child
 * finds them free; they are taken in the order of this list, whichever part was there first.
 */
enum cushim__fork_part { CUSHIM__FORK_LAYER, CUSHIM__FORK_MOCK, CUSHIM__FORK_PARTS };

struct cushim__fork_handlers {
    void (*prepare)(void); /* before the fork */
    void (*parent)(void);  /* after it, in the parent, in reverse order */
    void (*child)(void);   /* and in the child */
};

/* From now on these are called. Repeats change nothing, and Windows has no forks. */
void cushim__set_fork_handlers(enum cushim__fork_part part,
                               const struct cushim__fork_handlers *handlers);

#endif
