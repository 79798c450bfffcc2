/* SPDX-License-Identifier: Apache-2.0 */
/* The routes by which a process gets a driver. */
#ifndef CUSHIM_TESTS_DRIVERS_ROUTE_H
#define CUSHIM_TESTS_DRIVERS_ROUTE_H

#include <stdbool.h>

#include "loader/report.h"
#include <cushim/driver.h>

enum route {
    ROUTE_OPTION,      /* cushim_load_options::library */
    ROUTE_ENVIRONMENT, /* CUSHIM_LIBRARY */
    ROUTE_SEARCH,      /* libcuda.so.1 in LD_LIBRARY_PATH, if route_can_search */
    ROUTE_OPENED,      /* the program has opened the library before, and the search finds it */
    ROUTE_RESOLVER,    /* the program has opened the library, and passes a resolver */
    ROUTE_COUNT,
};

/* Whether a test can put a driver where the system searches. */
extern const bool route_can_search;

const char *route_name(enum route route);

/* The origin that the report names. */
enum cushim_origin route_origin(enum route route);

/*
 * In a child: prepare a load with `options` by this route from the library at `path`. For
 * ROUTE_SEARCH, the parent of the process prepares the search (route_restart).
 */
void route_prepare(enum route route, const char *path, struct cushim_load_options *options);

/*
 * In a child: start this program again with `folder` as LD_LIBRARY_PATH (NULL: without it); see
 * child_restart().
 */
void route_restart(const char *folder, const char *const *arguments);

/* Whether a search finds a driver of this machine, so that no failing search can be tested. */
bool route_machine_has_driver(void);

/* In a child: open a library; a failure ends the child. */
void *route_open(const char *path);

/* A cushim_resolver for a handle of route_open(). */
cushim_function route_resolve(const char *symbol, void *library);

/* In a child: the present report. */
struct cushim_report route_report(void);

#endif
