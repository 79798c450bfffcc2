/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/drivers/route.h"
#include "tests/support/child.h"

/* Tests must not write to the system folder; see tests/tool/search_hijack_test.py. */
const bool route_can_search = false;

void route_restart(const char *folder, const char *const *arguments)
{
    (void)folder;
    child_restart(arguments);
}

bool route_machine_has_driver(void)
{
    return false;
}
