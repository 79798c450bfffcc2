/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

#include "tests/drivers/route.h"
#include "tests/support/child.h"
#include "tests/support/environment.h"

const bool route_can_search = true;
const bool route_maps_by_file_name = false;

void route_restart(const char *folder, const char *const *arguments)
{
    environment_set("LD_LIBRARY_PATH", folder);
    child_restart(arguments);
}

bool route_search_has_another(void)
{
    return access("/usr/lib/wsl/lib/libcuda.so.1", F_OK) == 0 ||
           access("/run/opengl-driver/lib/libcuda.so.1", F_OK) == 0 ||
           access("/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1", F_OK) == 0 ||
           access("/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1", F_OK) == 0;
}

bool route_linker_finds_one(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);

    if (library)
        dlclose(library);
    return library != NULL;
}
