/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/drivers/route.h"

#include <string.h>

#include "tests/support/child.h"
#include "tests/support/environment.h"
#include "tests/support/library.h"

static const struct {
    const char *name;
    enum cushim_origin origin;
} routes[ROUTE_COUNT] = {
    [ROUTE_OPTION] = {"option", CUSHIM_ORIGIN_OPTION},
    [ROUTE_ENVIRONMENT] = {"environment", CUSHIM_ORIGIN_ENVIRONMENT},
    [ROUTE_SEARCH] = {"search", CUSHIM_ORIGIN_SEARCH},
    [ROUTE_OPENED] = {"opened", CUSHIM_ORIGIN_SEARCH},
    [ROUTE_RESOLVER] = {"resolver", CUSHIM_ORIGIN_RESOLVER},
};

const char *route_name(enum route route)
{
    return routes[route].name;
}

enum cushim_origin route_origin(enum route route)
{
    return routes[route].origin;
}

void route_prepare(enum route route, const char *path, struct cushim_load_options *options)
{
    environment_set("CUSHIM_LIBRARY", NULL);
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
    switch (route) {
    case ROUTE_OPTION:
        options->library = path;
        break;
    case ROUTE_ENVIRONMENT:
        environment_set("CUSHIM_LIBRARY", path);
        break;
    case ROUTE_OPENED:
        route_open(path);
        break;
    case ROUTE_RESOLVER:
        options->resolver = route_resolve;
        options->resolver_data = route_open(path);
        break;
    case ROUTE_SEARCH:
    case ROUTE_COUNT:
        break;
    }
}

void *route_open(const char *path)
{
    void *library = library_open(path);

    if (!library)
        child_fail("the test cannot open the library: %s\n", library_error());
    return library;
}

cushim_function route_resolve(const char *symbol, void *library)
{
    cushim_function function = NULL;
    void *address = library_symbol(library, symbol);

    memcpy(&function, &address, sizeof function);
    return function;
}

struct cushim_report route_report(void)
{
    struct cushim_report report;

    cushim__report_get(&report);
    return report;
}
