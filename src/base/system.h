/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface to the operating system.
 *
 *   system_posix.c, system_windows.c     all that the shim needs; it has no other of these files
 *   process_posix.c, process_windows.c   processes, threads, and variables of any length
 *   files_posix.c, files_windows.c       files
 *   memory_linux.c, memory_windows.c     memory
 *
 * Locks and threads have lock.h, files in memory mapped_file.h.
 */
#ifndef CUSHIM_SRC_BASE_SYSTEM_H
#define CUSHIM_SRC_BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --- system_posix.c, system_windows.c --- */

/* Whether drivers for this system have the symbols that exist on Windows only. */
extern const bool cushim__system_is_windows;

/* The id of the calling process. */
uint32_t cushim__system_process_id(void);

/* Whether this process was forked and has not called exec() since; false if unknown. */
bool cushim__system_process_was_forked(void);

/*
 * The calling thread: a number other than 0 that no other living thread has. It costs no system
 * call, and in the child of a fork it stays what it was in the parent, unlike the id of the thread.
 */
uintptr_t cushim__system_thread_token(void);

/*
 * Keep this thread from being cancelled, if the system has cancellation. Returns the former state,
 * to which the second function returns.
 */
int cushim__system_disable_cancellation(void);
void cushim__system_restore_cancellation(int former);

/*
 * Yield the processor to other threads. A caller that waits passes how often it has done so before:
 * from the 16th time on this sleeps, for longer from the 64th time on.
 */
void cushim__system_yield(unsigned times);

/* The monotonic clock, and a sleep of at least this long on it. */
uint64_t cushim__system_clock_ns(void);
void cushim__system_sleep_ns(uint64_t duration);

/*
 * An environment variable. NULL also if the environment cannot be trusted (set-user-ID, or
 * elevated). The value may be stored in `buffer`; one that does not fit is cut.
 */
const char *cushim__system_variable(const char *name, char *buffer, size_t size);

/*
 * Whether cushim ignores the environment, because the process has more rights than its user; and,
 * unless `name` is NULL, whether this variable is set.
 */
bool cushim__system_ignores_environment(const char *name);

/* Whether a path leads to the same file whatever the current folder is. */
bool cushim__system_path_is_absolute(const char *path);

/* Whether two paths lead to the same file. */
bool cushim__system_path_is_same_file(const char *one, const char *other);

/* Zeroed memory in pages of its own; NULL if the system has none. */
void *cushim__system_map_pages(size_t size);
void cushim__system_unmap_pages(void *memory, size_t size);

/*
 * Handlers around fork(). Within one library their order does not depend on who registers first:
 * the loader is the first before a fork, since it may call the driver; the layer and the mock then
 * take their locks in the order of this enum, so that the child finds them free. libcushim and
 * libcushim-mock are two libraries: there `held_for_fork` lets a later handler call the mock.
 */
enum cushim__fork_part {
    CUSHIM__FORK_LOADER,
    CUSHIM__FORK_LAYER,
    CUSHIM__FORK_MOCK,
    CUSHIM__FORK_PARTS,
};

/*
 * Register a part's handlers: before the fork, and after it in the parent and in the child, in
 * reverse order. NULL stands for none. A fork may call each twice, and the second call must change
 * nothing. Repeated registrations change nothing, and Windows has no forks.
 */
void cushim__system_handle_forks(enum cushim__fork_part part, void (*on_prepare)(void),
                                 void (*on_parent)(void), void (*on_child)(void));

/* --- process_posix.c, process_windows.c --- */

/* The command line of this process, cut to `size`. */
void cushim__system_command_line(char *text, size_t size);

/* The name of the program that this process executes, without its folder; empty if unknown. */
void cushim__system_program_name(char *text, size_t size);

/*
 * The system's id of the calling thread, and whether a thread of this process has ended. Ids are
 * reused, so a thread that has ended may be reported as alive.
 */
uint64_t cushim__system_thread_id(void);
bool cushim__system_thread_ended(uint64_t id);

/* The time of day in nanoseconds since 1970. */
uint64_t cushim__system_unix_ns(void);

/*
 * A copy of an environment variable, whole and to be freed. NULL if it is not set, or the process
 * has more rights than the user who may have set it (set-user-ID and its like; an elevated process
 * of Windows reads it). Returns false if memory runs out.
 */
bool cushim__system_variable_copy(const char *name, char **value);

/* The same, but an empty variable counts as not set. */
bool cushim__system_variable_nonempty(const char *name, char **value);

/* --- files_posix.c, files_windows.c --- */

/*
 * Open a file to read its bytes; programs that this one starts do not inherit it. On failure, errno
 * says why: EISDIR if the system does not open folders, ENOTSUP for a pipe or a device, which may
 * block, never end, or have an effect when it is opened.
 */
FILE *cushim__system_open_file(const char *path);

/* Create a text file, or empty an existing one. Does not wait for a reader. */
FILE *cushim__system_create_file(const char *path);

/* The characters that separate the folders of a path. */
extern const char cushim__system_separators[];

/*
 * Whether a path of `length` characters can follow a folder's: it begins neither at the root nor at
 * a drive. On Windows a path may be neither relative nor absolute, such as "C:file".
 */
bool cushim__system_path_is_relative(const char *path, size_t length);

/* --- memory_linux.c, memory_windows.c --- */

/* Allocate and free memory aligned to a power of two, at most a page. NULL if memory runs out. */
void *cushim__system_allocate(size_t alignment, size_t bytes);
void cushim__system_free(void *memory);

/* Copy memory of this process that may not be mapped. Returns false if not all can be read. */
bool cushim__system_read_memory(void *to, const void *from, size_t bytes);

#endif
