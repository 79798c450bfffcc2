/* SPDX-License-Identifier: Apache-2.0 */
#include "client_child.h"

#include <stdio.h>
#include <stdlib.h>

void client_go_on_in_child(void)
{
    puts("Windows has no fork");
    exit(1);
}
