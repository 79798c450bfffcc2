/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/drivers/route.h"
#include "tests/support/child.h"

/* Its folder is the system's, which is not to be filled; see tests/tool/planted_test.py. */
const bool route_can_search = false;

const bool route_maps_by_file_name = true;

void route_restart(const char *folder, const char *const *arguments)
{
    (void)folder;
    child_restart(arguments);
}

bool route_search_has_another(void)
{
    return false;
}

bool route_linker_finds_one(void)
{
    return false;
}
