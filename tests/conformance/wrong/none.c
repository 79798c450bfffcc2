/* SPDX-License-Identifier: Apache-2.0 */
/* No fault: the suite must pass, or it is the patching that it fails on. */
#include "wrong.h"

void wrong_patch(struct cushim_table *table)
{
    (void)table;
}
