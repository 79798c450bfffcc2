/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loader finds the driver and fills a table of its functions. Its parts, in order of a load:
 *
 *   current.c    the current table, and the tables for a process that has no driver
 *   load.c       first use: an attempt, and its publication
 *   candidate.c  the libraries that may be the driver, and the outcome of trying each
 *   library.h    opening a library, by operating system
 *   fill.c       filling a table with symbols
 *   symbol.c     symbols by number, and their state in the loaded driver
 *   init.c       cuInit, and fork handling
 *   log.c        the program's log
 *   report.h     the report of attempts; report_*.c show it
 *   advice.c     what a user can do about a failure
 *   error.c      names, meanings and advice of result codes
 *   src/base/system.h  the other parts that depend on the operating system
 *   thunks.h     the slots without a driver, as machine code
 */
#ifndef CUSHIM_LOADER_LOADER_H
#define CUSHIM_LOADER_LOADER_H

#include <stdatomic.h>
#include <stdbool.h>

#include <cushim/driver.h>
#include <cushim/table.h>

#include "loader/report.h"
#include "loader/symbols.h"
#include "loader/table_pages.h"
#include "loader/thunks.h"
#include "src/base/text.h"

/* Called by name from machine code, so the compiler sees no caller and must keep it. */
#if CUSHIM__THUNKS
#define CUSHIM__CALLED_BY_THUNKS __attribute__((used))
#else
#define CUSHIM__CALLED_BY_THUNKS
#endif

/* --- current.c --- */

/* The table before first use: each slot loads the driver, then forwards the call. */
extern const struct cushim_table cushim__lazy_table;

#if CUSHIM__THUNKS
/*
 * With -flto the linker does not see names that are used in assembler only. This pointer makes the
 * lazy-load table refer to cushim__lazy_target(), which the thunks call.
 */
extern cushim_function (*const cushim__lazy_link)(unsigned symbol);
#endif

/* The code that says why there is no driver. */
CUresult cushim__load_error(void);

/* The same code, from a function that fits any slot whose arguments the caller removes. */
CUresult CUDAAPI cushim__return_load_error(void);

/*
 * The function for a symbol's slot if no driver provides it: cushim__get_error_name(),
 * cushim__get_error_string(), or `otherwise`.
 */
cushim_function cushim__without_driver(unsigned symbol, cushim_function otherwise);

/* The loader's own table: the lazy-load table, the driver's, or NULL for the absent table. */
const struct cushim_table *cushim__own_table(void);

/* Whether the system refused to make the loader's own table read-only. */
bool cushim__own_table_is_writable(void);

/* Make one of the loader's tables read-only once it is filled. */
void cushim__seal(enum cushim__pages which, struct cushim_table *table);

/*
 * Make the loaded driver's table the loader's own, and current unless the program has installed
 * another. Repeated calls change nothing.
 */
void cushim__publish_driver(const struct cushim_table *table);

/* Make every call return `code`, unless a driver is loaded. */
void cushim__publish_absent(CUresult code);

/*
 * In a forked child: make every call return `code`, even if a driver is loaded or the program has
 * installed a table, since such a table may call the parent's driver.
 */
void cushim__disable_after_fork(CUresult code);

/*
 * The table that becomes current when the program installs `table`: `table` itself, or a copy if it
 * is shorter than this library's. NULL if no copy is left.
 */
const struct cushim_table *cushim__complete_table(const struct cushim_table *table);

/* Whether a table is one of the loader's; whether the current one is not. */
bool cushim__is_own_table(const struct cushim_table *table);
bool cushim__is_installed(void);

/* --- error.c --- */

/*
 * cuGetErrorName and cuGetErrorString from the registry, for processes without a driver, so that
 * the usual error macro can print the reason.
 */
CUresult CUDAAPI cushim__get_error_name(CUresult code, const char **name);
CUresult CUDAAPI cushim__get_error_string(CUresult code, const char **text);

/* cuGetErrorName or cuGetErrorString. */
typedef CUresult(CUDAAPI *cushim__error_text)(CUresult code, const char **text);

/*
 * The driver's answer, or the registry's for a code that cushim returns itself and the driver does
 * not know: a driver that is too old for a function may also be too old for the code that says so.
 */
CUresult cushim__ask_driver(cushim__error_text driver, cushim__error_text registry, CUresult code,
                            const char **text);

