/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cushim needs of the operating system. Only *_posix.c and look_elf.c, *_windows.c and
 * look_pe.c know one.
 */
#ifndef CUSHIM_LOADER_SYSTEM_H
#define CUSHIM_LOADER_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/report.h>

/* Whether symbols of Windows are to be expected in a driver here. */
extern const bool cushim__system_is_windows;

/* One place where a driver may be. */
struct cushim__place {
    enum cushim_origin origin;
    const char *path;
};

/* Where to look when nobody names a driver, in order; ends with a NULL path. */
extern const struct cushim__place cushim__places[];

/* The calling process, by the system's number. */
uint32_t cushim__process(void);

/*
 * The calling thread: a number other than 0 that no other living thread has. It costs no system
 * call, and in the child of a fork it stays what it was in the parent.
 */
uintptr_t cushim__thread(void);

/* Give other threads the processor, longer the more often the caller has done so. */
void cushim__pause(unsigned times);

/* The monotonic clock, and a pause on it. */
uint64_t cushim__clock_ns(void);
void cushim__sleep_ns(uint64_t duration);

/*
 * Environment variable, or NULL also where the environment is not to be trusted (set-user-ID, or
 * elevated). The answer may stand in `room`; one that does not fit there fills it.
 */
const char *cushim__environment(const char *name, char *room, size_t size);

/* Whether a path starts at the root. */
bool cushim__path_is_absolute(const char *path);

/* Whether two paths lead to one file. */
bool cushim__path_is_same_file(const char *one, const char *other);

/* Zeroed memory from the system; NULL if it has none. */
void *cushim__map_pages(size_t size);
void cushim__unmap_pages(void *memory, size_t size);

/* Static memory for the tables that are made while the process runs. */
enum cushim__pages { CUSHIM__PAGES_DRIVER, CUSHIM__PAGES_ABSENT, CUSHIM__PAGES_COUNT };

/* Memory for a table that shares no page with anything else; the same at every call. */
void *cushim__pages(enum cushim__pages which);

/* Make what cushim__pages() gave read-only. False: the system refuses, and it stays writable. */
bool cushim__pages_seal(void *memory, size_t size);

/*
 * Keep this thread from being cancelled, where there is such a thing, and put back what the former
 * returned.
 */
int cushim__disable_cancellation(void);
void cushim__restore_cancellation(int former);

/* Call `before` in a process about to fork and `child` in its child. Repeats change nothing. */
void cushim__register_atfork(void (*before)(void), void (*child)(void));

#endif
