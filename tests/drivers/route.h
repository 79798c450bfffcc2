/* SPDX-License-Identifier: Apache-2.0 */
/* The ways by which a driver comes into a process. */
#ifndef CUSHIM_TESTS_DRIVERS_ROUTE_H
#define CUSHIM_TESTS_DRIVERS_ROUTE_H

#include <stdbool.h>

#include "loader/report.h"
#include <cushim/driver.h>

enum route {
    ROUTE_OPTION,      /* cushim_load_options::library */
    ROUTE_ENVIRONMENT, /* CUSHIM_LIBRARY */
    ROUTE_SEARCH,      /* libcuda.so.1 in LD_LIBRARY_PATH; not where route_can_search is false */
    ROUTE_OPENED,      /* the program has opened it before, and the search comes to it */
    ROUTE_RESOLVER,    /* the program has opened it, and finds its symbols */
    ROUTE_COUNT,
};

/* Whether a test can put a driver where the system searches. */
extern const bool route_can_search;

const char *route_name(enum route route);

/* The origin that the report names. */
enum cushim_origin route_origin(enum route route);

/*
 * In a child: make a load with `options` take this route to the library at `path`. The search is
 * prepared by whoever starts the process (route_restart).
 */
void route_prepare(enum route route, const char *path, struct cushim_load_options *options);

/*
 * In a child: start this program anew with `folder` as LD_LIBRARY_PATH, or without it if that is
 * NULL; see child_restart().
 */
void route_restart(const char *folder, const char *const *arguments);

/* Whether a load by search finds a driver of this machine, and so no failing search can be seen. */
bool route_machine_has_driver(void);

/* In a child: open a library, or fail. */
void *route_open(const char *path);

/* cushim_resolver over a handle of route_open(). */
cushim_function route_resolve(const char *symbol, void *library);

/* In a child: the report as it is now. */
struct cushim_report route_report(void);

#endif
