/* SPDX-License-Identifier: Apache-2.0 */
/* The ways by which a driver comes into a process. */
#ifndef CUSHIM_TESTS_DRIVERS_ROUTE_H
#define CUSHIM_TESTS_DRIVERS_ROUTE_H

#include <stdbool.h>

#include <cushim/driver.h>
#include <cushim/report.h>

enum route {
    ROUTE_OPTION,      /* cushim_load_options::library */
    ROUTE_ENVIRONMENT, /* CUSHIM_LIBRARY */
    ROUTE_SEARCH,      /* libcuda.so.1 in LD_LIBRARY_PATH; not where route_can_search is false */
    ROUTE_MAPPED,      /* the program has opened it before */
    ROUTE_RESOLVER,    /* the program has opened it, and finds its symbols */
    ROUTE_COUNT,
};

/* Whether a test can put a driver where the system searches. */
extern const bool route_can_search;

/* Whether the system knows a mapped library by the name of its file, or by one inside. */
extern const bool route_maps_by_file_name;

const char *route_name(enum route route);

/* The origin that the report names. */
enum cushim_origin route_origin(enum route route);

/*
 * In a child: make a load with `options` take this route to the library at `path`. The route of the
 * search is taken by whoever starts the process (route_restart).
 */
void route_prepare(enum route route, const char *path, struct cushim_load_options *options);

/*
 * In a child: start this program anew with `folder` as LD_LIBRARY_PATH, or without it if that is
 * NULL; see child_restart().
 */
void route_restart(const char *folder, const char *const *arguments);

/*
 * Whether this machine has a driver in one of the places that are tried after a search has failed:
 * then a failing search cannot be seen here.
 */
bool route_search_has_another(void);

/*
 * Whether the linker finds a driver in this machine. It goes on to it from a library that is built
 * for another processor, and stops at others that it cannot map.
 */
bool route_linker_finds_one(void);

/* In a child: open a library, or fail. */
void *route_open(const char *path);

/* cushim_resolver over a handle of route_open(). */
cushim_function route_resolve(const char *symbol, void *library);

#endif
