/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loader: from nothing to a table of the driver's functions. Its parts, in the order in which a
 * load passes through them:
 *
 *   current.c    the current table, and the tables for a process that has no driver
 *   load.c       first use: an attempt, and its publication
 *   candidate.c  where a driver may be, and what came of each place
 *   library.h    opening a library, by operating system
 *   fill.c       symbols into a table
 *   symbol.c     symbols by number, and what the loaded driver made of them
 *   init.c       cuInit, and fork handling
 *   report.h     the report, as text and JSON, and what to do (advice.c)
 *   system.h     what depends on the operating system
 *   thunks.h     the slots without a driver, as machine code
 */
#ifndef CUSHIM_LOADER_LOADER_H
#define CUSHIM_LOADER_LOADER_H

#include <stdatomic.h>
#include <stdbool.h>

#include <cushim/driver.h>
#include <cushim/report.h>
#include <cushim/table.h>

#include "loader/symbols.h"
#include "loader/system.h"
#include "loader/thunks.h"

/* Called from machine code: kept, and by this name, whatever the compiler sees of the callers. */
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

/* Why there is no driver. */
CUresult cushim__load_error(void);

/* The same as the function of a slot: it may stand for any whose arguments the caller removes. */
CUresult CUDAAPI cushim__return_load_error(void);

/*
 * What stands in the slot of a symbol that no driver is asked for: one of these two functions, or
 * `otherwise`.
 */
cushim_function cushim__without_driver(unsigned symbol, cushim_function otherwise);

/* The loader's own table: lazy-load, the driver's, or NULL for the absent table. */
const struct cushim_table *cushim__own_table(void);

/* Whether the system has refused to make the loader's own table read-only. */
bool cushim__own_table_is_writable(void);

/* Make one of its tables, which is filled, read-only. */
void cushim__seal(enum cushim__pages which, struct cushim_table *table);

/*
 * Make the loaded driver's table the loader's own, and current unless the program has installed
 * another. Repeats change nothing.
 */
void cushim__publish_driver(const struct cushim_table *table);

/* Let every call answer `code`, unless a driver is loaded. */
void cushim__publish_absent(CUresult code);

/*
 * In a forked child: let every call answer `code`, even if a driver is loaded or the program has
 * installed a table, since such a table may call the parent's driver.
 */
void cushim__withdraw(CUresult code);

/* Whether the current table is one that the program has installed. */
bool cushim__is_installed(void);

/* --- src/error.c --- */

/*
 * cuGetErrorName and cuGetErrorString out of the registry, for who has no driver to ask: the usual
 * error macro prints the reason with them.
 */
CUresult CUDAAPI cushim__get_error_name(CUresult code, const char **name);
CUresult CUDAAPI cushim__get_error_string(CUresult code, const char **text);

/* --- load.c --- */

/* A driver that is loaded. */
struct cushim__loaded {
    struct cushim_table *table; /* on pages of its own, which are read-only */
    cushim_function init;       /* cuInit of the driver, in whose slot is cushim__init_slot() */
    cushim_resolver resolver;   /* where it was taken from, by request; NULL: from a library */
    void *resolver_data;
    unsigned char states[CUSHIM__SYMBOL_COUNT]; /* enum cushim_symbol_state of each slot */
    struct cushim_report report;
};

/* The driver of this process; in the child of a fork, of the parent. NULL: none is loaded. */
const struct cushim__loaded *cushim__loaded(void);

/* Load the driver if that has not been tried. Returns its table, or NULL: there is none to use. */
const struct cushim_table *cushim__load_lazily(void);

/* Where a call of this slot of the lazy-load table goes. */
cushim_function cushim__lazy_target(unsigned symbol);

/* Whether a thread of this process is loading; in the child of a fork, of the parent then. */
bool cushim__is_loading(void);

/* Forget the threads that were loading: they are the parent's. */
void cushim__forget_loading(void);

/* --- candidate.c --- */

/* Where symbols come from, and what the candidate's check found. */
struct cushim__source {
    cushim_resolver resolver;
    void *data;
    int version;                        /* of CUDA, by cuDriverGetVersion */
    cushim_function driver_get_version; /* cuDriverGetVersion */
    cushim_function init;               /* cuInit */
};

/*
 * Try what `options` ask for. Returns 0 and the driver's source, or the code of the failure; writes
 * candidates, library, driver_version and state of `report`.
 */
CUresult cushim__find_driver(const struct cushim_load_options *options,
                             struct cushim_report *report, struct cushim__source *source);

/* The candidate that decides what the whole attempt came to: the one that got furthest. */
const struct cushim_candidate *cushim__deciding_candidate(const struct cushim_report *report);

/* --- fill.c --- */

/* Find the two symbols that make a driver. Returns NULL, or the name of the one it lacks. */
const char *cushim__source_open(struct cushim__source *source);

/* Ask the driver for its version. Returns its code; the version is 0 if the call fails. */
CUresult cushim__source_ask(struct cushim__source *source);

/*
 * Fill every slot within table->size, which must not be beyond this library's table, and `states`
 * unless it is NULL.
 */
void cushim__fill(struct cushim_table *table, const struct cushim__source *source,
                  struct cushim_symbol_counts *counts, unsigned char *states);

/* What stands for a missing symbol, by its number. */
cushim_function cushim__missing_function(unsigned symbol);

/* --- symbol.c --- */

/* Log that the program called a symbol that its driver lacks, and refuse the call. */
CUresult cushim__missing(unsigned symbol);

/* --- init.c --- */

/* What stands in the slot of cuInit: calls the driver's, and counts the threads that are in it. */
CUresult CUDAAPI cushim__init_slot(unsigned flags);

/* What cuInit of the loader's own table answered last; false: it has not been called. */
bool cushim__init_outcome(CUresult *code, long *process);

/* From now on a fork withdraws the driver from a child that cannot use it. May be repeated. */
void cushim__handle_forks(void);

/* Whether this is such a child. */
bool cushim__is_forked(void);

#endif
