/* SPDX-License-Identifier: Apache-2.0 */
/* Run PTX programs on the mock or on a GPU, and compare their results with kept digests. */
#include <stdio.h>
#include <string.h>

#include "check.h"

static int usage(void)
{
    fprintf(
        stderr,
        "usage: differential mock|driver digest PROGRAMS           print digests of results\n"
        "       differential mock|driver show PROGRAMS NAME        one program and its results\n"
        "       differential mock|driver check PROGRAMS DIGESTS    compare the results\n");
    return 2;
}

int main(int argc, char **argv)
{
    const bool mock = argc > 1 && strcmp(argv[1], "mock") == 0;
    struct programs *programs;
    bool well = false;

    if (argc < 4 || (!mock && strcmp(argv[1], "driver") != 0))
        return usage();
    programs = programs_read(argv[3]);
    if (strcmp(argv[2], "digest") == 0 && argc == 4)
        well = digest_all(programs, mock);
    else if (strcmp(argv[2], "show") == 0 && argc == 5)
        well = show_one(programs, mock, argv[4]);
    else if (strcmp(argv[2], "check") == 0 && argc == 5)
        well = check_all(programs, mock, argv[4]);
    else
        return usage();
    programs_free(programs);
    return well ? 0 : 1;
}
