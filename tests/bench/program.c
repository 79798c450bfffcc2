/* SPDX-License-Identifier: Apache-2.0 */
/* The loop in an executable: program TURNS; prints the processor time of a turn in ns. */
#include <stdio.h>
#include <stdlib.h>

#include "loop.h"

int main(int count, char **arguments)
{
    double ns = 0;
    int failed = count == 2 ? loop((unsigned)strtoul(arguments[1], NULL, 10), &ns) : 2;

    printf("%.4f\n", ns);
    return failed != 0;
}
