/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loader's own parts, in the order in which a load passes through them:
 *
 *   turn.c       state machine: who loads, who waits, and what a fork means
 *   load.c       one attempt, and its commit
 *   candidate.c  what is tried, and what came of it
 *   fill.c       symbols into a table
 *   symbol.c     symbols by number, and what the loaded driver made of them
 *   current.c    the current table: publish, install, fork
 *   absent.c     the table without a driver; its header, like that of boot.c, is tables.h
 *   record.c     the last attempt, kept for the report
 *   init.c       cuInit, and whether it has happened
 *
 * Each other file of this folder has a header of its own.
 */
#ifndef CUSHIM_LOADER_LOADER_H
#define CUSHIM_LOADER_LOADER_H

#include <stdbool.h>

#include <cushim/driver.h>
#include <cushim/report.h>
#include <cushim/table.h>

#include "loader/system.h"

/* Where symbols come from, and what the first look at it told. */
struct cushim__source {
    cushim_resolver resolver;
    void *data;
    int version;                        /* of CUDA, by cuDriverGetVersion */
    cushim_function driver_get_version; /* cuDriverGetVersion */
    cushim_function init;               /* cuInit */
};

/* --- candidate.c --- */

/*
 * Try what `options` ask for. Returns 0 and the driver's source, or the code of the failure; writes
 * candidates, library, driver_version and state of `report`.
 */
CUresult cushim__find_driver(const struct cushim_load_options *options,
                             struct cushim_report *report, struct cushim__source *source);

/* --- fill.c --- */

/* Find the two symbols that make a driver. Returns NULL, or the name of the one it lacks. */
const char *cushim__source_open(struct cushim__source *source);

/* Resolver for a library handle. */
cushim_function cushim__resolve_in_library(const char *symbol, void *library);

/* Ask the driver for its version. Returns its code; the version is 0 unless it told one. */
CUresult cushim__source_ask(struct cushim__source *source);

/*
 * Fill every slot within table->size, which must not be beyond this library's table, and `states`
 * unless it is NULL.
 */
void cushim__fill(struct cushim_table *table, const struct cushim__source *source,
                  struct cushim_symbol_counts *counts, unsigned char *states);

/* --- symbol.c --- */

/* State of each symbol of the loaded driver: written once, before its table is published. */
unsigned char *cushim__symbol_states(void);

/* --- current.c --- */

/* The loader's own table: boot, the driver's, or NULL for the absent table. */
const struct cushim_table *cushim__own_table(void);

/* Make one of its tables, which is filled, read-only. */
void cushim__seal(enum cushim__pages which);

/* Whether the loader's own table is one for which the system has refused that. */
bool cushim__own_table_is_writable(void);

/* Whether a driver has been loaded; in a forked child, before the fork. */
bool cushim__was_loaded(void);

/*
 * Make `table` the loader's own, and current unless the program has installed another. NULL: the
 * absent table.
 */
void cushim__publish(const struct cushim_table *table);

/* The same for a failure: every call answers `code`. */
void cushim__publish_absent(CUresult code);

/* Like the former, over an installed table too: what it wraps is gone. */
void cushim__withdraw(CUresult code);

/* Whether the current table is one that the program has installed. */
bool cushim__is_installed(void);

/* --- turn.c --- */

/* Whether this is the child of a process that had initialised the driver, or was loading it. */
bool cushim__is_forked(void);

/* --- init.c --- */

/* Whether the driver of the loader's own table is initialised, by whomever: the driver is asked. */
bool cushim__is_initialised(void);

/* Whether a thread is inside cushim_init(), or has been and it succeeded. Asks nobody. */
bool cushim__has_begun_to_initialise(void);

/* Whether cushim_init() has come to cuInit; what that answered, and the process where it succeeded. */
bool cushim__init_outcome(CUresult *code, long *process);

/* --- record.c --- */

/* The last attempt to load. Both copy. */
void cushim__record_put(const struct cushim_report *attempt);
void cushim__record_get(struct cushim_report *attempt);

#endif
