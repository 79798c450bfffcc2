/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A system without resources: cushim's own requests for memory, mappings, threads and files fail
 * when a test says so. The linker replaces the C library's functions (--wrap) in everything that is
 * linked statically to the program; requests inside the C library are not affected.
 */
#ifndef CUSHIM_TESTS_OOM_OOM_H
#define CUSHIM_TESTS_OOM_OOM_H

#include <stdbool.h>
#include <stddef.h>

/* The kinds of requests, as bits. */
enum {
    SHORT_MEMORY = 1,   /* malloc() and similar functions */
    SHORT_MAPPINGS = 2, /* mmap() */
    SHORT_THREADS = 4,  /* pthread_create() */
    SHORT_FILES = 8,    /* open(), fopen(), memfd_create(): EMFILE */
    SHORT_ALL = 15,
};

/*
 * From now on, request number `place` of this thread fails, counted from 1; `on`: all later ones,
 * too.
 */
void oom_arm(unsigned kinds, unsigned place, bool on);

/*
 * No request fails any more. Returns the kinds that have failed, as bits; 0 if there were fewer
 * requests.
 */
unsigned oom_disarm(void);

/* Whether this thread is between oom_arm() and oom_disarm(). */
bool oom_is_armed(void);

/* Blocks and mappings of all threads that are not freed. */
size_t oom_live(void);

/* Where the last of them was requested, such as `program+0x1189` for addr2line. */
void oom_describe_live(char *text, size_t size);

#endif