/* --- load.c --- */

/* A driver that is loaded. */
struct cushim__loaded {
    struct cushim_table *table; /* on read-only pages of its own */
    cushim_function init;       /* the driver's cuInit, which cushim__init_slot() calls */
    /* Its cuGetErrorName and cuGetErrorString, or the registry's; the table's slots call these. */
    cushim__error_text error_name, error_string;
    cushim_resolver resolver; /* the options' resolver; NULL if loaded from a library */
    void *resolver_data;
    unsigned char states[CUSHIM__SYMBOL_COUNT]; /* enum cushim_symbol_state of each slot */
    struct cushim_report report;
};

/* The driver of this process; in a forked child, the parent's. NULL if none is loaded. */
const struct cushim__loaded *cushim__loaded_driver(void);

/* Load the driver if that has not been tried. Returns its table, or NULL if none is usable. */
const struct cushim_table *cushim__load_lazily(void);

/* The function to which a call of this slot of the lazy-load table is forwarded. */
cushim_function cushim__lazy_target(unsigned symbol);

/* Whether a thread is loading; in a forked child, whether one of the parent was. */
bool cushim__is_loading(void);

/* In a forked child: forget the threads that were loading, which are the parent's. */
void cushim__forget_loading(void);

/* --- log.c --- */

/* Write one line to the program's log (cushim/log.h); printf-like. */
#if defined(__GNUC__)
__attribute__((format(__printf__, 1, 2)))
#endif
void cushim__log(const char *format, ...);

/* In a forked child: forget the parent's threads that were logging, which do not exist here. */
void cushim__log_after_fork(void);

/* --- candidate.c --- */

/* Where symbols come from, and the results of the candidate's check. */
struct cushim__source {
    cushim_resolver resolver;
    void *data;
    int version;                        /* CUDA version, from cuDriverGetVersion */
    cushim_function driver_get_version; /* cuDriverGetVersion */
    cushim_function init;               /* cuInit */
};

/*
 * Try the candidates that `options` select. Returns 0 and the driver's source, or an error code.
 * Writes candidates, library, driver_version, minimum_version, state and code of `report`.
 */
CUresult cushim__find_driver(const struct cushim_load_options *options,
                             struct cushim_report *report, struct cushim__source *source);

/* The candidate that decides the result of the attempt: the one that got furthest. */
const struct cushim__candidate *cushim__deciding_candidate(const struct cushim_report *report);

/* --- fill.c --- */

/* Find the two symbols that every driver has. Returns NULL, or the name of a missing one. */
const char *cushim__source_open(struct cushim__source *source);

/* Query the driver's version. Returns the driver's code; the version is 0 if the call fails. */
CUresult cushim__source_query_version(struct cushim__source *source);

/*
 * Fill every slot within table->size, which must not be beyond this library's table, and `states`
 * unless it is NULL.
 */
void cushim__fill(struct cushim_table *table, const struct cushim__source *source,
                  struct cushim_symbol_counts *counts, unsigned char *states);

/* The function for the slot of a missing symbol, which is given by its number. */
cushim_function cushim__missing_function(unsigned symbol);

/* --- symbol.c --- */

/* Log the first call of a symbol that the driver lacks. Returns the code of such a call. */
CUresult cushim__missing(unsigned symbol);

/* --- init.c --- */

/* The function in the slot of cuInit. It calls the driver's, and counts the threads inside it. */
CUresult CUDAAPI cushim__init_slot(unsigned flags);

/* The last result of cuInit in the loader's own table. Returns false if it has not been called. */
bool cushim__init_outcome(CUresult *code, long *process);

/* From now on, a fork disables the driver in a child that cannot use it. May be repeated. */
void cushim__handle_forks(void);

/* How often fork() has made this process since cushim__handle_forks() was first called. */
extern atomic_uint cushim__forks;

/* Whether this process is a forked child whose driver is disabled. */
bool cushim__is_forked(void);

/* --- advice.c --- */

/* Whether cuInit has failed as it does in the child of a process that had initialised the driver. */
bool cushim__is_init_of_fork(const struct cushim_report *report);

/* Add what a user can do; nothing if nothing has failed. */
void cushim__advise(const struct cushim_report *report, struct cushim__text *text);

#endif
