/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/support/program.h"

#include <unistd.h>

void program_restart(const char *const *arguments)
{
    char path[4096];
    /* By its name: under valgrind the link itself leads to valgrind. */
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length < 0)
        return;
    path[length] = '\0';
    execv(path, (char *const *)arguments);
}
