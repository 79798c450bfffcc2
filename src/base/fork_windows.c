/* SPDX-License-Identifier: Apache-2.0 */
/* There are no forks on Windows. */
#include "src/base/fork.h"

void cushim__set_fork_handlers(enum cushim__fork_part part,
                               const struct cushim__fork_handlers *handlers)
{
    (void)part;
    (void)handlers;
}
