/* SPDX-License-Identifier: Apache-2.0 */
/* Statement 9 is about forks, of which Windows has none. */
#include <stddef.h>

#include "cases.h"
#include "tests/support/verdict.h"

static void no_fork(void)
{
    skip("Windows has no fork");
}

#define NO_FORK(title, of_class)                                                       \
    {                                                                                  \
        .name = title, .run = no_fork, .class = of_class, .may_skip = ON_MOCK | ON_GPU \
    }

const struct conformance_case fork_cases[] = {
    NO_FORK("009_forked_child_is_not_initialised", MEASURED),
    NO_FORK("009_inherited_event_is_undefined", MEASURED),
    NO_FORK("cushim_driver_refuses_a_forked_child", CUSHIM),
    {.name = NULL},
};
