/* SPDX-License-Identifier: Apache-2.0 */
/* The loop in an executable: program TURNS */
#include <stdlib.h>

#include "loop.h"

int main(int count, char **arguments)
{
    return count == 2 ? loop((unsigned)strtoul(arguments[1], NULL, 10)) : 2;
}
