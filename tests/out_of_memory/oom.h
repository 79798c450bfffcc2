/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A system that has run out: allocations, mappings, threads and files of cushim's own that fail
 * when a test says so. The linker puts these functions in the place of the C library's (--wrap),
 * for all that is linked into the program statically; what the C library does inside is not met.
 */
#ifndef CUSHIM_TESTS_OOM_OOM_H
#define CUSHIM_TESTS_OOM_OOM_H

#include <stdbool.h>
#include <stddef.h>

/* What can be short; bits. */
enum {
    SHORT_MEMORY = 1,   /* malloc() and its like */
    SHORT_MAPPINGS = 2, /* mmap() */
    SHORT_THREADS = 4,  /* pthread_create() */
    SHORT_FILES = 8,    /* open(), fopen(), memfd_create(): EMFILE */
    SHORT_ALL = 15,
};

/* From here on the `place`-th request of this thread fails, counted from 1; `on`: all later too. */
void oom_arm(unsigned kinds, unsigned place, bool on);

/* No request fails any more. What failed: bits; 0 if the place was not reached. */
unsigned oom_disarm(void);

/* Whether this thread is in between. */
bool oom_is_armed(void);

/* Blocks and mappings that were given out and not freed, by all threads. */
size_t oom_live(void);

/* Where the last of them was asked for, as `program+0x1189` for addr2line. */
void oom_describe_live(char *text, size_t size);

#endif
