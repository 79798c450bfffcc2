/* SPDX-License-Identifier: Apache-2.0 */
/* Run PTX programs on a GPU and on the mock, and compare the results. */
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "driver.h"

static int usage(void)
{
    fprintf(stderr,
            "usage: differential driver PROGRAMS RESULTS          on the driver of this machine\n"
            "       differential mock PROGRAMS RESULTS            on the mock\n"
            "       differential compare PROGRAMS RESULTS OTHERS\n"
            "       differential digest PROGRAMS RESULTS          print digests of results\n"
            "       differential check PROGRAMS RESULTS DIGESTS   on the mock, then compare\n");
    return 2;
}

int main(int argc, char **argv)
{
    struct programs *programs;
    bool well = false;

    if (argc < 4)
        return usage();
    programs = programs_read(argv[2]);
    if (strcmp(argv[1], "driver") == 0 && argc == 4)
        well = driver_run(programs, argv[3], false);
    else if (strcmp(argv[1], "mock") == 0 && argc == 4)
        well = driver_run(programs, argv[3], true);
    else if (strcmp(argv[1], "compare") == 0 && argc == 5)
        well = compare_results(programs, argv[3], argv[4]);
    else if (strcmp(argv[1], "digest") == 0 && argc == 4)
        well = compare_digest(programs, argv[3]);
    else if (strcmp(argv[1], "check") == 0 && argc == 5)
        well = driver_run(programs, argv[3], true) && compare_check(programs, argv[3], argv[4]);
    else
        return usage();
    programs_free(programs);
    return well ? 0 : 1;
}
