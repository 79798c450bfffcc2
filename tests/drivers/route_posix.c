/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

#include "loader/library.h"
#include "tests/drivers/route.h"
#include "tests/support/child.h"
#include "tests/support/environment.h"

const bool route_can_search = true;

void route_restart(const char *folder, const char *const *arguments)
{
    environment_set("LD_LIBRARY_PATH", folder);
    child_restart(arguments);
}

bool route_machine_has_driver(void)
{
    bool is_there = false;

    for (const struct cushim__place *place = cushim__places; place->path; place++) {
        void *library = dlopen(place->path, RTLD_LAZY | RTLD_LOCAL);

        is_there |= library != NULL;
        if (library)
            dlclose(library);
    }
    return is_there;
}
