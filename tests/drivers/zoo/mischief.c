/* SPDX-License-Identifier: Apache-2.0 */
#include "mischief.h"

#include <stdlib.h>
#include <string.h>

void zoo_mischief(const char *when)
{
    const char *name = getenv("ZOO_MISCHIEF"), *moment = getenv("ZOO_WHEN");
    const struct zoo_mischief_row *row = zoo_mischiefs;

    if (!name || !moment || strcmp(moment, when) != 0)
        return;
    while (row->name && strcmp(row->name, name) != 0)
        row++;
    /* A name that is none would be a mischief that nobody sees. */
    if (!row->name)
        exit(99);
    row->function();
}
