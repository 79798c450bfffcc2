/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface to the operating system. Only *_posix.c, look_elf.c, *_windows.c and look_pe.c
 * depend on one.
 */
#ifndef CUSHIM_LOADER_SYSTEM_H
#define CUSHIM_LOADER_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/report.h>

/* Whether the driver of this system may have the symbols that exist on Windows only. */
extern const bool cushim__system_is_windows;

/* A name or path to try for the driver. */
struct cushim__place {
    enum cushim_origin origin;
    const char *path;
};

/* The names and paths to try if none is given, in order, ending with a NULL path. */
extern const struct cushim__place cushim__places[];

/* The id of the calling process. */
uint32_t cushim__process(void);

/*
 * The calling thread: a number other than 0 that no other living thread has. It costs no system
 * call, and in the child of a fork it stays what it was in the parent.
 */
uintptr_t cushim__thread(void);

/* Yield to other threads, for longer the more `times` the caller has done so. */
void cushim__pause(unsigned times);

/* The monotonic clock, and a sleep on it. */
uint64_t cushim__clock_ns(void);
void cushim__sleep_ns(uint64_t duration);

/*
 * An environment variable. NULL also if the environment cannot be trusted (set-user-ID, or
 * elevated). The value may be stored in `buffer`; one that does not fit is cut.
 */
const char *cushim__environment(const char *name, char *buffer, size_t size);

/*
 * Whether cushim ignores the environment, because the process has more rights than its user; and,
 * unless `name` is NULL, whether this variable is set.
 */
bool cushim__ignores_environment(const char *name);

/* Whether this process was forked, and has not become another program since; false if unknown. */
bool cushim__process_was_forked(void);

bool cushim__path_is_absolute(const char *path);

/* Whether two paths lead to the same file. */
bool cushim__path_is_same_file(const char *one, const char *other);

/* Zeroed memory from the system; NULL if it has none. */
void *cushim__map_pages(size_t size);
void cushim__unmap_pages(void *memory, size_t size);

/* Tables that are filled while the process runs. */
enum cushim__pages { CUSHIM__PAGES_DRIVER, CUSHIM__PAGES_ABSENT, CUSHIM__PAGES_COUNT };

/* Static memory for a table. It shares no page with other data, and is the same at every call. */
void *cushim__pages(enum cushim__pages which);

/* Make a table read-only. Returns false if the system refuses; then the table stays writable. */
bool cushim__pages_seal(void *memory, size_t size);

/*
 * Keep this thread from being cancelled, if the system has cancellation, and restore the state that
 * was returned.
 */
int cushim__disable_cancellation(void);
void cushim__restore_cancellation(int former);

/* Call `before` in a process that forks, `child` in its child. Repeated calls change nothing. */
void cushim__register_atfork(void (*before)(void), void (*child)(void));

#endif
