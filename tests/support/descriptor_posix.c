/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/descriptor.h"

#include <dirent.h>
#include <stddef.h>

int descriptor_count(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int entries = 0;

    if (!folder)
        return -1;
    while (readdir(folder))
        entries++;
    closedir(folder);
    /* Not counted: `.`, `..`, and the descriptor of the folder itself. */
    return entries - 3;
}
