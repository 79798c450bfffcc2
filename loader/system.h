/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cushim needs of the operating system. The only rooms that know one: *_posix.c,
 * search_musl.c, elf.c and elf_*.c; *_windows.c and pe.c.
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

/* The calling process and thread as one number from 2^32 on and below 2^63. */
uint64_t cushim__self(void);
uint32_t cushim__process_of(uint64_t self);

/* Whether another process has the same memory as this one. False also if the system does not tell. */
bool cushim__shares_memory(uint32_t other);

/* Give other threads the processor, longer the more `turns` were taken. */
void cushim__pause(unsigned turns);

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

/* Zeroed memory for a while, from the system; NULL if it has none. */
void *cushim__memory_take(size_t size);
void cushim__memory_give_back(void *memory, size_t size);

/* Rooms for tables that are made while the process runs. */
enum cushim__pages { CUSHIM__PAGES_DRIVER, CUSHIM__PAGES_ABSENT, CUSHIM__PAGES_COUNT };

/* Memory that shares no page with anything else, room for a table; the same at every call. */
void *cushim__pages(enum cushim__pages which);

/* Make what cushim__pages() gave read-only. False: the system refuses, and it stays writable. */
bool cushim__pages_seal(void *memory, size_t size);

/*
 * Keep this thread from being cancelled, where there is such a thing; and let it be as it was, with
 * the answer of the former.
 */
int cushim__cancelling_put_off(void);
void cushim__cancelling_put_back(int former);

/* Call `before` in a process about to fork and `child` in its child. Repeats change nothing. */
void cushim__watch_fork(void (*before)(void), void (*child)(void));

#endif
